"""Scripts under mpirun: they run once, on all processes, and nobody stays behind."""

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from mpi_python import LIBRARIES, rank_of, start  # noqa: E402

ANSWERS = """
import numpy as np
import grappa as gp

rng = np.random.default_rng(1)
values = rng.integers(-100, 100, 50_000)
a = gp.array(values)
expected = values.copy()
assert gp.sessions.current().cores == LOCALES
where = rng.integers(-50_000, 50_000, 200_000)
a[where] += 1
np.add.at(expected, where, 1)
assert (a[where].to_numpy() == expected[where]).all()
a[100:40_000:7] *= 3
expected[100:40_000:7] *= 3
a[5:1000] += np.arange(995)
expected[5:1000] += np.arange(995)
a[::-3] = np.arange(len(expected[::-3]))
expected[::-3] = np.arange(len(expected[::-3]))
assert (a.to_numpy() == expected).all() and (a[3:30_000:11] == expected[3:30_000:11]).all()
assert (a.sum(), a.min(), a.max()) == (expected.sum(), expected.min(), expected.max())
assert (a.histogram(bins=7)[0] == np.histogram(expected, 7)[0]).all()
a.sort()
assert (a.to_numpy() == np.sort(expected)).all() and (a.unique() == np.unique(expected)).all()
assert (gp.arange(0, 1000, 3)[:] == np.arange(0, 1000, 3)).all()

ring = np.arange(3000)
g = gp.from_edges(ring, (ring + 1) % 3000, directed=False)
assert (g.bfs(source=0, verify=True).depth == np.minimum(ring, 3000 - ring)).all()
assert abs(g.pagerank(verify=True).values * 3000 - 1).max() < 1e-6
assert g.cc(verify=True).components == 1
k = gp.kron(10)
assert k.triangles(verify=True).values.sum() == 3 * k.triangles().facts["triangles"]

t = {"x": values, "g": values % 7}
rows = gp.sql("select g, count(*), sum(x) from t group by g order by g", t=t).fetchall()
assert rows == [(i, (t["g"] == i).sum(), values[t["g"] == i].sum()) for i in range(7)]
found = gp.datalog('''.decl edge(x: number, y: number)
                      .decl path(x: number, y: number)
                      path(x, y) :- edge(x, y).
                      path(x, z) :- path(x, y), edge(y, z).''', {"edge": {"x": [1, 2], "y": [2, 3]}})
assert found["path"].fetchall() == [(1, 2), (1, 3), (2, 3)]

points = np.concatenate([rng.normal(middle, 0.1, (500, 3)) for middle in (0, 5, 9)])
labels = gp.KMeans(3, random_state=1).fit(points).labels_.reshape(3, 500)
assert (labels == labels[:, :1]).all() and len(set(labels[:, 0])) == 3
assert gp.zeros(2**24).sum() == 0  # a number of elements that may look like an address
gp.sessions.current().close()
with gp.session(cores=1):
    assert gp.kron(8).cc().components >= 1
print("all is right")
"""


@unittest.skipUnless(LIBRARIES, "neither Open MPI nor MPICH is here with its plug-in")
class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text, name="script.py"):
        (self.folder / name).write_text(text)
        return name

    def start(self, library, ranks, *words):
        return start(self.folder, library, ranks, *words)

    def launch(self, library, ranks, *arguments):
        job = self.start(library, ranks, *arguments)
        try:
            out, err = job.communicate(timeout=120)
        finally:
            job.kill()
        return job.returncode, out, err

    def each(self, ranks=(2,)):
        return itertools.product(LIBRARIES, ranks)

    def test_answers(self):
        for library, ranks in self.each((2, 3)):
            self.write(ANSWERS.replace("LOCALES", str(ranks)))
            status, out, err = self.launch(library, ranks, "-m", "grappa", "script.py")
            self.assertEqual((status, out), (0, "all is right\n"), err)

    def test_a_script_is_as_for_python(self):
        (self.folder / "sub").mkdir()
        self.write("where = 'beside the script'\n", "sub/neighbor.py")
        self.write("import sys, neighbor\n"
                   "print(__name__, __file__, sys.argv[1:], neighbor.where)\n"
                   "class Some: pass\n"
                   "print(sys.modules['__main__'].Some is Some)\n"
                   "import atexit; atexit.register(print, 'at the end')\n"
                   "sys.exit(int(sys.argv[2]))\n", "sub/script.py")
        for words in (["sub/script.py", "-v", "0"], ["sub/script.py", "-v", "7"]):
            done = subprocess.run([sys.executable, *words], cwd=self.folder, capture_output=True,
                                  text=True)
            for library, ranks in self.each():
                status, out, err = self.launch(library, ranks, "-m", "grappa", *words)
                self.assertEqual((status, out), (done.returncode, done.stdout), err)

    def test_a_module(self):
        (self.folder / "package").mkdir()
        self.write("", "package/__init__.py")
        self.write("import sys\nfrom . import __name__ as parent\n"
                   "print(__name__, parent, sys.argv[1:])\n", "package/tool.py")
        for library, ranks in self.each():
            status, out, err = self.launch(library, ranks, "-m", "grappa", "-m", "package.tool", "x")
            self.assertEqual((status, out), (0, "__main__ package ['x']\n"), err)

    def test_an_exception_ends_all_with_one_traceback(self):
        self.write("import grappa as gp\ngp.kron(6).cc()\n\ndef fails():\n    1 / 0\n\nfails()\n")
        for library, ranks in self.each((3,)):
            status, _, err = self.launch(library, ranks, "-m", "grappa", "script.py")
            self.assertNotEqual(status, 0)
            self.assertEqual(err.count("Traceback"), 1, err)
            self.assertRegex(err, r'Traceback .*\n  File ".*script.py", line 7, in <module>\n')
            self.assertIn("ZeroDivisionError: division by zero", err)

    def test_exit_statuses(self):
        for library, ranks in self.each():
            for text, expected, said in (("import sys; sys.exit(3)", 3, ""),
                                         ("import sys; sys.exit('no luck')", 1, "no luck\n"),
                                         ("def", 1, "SyntaxError")):
                status, _, err = self.launch(library, ranks, "-m", "grappa", self.write(text))
                self.assertEqual(status, expected, err)
                self.assertEqual(err.count(said), err.count("") if said == "" else 1, err)

    def test_one_line_for_what_is_no_script(self):
        for library, ranks in self.each():
            for words, said in (([], "usage: "), (["-m"], "usage: "), (["--nothing"], "usage: "),
                                (["none.py"], "grappa: there is no file none.py\n")):
                status, _, err = self.launch(library, ranks, "-m", "grappa", *words)
                self.assertEqual((status, err.count(said)), (2, 1), err)

    def test_where_nobody_serves(self):
        self.write("import grappa as gp\ngp.kron(6)\n")
        for library, ranks in self.each():
            status, _, err = self.launch(library, ranks, "script.py")
            self.assertNotEqual(status, 0)
            self.assertIn("mpirun -n K python -m grappa SCRIPT", err)

    def test_one_session_at_a_time(self):
        self.write("import grappa as gp\ngp.kron(6)\n"
                   "try:\n    gp.session(cores=1)\n"
                   "except ValueError as error:\n    print(error)\n")
        for library, ranks in self.each():
            status, out, err = self.launch(library, ranks, "-m", "grappa", "script.py")
            self.assertEqual(status, 0, err)
            self.assertIn("one run at a time", out)

    def test_a_session_may_be_idle(self):
        self.write("import grappa as gp, time\ng = gp.kron(6)\ntime.sleep(3)\nprint(g.cc().seconds > 0)")
        for library, ranks in self.each():
            status, out, err = self.launch(library, ranks, "-m", "grappa", "script.py")
            self.assertEqual((status, out), (0, "True\n"), err)

    def test_a_lost_process_ends_the_job(self):
        # Of both, while a kernel runs and while nothing is asked.
        waits = {"a kernel": "g.pagerank(tolerance=0, iterations=10**9)", "Python": "time.sleep(60)"}
        for library, ranks in self.each():
            for (what, wait), lost in itertools.product(waits.items(), range(ranks)):
                with self.subTest(library=library, during=what, lost=lost):
                    self.write("import os, time\nimport grappa as gp\n"
                               "g = gp.kron(12)\n"
                               "print('ready', flush=True)\n" + wait)
                    job = self.start(library, ranks, "-m", "grappa", "script.py")
                    self.addCleanup(job.kill)
                    self.assertEqual(job.stdout.readline(), "ready\n")
                    time.sleep(0.3)
                    os.kill(rank_of(job.pid, lost), signal.SIGKILL)
                    start = time.monotonic()
                    job.communicate(timeout=60)
                    self.assertLess(time.monotonic() - start, 10)
                    self.assertNotEqual(job.returncode, 0)


if __name__ == "__main__":
    unittest.main()
