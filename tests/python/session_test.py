"""Sessions: what starts when, what they cost, and how they end."""

import concurrent.futures
import importlib.util
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import grappa as gp
from grappa import sessions


def in_child(code):
    """The output of a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Session(unittest.TestCase):
    def test_importing_starts_nothing(self):
        status, out, err = in_child(
            "import numpy, os\n"  # whose library of linear algebra has threads
            "def threads(): return len(os.listdir('/proc/self/task'))\n"
            "before = threads()\n"
            "import grappa\n"
            "print(threads() - before)\n")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out.strip(), "0")

    def test_importing_after_others(self):
        for name in ("numpy", "scipy.sparse", "pandas", "pyarrow", "polars", "duckdb",
                     "sklearn.cluster", "networkx", "matplotlib"):
            if importlib.util.find_spec(name.partition(".")[0]):
                self.assertEqual(in_child(f"import {name}, grappa")[::2], (0, ""), name)

    def test_a_call_is_short(self):
        session = gp.session(cores=1)
        for _ in range(100):
            session._made.nothing()
        times = []
        for _ in range(500):
            start = time.perf_counter()
            session._made.nothing()
            times.append(time.perf_counter() - start)
        session.close()
        self.assertLess(sorted(times)[250], 1e-3)  # some 10 us on a quiet machine

    def test_an_idle_session_takes_no_processor_time(self):
        with gp.session(cores=2 if os.cpu_count() > 1 else 1) as session:
            session._made.nothing()
            time.sleep(0.1)
            before = processor_seconds()
            time.sleep(1)
            self.assertLess(processor_seconds() - before, 0.05)

    def test_threads_call_at_once(self):
        g = gp.kron(10)
        whole = g.pagerank().values
        wrong = []

        def ask():
            for _ in range(5):
                if abs(g.pagerank().values - whole).max() > 1e-9:
                    wrong.append(1)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_threads_have_sessions_of_their_own(self):
        both_are = threading.Barrier(2, timeout=60)

        def ask():
            with gp.session(cores=1, pin=False) as mine:
                both_are.wait()
                is_mine = sessions.current() is mine
                both_are.wait()
                return is_mine and gp.arange(1000).sum() == 499_500

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            asked = [pool.submit(ask), pool.submit(ask)]
            self.assertEqual([each.result() for each in asked], [True, True])
            with gp.session(cores=1) as of_the_main_thread:
                self.assertIs(pool.submit(sessions.current).result(), of_the_main_thread)

    def test_results_outlive_graph_and_session(self):
        with gp.session(cores=1):
            result = gp.kron(8).pagerank()
        self.assertAlmostEqual(result.values.sum(), 1, places=9)

    def test_a_closed_session_says_so(self):
        with gp.session(cores=1):
            g = gp.kron(8)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            g.pagerank()

    def test_a_fork_is_refused_by_name(self):
        gp.kron(6).cc()
        child = os.fork()
        if child == 0:
            try:
                gp.kron(6)
                os._exit(1)
            except RuntimeError as error:
                os._exit(0 if "forked" in str(error) else 2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_spawned_workers_have_their_own(self):
        gp.kron(6).cc()
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map(count_components, [6, 7]),
                             [count_components(6), count_components(7)])

    def test_memory_is_bounded(self):
        with gp.session(cores=1, memory="2GiB"):
            with self.assertRaises(MemoryError):
                gp.kron(24)
            gp.kron(8).cc()

    def test_wrong_arguments(self):
        for arguments in ({"cores": 0}, {"cores": 1.5}, {"cores": 10**6}, {"memory": "much"}):
            with self.assertRaises(ValueError, msg=arguments):
                gp.session(**arguments)

    def test_options_of_the_runtime(self):
        with gp.session(cores=1, locales=2, pin=False, latency="1us", stack_size="128KiB") as session:
            self.assertEqual(session.cores, 2)
            self.assertEqual(len(gp.kron(5)), 32)
        with self.assertRaisesRegex(TypeError, "takes no speed; .*stack_size"):
            gp.session(speed=3)
        for wrong in ({"pin": "perhaps"}, {"latency": "soon"}, {"locales": 0}):
            with self.assertRaises(ValueError, msg=wrong):
                gp.session(**wrong)

    def test_dropped_graphs_give_their_memory_back(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20

        for _ in range(3):
            gp.kron(14).pagerank()
        before = resident()
        for _ in range(30):
            gp.kron(14).pagerank()
        self.assertLess(resident(), before + 100)


class Interrupt(unittest.TestCase):
    def test_control_c_cancels_a_query_and_the_session_goes_on(self):
        t = {"x": list(range(10_000))}
        for delay in (0.05, 0.1, 0.3):
            timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            start = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                gp.sql("select count(*) from t a, t b, t c, t d where a.x + b.x + c.x = d.x", t=t)
            timer.join()
            self.assertLess(time.monotonic() - start, delay + 5)
            self.assertEqual(gp.sql("select count(*) from t", t=t).fetchall(), [(10_000,)])

    def test_control_c_cancels_a_count_of_triangles(self):
        # Of a complete graph, so that each takes seconds on any machine.
        ends = np.triu_indices(6000, 1)
        g = gp.from_edges(*ends, directed=False)
        g.degrees()
        for kernel in (g.lcc, g.triangles):
            timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            start = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                kernel()
            timer.join()
            self.assertLess(time.monotonic() - start, 3)
        self.assertEqual(gp.kron(6).triangles(verify=True).kernel, "triangles")

    def test_control_c_cancels_a_kernel_between_its_rounds(self):
        g = gp.grid(1200, 1200)
        g.degrees()
        for kernel, options in (("bfs", {"source": 0}), ("sssp", {"source": 0}), ("kcore", {})):
            begin = time.monotonic()
            getattr(g, kernel)(**options)
            whole = time.monotonic() - begin
            # Again and again, so that the signal comes while it runs.
            timer = threading.Timer(2.5 * whole, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                while True:
                    getattr(g, kernel)(**options)
            timer.join()
            getattr(g, kernel)(**options)

    def test_the_handler_of_the_program_stays(self):
        heard = []
        before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        try:
            gp.kron(8).cc()
            os.kill(os.getpid(), signal.SIGINT)
            gp.kron(8).cc()
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(heard, [1])


class End(unittest.TestCase):
    def ends_well(self, code):
        for _ in range(5):
            start = time.monotonic()
            self.assertEqual(in_child(code), (0, "", ""))
            self.assertLess(time.monotonic() - start, 60)

    def test_the_interpreter_ends_while_a_kernel_runs(self):
        self.ends_well("import grappa as gp, threading, time\n"
                       "g = gp.kron(14)\n"
                       "def ask():\n"
                       "    while True: g.pagerank(tolerance=0, iterations=1000000)\n"
                       "threading.Thread(target=ask, daemon=True).start()\n"
                       "time.sleep(0.1)\n")

    def test_the_interpreter_ends_among_many_calls(self):
        self.ends_well("import grappa as gp, threading, time\n"
                       "session = gp.session(cores=1)\n"
                       "def ask():\n"
                       "    while True: session._made.nothing()\n"
                       "for _ in range(4): threading.Thread(target=ask, daemon=True).start()\n"
                       "time.sleep(0.1)\n")

    def test_what_is_called_at_the_end_is_refused(self):
        status, _, err = in_child("import atexit\n"
                                  "atexit.register(lambda: gp.kron(4))\n"
                                  "import grappa as gp\n"
                                  "g = gp.kron(4)\n")
        self.assertEqual(status, 0)
        self.assertIn("RuntimeError: grappa: the interpreter ends", err)


def count_components(scale):
    """In a worker."""
    return gp.kron(scale).cc().components


if __name__ == "__main__":
    unittest.main()
