"""What bad input gets: status 2, one line that names file, line and reason, and nothing left."""

import gzip
import os
import resource
import subprocess
import unittest

from cli_tool import SECONDS, TOOL, ToolTest, clean_environment

HUGE = "9223372036854775808"  # 2^63


class BadFiles(ToolTest):
    def assert_refused(self, name, content, *parts, command="cc"):
        """The message names the file and, one after the other, the parts."""
        self.write(name, content)
        message = self.refuse(command, name, "-o", "out.tsv", "--json", "out.json")
        position = 0
        for part in (name, *parts):
            self.assertIn(part, message[position:], message)
            position = message.index(part, position) + len(part)

    def test_missing(self):
        # Whatever the name: without an extension, too, or with one that is none of ours.
        for name in ("nowhere.txt", "nowhere", "nowhere.docx", "nowhere.gz", "no/where", "kronn:10"):
            message = self.refuse("cc", name, "-o", "out.tsv")
            self.assertIn(f"{name}: ", message)
            self.assertIn("No such file", message)
        self.write("here", "0 1\n")
        self.assertIn("give --format", self.refuse("cc", "here"))

    def test_folder(self):
        (self.folder / "folder.txt").mkdir()
        (self.folder / "folder").mkdir()
        for name in ("folder.txt", "folder"):
            message = self.refuse("cc", name)
            self.assertIn(f"{name}: ", message)
            self.assertRegex(message, "[Ii]s a directory")

    def test_empty(self):
        self.assert_refused("empty.txt", "", "empty")

    def test_the_line_that_is_one_sided(self):
        self.assert_refused("sides.graph", "3 2\n2\n1 3\n\n", ":3", "from vertex 2 to 3")
        self.write("twice.v", "1\n2\n1\n")
        self.write("twice.e", "1 2\n")
        self.assertIn("twice.v:3: vertex 1 is listed twice", self.refuse("cc", "twice.e"))
        for name in ("sides.graph", "twice.e"):
            self.assertRegex(self.refuse("cc", name, "--locales", 2), r":3: ")

    def test_only_comments(self):
        self.write("comments.txt", "# nothing\n# to see\n")
        result = self.run_tool("cc", "comments.txt")
        self.assertIn(result.returncode, (0, 2))  # a graph without vertices, or a refusal
        self.assertNotIn("fatal", result.stderr)

    def test_truncated_gzip(self):
        lines = "".join(f"{i} {i * 7919 % 10007}\n" for i in range(20000))
        whole = gzip.compress(lines.encode())
        self.assert_refused("cut.txt.gz", whole[: len(whole) // 2])

    def test_gzip_that_is_none(self):
        self.assert_refused("plain.txt.gz", "0 1\n1 2\n")

    def test_binary_garbage(self):
        garbage = bytes((i * 131 + 7) % 256 for i in range(5000))
        for name in ("garbage.txt", "garbage.el", "garbage.csv", "garbage.mtx", "garbage.graph",
                     "garbage.gr", "garbage.sg", "garbage.wsg", "garbage.grappa"):
            with self.subTest(name=name):
                self.assert_refused(name, garbage)

    def test_negative_id(self):
        self.assert_refused("negative.txt", "0 1\n1 -2\n", ":2", "-2")

    def test_id_above_the_limit(self):
        self.assert_refused("huge.txt", f"0 1\n1 2\n{HUGE} 3\n", ":3")

    def test_greatest_id_is_allowed(self):
        self.write("great.txt", "0 9223372036854775807\n")
        values = self.values_of("cc", "great.txt")
        self.assertEqual(values, {"0": "0", "9223372036854775807": "0"})

    def test_one_column(self):
        self.assert_refused("column.txt", "0 1\n2\n3 4\n", ":2")

    def test_text_among_numbers(self):
        self.assert_refused("words.txt", "0 1\n1 2\n2 three\n", ":3")

    def test_matrix_market_headers(self):
        self.assert_refused("no.mtx", "0 1\n1 2\n", ":1")
        self.assert_refused("dense.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n", ":1")
        self.assert_refused(
            "wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n", ":2")
        self.assert_refused(
            "short.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 2\n")
        self.assert_refused(
            "range.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n", ":3")
        self.assert_refused(
            "zero.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 1\n", ":3")

    def test_metis_headers(self):
        self.assert_refused("words.graph", "vertices edges\n", ":1")
        self.assert_refused("one.graph", "3\n2\n1\n\n", ":1")
        self.assert_refused("count.graph", "2 5\n2\n1\n")
        self.assert_refused("range.graph", "2 1\n3\n1\n", ":2")

    def test_dimacs_headers(self):
        self.assert_refused("no.gr", "a 1 2 3\n", ":1")
        self.assert_refused("words.gr", "p sp two 1\na 1 2 3\n", ":1")
        self.assert_refused("count.gr", "p sp 2 5\na 1 2 3\n")
        self.assert_refused("range.gr", "p sp 2 1\na 1 3 3\n", ":2")

    def test_unknown_extension(self):
        self.assert_refused("graph.xyz", "0 1\n")

    def test_other_commands_refuse_too(self):
        self.write("bad.txt", "0 1\n2\n")
        for arguments in (("bfs", "bad.txt"), ("pagerank", "bad.txt"), ("info", "bad.txt"),
                          ("convert", "bad.txt", "out.mtx")):
            with self.subTest(arguments=arguments):
                self.assertIn("bad.txt:2", self.refuse(*arguments))

    def test_a_pipe_that_nobody_writes_to(self):
        os.mkfifo(self.folder / "pipe")
        process = subprocess.Popen([TOOL, "cc", "pipe", "--format", "txt", "-o", "-"],
                                   cwd=self.folder, env=clean_environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(process.stderr.readline(),
                         "grappa: pipe: waiting for a program to write to this pipe\n")
        (self.folder / "pipe").write_text("1 2\n")
        self.assertEqual(process.communicate(timeout=SECONDS), ("1\t1\n2\t1\n", ""))

    def test_a_pipe_that_nobody_reads(self):
        os.mkfifo(self.folder / "pipe")
        self.write("g.txt", "1 2\n")
        process = subprocess.Popen([TOOL, "cc", "g.txt", "-q", "-o", "pipe"], cwd=self.folder,
                                   env=clean_environment(), text=True, stderr=subprocess.PIPE)
        self.assertEqual(process.stderr.readline(),
                         "grappa: pipe: waiting for a program to read this pipe\n")
        self.assertEqual((self.folder / "pipe").read_text(), "1\t1\n2\t1\n")
        self.assertEqual(process.communicate(timeout=SECONDS), (None, ""))
        self.assertEqual(process.returncode, 0)

    def test_zeros_without_end(self):
        for name in ("sg", "wsg", "grappa", "graph", "mtx", "txt"):
            self.assertIn("/dev/zero", self.refuse("cc", "/dev/zero", "--format", name))

    def test_standard_input(self):
        self.assertIn(":2", self.refuse("cc", "-", input="0 1\n2\n"))


class BadUsage(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("g.txt", "0 1\n1 2\n2 0\n5 0\n")

    def test_unknown_command(self):
        self.assertIn("the nearest is pagerank", self.refuse("pagernk", "g.txt"))
        self.assertIn("the nearest is generate", self.refuse("gen", "kron:4"))
        self.assertEqual(self.refuse("foo"),
                         "grappa: foo: no such command (grappa help lists all)")

    def test_unknown_flag(self):
        message = self.refuse("bfs", "g.txt", "--soruce", "1")
        self.assertIn("--soruce", message)
        self.assertIn("--source", message)
        self.assertIn("the nearest is --source", self.refuse("bfs", "g.txt", "--sou", "1"))
        self.assertEqual(self.refuse("cc", "g.txt", "-x"),
                         "grappa: cc: -x: no such option (grappa help cc)")

    def test_words_too_many(self):
        for arguments, word in ((("help", "bfs", "foo"), "foo"), (("help", "-h", "bfs"), "bfs"),
                                (("help", "bench", "gups", "foo"), "foo"),
                                (("--version", "foo"), "foo")):
            self.assertIn(word, self.refuse(*arguments))

    def test_options_that_do_not_go_together_make_nothing(self):
        for arguments, said in (
                (("--engine", "sync", "--checkpoint", "ck"), "--checkpoint: only with"),
                (("--engine", "async", "--damping", 1), "--damping 1: only with"),
                (("--engine", "async", "--tolerance", 0), "--tolerance 0: "),
                (("--engine", "sync", "--precision", "single"), "--precision single: only with")):
            self.assertIn(said, self.refuse("pagerank", "nowhere.txt", *arguments))
        self.assertIn("--checkpoint: only with",
                      self.refuse("cc", "nowhere.txt", "--engine", "sync", "--resume", "ck"))
        for names in ("0,,1", ",0", "0,"):
            self.assertIn(f"--sources {names}: an entry is empty",
                          self.refuse("bc", "nowhere.txt", "--sources", names))

    def test_what_is_refused_is_not_said_to_have_no_effect(self):
        for option in ("--in-flight", "--trace-memory"):
            self.assertIn(f"{option[2:]}: 0 B asked", self.refuse("cc", "g.txt", option, 0))

    def test_several_files_have_no_device(self):
        link = self.folder / "link"
        link.symlink_to("/dev/null")
        for name in ("-", "link", "/dev/stdout"):
            self.assertIn(f"{name}: an LDBC graph is several files",
                          self.refuse("convert", "g.txt", name, "--to", "e"))

    def test_missing_graph(self):
        self.assertIn("GRAPH", self.refuse("cc"))

    def test_two_graphs(self):
        self.assertIn("h.txt", self.refuse("cc", "g.txt", "h.txt"))

    def test_flag_without_value(self):
        self.assertIn("--trials", self.refuse("cc", "g.txt", "--trials"))

    def test_a_flag_where_a_value_belongs(self):
        self.write("g.txt", "1 2\n")
        for arguments in (("-o", "--json", "f"), ("-o", "-q"), ("--source", "-o")):
            self.assertIn(f"{arguments[0]}: no value given, {arguments[1]} follows",
                          self.refuse("bfs", "g.txt", *arguments))
        self.assertFalse((self.folder / "-q").exists())

    def test_values_out_of_range(self):
        for flag, value in (("--trials", "0"), ("--trials", "many"), ("--damping", "1.5"),
                            ("--damping", "x"), ("--tolerance", "-1"), ("--iterations", "-1"),
                            ("--top", "-1"), ("--cores", "two"), ("--latency", "5"),
                            ("--stacks", "none"), ("--pin", "maybe"), ("--verify", "maybe")):
            with self.subTest(flag=flag, value=value):
                message = self.refuse("pagerank", "g.txt", f"{flag}={value}")
                self.assertIn(flag, message)
                self.assertIn(value, message)

    def test_source_that_is_no_vertex(self):
        for source in ("3", "-1", "alice", HUGE, ""):
            with self.subTest(source=source):
                message = self.refuse("bfs", "g.txt", f"--source={source}", "-o", "out")
                if source:
                    self.assertIn(source, message)

    def test_several_sources(self):
        self.assertIn("--source: 0 is given, and 5",
                      self.refuse("bfs", "g.txt", "--source", 0, "--source", 5))
        self.assertIn("--sources: 0 is given, and 5",
                      self.refuse("bc", "g.txt", "--sources", 0, "--sources", 5))

    def test_more_cores_than_there_are(self):
        message = self.refuse("cc", "g.txt", "--cores", "4000")
        self.assertIn("4000", message)
        self.assertIn("--cores", message)

    def test_estimate_above_memory(self):
        message = self.refuse("pagerank", "kron:31:64", "-o", "out")
        self.assertIn("kron:31:64", message)
        self.assertRegex(message, r"[0-9.]+ [GT]iB.* [0-9.]+ [MGT]iB")

    def test_header_that_announces_more_than_fits(self):
        self.write("vast.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                               "4000000000 4000000000 900000000000\n1 2\n")
        self.assertIn("vast.mtx", self.refuse("cc", "vast.mtx"))

    def test_bad_generators(self):
        for spec in ("kron:", "kron:x", "kron:-3", "kron:4:0", "urand:3:x", "grid:3", "grid:3x",
                     "grid:-1x4", "kron:60"):
            with self.subTest(spec=spec):
                self.assertIn(spec, self.refuse("cc", spec))

    def test_unknown_format(self):
        message = self.refuse("cc", "g.txt", "--format", "excel")
        self.assertIn("excel", message)
        self.assertIn("mtx", message)

    def test_convert_names_its_own_option(self):
        for name in ("out", "out.xyz"):
            self.assertIn("give --to: txt", self.refuse("convert", "g.txt", name))
        self.assertIn("give --format: txt", self.refuse("generate", "kron:4", "out"))

    def test_what_was_meant(self):
        self.assertIn("options follow the command: grappa cc ... --cores ...",
                      self.refuse("--cores", "1", "cc", "g.txt"))
        self.assertIn("--pin takes on or off, not maybe",
                      self.refuse("cc", "g.txt", "--pin", "maybe"))
        self.assertIn("-.e: no such option; a file of that name is ./-.e", self.refuse("cc", "-.e"))

    def test_escape_sequences_are_not_obeyed(self):
        name = "a\033[2Jb\ra.txt"
        self.assertIn("a\\x1b[2Jb\\x0da.txt: cannot open", self.refuse("cc", name))
        self.write(name, "0 1\n")
        text = self.succeed("cc", name)
        self.assertNotIn("\033", text)
        self.assertIn("a\\x1b[2Jb\\x0da.txt", text)

    def test_negative_weights(self):
        for name, text, where in (
                ("n.txt", "0 1 2\n1 2 -3\n", "n.txt:2: weight -3 is below 0"),
                ("n.csv", "a,b,2\nb,c,-3.5\n", "n.csv:2: weight -3.5 is below 0"),
                ("n.gr", "p sp 2 1\na 1 2 -3\n", "n.gr:2: weight -3 is below 0"),
                ("n.graph", "2 1 1\n2 -1\n1 -1\n", "n.graph:2: weight -1 is below 0")):
            with self.subTest(name=name):
                self.write(name, text)
                self.assertIn(where, self.refuse("sssp", name))
                self.succeed("cc", name)
                if name != "n.graph":
                    self.succeed("convert", name, "n.grappa")
                    self.assertIn("n.grappa: the least weight is -3", self.refuse("sssp", "n.grappa"))
        self.succeed("convert", "n.gr", "n.wsg")
        self.assertIn("n.wsg: vertex 0 has an edge of weight -3", self.refuse("sssp", "n.wsg"))
        self.assertIn("n.txt:2: weight -3 is below 0",
                      self.refuse("sssp", "n.txt", "--locales", "2"))

    def test_no_more_threads(self):
        def leave_no_room_for_stacks():
            resource.setrlimit(resource.RLIMIT_STACK, (100 << 40, 100 << 40))

        message = self.refuse("cc", "g.txt", status=1, preexec_fn=leave_no_room_for_stacks)
        self.assertIn("cannot start a thread", message)

    def test_too_many_open_files(self):
        self.succeed("convert", "g.txt", "g.grappa")
        for name, *more in (("g.txt", "-o", "out"), ("g.grappa", "-o", "out"),
                            ("g.txt", "--locales", 2), ("g.grappa", "--locales", 2)):
            message = self.refuse("cc", name, *more, "-q", status=1, preexec_fn=lambda: (
                resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))))
            self.assertIn("Too many open files", message)

    def test_weights_that_are_no_finite_numbers(self):
        for name, text in (("i.txt", "0 1 2\n1 2 {}\n"), ("i.csv", "a,b,2\nb,c,{}\n"),
                           ("i.gr", "p sp 2 1\na 1 2 {}\n"), ("i.graph", "2 1 1\n2 {}\n1 {}\n"),
                           ("i.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                     "2 2 1\n1 2 {}\n")):
            for weight, said in (("inf", "expected a weight"), ("1e400", "too large"),
                                 ("1e-400", "too small")):
                with self.subTest(name=name, weight=weight):
                    self.write(name, text.replace("{}", weight))
                    self.assertRegex(self.refuse("msf", name), f"{name}:[23]: .*{said}")

    def test_sums_of_weights_beyond_all_numbers(self):
        self.write("far.wel", "0 1 1e308\n1 2 1e308\n")
        for options in ((), ("--locales", 2), ("--engine", "sync"), ("--engine", "async")):
            self.assertIn("sssp: paths are longer than 1.8e308",
                          self.refuse("sssp", "far.wel", "--source", 0, "-o", "out", *options))
        self.assertIn("msf: the weights add up to more than 1.8e308",
                      self.refuse("msf", "far.wel", "-o", "out"))

    def test_contradicting_directions(self):
        self.refuse("cc", "g.txt", "--directed", "--undirected")

    def test_output_that_cannot_be_written(self):
        for flag in ("-o", "--json", "--stats-json"):
            with self.subTest(flag=flag):
                self.assertIn("nowhere/out", self.refuse("cc", "g.txt", flag, "nowhere/out"))
        self.assertIn("nowhere", self.refuse("convert", "g.txt", "nowhere/out.mtx"))

    def test_two_on_standard_output(self):
        self.refuse("cc", "g.txt", "-o", "-", "--json", "-")

    def test_environment(self):
        message = self.refuse("cc", "g.txt", env={"GRAPPA_CROES": "1"})
        self.assertIn("GRAPPA_CROES", message)
        self.assertIn("GRAPPA_CORES", message)
        self.assertIn("GRAPPA_CORES", self.refuse("cc", "g.txt", env={"GRAPPA_CORES": "x"}))

    def test_generate_what_is_no_generator(self):
        self.assertIn("g.txt", self.refuse("generate", "g.txt", "out.mtx"))

    def test_unknown_benchmark(self):
        self.assertIn("gups", self.refuse("bench", "gusp"))

    def test_counts_of_benchmarks(self):
        for arguments in (("gups", "--trials", "-1"), ("gups", "--trials", "0"),
                          ("delegate", "--trials", "many"), ("uts", "--grain", "0"),
                          ("uts", "--grain", "1000000000000000000")):
            message = self.refuse("bench", *arguments)
            self.assertIn(f'{arguments[1]}: "{arguments[2]}" is not allowed', message)

    def test_a_file_that_was_there_stays(self):
        self.write("keep.tsv", "precious")
        self.refuse("bfs", "g.txt", "--source", "99", "-o", "keep.tsv")
        self.assertEqual((self.folder / "keep.tsv").read_text(), "precious")


if __name__ == "__main__":
    unittest.main()
