"""`grappa bench kernels --baseline pbgl`: the Parallel Boost Graph Library agrees with it, whatever the
number of processes of either, and nothing is left of it."""

import json
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from bench_kernels_test import KernelsTest
from cli_tool import TOOL, clean_environment, skip_all
from mpi_launch import BINARIES, LIBRARIES, launch

PBGL = BINARIES / "pbgl/grappa_pbgl"

if not PBGL.exists():
    skip_all("built without libboost-graph-parallel-dev, or not in release")


class BesidePbgl(KernelsTest):
    LACKING = [("pbgl", "triangles")]

    def setUp(self):
        super().setUp()
        (self.folder / "tmp").mkdir()
        self.environment = {"TMPDIR": str(self.folder / "tmp"),
                            "OMPI_MCA_mpi_yield_when_idle": "1"}  # other tests run beside it

    def command(self, *options, graph="kron:8", trials=1):
        return ("bench", "kernels", "--graph", graph, "--trials", trials, "--sources", 2,
                "--baseline", "pbgl", *options)

    def check_processes(self, facts, processes):
        self.check(facts, ["pbgl"], self.LACKING)
        self.assertRegex(facts["result"]["systems"]["pbgl"],
                         rf"Boost Graph Library.*Open MPI.*, {processes} processes$")

    def test_it_agrees_on_every_graph(self):
        for graph in self.graphs():
            with self.subTest(graph):
                self.check_processes(self.json_of(*self.command(graph=graph),
                                                  env=self.environment), 2)
        # Open MPI's launcher does not always find its own folder empty in the end.
        self.assertEqual([each for each in (self.folder / "tmp").iterdir()
                          if not each.name.startswith("ompi.")], [], "left behind")

    def test_any_number_of_processes_beside_any_number_of_locales(self):
        for processes, options in ((3, ()), (2, ("--locales", 2))):
            facts = self.json_of(*self.command("--processes", processes, *options),
                                 env=self.environment)
            self.check_processes(facts, processes)

    def test_beside_processes_of_either_launcher(self):
        for library in LIBRARIES:
            with self.subTest(library):
                result = launch(self.folder, library, 2, TOOL,
                                *self.command("--cores", 1, "--json", "facts.json"),
                                env=self.environment)
                self.assertEqual(result.returncode, 0, result.stderr)
                facts = json.loads((self.folder / "facts.json").read_text(encoding="utf-8"))
                self.assertEqual(facts["locales"], 2)
                self.check_processes(facts, 2)

    def test_any_width_of_buckets(self):
        for delta in (0.5, 1000):
            self.succeed(*self.command("--kernels", "sssp", "--delta", delta),
                         env=self.environment)

    def test_what_it_cannot_run_is_said(self):
        self.write("half.el", "0 1\n9 9\n")  # no edges among the vertices of the second process
        said = self.refuse(*self.command("--kernels", "cc", graph="half.el"), status=1,
                           env=self.environment)
        self.assertIn("pbgl answers 'prepare cc", said)
        self.assertIn("needs an edge", said)

    def test_nothing_is_left_of_one_that_is_interrupted(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
            command = self.command(graph="kron:14", trials=1000)
            with subprocess.Popen([TOOL, *map(str, command)], cwd=self.folder,
                                  env=clean_environment() | self.environment,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                while not (mine := self.processes_of_pbgl(process.pid)):
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                time.sleep(1)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=20), status)
            for each in mine:
                self.assert_gone(each)

    def processes_of_pbgl(self, benchmark):
        """Those that read the files of this process: their arguments name them."""
        found = []
        for arguments in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = arguments.read_text(encoding="utf-8").split("\0")
            except (OSError, UnicodeDecodeError):
                continue
            if words[0] == str(PBGL) and words[1].startswith(f"/proc/{benchmark}/"):
                found.append(int(arguments.parent.name))
        return found


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
