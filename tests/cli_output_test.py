"""What the tool prints and writes: summaries, -o, --json, metrics, and that results do not depend
on cores and locales."""

import json
import os
import pty
import resource
import signal
import subprocess
import time
import unittest

from cli_tool import SECONDS, TOOL, ToolTest, clean_environment, kernels

GRAPH = "# a triangle, a path of two, and a gap\n10 20\n20 30\n30 10\n7 8\n"


class Summaries(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("g.txt", GRAPH)

    def test_pagerank(self):
        text = self.succeed("pagerank", "g.txt", "--top", 2)
        self.assertRegex(text, r"(?m)^Vertices: +5$")
        self.assertRegex(text, r"(?m)^Edges: +4$")
        self.assertRegex(text, r"(?m)^Iterations: +\d+, last change ")
        table = text[text.index("Vertex"):].splitlines()
        self.assertEqual(len(table), 3, text)

    def test_components(self):
        text = self.succeed("cc", "g.txt")
        self.assertRegex(text, r"(?m)^Components: +2, 0 of them single vertices$")
        self.assertRegex(text, r"(?m)^ +10 +3$")
        self.assertRegex(text, r"(?m)^ +7 +2$")

    def test_bfs(self):
        text = self.succeed("bfs", "g.txt", "--source", 7)
        self.assertRegex(text, r"(?m)^Source: +7$")
        self.assertRegex(text, r"(?m)^Reached: +2 of 5 vertices")
        self.assertRegex(text, r"(?m)^MTEPS: ")

    def test_triangles(self):
        text = self.succeed("triangles", "g.txt", "--top", 1)
        self.assertRegex(text, r"(?m)^Graph: +g.txt, directed, taken as undirected$")
        self.assertRegex(text, r"(?m)^Triangles: +1$")
        self.assertRegex(text, r"(?m)^Global clustering: +1, of 3 wedges$")
        self.assertRegex(text, r"(?m)^Average clustering: +0.6$")
        self.assertRegex(text, r"Vertex +Triangles\n +10 +1\n\Z")
        text = self.succeed("triangles", "g.txt", "--undirected", "--total")
        self.assertRegex(text, r"(?m)^Graph: +g.txt, undirected$")
        self.assertNotIn("Average", text)

    def test_lcc(self):
        text = self.succeed("lcc", "g.txt", "--top", 2)
        self.assertRegex(text, r"(?m)^Average: +0.3$")
        self.assertRegex(text, r"Vertex +Coefficient\n +10 +0.5\n +20 +0.5\n\Z")

    def test_the_source_that_nobody_chose_is_said(self):
        self.assertRegex(self.succeed("bfs", "g.txt"), r"(?m)^Source: +7, which has most out-edges")

    def test_verification_says_what_it_asserts(self):
        for kernel in kernels():
            self.assertRegex(self.succeed(kernel, "g.txt", "--verify"), r"(?m)^Verified: +\S")

    def test_locales_and_their_shares(self):
        text = self.succeed("cc", "g.txt", "--locales", 3)
        self.assertRegex(text, r"(?m)^Locales: +3 of 1 core each: 3 cores$")
        for locale in range(3):
            self.assertRegex(text, rf"(?m)^Locale {locale}: ")

    def test_trials(self):
        self.assertIn("the median of 3 trials", self.succeed("cc", "g.txt", "--trials", 3))
        self.assertEqual(len(self.json_of("cc", "g.txt", "--trials", 3)["trials"]), 3)

    def test_quiet(self):
        for arguments in (("cc", "g.txt"), ("info", "g.txt"), ("bfs", "g.txt"),
                          ("convert", "g.txt", "out.mtx")):
            result = self.run_tool(*arguments, "--quiet")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_no_progress_in_a_pipe(self):
        self.assertEqual(self.run_tool("pagerank", "kron:15").stderr, "")

    def on_a_terminal(self, *arguments):
        """What a run writes to standard error where that is a terminal."""
        terminal, end = pty.openpty()
        environment = clean_environment() | {"TERM": "xterm"}
        process = subprocess.Popen([TOOL, *map(str, arguments)], cwd=self.folder, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=end)
        os.close(end)
        text = b""
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                piece = b""
            if not piece:
                break
            text += piece
        os.close(terminal)
        self.assertEqual(process.wait(timeout=SECONDS), 0)
        return text.decode()

    def test_progress_on_a_terminal(self):
        long_run = ("pagerank", "kron:14", "--tolerance", 0, "--iterations", 3000)
        text = self.on_a_terminal(*long_run)
        self.assertRegex(text, r"grappa: iteration \d+, change ")
        self.assertTrue(text.endswith("\r\033[K"), "the last line is wiped")
        self.assertEqual(self.on_a_terminal(*long_run, "--quiet"), "")

    def test_ignored_columns_are_said(self):
        self.write("w.txt", "1 2 0.5\n2 3 0.5\n")
        result = self.run_tool("cc", "w.txt")
        self.assertEqual(result.returncode, 0)
        self.assertIn("w.txt", result.stderr)

    def test_info(self):
        self.write("i.txt", "1 1\n1 2\n1 2\n2 3\n9 1\n")
        text = self.succeed("info", "i.txt")
        for line in (r"Edges are: +directed", r"Vertices: +4", r"Edges: +5", r"Self-loops: +1",
                     r"Duplicates: +1", r"Isolated: +0 vertices", r"Weights: +none",
                     r"Names: +numbers 1 to 9", r"Out-degrees: +0 to 3, mean 1.25, median 1",
                     r"Memory: +about .* needed, .* usable"):
            self.assertRegex(text, rf"(?m)^{line}$")
        facts = self.json_of("info", "i.txt")["result"]
        self.assertEqual(facts["out_degree"], {"min": 0, "max": 3, "mean": 1.25, "median": 1.0})
        self.assertEqual(facts["top"][0], {"vertex": 1, "degree": 3})

    def test_info_of_an_undirected_graph(self):
        facts = self.json_of("info", "grid:3x3")
        self.assertEqual(facts["graph"]["edges"], 12)
        self.assertEqual(facts["graph"]["arcs"], 24)
        self.assertFalse(facts["result"]["directed"])
        self.assertEqual(facts["result"]["degree"]["max"], 4)

    def test_info_of_weights(self):
        self.write("w.wel", "1 2 0.5\n2 3 7\n")
        self.assertEqual(self.json_of("info", "w.wel")["result"]["weights"],
                         {"min": 0.5, "max": 7.0})


class Files(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("g.txt", GRAPH)

    def test_values_stand_in_ascending_order(self):
        self.succeed("cc", "g.txt", "-o", "out.tsv")
        self.assertEqual((self.folder / "out.tsv").read_text(),
                         "7\t7\n8\t7\n10\t10\n20\t10\n30\t10\n")

    def test_unreachable_is_inf(self):
        self.assertEqual(self.values_of("bfs", "g.txt", "--source", 20),
                         {"7": "inf", "8": "inf", "10": "2", "20": "0", "30": "1"})

    def test_floats_have_17_digits(self):
        values = self.values_of("pagerank", "g.txt")
        for text in values.values():
            self.assertEqual(text, f"{float(text):.17g}")

    def test_string_names(self):
        self.write("s.txt", "bob alice\ncarol bob\nzoe yves\n")
        self.assertEqual(self.values_of("cc", "s.txt"),
                         {"alice": "alice", "bob": "alice", "carol": "alice", "yves": "yves",
                          "zoe": "yves"})
        self.assertEqual(self.json_of("bfs", "s.txt", "--source", "carol")["result"]["source"],
                         "carol")

    def test_json(self):
        self.succeed("pagerank", "g.txt", "--json", "out.json", "--locales", 2, "--cores", 1)
        found = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(set(found), {"kernel", "graph", "cores", "locales", "load_seconds",
                                      "build_seconds", "trials", "result", "split_hubs"})
        self.assertEqual(found["split_hubs"], 0)
        self.assertEqual(found["kernel"], "pagerank")
        self.assertEqual(found["graph"],
                         {"name": "g.txt", "vertices": 5, "edges": 4, "arcs": 4})
        self.assertEqual((found["cores"], found["locales"]), (2, 2))
        self.assertEqual(len(found["trials"]), 1)
        self.assertGreater(found["trials"][0]["seconds"], 0)
        for key in ("load_seconds", "build_seconds"):
            self.assertIsInstance(found[key], float)

    def test_json_alone_on_standard_output(self):
        for kernel in ("bfs", "cc", "pagerank", "info"):
            self.assertEqual(self.json_of(kernel, "g.txt")["kernel"], kernel)

    def test_metrics(self):
        self.succeed("cc", "g.txt", "--stats-json", "stats.json")
        self.assertTrue(json.loads((self.folder / "stats.json").read_text()))
        result = self.run_tool("cc", "g.txt", "--stats")
        self.assertEqual(result.returncode, 0)
        self.assertIn("Memory:", result.stdout)
        self.assertTrue(result.stderr)

    def test_an_old_file_is_replaced(self):
        self.write("out.tsv", "old\n")
        self.succeed("cc", "g.txt", "-o", "out.tsv")
        self.assertTrue((self.folder / "out.tsv").read_text().startswith("7\t7\n"))

    def test_compressed(self):
        self.succeed("cc", "g.txt", "-o", "out.tsv.gz")
        text = subprocess.run(["gzip", "-dc", self.folder / "out.tsv.gz"], capture_output=True,
                              text=True, check=True).stdout
        self.assertTrue(text.startswith("7\t7\n"))

    def test_a_graph_without_edges(self):
        self.write("alone.v", "3\n5\n")
        self.write("alone.e", "")
        for locales in (1, 2):
            self.assertEqual(self.values_of("cc", "alone.e", "--locales", locales),
                             {"3": "3", "5": "5"})

    def test_standard_input(self):
        self.assertEqual(self.values_of("cc", "-", input="4 5\n"), {"4": "4", "5": "4"})
        self.assertEqual(self.values_of("cc", "-", "--format", "csv", input="4,5\n"),
                         {"4": "4", "5": "4"})


class Targets(ToolTest):
    """What is read, or written otherwise, is not written over."""

    def setUp(self):
        super().setUp()
        self.write("g.txt", GRAPH)

    def assert_kept(self, name, content=GRAPH):
        self.assertEqual((self.folder / name).read_text(), content)

    def test_the_input(self):
        os.link(self.folder / "g.txt", self.folder / "same.txt")
        os.symlink("g.txt", self.folder / "link.txt")
        for option in ("-o", "--json", "--stats-json", "--plot", "--trace"):
            for name in ("g.txt", "./g.txt", "same.txt", "link.txt"):
                self.assertIn("g.txt", self.refuse("cc", "g.txt", option, name))
                self.assert_kept("g.txt")
        self.refuse("info", "g.txt", "--json", "g.txt")
        self.refuse("convert", "g.txt", "g.txt")
        self.assert_kept("g.txt")

    def test_the_input_is_a_redirection(self):
        with open(self.folder / "g.txt") as graph:
            self.refuse("cc", "-", "-o", "g.txt", stdin=graph)
        self.assert_kept("g.txt")

    def test_a_file_of_a_set(self):
        self.write("l.v", "1\n2\n")
        self.write("l.e", "1 2\n")
        self.write("l.properties", "graph.l.directed = true\n")
        for name, content in (("l.v", "1\n2\n"), ("l.e", "1 2\n"),
                              ("l.properties", "graph.l.directed = true\n")):
            self.refuse("cc", "l.e", "-o", name)
            self.refuse("convert", "l.v", name, "--to", "txt")
            self.assert_kept(name, content)
        self.write("g.v", "1\n")
        self.write("h.txt", "1 2\n")
        os.symlink("h.txt", self.folder / "h.e")
        self.refuse("convert", "h.txt", "h.v")

    def test_a_link_to_itself(self):
        os.symlink("loop", self.folder / "loop")
        self.assertIn("symbolic links", self.refuse("cc", "g.txt", "-o", "loop"))
        self.assertTrue((self.folder / "loop").is_symlink())

    def test_long_names(self):
        self.succeed("cc", "g.txt", "-q", "-o", "n" * 255)
        self.assertTrue((self.folder / ("n" * 255)).exists())
        self.assertIn("File name too long", self.refuse("cc", "g.txt", "-o", "n" * 300))

    def test_another_output(self):
        self.assertIn("-o and --json", self.refuse("cc", "g.txt", "-o", "f", "--json", "./f"))
        self.refuse("cc", "g.txt", "--trace", "f", "--plot", "f")
        self.refuse("convert", "g.txt", "o.mtx", "--trace", "o.mtx")
        self.refuse("cc", "g.txt", "-o", "-", "--json", "/dev/stdout")
        with open(self.folder / "log", "w") as log:
            result = subprocess.run([TOOL, "cc", "g.txt", "-o", "log"], cwd=self.folder, stdout=log,
                                    stderr=subprocess.PIPE, text=True, env=clean_environment())
        self.assertEqual(result.returncode, 2, result.stderr)
        self.succeed("cc", "g.txt", "-o", "/dev/null", "--json", "/dev/null")

    def test_standard_output_by_its_name(self):
        lines = "7\t7\n8\t7\n10\t10\n20\t10\n30\t10\n"
        for name in ("/dev/stdout", "/dev/fd/1"):
            self.assertEqual(self.succeed("cc", "g.txt", "-o", name), lines)
            log = self.folder / "log"
            with open(log, "w") as file:
                file.write("before\n")
                file.flush()
                subprocess.run([TOOL, "cc", "g.txt", "-o", name], cwd=self.folder, stdout=file,
                               env=clean_environment(), check=True)
                os.write(file.fileno(), b"after\n")
            self.assertEqual(log.read_text(), f"before\n{lines}after\n")
            log.unlink()
        self.assertIn("10\t20\n", self.succeed("convert", "g.txt", "/dev/stdout", "--to", "txt"))

    def test_a_timeline_into_a_descriptor(self):
        with open(self.folder / "log", "w+") as log:
            log.write("before\n")
            log.flush()
            subprocess.run([TOOL, "cc", "g.txt", "-q", "--trace", "/dev/stdout"], cwd=self.folder,
                           stdout=log, env=clean_environment(), check=True)
            log.seek(0)
            head, *rest = log.read().split("\n", 1)
        self.assertEqual(head, "before")
        self.assertTrue(json.loads(rest[0])["traceEvents"])

    def test_a_pipe_of_the_shell(self):
        subprocess.run(["bash", "-c", f"{TOOL} cc g.txt -o >(cat > seen); wait $!"],
                       cwd=self.folder, env=clean_environment(), check=True,
                       stdout=subprocess.DEVNULL)
        self.assertTrue((self.folder / "seen").read_text().startswith("7\t7\n"))

    def test_a_file_without_permission_to_write(self):
        self.write("kept", "kept\n")
        (self.folder / "kept").chmod(0o444)
        self.assertIn("Permission denied", self.refuse("cc", "g.txt", "-o", "kept"))
        self.assert_kept("kept", "kept\n")

    def test_empty_values(self):
        for words in (("-o", ""), ("--json", ""), ("--json=",), ("--stats-json", ""),
                      ("--trace", ""), ("--plot", ""), ("--format", ""), ("--cores", "")):
            flag = words[0].rstrip("=")
            self.assertIn(f"{flag}: the value is empty", self.refuse("cc", "g.txt", *words))
        self.refuse("bfs", "g.txt", "--source", "")
        self.refuse("bc", "g.txt", "--sources", "")
        self.assertIn("an argument is empty", self.refuse("cc", ""))
        self.refuse("convert", "g.txt", "")


class Determinism(ToolTest):
    """The same lines whatever the number of cores and locales."""

    def assert_same(self, *arguments):
        expected = self.succeed(*arguments, "-o", "-", "--cores", 1)
        ways = [("--cores", 2)] if len(os.sched_getaffinity(0)) > 1 else []
        ways += [("--locales", 2), ("--locales", 3, "--reorder", 0.5), ("--locales", 8),
                 ("--locales", 2, "--cores", 2),
                 ("--locales", 3, "--simulation-mode", "deterministic")]
        for way in ways:
            with self.subTest(arguments=arguments, way=way):
                self.assertEqual(self.succeed(*arguments, "-o", "-", *way), expected)

    def test_bfs(self):
        self.assert_same("bfs", "kron:10")

    def test_components(self):
        self.assert_same("cc", "urand:10:2")

    def test_pagerank(self):
        self.assert_same("pagerank", "kron:10")

    def test_generators(self):
        for spec in ("kron:8", "urand:8", "grid:20x30"):
            self.succeed("generate", spec, "one.el", "--cores", 1)
            self.succeed("generate", spec, "three.el", "--locales", 3)
            one = (self.folder / "one.el").read_bytes()
            self.assertEqual((self.folder / "three.el").read_bytes(), one)

    def test_seed(self):
        self.succeed("generate", "kron:8", "one.el")
        self.succeed("generate", "kron:8", "two.el", "--seed", 2)
        self.assertNotEqual((self.folder / "one.el").read_bytes(),
                            (self.folder / "two.el").read_bytes())


class Endings(ToolTest):
    def start(self, *arguments, **options):
        return subprocess.Popen([TOOL, *map(str, arguments)], cwd=self.folder,
                                env=clean_environment(), stderr=subprocess.PIPE, text=True,
                                **options)

    def test_nobody_reads(self):
        """`grappa … | head -1`: no word, no hang."""
        for arguments in (("cc", "kron:16", "-o", "-"), ("convert", "kron:12", "-"),
                          ("info", "kron:10")):
            process = self.start(*arguments, stdout=subprocess.PIPE)
            process.stdout.close()
            _, errors = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 0, arguments)
            self.assertNotIn("pipe", errors.lower(), arguments)

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "w") as full:
            for arguments in (("cc", "kron:10"), ("cc", "kron:10", "-o", "-"), ("help",)):
                process = self.start(*arguments, stdout=full)
                _, errors = process.communicate(timeout=SECONDS)
                self.assertEqual(process.returncode, 1, arguments)
                self.assertEqual(len(errors.splitlines()), 1, errors)
                self.assertIn("No space left", errors)

    def test_files_longer_than_the_limit(self):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        for arguments in (("cc", "kron:12", "-o", "out"), ("generate", "kron:12", "out.grappa"),
                          ("cc", "kron:8", "--trace", "trace.json")):
            process = self.start(*arguments, stdout=subprocess.DEVNULL, preexec_fn=limit_files)
            _, errors = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 1, errors)
            self.assertRegex(errors, r"\Agrappa: .*File too large\n\Z")

    def test_a_slow_simulation_is_said_first(self):
        process = self.start("cc", "kron:8", "--locales", 2, "--latency", "60s",
                             stdout=subprocess.DEVNULL)
        self.assertRegex(process.stderr.readline(), "even a small run will take about 3 hours")
        process.kill()
        process.communicate()

    def interrupt(self, number, *arguments):
        process = self.start(*arguments, stdout=subprocess.PIPE)
        time.sleep(0.5)
        process.send_signal(number)
        _, errors = process.communicate(timeout=SECONDS)
        return process.returncode, errors

    def test_interrupt(self):
        for arguments in (("pagerank", "kron:17", "--iterations", 1000000, "--tolerance", 0,
                           "-o", "out", "--json", "out.json"),
                          ("pagerank", "kron:12", "--iterations", 1000000, "--tolerance", 0,
                           "--locales", 4, "-o", "out"),
                          ("generate", "kron:24", "out.el.gz")):
            status, errors = self.interrupt(signal.SIGINT, *arguments)
            self.assertEqual((status, errors), (130, "grappa: interrupted\n"), arguments)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_termination(self):
        status, errors = self.interrupt(signal.SIGTERM, "pagerank", "kron:12", "--iterations",
                                        1000000, "--tolerance", 0, "-o", "out")
        self.assertEqual(status, 143)
        self.assertEqual(len(errors.splitlines()), 1)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
