"""What type checkers know of the package: that it is so, and that it helps."""

import os
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

import grappa

PACKAGE = Path(grappa.__file__).parent

SAMPLE = """
import numpy as np
import grappa as gp

with gp.session(cores=2, memory="8GiB"):
    g = gp.from_edges([0, 1], [1, 2], directed=False)
    ranks = g.pagerank(tolerance=1e-4, engine="direct")
    best: list[tuple[object, object]] = ranks.top(10)
    print(ranks.rank.sum(), len(g), g.bfs(source=0).depth)
    with gp.connect("host:1", token="none") as cluster:
        cluster.kron(10).cc()
    a = gp.zeros(10, "int64")
    a[np.array([1, 2])] += 1
    counts, edges = a.histogram()
    rows: list[tuple[object, ...]] = gp.sql("select 1 as x", t={"x": [1]}).fetchall()
    labels = gp.KMeans(2).fit(np.zeros((3, 2))).labels_ + 1
    print(gp.datalog("")["path"].names, gp.wordcount("a", top=3).to_pandas())
"""

WRONG = ["gp.kron('large')", "gp.grid(1)", "gp.kron(3).pagerank(tolernace=1)",
         "gp.kron(3).bfs(engine='magic')", "gp.kron(3).pagernak()", "gp.sql(3)", "gp.nothing"]


@unittest.skipUnless(find_spec("mypy"), "needs mypy")
class Types(unittest.TestCase):
    def mypy(self, module, *arguments):
        # What is installed mypy finds by itself, and refuses to be told of.
        where = {} if PACKAGE.parent.name == "site-packages" else {
            "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}
        done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True,
                              text=True, timeout=300, check=False, cwd=self.folder.name,
                              env={**os.environ, **where})
        return done.returncode, done.stdout + done.stderr

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        modules = ",".join(".".join(["grappa", *path.relative_to(PACKAGE).with_suffix("").parts])
                           for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE
                           or path.stem != "__init__").replace(".__init__", "")
        Path(self.folder.name, "mypy.ini").write_text(  # as if it were installed
            f"[mypy]\nignore_missing_imports = True\n[mypy-{modules}]\nignore_errors = True\n")

    def check(self, text):
        Path(self.folder.name, "sample.py").write_text(text)
        return self.mypy("mypy", "--strict", "--no-error-summary", "sample.py")

    def test_are_those_of_the_package(self):
        Path(self.folder.name, "allowed").write_text(
            "grappa\\._.*\n"                       # ours alone
            "grappa\\.[a-z_]+\\..*\n"              # modules without stubs
            "grappa\\..*(_repr_html_|__array_priority__|__match_args__)\n")
        status, said = self.mypy("mypy.stubtest", "grappa", "--allowlist", "allowed",
                                 "--ignore-unused-allowlist", "--ignore-missing-stub",
                                 "--mypy-config-file", "mypy.ini")
        self.assertEqual(status, 0, said)

    def test_of_a_program(self):
        status, said = self.check(SAMPLE)
        self.assertEqual((status, said), (0, ""))

    def test_find_mistakes(self):
        status, said = self.check("import grappa as gp\n" + "\n".join(WRONG))
        found = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line}
        self.assertEqual(found, set(range(2, 2 + len(WRONG))), said)


if __name__ == "__main__":
    unittest.main()
