"""`grappa bench kernels`: its baselines agree with it, and what goes wrong with one is said.

The baselines are stand-ins (baseline_stand_in.py) except in the last class, which needs the packages
that `scripts/setup --baselines` installs.
"""

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from cli_tool import SOURCE, TOOL, ToolTest, clean_environment, kernels

COMPARED = ["bfs", "sssp", "pagerank20", "pagerank", "cc", "bc", "triangles"]
SYSTEMS = ["graphblas", "networkit", "igraph"]
STAND_IN = Path(__file__).resolve().parent / "baseline_stand_in.py"
PYTHON_OF_BASELINES = SOURCE / "build/baselines/bin/python3"


class KernelsTest(ToolTest):
    def check(self, facts, systems, lacking=()):
        """Every kernel was timed in every system."""
        self.assertEqual(facts["kernel"], "kernels")
        result = facts["result"]
        self.assertIs(result["checked"], True)
        self.assertEqual(sorted(result["systems"]), sorted(systems))
        for kernel in result["kernels"]:
            with self.subTest(kernel["kernel"]):
                self.assertLessEqual(kernel["least_seconds"], kernel["seconds"])
                self.assertLessEqual(kernel["seconds"], kernel["most_seconds"])
                self.assertEqual([each["name"] for each in kernel["baselines"]], systems)
                for each in kernel["baselines"]:
                    if (each["name"], kernel["kernel"]) in lacking or (
                            kernel["kernel"] not in COMPARED):
                        self.assertNotIn("seconds", each)
                        self.assertTrue(each["lacks"])
                    else:
                        self.assertGreater(each["seconds"], 0)
                        self.assertAlmostEqual(each["ratio"], each["seconds"] / kernel["seconds"])

    def graphs(self):
        """Specifications of small graphs of many kinds."""
        self.write("real.wel", "0 1 0.25\n1 2 0.5\n2 0 1.75\n3 4 0.1\n4 5 0.2\n3 3 9\n0 1 7\n")
        self.write("wide.wel", "0 1 70000\n1 2 300\n2 3 4000000000\n0 3 4000000009\n7 8 1\n")
        self.write("plain.el", "# no weights\n0 1\n1 2\n2 0\n1 0\n5 6\n")
        return ["kron:9", "urand:8", "grid:20x30", "real.wel", "wide.wel", "plain.el"]

    def assert_gone(self, process):
        for _ in range(1000):
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return
            # Whoever has adopted it may not have looked at it yet.
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
            time.sleep(0.01)
        self.fail(f"process {process} is still there")


class Alone(KernelsTest):
    def test_all_kernels_are_checked(self):
        for options in ((), ("--locales", 2), ("--cores", 1)):
            facts = self.json_of("bench", "kernels", "--graph", "kron:9", "--trials", 1, *options)
            self.check(facts, [])
            self.assertEqual([row["kernel"] for row in facts["result"]["kernels"]
                              if row["kernel"] != "pagerank20"], kernels())
            self.assertEqual(len(facts["result"]["sources"]), 4)
        said = self.succeed("bench", "kernels", "--graph", "grid:5x5", "--kernels", "cc,bfs",
                            "--trials", 1, "--sources", 2)
        self.assertIn("connected components", said)
        self.assertNotIn("triangles", said)
        self.assertIn("Checked:", said)

    def test_bad_options(self):
        command = ("bench", "kernels", "--trials", 1)
        self.assertIn("nothing.el", self.refuse(*command, "--graph", "nothing.el"))
        self.write("empty.el", "3 3\n")
        self.assertIn("no edges", self.refuse(*command, "--graph", "empty.el"))
        self.write("negative.wel", "0 1 -2\n")
        self.assertIn("negative", self.refuse(*command, "--graph", "negative.wel"))
        self.assertIn("--sources", self.refuse(*command, "--sources", 0))
        self.assertIn("--limit", self.refuse(*command, "--limit", 0))
        for processes in (0, 1000):
            self.assertIn("--processes", self.refuse(*command, "--processes", processes))
        self.assertIn("delta", self.refuse(*command, "--graph", "kron:5", "--delta", -1))
        self.assertIn("--kernels", self.refuse(*command, "--kernels", "info"))


class BesideStandIns(KernelsTest):
    def setUp(self):
        super().setUp()
        self.python = self.folder / "python"
        self.python.write_text(f'#!/bin/sh\nexec {sys.executable} -B {STAND_IN} "$@"\n',
                               encoding="utf-8")
        self.python.chmod(0o755)
        (self.folder / "tmp").mkdir()

    def environment(self, fault=""):
        return {"GRAPPA_BASELINE_PYTHON": str(self.python), "GRAPPA_TEST_BASELINE": fault,
                "TMPDIR": str(self.folder / "tmp")}

    def command(self, *options, graph="kron:8", sources=2):
        return ("bench", "kernels", "--graph", graph, "--trials", 1, "--sources", sources,
                "--baseline", "igraph", *options)

    def test_every_kernel_agrees_on_every_graph(self):
        for graph in self.graphs():
            with self.subTest(graph):
                facts = self.json_of(*self.command(graph=graph, sources=3),
                                     env=self.environment())
                self.check(facts, ["igraph"])
                self.assertEqual(facts["result"]["systems"]["igraph"], "Stand-in 1.0")

    def test_several_baselines_take_turns(self):
        said = self.succeed(*self.command("networkit", "--baseline", "igraph"),
                            env=self.environment())
        self.assertIn("Checked:", said)
        self.assertEqual(said.count("Stand-in 1.0"), 2)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_a_wrong_result_is_an_error(self):
        for kernel in COMPARED:
            with self.subTest(kernel):
                said = self.refuse(*self.command(), env=self.environment(f"wrong {kernel}"),
                                   status=1)
                self.assertRegex(said, rf"{kernel} from vertex \d+: igraph differs: ")

    def test_what_a_system_has_not_is_left_out(self):
        facts = self.json_of(*self.command(), env=self.environment("lack bc"))
        self.check(facts, ["igraph"], lacking=[("igraph", "bc")])
        said = self.succeed(*self.command(), env=self.environment("lack bc"))
        self.assertRegex(said, r"igraph +– +\(left out\)")

    def test_one_that_ends_says_how(self):
        for fault, words in (("crash", "igraph was ended by signal 11 at 'run bfs"),
                             ("exit", r"igraph ended with status 3 at 'run bfs \d+': out of luck$"),
                             ("raise", r"igraph answers 'run bfs \d+' with ValueError: two lines$"),
                             ("garbage", "igraph does not greet as it should")):
            with self.subTest(fault):
                self.assertRegex(self.refuse(*self.command(), env=self.environment(fault),
                                             status=1), words)

    def test_one_that_hangs_is_ended(self):
        environment = self.environment("hang") | {"GRAPPA_TEST_PROCESS": str(self.python) + ".pid"}
        Path(environment["GRAPPA_TEST_PROCESS"]).touch()
        said = self.refuse(*self.command("--limit", 1), env=environment, status=1)
        self.assertIn("has not answered 'run bfs", said)
        self.assertIn("--limit", said)
        self.assert_gone(int(Path(environment["GRAPPA_TEST_PROCESS"]).read_text()))

    def test_nothing_is_left_of_one_that_is_interrupted(self):
        file = self.folder / "pid"
        for number, status in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
            file.unlink(missing_ok=True)
            environment = clean_environment() | self.environment("hang")
            environment["GRAPPA_TEST_PROCESS"] = str(file)
            with subprocess.Popen([TOOL, *map(str, self.command())], cwd=self.folder,
                                  env=environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                while not (file.exists() and file.read_text().endswith("\n")):
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                time.sleep(0.5)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=20), status)
            self.assert_gone(int(file.read_text()))
            self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_several_locales_are_refused(self):
        self.assertIn("one locale", self.refuse(*self.command("--locales", 2),
                                                env=self.environment()))


class WithoutPackages(KernelsTest):
    def test_missing_program_is_named(self):
        said = self.refuse("bench", "kernels", "--baseline", "pbgl",
                           env={"GRAPPA_BASELINE_PBGL": "/no/program"})
        self.assertIn("/no/program", said)
        self.assertIn("libboost-graph-parallel-dev", said)

    def test_missing_python_is_named(self):
        said = self.refuse("bench", "kernels", "--baseline", "igraph",
                           env={"GRAPPA_BASELINE_PYTHON": "/no/python"})
        self.assertIn("/no/python", said)
        self.assertIn("scripts/setup --baselines", said)

    def test_missing_packages_are_named(self):
        python = self.python_without_packages()
        for system in SYSTEMS:
            said = self.refuse("bench", "kernels", "--baseline", system,
                               env={"GRAPPA_BASELINE_PYTHON": str(python)})
            self.assertRegex(said, "ModuleNotFoundError.*scripts/setup --baselines")


@unittest.skipUnless(PYTHON_OF_BASELINES.exists(), "scripts/setup --baselines has not been run")
class BesideTheSystems(KernelsTest):
    LACKING = [("networkit", "bc"), ("igraph", "pagerank20")]

    def test_they_agree_on_every_graph(self):
        for graph in self.graphs():
            with self.subTest(graph):
                facts = self.json_of("bench", "kernels", "--graph", graph, "--trials", 1,
                                     "--sources", 2, "--baseline", *SYSTEMS)
                self.check(facts, SYSTEMS, self.LACKING)

    def test_any_width_of_buckets(self):
        for graph in ("kron:8", "real.wel"):
            self.graphs()
            for delta in ("0.3", "7", "1e300"):
                self.succeed("bench", "kernels", "--graph", graph, "--kernels", "sssp", "--trials",
                             1, "--delta", delta, "--baseline", "graphblas")


if __name__ == "__main__":
    unittest.main(verbosity=2)
