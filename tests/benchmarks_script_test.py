"""scripts/benchmarks: it runs its rows, and writes tables of them into the documents."""

import json
import shutil
import subprocess
import sys
import unittest

from cli_tool import SOURCE, TOOL, ToolTest, skip_all

sys.path.insert(0, str(SOURCE / "scripts"))
from benchmarking import figures  # noqa: E402
from benchmarking.rows import ROWS  # noqa: E402

if not TOOL.is_file():
    skip_all("the tool is not built")

FACTS = {"trials": [{"seconds": 2.0}, {"seconds": 4.0}], "cores": 2,
         "rows": [{"kind": "a", "n": 1, "v": 5.0}, {"kind": "b", "n": 1, "v": 7.0}]}
# Stands in for every program of GAP; the last line is how one knows that it uses all processors.
GAP = ("#!/bin/sh\necho 'Read Time: 1.5'\necho 'Build Time: 0.5'\necho 'Trial Time: 0.25'\n"
       "# GOMP_parallel\n")


class Figures(unittest.TestCase):
    def samples(self, figure, output=""):
        return figures.samples(figure, output, FACTS, 9.5)

    def test_paths_filters_and_arithmetic(self):
        self.assertEqual(self.samples("trials.seconds"), [2, 4])
        self.assertEqual(self.samples("rows[kind=b][n=1].v"), [7])
        self.assertEqual(self.samples("rows[kind=*].v.max"), [7])
        self.assertEqual(self.samples("8 / trials.seconds * cores"), [8, 4])
        self.assertEqual(self.samples("rows[kind=c].v"), [])
        with self.assertRaises(KeyError):
            self.samples("nothing.here")

    def test_text_and_time(self):
        self.assertEqual(self.samples("text:Trial Time", "Trial Time:   0.5\nTrial Time: 1e-3\n"),
                         [0.5, 0.001])
        self.assertEqual(self.samples("text:A + text:B", "A: 1\nB: 2\n"), [3])
        self.assertEqual(self.samples("elapsed"), [9.5])


class Script(ToolTest):
    def setUp(self):
        super().setUp()
        gap = self.folder / "gap"
        gap.mkdir()
        for name in ("bfs", "sssp", "pr_spmv", "cc", "bc", "tc"):
            (gap / name).write_text(GAP)
            (gap / name).chmod(0o755)
        (self.folder / "docs").mkdir()
        shutil.copy(SOURCE / "docs/benchmarks.md", self.folder / "docs")
        shutil.copy(SOURCE / "README.md", self.folder)

    def script(self, command, *arguments):
        return subprocess.run(
            [sys.executable, SOURCE / "scripts/benchmarks", command, "--records",
             self.folder / "records", *arguments],
            capture_output=True, text=True, timeout=600)

    def run_rows(self, *rows):
        return self.script("run", "--quick", "--tool", TOOL, "--gap", self.folder / "gap", *rows)

    def record(self, name):
        return json.loads((self.folder / f"records/{name}.json").read_text())

    def write_tables(self):
        return self.script("tables", "--documents", self.folder)

    # One row or more of every way to find a figure; none whose peer may not be installed.
    def test_from_commands_to_tables(self):
        done = self.run_rows("gather", "uts", "cc-grid1500", "spawn", "load-gap", "graph500-bfs")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernel = self.record("cc-grid1500")
        self.assertEqual(kernel["peer"]["samples"], [0.25])
        self.assertAlmostEqual(kernel["ratio"]["median"], 0.25 / kernel["ours"]["median"])
        self.assertEqual(self.record("load-gap")["peer"]["samples"], [2.0])
        self.assertGreater(self.record("uts-T1")["ratio"]["median"], 0)
        self.assertGreater(self.record("gather")["ours"]["median"], 0)

        done = self.write_tables()
        self.assertEqual(done.returncode, 0, done.stderr)
        written = (self.folder / "docs/benchmarks.md").read_text()
        self.assertIn("| `grappa cc grid1500.sg --trials 9` by `gap/cc -f grid1500.sg -n 9` |",
                      written)
        self.assertIn("GAP: 250 ms", written)
        self.assertIn("Missed: ", written)
        self.assertIn("tiny sizes", written)
        again = self.write_tables()
        self.assertEqual(again.returncode, 0)
        self.assertEqual((self.folder / "docs/benchmarks.md").read_text(), written)

    def test_records_of_different_builds_are_refused(self):
        self.assertEqual(self.run_rows("uts-T1", "spawn").returncode, 0)
        record = self.record("spawn-public")
        record["build"]["digest"] = "another"
        (self.folder / "records/spawn-public.json").write_text(json.dumps(record))
        before = (self.folder / "docs/benchmarks.md").read_text()
        done = self.write_tables()
        self.assertEqual(done.returncode, 2)
        self.assertIn("different builds", done.stderr)
        self.assertEqual((self.folder / "docs/benchmarks.md").read_text(), before)

    def test_what_is_not_there_is_said(self):
        done = self.script("run", "--quick", "--tool", TOOL, "gap")
        self.assertIn("cc-kron20: left out: GAP's folder was not given (--gap)", done.stderr)
        done = self.script("run", "no-such-row")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no row begins with no-such-row", done.stderr)
        done = self.write_tables()
        self.assertEqual(done.returncode, 2)
        self.assertIn("there are no records", done.stderr)

    def test_a_peer_that_uses_one_processor_is_refused(self):
        (self.folder / "gap/bfs").write_text("#!/bin/sh\necho 'Trial Time: 9'\n")
        done = self.run_rows("bfs-kron20")
        self.assertEqual(done.returncode, 2)
        self.assertIn("compiled without -fopenmp", done.stderr)


class Rows(unittest.TestCase):
    def test_names_are_unique_and_areas_have_tables(self):
        names = [row.name for row in ROWS]
        self.assertEqual(len(names), len(set(names)))
        page = (SOURCE / "docs/benchmarks.md").read_text()
        for area in {row.area for row in ROWS}:
            self.assertIn(f"<!-- table: {area} -->", page)


if __name__ == "__main__":
    unittest.main(verbosity=2)
