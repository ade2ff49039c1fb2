"""A server of several processes, under both MPI libraries."""

import functools
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import grappa as gp
from grappa import _grappa

sys.path.insert(0, str(Path(__file__).parent))
from mpi_python import LIBRARIES, rank_of, start  # noqa: E402
from server_process import TOKEN, Server  # noqa: E402

LONG = {"tolerance": 0, "iterations": 10**9}  # of pagerank: hours


@unittest.skipUnless(LIBRARIES, "neither Open MPI nor MPICH is here with its plug-in")
class Cluster(unittest.TestCase):
    def servers(self, ranks=2):
        """One of each library."""
        for library in LIBRARIES:
            with self.subTest(library=library), tempfile.TemporaryDirectory() as folder:
                server = Server(start=functools.partial(start, folder, library, ranks,
                                                        GRAPPA_TOKEN=TOKEN))
                try:
                    yield server
                finally:
                    server.end()

    def test_answers(self):
        rng = np.random.default_rng(1)
        ends, weights = rng.integers(0, 200, (2, 1000)), rng.integers(1, 9, 1000).astype(float)
        values = rng.integers(-100, 100, 50_000)
        for server in self.servers():
            self.assertEqual(server.cores, 2)
            here = gp.from_edges(*ends, weights, directed=False, session=gp.session(cores=1))
            with server.connect() as cluster:
                there = cluster.from_edges(*ends, weights, directed=False)
                for kernel in _grappa.kernel_table():
                    found = getattr(there, kernel["name"])(verify=True)
                    for name, expected in getattr(here, kernel["name"])().columns.items():
                        np.testing.assert_allclose(found.columns[name], expected, rtol=1e-9,
                                                   err_msg=f"{kernel['name']} {name}")
                a, expected = gp.array(values), values.copy()
                where = rng.integers(-50_000, 50_000, 200_000)
                a[where] += 1
                np.add.at(expected, where, 1)
                self.assertTrue((a[:] == expected).all())
                self.assertTrue((a[where].to_numpy() == expected[where]).all())
                t = {"x": values, "g": values % 7}
                rows = gp.sql("select g, sum(x) from t group by g order by g", t=t).fetchall()
                self.assertEqual(rows, [(g, values[values % 7 == g].sum()) for g in range(7)])

    def test_control_c_and_the_end(self):
        for server in self.servers():
            cluster = server.connect()
            g = cluster.kron(10)
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                g.pagerank(**LONG)
            self.assertGreater(g.cc().components, 0)
            os.kill(rank_of(server.process.pid, 0), signal.SIGTERM)
            self.assertEqual(server.process.wait(20), 0, server.said())
            with self.assertRaises(gp.LocaleLost):
                g.cc()

    def test_the_launchers_end_is_the_jobs(self):
        for server in self.servers():
            cluster = server.connect()
            server.process.terminate()
            server.process.wait(20)
            with self.assertRaises(gp.LocaleLost):
                cluster.kron(3)

    def test_a_lost_process_is_the_loss_of_the_server(self):
        for lost in (0, 1):
            for server in self.servers():
                cluster = server.connect()
                g = cluster.kron(10)
                killer = threading.Timer(0.5, os.kill, (rank_of(server.process.pid, lost),
                                                        signal.SIGKILL))
                killer.start()
                start_time = time.monotonic()
                with self.assertRaises(gp.LocaleLost):
                    g.pagerank(**LONG)
                self.assertLess(time.monotonic() - start_time, 10)


if __name__ == "__main__":
    unittest.main()
