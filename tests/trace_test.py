"""--trace: the file is read back. It is valid however the run ends, accounts for the time of every
core, and puts the events of all locales on one clock."""

import json
import os
import resource
import signal
import subprocess
import time
import unittest
from collections import Counter, defaultdict

from cli_tool import TOOL, ToolTest, clean_environment
from mpi_launch import BINARIES, LIBRARIES, launch

PROGRAM = BINARIES / "tests/bin/traced_run"
ACTIVITIES = {"program", "scheduling", "aggregation", "network", "idle", "parked", "elsewhere"}
NANOSECOND = 1e-3  # in the file's microseconds


class Trace:
    """The events of a file: spans by (locale, core), marks by name, names of cores."""

    def __init__(self, path):
        self.events = json.loads(path.read_text())["traceEvents"]
        self.spans = defaultdict(list)
        self.marks = defaultdict(list)
        self.names = {}
        for event in self.events:
            if event["ph"] == "X":
                self.spans[event["pid"], event["tid"]].append(event)
            elif "mark" in event.get("args", {}):
                self.marks[event["args"]["mark"]].append(event)
            elif event["name"] == "thread_name":
                self.names[event["pid"], event["tid"]] = event["args"]["name"]
        for spans in self.spans.values():
            spans.sort(key=lambda span: span["ts"])

    def kinds(self):
        return Counter(event["name"].split(":")[0].split(",")[0] for event in self.events)


class TraceTest(ToolTest):
    def trace(self, name="trace.json"):
        return Trace(self.folder / name)

    def check_cores(self, trace, locales, cores):
        """Each core is in one state at any time; returns how long each was seen, in seconds."""
        self.assertEqual(len(trace.spans), locales * cores)
        self.assertEqual({process for process, _ in trace.spans}, set(range(1, locales + 1)))
        seen = []
        for spans in trace.spans.values():
            end = spans[0]["ts"]
            for span in spans:
                self.assertIn(span["cat"], ACTIVITIES)
                self.assertGreaterEqual(span["dur"], 0)
                # Neither an overlap nor a gap, but for rounding.
                self.assertAlmostEqual(span["ts"], end, delta=5 * NANOSECOND)
                end = span["ts"] + span["dur"]
            seen.append((end - spans[0]["ts"]) * 1e-6)
        return seen

    def test_accounts_for_the_time_of_a_search(self):
        found = self.json_of("bfs", "kron:14", "--cores", 2, "--trace", "trace.json")
        trace = self.trace()
        seen = self.check_cores(trace, 1, 2)
        # The run has all that is measured in it.
        inside = found["load_seconds"] + found["build_seconds"] + found["trials"][0]["seconds"]
        # (The thread of the other core may begin late on a busy machine, and end late.)
        self.assertGreaterEqual(seen[0], inside)
        # Both cores work on the program, and it is named.
        for spans in trace.spans.values():
            names = {span["name"] for span in spans if span["cat"] == "program"}
            self.assertTrue(any("/graph/algorithms/bfs/bfs.cpp:" in name for name in names), names)
        counts = trace.kinds()
        self.assertGreater(counts["tasks"], 0)
        self.assertGreater(counts["messages"], 0)
        self.assertGreater(counts["flush"], 0)

    def test_marks_the_levels(self):
        self.write("path.el", "".join(f"{v} {v + 1}\n" for v in range(40)))
        for locales in 1, 2:
            self.succeed("bfs", "path.el", "--source", 0, "--cores", 1, "--locales", locales,
                         "--trace", "trace.json")
            marks = self.trace().marks
            # The levels of 41 vertices in a row; short ones are found in steps of all locales.
            self.assertEqual(len(marks["level"]) + len(marks["short level"]), 41)

    def test_iterations_of_other_kernels(self):
        self.write("star.el", "".join(f"0 {v}\n{v} 0\n" for v in range(1, 9)))
        for kernel, mark, count in (("pagerank", "iteration", 7), ("cdlp", "iteration", 3),
                                    ("cc", "step", 2), ("kcore", "core", 1)):
            options = {"pagerank": ["--iterations", 7, "--tolerance", 0],
                       "cdlp": ["--iterations", 3]}.get(kernel, [])
            self.succeed(kernel, "star.el", "--trace", "trace.json", *options)
            self.assertLessEqual(len(self.trace().marks[mark]), count, kernel)
            self.assertGreaterEqual(len(self.trace().marks[mark]), 1, kernel)

    def run_program(self, *arguments, **variables):
        environment = {f"GRAPPA_{name.upper()}": str(value) for name, value in variables.items()}
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=120,
                              capture_output=True, text=True,
                              env=clean_environment() | {"GRAPPA_TRACE": "trace.json"} | environment)

    def check_rounds(self, trace, cores, rounds, error_us=0):
        """All clocks agree: nobody leaves a barrier before all have come to it."""
        come, gone = defaultdict(list), defaultdict(list)
        for event in trace.marks["before"]:
            come[event["args"]["number"]].append(event["ts"])
        for event in trace.marks["after"]:
            gone[event["args"]["number"]].append(event["ts"])
        self.assertEqual(sorted(come), list(range(1, rounds + 1)))
        for number in come:
            self.assertEqual((len(come[number]), len(gone[number])), (cores, cores))
            self.assertGreaterEqual(min(gone[number]), max(come[number]) - error_us,
                                    f"round {number}")
            if number > 1:
                self.assertGreaterEqual(min(come[number]), max(gone[number - 1]) - error_us)

    def test_simulated_locales_share_a_clock(self):
        result = self.run_program(5, locales=2, cores=2)
        self.assertEqual(result.returncode, 0, result.stderr)
        trace = self.trace()
        self.check_cores(trace, 2, 2)
        self.check_rounds(trace, 4, 5)
        self.assertGreater(trace.kinds()["network"], 0)

    def test_processes_are_put_on_one_clock(self):
        for library in LIBRARIES:
            with self.subTest(library=library):
                job = launch(self.folder, library, 2, PROGRAM, 20,
                             env={"GRAPPA_TRACE": "trace.json", "GRAPPA_CORES": "1"})
                self.assertEqual(job.returncode, 0, job.stderr)
                trace = self.trace()
                self.check_cores(trace, 2, 1)
                # Where other programs run, too, no message may have gone both ways undisturbed.
                # Clocks that nobody has compared differ by what lies between two starts.
                self.check_rounds(trace, 2, 20, error_us=1000)
                self.assertEqual(os.listdir(self.folder), ["trace.json"])

    def test_says_what_it_drops(self):
        result = self.run_program(200, trace_memory="8KiB", cores=1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"lacks the \d+ oldest events; --trace-memory")
        trace = self.trace()
        self.assertEqual([("lost" in name) for name in trace.names.values()], [True])
        self.assertLessEqual(sum(len(spans) for spans in trace.spans.values()), 8192 / 32 + 1)
        self.check_cores(trace, 1, 1)
        # The last ones are there.
        self.assertEqual(max(event["args"]["number"] for event in trace.marks["after"]), 200)

    def test_valid_after_a_failure(self):
        result = self.run_program(3, "fatal")
        self.assertEqual(result.returncode, 1)
        self.assertIn("as it was told", result.stderr)
        self.assertEqual(len(self.trace().marks["after"]) % 3, 0)
        self.assertGreater(len(self.trace().marks["after"]), 0)

    def test_valid_after_an_error_of_the_program(self):
        self.write("bad.el", "1 2\n3 x\n")
        result = self.run_tool("cc", "bad.el", "--trace", "trace.json")
        self.assertEqual(result.returncode, 2)
        self.trace()

    def test_every_process_writes_its_own_after_a_failure(self):
        for library in LIBRARIES:
            with self.subTest(library=library):
                job = launch(self.folder, library, 2, PROGRAM, 3, "fatal",
                             env={"GRAPPA_TRACE": "trace.json", "GRAPPA_CORES": "1"})
                self.assertNotEqual(job.returncode, 0)
                self.assertEqual(len(self.trace().marks["after"]), 3)
                self.assertEqual(len(self.trace("trace.json.locale1").marks["after"]), 3)

    def interrupted(self, number, *arguments, **options):
        """A tool that is sent a signal when it has been busy for a while."""
        process = subprocess.Popen([TOOL, *map(str, arguments), "--trace", "trace.json"],
                                   cwd=self.folder, env=clean_environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        for line in process.stdout:
            if line.startswith("Build time"):
                break
        time.sleep(0.2)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors

    def test_valid_after_a_signal(self):
        for number, status in (signal.SIGINT, 130), (signal.SIGTERM, 143):
            code, errors = self.interrupted(number, "pagerank", "kron:12", "--tolerance", 0,
                                            "--iterations", 1_000_000_000)
            self.assertEqual(code, status, errors)
            trace = self.trace()
            self.assertGreater(len(trace.marks["iteration"]), 0)
            self.check_cores(trace, 1, len(trace.spans))

    def test_a_full_disk_leaves_the_old_file(self):
        def fill_the_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        self.write("trace.json", "the old timeline")
        for locales in 1, 2:
            for end in "at its end", "interrupted":
                with self.subTest(locales=locales, end=end):
                    arguments = ["pagerank", "kron:12", "--locales", locales, "--tolerance", 0]
                    if end == "interrupted":
                        status, errors = self.interrupted(
                            signal.SIGINT, *arguments, "--iterations", 1_000_000_000,
                            preexec_fn=fill_the_disk)
                        self.assertEqual(status, 130, errors)
                    else:
                        result = self.run_tool(*arguments, "--iterations", 20, "--trace",
                                               "trace.json", preexec_fn=fill_the_disk)
                        errors = result.stderr
                        self.assertEqual(result.returncode, 1, errors)
                    self.assertIn("--trace: trace.json: cannot write: File too large\n", errors)
                    self.assertEqual((self.folder / "trace.json").read_text(), "the old timeline")
                    self.assertEqual(os.listdir(self.folder), ["trace.json"])

    def test_refuses_a_file_that_cannot_be_written(self):
        self.write("edge.el", "1 2\n")
        self.assertIn("No such file", self.refuse("cc", "edge.el", "--trace", "none/trace.json"))
        self.assertIn("Is a directory", self.refuse("cc", "edge.el", "--trace", "."))
        self.assertIn("name of a file", self.refuse("cc", "edge.el", "--trace", "-"))
        self.refuse("cc", "edge.el", "--trace", "t.json", "--trace-memory", "1KiB")
        self.assertIn("GRAPPA_TRACE: none/trace.json: ",
                      self.refuse("cc", "edge.el", env={"GRAPPA_TRACE": "none/trace.json"}))

    def test_a_run_that_is_refused_leaves_no_file(self):
        self.write("edge.el", "1 2\n")
        self.refuse("cc", "edge.el", "--trace", "trace.json", "--stack-size", "1000")


class StatsTest(ToolTest):
    def test_shares_sum_to_all(self):
        result = self.run_tool("bfs", "kron:12", "--cores", 2, "--stats")
        lines = result.stderr.splitlines()
        self.assertEqual(lines[0].split()[:6],
                         ["core", "program", "scheduling", "aggregation", "network", "idle"])
        for line, name in zip(lines[1:4], ("0", "1", "all")):
            self.assertEqual(line.split()[0], name)
            shares = [float(word) for word, unit in zip(line.split()[1:], line.split()[2:])
                      if unit == "%"]
            self.assertEqual(len(shares), 5)
            self.assertAlmostEqual(sum(shares), 100, delta=0.3)

    def test_series(self):
        self.succeed("pagerank", "kron:12", "--cores", 2, "--iterations", 300, "--tolerance", 0,
                     "--stats-every", "2ms", "--stats-json", "stats.json", "--plot", "plot.svg")
        metrics = json.loads((self.folder / "stats.json").read_text())
        self.assertGreater(metrics["time.program_ns"]["total"], 0)
        [locale] = metrics["series"]
        self.assertGreaterEqual(locale["period_seconds"], 0.002)
        self.assertEqual(locale["seconds"], sorted(locale["seconds"]))
        self.assertEqual([core["core"] for core in locale["cores"]], [0, 1])
        for number, core in enumerate(locale["cores"]):
            for name in "live_tasks", "suspended_tasks", "messages", "bytes":
                self.assertEqual(len(core[name]), len(locale["seconds"]))
            # Of one period they may be far off, where the sampler was kept from reading the clock of
            # the core for a moment after its own; the next one makes up for it.
            periods = [sum(shares) for shares in zip(*core["time"].values())]
            self.assertLess(sum(periods) / len(periods), 1.5)
            self.assertGreater(sum(periods) / len(periods), 0.5)
            self.assertLessEqual(sum(core["messages"]),
                                 metrics["message.messages"]["per_core"][number])
        self.assertGreater(max(locale["cores"][0]["live_tasks"]), 0)
        figure = (self.folder / "plot.svg").read_text()
        for label in "MB a second", "Messages", "suspended":
            self.assertIn(label, figure)

    def test_series_of_locales(self):
        self.succeed("bfs", "kron:12", "--cores", 1, "--locales", 3, "--stats-every", "1ms",
                     "--stats-json", "stats.json")
        series = json.loads((self.folder / "stats.json").read_text())["series"]
        self.assertEqual([locale["locale"] for locale in series], [0, 1, 2])
        self.assertEqual([locale["cores"][0]["core"] for locale in series], [0, 1, 2])

    def test_samples_need_a_place(self):
        self.write("edge.el", "1 2\n")
        self.assertIn("--stats-json", self.refuse("cc", "edge.el", "--stats-every", "1ms"))
        self.refuse("cc", "edge.el", "--stats-every", "10us", "--stats-json", "s.json")


if __name__ == "__main__":
    unittest.main()
