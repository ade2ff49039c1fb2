"""Help, options and their strength, generate, convert and bench."""

import itertools
import json
import shutil
import subprocess
import unittest

from cli_tool import TOOL, ToolTest, commands

WRITABLE = ("g.txt", "g.el", "g.wel", "g.tsv", "g.csv", "g.mtx", "g.gr", "g.sg", "g.wsg", "g.grappa", "g.e",
            "g.txt.gz", "g.mtx.zst")


class Help(ToolTest):
    def test_lists_the_commands(self):
        for arguments in (("help",), ("--help",), ("-h",), ()):
            text = self.succeed(*arguments)
            for command in ("bfs", "degrees", "info", "generate", "convert", "bench", "help"):
                self.assertRegex(text, rf"(?m)^  {command} +\S")

    def test_of_each_command(self):
        for command in itertools.chain(*commands().values()):
            text = self.succeed("help", command)
            self.assertIn("Usage: grappa", text)
            if command not in ("bench", "completion", "help"):
                self.assertEqual(self.succeed(command, "--help"), text)
                self.assertIn("Runtime options:", text)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_of_a_kernel_has_definition_and_defaults(self):
        text = self.succeed("help", "pagerank")
        self.assertIn("dangling", text)
        for flag, default in (("--damping", "0.85"), ("--tolerance", "0.0001"),
                              ("--iterations", "100"), ("--trials", "1"), ("--top", "10"),
                              ("--latency", "1us"), ("--cores", "all usable")):
            self.assertRegex(text, rf"{flag} [^\[]*\[{default}\]")

    def test_of_every_environment_variable_there_is_a_flag(self):
        text = self.succeed("help", "cc")
        for flag in ("--locales", "--simulation-mode", "--bandwidth", "--reorder", "--lose-locale",
                     "--stack-size", "--stacks", "--spin", "--flush", "--stats", "--pin"):
            self.assertIn(f"{flag} ", text)

    def test_of_graphs(self):
        text = self.succeed("help", "graphs")
        for word in ("kron:SCALE", "urand:SCALE", "grid:ROWSxCOLS", "mtx", "METIS", ".zst"):
            self.assertIn(word, text)

    def test_of_a_benchmark(self):
        self.assertIn("--baseline", self.succeed("bench", "gups", "--help"))
        self.assertIn("--baseline", self.succeed("help", "bench", "gups"))

    def test_what_runs_nothing_needs_no_sound_environment(self):
        for arguments in (("help",), ("help", "cc"), ("cc", "-h"), ("--version",), ("help", "bench"),
                          ("completion", "bash")):
            self.assertEqual(self.succeed(*arguments, env={"GRAPPA_CORES": "x"}),
                             self.succeed(*arguments))
        self.assertIn("GRAPPA_CORES: ", self.refuse("cc", "kron:4", env={"GRAPPA_CORES": "x"}))

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"^grappa \d+\.\d+\.\d+ \(.*, (32|64)-bit vertices\)$")


class Options(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("g.txt", "1 2\n2 3\n")

    def cores_and_locales(self, *arguments, **options):
        found = self.json_of("cc", "g.txt", *arguments, **options)
        return found["cores"], found["locales"]

    def test_without_effect(self):
        """Said on one line, where a script may rightly give them always."""
        self.write("g.txt", "0 1\n1 2\n2 0\n")
        for arguments, *names in (
                (("cc", "g.txt", "--latency", "5us", "--reorder", 0.5), "--latency", "--reorder"),
                (("cc", "g.txt", "--seed", 7), "--seed"),
                (("cc", "kron:4", "--undirected"), "--undirected"),
                (("cc", "kron:4", "--split-hubs", 2, "--route", "two-hop"), "--split-hubs", "--route"),
                (("cc", "kron:4", "--locales", 2, "--lose-at", "1s"), "--lose-at"),
                (("cc", "kron:4", "--mpi", "mpich"), "--mpi"),
                (("sssp", "g.txt", "--engine", "sync", "--delta", 2), "--delta"),
                (("bc", "g.txt", "--exact", "--samples", 2), "--samples"),
                (("pagerank", "g.txt", "--engine", "async", "--iterations", 3), "--iterations")):
            with self.subTest(arguments=arguments):
                result = self.run_tool(*arguments, "--cores", 1)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                for name in names:
                    self.assertIn(f"{name} has no effect: ", result.stderr)
                self.assertEqual(self.run_tool(*arguments, "--quiet").stderr, "")
        # What the environment says is for all programs, and not said again.
        self.assertEqual(self.run_tool("cc", "g.txt", env={"GRAPPA_LATENCY": "5us"}).stderr, "")

    def test_with_effect(self):
        for arguments in (("cc", "kron:4", "--seed", 2, "--locales", 2, "--latency", "2us",
                           "--route", "two-hop", "--split-hubs", 2),
                          ("sssp", "kron:4", "--engine", "async", "--delta", 2)):
            self.assertEqual(self.run_tool(*arguments).stderr, "", arguments)

    def test_what_cannot_be(self):
        for arguments, *parts in (
                (("cc", "kron:4", "--lose-locale", 0), "lose-locale", "--locales"),
                (("pagerank", "kron:4", "--tolerance", 0, "--engine", "async"), "--tolerance 0",
                 "--engine async")):
            message = self.refuse(*arguments)
            for part in parts:
                self.assertIn(part, message)

    def test_tolerance_zero_takes_all_iterations(self):
        for engine in ("direct", "sync"):
            found = self.json_of("pagerank", "kron:6", "--tolerance", 0, "--iterations", 30,
                                 "--engine", engine, "--verify")
            self.assertEqual(found["result"]["iterations"], 30, engine)

    def test_strength(self):
        three = {"GRAPPA_LOCALES": "3", "GRAPPA_CORES": "1"}
        self.assertEqual(self.cores_and_locales(env=three), (3, 3))
        self.assertEqual(self.cores_and_locales("--locales", 2, env=three), (2, 2))
        self.assertEqual(self.cores_and_locales("--locales=2", "--cores=2", env=three), (4, 2))

    def test_flags_may_be_repeated_but_not_contradict_one_another(self):
        self.assertEqual(self.cores_and_locales("--locales", 2, "--locales=2", "--cores", 1),
                         (2, 2))
        self.assertIn("--locales: 4 is given, and 2",
                      self.refuse("cc", "g.txt", "--locales", 4, "--locales", 2))

    def test_switches_may_stand_alone(self):
        for arguments in (("--simulated",), ("--simulated", "on"), ("--simulated=on",),
                          ("--pin", "off"), ("--pin=off",), ("--simulated", "--latency", "5us")):
            self.succeed("cc", *arguments, "g.txt")

    def test_options_may_stand_before_the_graph(self):
        self.succeed("cc", "--cores", 1, "--quiet", "g.txt")

    def test_a_file_that_looks_like_a_flag(self):
        self.write("-odd.txt", "1 2\n")
        self.succeed("cc", "--", "-odd.txt")

    def test_format(self):
        self.write("data", "1,2\n2,3\n")
        self.assertEqual(self.json_of("cc", "data", "--format", "csv")["graph"]["edges"], 2)

    def test_directions(self):
        for flag, arcs in (("--directed", 2), ("--undirected", 4)):
            self.assertEqual(self.json_of("cc", "g.txt", flag)["graph"]["arcs"], arcs)

    def test_iterations(self):
        result = self.json_of("pagerank", "g.txt", "--iterations", 5, "--tolerance", 0)["result"]
        self.assertEqual(result["iterations"], 5)

    def test_top(self):
        self.assertEqual(len(self.json_of("pagerank", "g.txt", "--top", 2)["result"]["top"]), 2)
        self.assertEqual(self.json_of("pagerank", "g.txt", "--top", 0)["result"]["top"], [])


class Translation(ToolTest):
    def components(self, name, *arguments):
        """Sizes of the components, which do not depend on the names."""
        found = self.json_of("cc", name, "--top", 1000, *arguments)
        return found["graph"]["edges"], sorted(c["size"] for c in found["result"]["largest"])

    def test_generate_in_all_formats(self):
        for name in WRITABLE:
            with self.subTest(name=name):
                self.succeed("generate", "grid:5x7", name)
                self.assertEqual(self.components(name, "--undirected"), (58, [35]))

    def test_metis_takes_undirected_graphs(self):
        self.succeed("generate", "grid:5x7", "g.graph")
        self.assertEqual(self.components("g.graph"), (58, [35]))

    def test_convert_round_trip(self):
        self.write("in.txt", "5 9\n9 100\n3 3\n100 5\n3 5\n")
        for name in WRITABLE:
            with self.subTest(name=name):
                self.succeed("convert", "in.txt", f"to_{name}")
                self.succeed("convert", f"to_{name}", "back.el", "--directed")
                self.assertEqual(self.components("back.el")[1],
                                 self.components("in.txt")[1])

    def test_names_stay(self):
        self.write("in.csv", "bob,alice\ncarol,bob\n")
        self.succeed("convert", "in.csv", "out.tsv")
        self.assertEqual(self.values_of("cc", "out.tsv"), self.values_of("cc", "in.csv"))

    def test_weights_stay(self):
        self.write("in.wel", "1 2 7\n2 3 9\n")
        for name in ("out.gr", "out.mtx", "out.wsg", "out.csv"):
            self.succeed("convert", "in.wel", name)
            self.assertEqual(self.json_of("info", name)["result"]["weights"],
                             {"min": 7.0, "max": 9.0}, name)
        self.succeed("convert", "in.wel", "bare.mtx", "--no-weights")
        self.assertFalse(self.json_of("info", "bare.mtx")["result"]["weighted"])

    def test_generated_weights(self):
        self.succeed("generate", "kron:6", "out.wel")
        weights = self.json_of("info", "out.wel")["result"]["weights"]
        self.assertTrue(1 <= weights["min"] <= weights["max"] <= 255)
        self.succeed("generate", "kron:6", "out.mtx", "--weights")
        self.assertTrue(self.json_of("info", "out.mtx")["result"]["weighted"])

    def test_simplify(self):
        self.write("in.txt", "1 1\n1 2\n1 2\n2 1\n")
        self.succeed("convert", "in.txt", "out.txt", "--simplify")
        facts = self.json_of("info", "out.txt")
        self.assertEqual(facts["graph"]["edges"], 2)

    def test_to_standard_output(self):
        self.assertIn("1 2\n", self.succeed("convert", "-", "-", "--to", "el", input="1 2\n"))

    def test_a_directed_graph_in_a_format_without(self):
        self.write("in.txt", "1 2\n2 3\n")
        self.assertIn("METIS", self.refuse("convert", "in.txt", "out.graph"))


class Benchmarks(ToolTest):
    def test_list(self):
        text = self.succeed("bench")
        for name in ("gups", "context-switch", "delegate", "pointer-chase"):
            self.assertRegex(text, rf"(?m)^  {name} +\S")

    def test_small_run(self):
        self.succeed("bench", "gups", "--table", "1MiB", "--updates", 10000, "--trials", 1,
                     "--json", "out.json")
        found = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(found["kernel"], "gups")
        self.assertEqual(len(found["trials"]), 1)

    def test_are_a_program_beside_the_tool(self):
        (self.folder / "cli").mkdir()
        tool = shutil.copy(TOOL, self.folder / "cli/grappa")
        for words in (("bench",), ("bench", "gups"), ("help", "bench", "gups")):
            alone = subprocess.run([tool, *words], capture_output=True, text=True, timeout=300)
            self.assertEqual((alone.returncode, alone.stdout), (2, ""))
            self.assertRegex(alone.stderr, r"^grappa: bench: .*bench/grappa-bench.*\n$")
        self.assertEqual(subprocess.run([tool, "info", "grid:2x2"], capture_output=True).returncode, 0)

        # Both may be moved: what the tool finds is beside it.
        (self.folder / "bench").mkdir()
        shutil.copy(TOOL.parent.parent / "bench/grappa-bench", self.folder / "bench")
        moved = subprocess.run([tool, "help", "bench", "gups"], capture_output=True, text=True)
        self.assertEqual((moved.returncode, moved.stdout), (0, self.succeed("bench", "gups", "-h")))


if __name__ == "__main__":
    unittest.main()
