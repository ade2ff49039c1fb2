"""A session in another process: what clients compute there, and how they and servers end."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import grappa as gp
from grappa import _grappa
from grappa.serving import frames

sys.path.insert(0, str(Path(__file__).parent))
from server_process import TOKEN, Server  # noqa: E402

ENVIRONMENT = {**os.environ, "GRAPPA_TOKEN": TOKEN}


class Served(unittest.TestCase):
    def setUp(self):
        self.server = Server(env=ENVIRONMENT)
        self.addCleanup(self.server.end)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def connect(self):
        made = self.server.connect()
        self.addCleanup(made.close)
        return made


def columns_of(result):
    return {name: values.tolist() for name, values in result.columns.items()}


class Answers(Served):
    def test_of_every_kernel_as_here(self):
        rng = np.random.default_rng(1)
        ends = rng.integers(0, 300, (2, 2000))
        weights = rng.integers(1, 9, 2000).astype(float)
        cluster = self.connect()
        for directed in (True, False):
            here, there = (gp.from_edges(*ends, weights, directed=directed, session=session)
                           for session in (gp.sessions.current(), cluster))
            for kernel in _grappa.kernel_table():
                name = kernel["name"]
                options = {"source": 3} if name in ("bfs", "sssp") else {}
                found, expected = (getattr(g, name)(verify=True, **options) for g in (there, here))
                self.assertEqual(found.columns.keys(), expected.columns.keys())
                for column, values in expected.columns.items():
                    np.testing.assert_allclose(found.columns[column], values, rtol=1e-9,
                                               err_msg=f"{name} {column}")
                self.assertTrue(found.verified)
                self.assertEqual(found.facts.keys(), expected.facts.keys())

    def test_of_graphs(self):
        file = self.folder / "a.csv"
        file.write_text("ann,bob\nbob,cid\n")
        with self.connect():
            g = gp.read(file, directed=False)
            self.assertEqual((len(g), g.edges, g.directed, g.weighted), (3, 2, False, False))
            self.assertEqual(g.names.tolist(), ["ann", "bob", "cid"])
            self.assertEqual(g.bfs(source="cid").top(1), [("ann", 2)])
            self.assertEqual(g.edge_arrays()[0].tolist(), [0, 1])
            named = gp.from_edges(["x", "y"], ["y", "z"])
            self.assertEqual(named.pagerank().top(1)[0][0], "z")
            many = gp.read(self.many_names())
            self.assertEqual(many.names.tolist(), sorted(f"näme{i}" for i in range(200)))
            self.assertEqual(gp.grid(3, 3).edges, 12)
            result = gp.kron(8).pagerank()
        self.assertAlmostEqual(result.values.sum(), 1, places=9)  # it outlives the connection
        with self.assertRaisesRegex(RuntimeError, "closed"):
            g.cc()

    def test_of_graphs_and_files(self):
        cluster = self.connect()
        g = cluster.from_edges(["b", "a"], ["a", "c"], [1, 2])
        g.write(self.folder / "a.csv")
        self.assertEqual((self.folder / "a.csv").read_text(), "source,target,weight\nb,a,1\na,c,2\n")
        self.assertEqual(g.info(), gp.from_edges(["b", "a"], ["a", "c"], [1, 2]).info())
        self.assertEqual(g.arrange("degree").bfs(source="b").depth.tolist(), [1, 0, 2])
        self.assertEqual(len(cluster.from_sql("select 3 as x, 4 as y")), 5)
        k = cluster.kron(6)
        k.pagerank(tolerance=0, iterations=4, checkpoint=self.folder / "c", checkpoint_every=2)
        self.assertEqual(k.pagerank(tolerance=0, iterations=8, resume=self.folder / "c")
                         .checkpoints["resumed_after"], 4)

    def many_names(self):
        file = self.folder / "many.csv"
        file.write_text("".join(f"näme{i},näme{i + 1}\n" for i in range(199)))
        return file

    def test_of_arrays(self):
        rng = np.random.default_rng(2)
        values = rng.integers(-100, 100, 50_000)
        expected = values.copy()
        with self.connect() as cluster:
            a = gp.array(values)
            where = rng.integers(-50_000, 50_000, 200_000)
            a[where] += 1
            np.add.at(expected, where, 1)
            self.assertTrue((a[where].to_numpy() == expected[where]).all())
            a[100:40_000:7] *= 3
            expected[100:40_000:7] *= 3
            a[::-3] = np.arange(len(expected[::-3]))
            expected[::-3] = np.arange(len(expected[::-3]))
            a[7] = 9
            expected[7] = 9
            self.assertTrue((a.to_numpy() == expected).all())
            self.assertEqual((a[7], a.sum(), a.min(), a.max()), (9, expected.sum(), expected.min(),
                                                                 expected.max()))
            self.assertTrue((a.histogram(bins=7)[0] == np.histogram(expected, 7)[0]).all())
            a.sort()
            self.assertTrue((a.unique() == np.unique(expected)).all())
            self.assertEqual(gp.arange(0, 10, 3)[:].tolist(), [0, 3, 6, 9])
            self.assertTrue((gp.random(100, seed=7).to_numpy()
                             == gp.random(100, seed=7, session=LOCAL()).to_numpy()).all())
            self.assertEqual(len(gp.zeros(0)[:]), 0)
            with self.assertRaises(BufferError):
                np.from_dlpack(a)
            self.assertEqual(cluster.zeros(3, "float32").to_numpy().dtype, np.float32)

    def test_large_arrays_go_both_ways(self):
        values = np.random.default_rng(3).random(20_000_000)  # 160 MB in one message
        with self.connect():
            a = gp.array(values)
            self.assertTrue((a.to_numpy() == values).all())

    def test_of_tables(self):
        t = {"x": [1, 2, None], "name": ["a", "ö", None], "day": np.array(["2026-01-01"] * 3, "M8[D]")}
        with self.connect() as cluster:
            rows = gp.sql("select * from t order by x", t=t)
            self.assertEqual(rows.fetchall(), gp.sql("select * from t order by x", t=t,
                                                     session=LOCAL()).fetchall())
            edges = {"x": [1, 2], "y": [2, 3]}
            program = (".decl edge(x: number, y: number)\n.decl path(x: number, y: number)\n"
                       "path(x, y) :- edge(x, y).\npath(x, z) :- path(x, y), edge(y, z).\n")
            self.assertEqual(gp.datalog(program, {"edge": edges})["path"].fetchall(),
                             [(1, 2), (1, 3), (2, 3)])
            with self.assertRaisesRegex(ValueError, "program:1"):
                cluster.datalog(".decl wrong")

    def test_of_files_and_points(self):
        text = self.folder / "words.txt"
        text.write_text("b a b\n")
        points = np.random.default_rng(4).random((300, 3))
        cluster = self.connect()
        self.assertEqual(cluster.wordcount(text).fetchall(), [("b", 2), ("a", 1)])
        self.assertEqual(cluster.sort(text, out=self.folder / "sorted.txt")["records"], 1)
        found = cluster.KMeans(3, random_state=1).fit(points)
        expected = gp.KMeans(3, random_state=1).fit(points)
        self.assertEqual(found.labels_.tolist(), expected.labels_.tolist())
        np.save(self.folder / "points.npy", points)
        self.assertTrue((cluster.read_points(self.folder / "points.npy") == points).all())
        self.assertEqual(found.predict(points[:5]).tolist(), expected.labels_[:5].tolist())

    def test_errors_are_of_the_same_kinds(self):
        with self.connect() as cluster:
            with self.assertRaises(FileNotFoundError) as raised:
                gp.read(self.folder / "absent.txt")
            self.assertEqual(raised.exception.filename, str(self.folder / "absent.txt"))
            g = gp.kron(6)
            for kind, words, wrong in (
                    (ValueError, "no such vertex", lambda: g.bfs(source=1000)),
                    (TypeError, "takes no", lambda: g.bfs(sauce=1)),
                    (ValueError, "expected a statement", lambda: gp.sql("nothing")),
                    (IndexError, "out of bounds", lambda: gp.zeros(3)[[5]].to_numpy()),
                    (TypeError, "integers", lambda: gp.zeros(3)._update("and", np.ones(3))),
                    (AttributeError, "no nonsense", lambda: cluster.nonsense),
                    (ValueError, "one character", lambda: gp.sort("a", out="b", column=1,
                                                                  separator="ab"))):
                with self.assertRaisesRegex(kind, words):
                    wrong()
            self.assertEqual(g.cc().components, gp.kron(6, session=LOCAL()).cc().components)

    def test_memory_is_the_servers(self):
        server = Server("--memory", "2GiB", env=ENVIRONMENT)
        self.addCleanup(server.end)
        with server.connect():
            with self.assertRaises(MemoryError):
                gp.kron(24)
            gp.kron(8).cc()

    def test_clients_beside_each_other(self):
        wrong = []

        def ask(scale):
            with self.server.connect() as cluster:
                for _ in range(10):
                    if cluster.kron(scale).cc().components != expected[scale]:
                        wrong.append(scale)

        expected = {scale: gp.kron(scale).cc().components for scale in range(5, 9)}
        threads = [threading.Thread(target=ask, args=(scale,)) for scale in expected]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_threads_of_one_client(self):
        cluster = self.connect()
        g = cluster.kron(8)
        expected, found = g.cc().components, []
        threads = [threading.Thread(target=lambda: found.append(g.cc().components))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, 8 * [expected])

    def test_what_is_dropped_is_freed(self):
        cluster = self.connect()

        def resident():
            words = Path(f"/proc/{self.server.process.pid}/statm").read_text().split()
            return int(words[1]) * os.sysconf("SC_PAGESIZE") >> 20

        for _ in range(3):
            cluster.zeros(1 << 22).sum()
        before = resident()
        for _ in range(30):
            cluster.zeros(1 << 22).sum()  # 32 MiB each
        self.assertLess(resident(), before + 200)

    def test_a_fork_is_refused(self):
        cluster = self.connect()
        child = os.fork()
        if child == 0:
            try:
                cluster.kron(4)
                os._exit(1)
            except RuntimeError as error:
                os._exit(0 if "forked" in str(error) else 2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(len(cluster.kron(4)), 16)


def LOCAL():
    """A session here, while a connection is the current one."""
    if not hasattr(LOCAL, "made"):
        LOCAL.made = gp.session()
    return LOCAL.made


LONG = "g.pagerank(tolerance=0, iterations=10**9)"  # hours


class Ends(Served):
    def child(self, code):
        """A client of its own, which says a line when it is there."""
        made = subprocess.Popen(
            [sys.executable, "-c", f"import grappa as gp\ncluster = gp.connect({self.server.address!r})\n"
             f"g = cluster.kron(12)\na = cluster.zeros(1000)\nprint('ready', flush=True)\n{code}"],
            env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(made.communicate)
        self.addCleanup(made.kill)
        self.assertEqual(made.stdout.readline(), "ready\n")
        return made

    def test_a_killed_client_frees_its_objects(self):
        for code in ("import time; time.sleep(100)", LONG):
            child = self.child(code)
            time.sleep(0.3)
            child.kill()
            self.server.wait_for(r"has left: .*; 2 objects are freed", 5)
            self.server._said.clear()
        start = time.monotonic()
        self.assertEqual(len(self.connect().kron(5)), 32)
        self.assertLess(time.monotonic() - start, 5)

    def test_control_c_cancels_at_the_server(self):
        cluster = self.connect()
        g = cluster.kron(12)
        for delay in (0.05, 0.1, 0.3, 0.7):
            timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            start = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                g.pagerank(tolerance=0, iterations=10**9)
            timer.join()
            self.assertLess(time.monotonic() - start, delay + 5)
            self.assertEqual(cluster.sql("select 1 as x").fetchall(), [(1,)])

    def test_control_c_at_any_moment(self):
        cluster = self.connect()
        rng = np.random.default_rng(5)
        values = rng.random(200_000)
        for _ in range(100):
            timer = threading.Timer(rng.random() * 0.02, os.kill, (os.getpid(), signal.SIGINT))
            try:
                timer.start()
                for _ in range(20):
                    cluster.array(values)[:]
                time.sleep(1)
            except KeyboardInterrupt:
                pass
            timer.join()
        self.assertTrue((cluster.array(values)[:] == values).all())

    def test_a_killed_server_is_lost_at_once(self):
        for code in ("import time; time.sleep(1); g.cc()", LONG):
            server, self.server = self.server, Server(env=ENVIRONMENT)
            self.addCleanup(self.server.end)
            server.end()
            child = self.child(f"try: {code}\n"
                               "except gp.LocaleLost as error: print(error)\n"
                               "try: cluster.kron(3)\n"
                               "except ConnectionError as error: print(error)\n")
            time.sleep(0.4)
            self.server.process.kill()
            start = time.monotonic()
            out, err = child.communicate(timeout=20)
            self.assertLess(time.monotonic() - start, 4)
            self.assertEqual((out.count(f"the server at {self.server.address} is lost"), err), (2, ""))

    def test_a_silent_server_is_lost(self):
        before, frames.SILENCE = frames.SILENCE, 2.0
        self.addCleanup(setattr, frames, "SILENCE", before)
        cluster = self.connect()
        g = cluster.kron(12)
        timer = threading.Timer(0.5, os.kill, (self.server.process.pid, signal.SIGSTOP))
        timer.start()
        self.addCleanup(os.kill, self.server.process.pid, signal.SIGCONT)
        with self.assertRaisesRegex(gp.LocaleLost, "silent"):
            g.pagerank(tolerance=0, iterations=10**9)

    def test_a_long_call_is_not_taken_for_silence(self):
        before, frames.SILENCE = frames.SILENCE, 2.5
        self.addCleanup(setattr, frames, "SILENCE", before)
        cluster = self.connect()
        start, count = time.monotonic(), 1000
        while time.monotonic() - start < 3:
            count, start = 2 * count, time.monotonic()
            cluster.kron(12).pagerank(tolerance=0, iterations=count)

    def test_signals_end_the_server(self):
        for number, code in ((signal.SIGTERM, "import time; time.sleep(100)"), (signal.SIGINT, LONG)):
            server, self.server = self.server, Server(env=ENVIRONMENT)
            self.addCleanup(self.server.end)
            server.end()
            child = self.child(code)
            self.server.process.send_signal(number)
            self.assertEqual(self.server.process.wait(15), 0, self.server.said())
            self.assertNotIn("Traceback", self.server.said())
            child.kill()


if __name__ == "__main__":
    unittest.main()
