"""Several processes under the launchers of Open MPI and MPICH: the answers are those of one process,
what differs between the processes is named, and nobody stays behind."""

import itertools
import json
import os
import re
import socket
import subprocess
import sys
import unittest
from pathlib import Path

from cli_tool import SECONDS, TOOL, ToolTest, clean_environment, kernels, skip_all
from mpi_launch import (BINARIES, ENVIRONMENT, LAUNCHERS, LIBRARIES, RANK_VARIABLES,
                        end_with_parent, launch)

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parent.parent))

# Examples that print a line for each core, or that make a simulated world in each process.
SHAPED_BY_LOCALES = ("hello", "simulation")

if not LIBRARIES:
    skip_all("neither Open MPI nor MPICH is here with its plug-in")


class Jobs(ToolTest):
    def launch(self, library, ranks, *command, env=None, flags=()):
        return launch(self.folder, library, ranks, *command, env=env, flags=flags)

    def each(self, ranks=(2,)):
        return itertools.product(LIBRARIES, ranks)

    def check_kernel(self, *arguments):
        alone = self.succeed(*arguments, "-o", "-")
        for library, ranks in self.each(ranks=(2, 3)):
            result = self.launch(library, ranks, TOOL, *arguments, "--verify", "-q", "-o", "out",
                                 "--cores", 1)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_same_values((self.folder / "out").read_text(), alone)

    def test_bfs(self):
        self.check_kernel("bfs", "kron:12", "--source", 1)

    def test_components(self):
        self.check_kernel("cc", "urand:12:3")

    def test_pagerank(self):
        self.check_kernel("pagerank", "kron:12", "--iterations", 20, "--tolerance", 0)

    def test_every_kernel(self):
        """Each under one library and on one number of processes, in turn; directed graphs, too."""
        self.write("directed.txt", "".join(f"{i % 700}\t{i * 7919 % 1009}\n" for i in range(5000)))
        options = {"bfs": ("--source", 1), "sssp": ("--source", 1), "bc": ("--samples", 5),
                   "pagerank": ("--tolerance", 1e-12, "--iterations", 1000)}
        commands = [(kernel, graph, *options.get(kernel, ()))
                    for kernel in kernels() for graph in ("kron:10", "directed.txt")]
        commands += [(kernel, "kron:10", *options.get(kernel, ()), "--engine", engine)
                     for kernel in ("bfs", "sssp", "cc", "pagerank") for engine in ("sync", "async")]
        jobs = itertools.cycle(self.each(ranks=(2, 3)))
        for command, (library, ranks) in zip(commands, jobs):
            with self.subTest(command=command, library=library, ranks=ranks):
                alone = self.succeed(*command, "-o", "-", "--cores", 2)
                result = self.launch(library, ranks, TOOL, *command, "--verify", "-o", "-",
                                     "--cores", 1)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assert_same_values(result.stdout, alone, tolerance=1e-7)

    def test_a_file_and_long_messages(self):
        edges = "".join(f"{i}\t{i * 7919 % 60013}\n" for i in range(60000))
        self.check_kernel("cc", self.write("graph.txt", edges))

    def test_the_start_says_what_each_locale_has(self):
        for library, ranks in self.each():
            result = self.launch(library, ranks, TOOL, "cc", "kron:8", "--cores", 1)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("Locales:        2 of 1 core each", result.stdout)
            self.assertIn("Locale 1:", result.stdout)
            self.assertEqual(result.stdout.count("Locales:"), 1, "once, not once a process")

    def test_statistics_are_those_of_all_processes(self):
        for library, ranks in self.each(ranks=(3,)):
            result = self.launch(library, ranks, TOOL, "pagerank", "kron:12", "--cores", 1,
                                 "--stats", "--stats-json", "metrics.json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr.count("per core"), 1, "once, not once a process")
            self.assertRegex(result.stderr, r"message.packet_bytes .* bytes in a packet \(mean \d")
            self.assertRegex(result.stderr, r"message.flush_\w+ .* chunks sent because")
            metrics = json.loads((self.folder / "metrics.json").read_text())
            for name in ("tasking.tasks", "message.packets", "message.packet_bytes"):
                self.assertEqual(len(metrics[name]["per_core"]), ranks)
                self.assertTrue(all(metrics[name]["per_core"]), f"{name}: {metrics[name]}")

    def test_work_spreads_over_the_processes(self):
        for library, ranks in self.each(ranks=(2, 3)):
            result = self.launch(library, ranks, BINARIES / "tests/bin/uneven_work",
                                 env={"GRAPPA_CORES": "1", "GRAPPA_STATS": "on"})
            self.assertEqual(result.returncode, 0, result.stderr)
            elsewhere = re.findall(r"(\d+) of 4000 ran elsewhere", result.stdout)
            self.assertEqual(len(elsewhere), 2, result.stdout)
            self.assertTrue(all(map(int, elsewhere)), result.stdout)
            self.assertRegex(result.stderr, r"steal.tasks +[1-9].* tasks stolen from other locales")
            self.assertRegex(result.stderr, r"steal.units +[1-9]")

    def test_benchmarks_check_themselves_across_processes(self):
        # Chunks of 2 MiB are larger than the packets that receives are posted for.
        for (library, ranks), chunk in itertools.product(self.each(), ("1KiB", "64KiB", "2MiB")):
            result = self.launch(library, ranks, TOOL, "bench", "gups", "--table", "16MiB",
                                 "--cores", 1, "--chunk-size", chunk)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("Checked:", result.stdout)

    # Every process has tables of its own, and none means anything to another one.
    def test_a_tree_is_searched_by_all_processes(self):
        for (library, ranks), options in itertools.product(self.each(), ((), ("--memory",))):
            result = self.launch(library, ranks, TOOL, "bench", "uts", "--tree", "tiny",
                                 "--cores", 1, "--grain", 64, *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("Checked:", result.stdout)

    def test_routes_and_communication_cores(self):
        # Four locales are a grid of two by two; both ways of moving packets.
        alone = self.values_of("cc", "kron:11")
        for library in LIBRARIES:
            for ranks, *flags in ((4, "--route", "two-hop"), (2, "--comm-core", "on"),
                                  (4, "--route", "two-hop", "--comm-core", "on")):
                result = self.launch(library, ranks, TOOL, "cc", "kron:11", "-q", "-o", "out",
                                     "--cores", 1, *flags)
                self.assertEqual(result.returncode, 0, f"{library} {flags}: {result.stderr}")
                lines = (self.folder / "out").read_text().splitlines()
                self.assertEqual(dict(line.split("\t") for line in lines), alone)

    def test_programs_that_all_processes_run(self):
        # What stands outside of grappa::run is executed by every process, and all are to end well:
        # each under one library, in turn.
        examples = sorted(path.stem for path in (SOURCE / "examples").glob("*.cpp"))
        self.assertIn("word_count", examples)
        for example, (library, ranks) in zip(examples, itertools.cycle(self.each())):
            alone = subprocess.run([BINARIES / "examples" / example], cwd=self.folder,
                                   env=clean_environment() | {"GRAPPA_CORES": "1"},
                                   capture_output=True, text=True, timeout=SECONDS)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            result = self.launch(library, ranks, BINARIES / "examples" / example,
                                 env={"GRAPPA_CORES": "1"})
            self.assertEqual(result.returncode, 0, f"{example}: {result.stderr}")
            if example in SHAPED_BY_LOCALES:
                continue
            self.assertEqual(len(result.stdout.splitlines()), len(alone.stdout.splitlines()),
                             f"{example}: printed by one process\n{result.stdout}")

    def test_jobs_over_tcp_end(self):
        # MPI_Finalize of MPICH waits for ever there, where a process comes to it later than others.
        tcp = {"openmpi": (["--mca", "btl", "tcp,self"], {}),
               "mpich": ([], {"UCX_TLS": "tcp,self"})}
        for library, ranks in self.each(ranks=(2, 3)):
            flags, environment = tcp[library]
            result = self.launch(library, ranks, TOOL, "cc", "kron:8", "--cores", 1, "--verify",
                                 flags=flags, env=environment)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_bad_input_ends_all_with_one_line(self):
        for library, ranks in self.each():
            result = self.launch(library, ranks, TOOL, "cc", "missing.txt", "--cores", 1)
            self.assertEqual(result.returncode, 2, result.stderr)
            said = [line for line in result.stderr.splitlines() if line.startswith("grappa: ")]
            self.assertEqual(len(said), 1, result.stderr)
            self.assertIn("missing.txt", said[0])

    def test_a_difference_of_configuration_is_named(self):
        for library, ranks in self.each():
            script = (f'[ "${RANK_VARIABLES[library]}" = 1 ] && export GRAPPA_CHUNK_SIZE=8KiB; '
                      f'exec "{BINARIES}/examples/events"')
            result = self.launch(library, ranks, "sh", "-c", script, env={"GRAPPA_CORES": "1"})
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("locale 1: --chunk-size is not what it is at locale 0", result.stderr)

    def test_simulated_locales_are_for_processes_alone(self):
        for library, ranks in self.each():
            result = self.launch(library, ranks, TOOL, "cc", "kron:8", "--locales", 4)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("simulated locales", result.stderr)
            self.assertNotIn("has no effect", result.stderr)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one processor cannot be withheld")
    def test_processors_that_the_launcher_withholds_are_noticed(self):
        free, bound = ({"openmpi": ["--bind-to", "none"], "mpich": ["-bind-to", "none"]},
                       {"openmpi": ["--bind-to", "core", "--cpu-set", "0"],
                        "mpich": ["-bind-to", "user:0,0"]})
        lifts = {"openmpi": "mpirun --bind-to none lifts", "mpich": "mpirun -bind-to none lifts"}
        for library, ranks in self.each(ranks=(1, 2)):
            for flags, hints in ((free, 0), (bound, 1)):
                result = self.launch(library, ranks, TOOL, "cc", "kron:8", flags=flags[library])
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stderr.count("the launcher binds"), hints, result.stderr)
                self.assertEqual(result.stderr.count(lifts[library]), hints, result.stderr)
            # As many cores as all may have together: for one process the binding is in the way.
            cores = len(os.sched_getaffinity(0))
            result = self.launch(library, ranks, TOOL, "cc", "kron:8", "--cores", cores,
                                 flags=bound[library])
            self.assertEqual(result.returncode, 2, result.stderr)
            said = lifts[library] if ranks == 1 else "use --cores 1"
            self.assertIn(f"cores: {cores} asked, ", result.stderr)
            self.assertIn(said, result.stderr.split("asked", 1)[1])

    def test_a_missing_plug_in_says_what_to_install(self):
        for variable, package in (("OMPI_COMM_WORLD_RANK", "libopenmpi-dev"),
                                  ("PMI_RANK", "libmpich-dev")):
            with self.subTest(variable=variable):
                copy = self.folder / "elsewhere"
                copy.mkdir(exist_ok=True)
                environment = {variable: "0", "GRAPPA_PLUGIN_DIR": str(copy)}
                result = self.run_tool("cc", "kron:8", env=environment)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(f"install Debian's {package}", result.stderr)
                alone = self.run_tool("cc", "kron:8", env=environment | {"GRAPPA_MPI": "none"})
                self.assertEqual(alone.returncode, 0, alone.stderr)

    def test_what_nobody_catches_ends_all_with_one_line(self):
        error = "an exception of type std::runtime_error: nobody catches this"
        ways = {"throw-in-run": (0, error), "throw-outside": (1, error),
                "run-in-thread": (0, "grappa::UsageError: a job of several processes has one run "
                                     "at a time, .*"),
                "bad-setting": (0, "grappa::UsageError: locale 0: chunk-size: 7 B asked, .*")}
        for (library, ranks), way in itertools.product(self.each(ranks=(3,)), ways):
            rank, said = ways[way]
            with self.subTest(library=library, way=way):
                result = self.launch(library, ranks, BINARIES / "tests/bin/ways_to_end", way,
                                     env={"GRAPPA_CORES": "1"})
                self.assertNotEqual(result.returncode, 0)
                ours = [line for line in result.stderr.splitlines() if line.startswith("grappa: ")]
                self.assertEqual(sum("fatal" in line for line in ours), 1, result.stderr)
                for line in ours:
                    self.assertRegex(line, f"^grappa: (fatal|locale {rank} .* has ended): {said}$")
                self.assertNotRegex(result.stderr, "terminate called|received signal")

    def test_faults_are_lines_before_all_else(self):
        ways = {"fault": "no memory is at an address that was used, in .*",
                "outside": "Grappa was called outside a run, .*"}
        cache = (BINARIES / "CMakeCache.txt").read_text()
        if re.search("^GRAPPA_SANITIZE:[A-Z]+=.", cache, re.MULTILINE):
            del ways["fault"]  # the sanitizer's report is first
        for (library, ranks), way in itertools.product(self.each(), ways):
            with self.subTest(library=library, way=way):
                result = self.launch(library, ranks, BINARIES / "tests/bin/ways_to_end", way,
                                     env={"GRAPPA_CORES": "1"})
                self.assertNotEqual(result.returncode, 0)
                # Lines of several processes come in any order.
                self.assertRegex(result.stderr, r"\A(grappa: locale .*\n)*"
                                 f"grappa: (fatal|locale . .* has ended): {ways[way]}\n")
                self.assertNotRegex(result.stderr, "(?i)backtrace|received signal")

    def test_a_task_that_keeps_its_core_is_named(self):
        for library, ranks in self.each():
            result = self.launch(library, ranks, BINARIES / "tests/bin/ways_to_end", "hog",
                                 env={"GRAPPA_CORES": "1", "GRAPPA_STALL": "200ms"})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stderr, "(?m)^grappa: warning: core 0 has run task main "
                                            r"\([^)]*ways_to_end.cpp:\d+\) for ")

    def test_a_run_more_than_the_others_ends_with_one_line(self):
        for library, ranks in self.each(ranks=(3,)):
            result = self.launch(library, ranks, BINARIES / "tests/bin/ways_to_end", "too-often",
                                 env={"GRAPPA_CORES": "1"})
            self.assertNotEqual(result.returncode, 0)
            self.assertRegex(result.stderr,
                             "^grappa: locale [12] .* is lost: it has left the job before its end")
            self.assertNotIn("MPI Error", result.stderr)

    def test_a_session_may_be_idle(self):
        # Longer than it takes to find a deadlock.
        for library, ranks in self.each(ranks=(2, 3)):
            result = self.launch(library, ranks, BINARIES / "tests/bin/ways_to_end", "idle-session",
                                 env={"GRAPPA_CORES": "1", "GRAPPA_LOST_AFTER": "1s"})
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_session_of_each_process_is_refused(self):
        for library, ranks in self.each():
            result = self.launch(library, ranks, BINARIES / "tests/bin/ways_to_end",
                                 "session-of-each", env={"GRAPPA_CORES": "1"})
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("ways_to_end: a session is of process 0 of a job", result.stderr)

    def test_a_child_that_a_task_forks_may_exit(self):
        for library, ranks in self.each():
            result = self.launch(library, ranks, BINARIES / "tests/bin/ways_to_end", "fork",
                                 env={"GRAPPA_CORES": "1"})
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_run_in_a_forked_child_is_refused(self):
        for library, ranks in self.each(ranks=(2,)):
            result = self.launch(library, ranks, BINARIES / "tests/bin/ways_to_end", "run-in-fork",
                                 env={"GRAPPA_CORES": "1"})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr.count("forked from one of an MPI job"), ranks)

    def test_a_run_of_process_0_alone_says_what_it_waits_for(self):
        program, flags = LAUNCHERS[LIBRARIES[0]]
        job = subprocess.Popen([program, *flags, "-n", "2", BINARIES / "tests/bin/ways_to_end",
                                "alone"], env=clean_environment() | ENVIRONMENT, text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=end_with_parent)
        self.addCleanup(job.communicate)
        self.addCleanup(job.terminate)
        self.assertRegex(job.stderr.readline(),
                         "^grappa: .* every process of the job calls grappa::run or serve")

    def test_variables_left_over_in_a_shell(self):
        sizes = {"openmpi": "OMPI_COMM_WORLD_SIZE", "mpich": "PMI_SIZE"}
        for library in LIBRARIES:
            variable = RANK_VARIABLES[library]
            for rank in "01":
                result = self.run_tool("cc", "kron:8", env={variable: rank})
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("Components:", result.stdout)
                self.assertEqual(result.stderr, f"grappa: {variable} is set, but MPI finds no other "
                                                "process: this one runs alone, as by --mpi none\n")
            left_over = {variable: "0", sizes[library]: "2"}
            result = self.run_tool("cc", "kron:8", env=left_over)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertRegex(result.stderr, f"^grappa: {variable} says .*--mpi none.*\n$")
            # What the line advises helps.
            for words in (("--mpi", "none"), ("--mpi=none",)):
                result = self.run_tool("cc", "kron:8", *words, env=left_over)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipUnless("mpich" in LIBRARIES, "MPICH would end the process by itself")
    def test_the_descriptor_of_a_launcher_that_is_gone(self):
        for size in {}, {"PMI_SIZE": "2"}:
            with open("/dev/null") as other:
                for descriptor in 77, other.fileno():
                    result = self.run_tool("cc", "kron:8", pass_fds=[other.fileno()],
                                           env=size | {"PMI_RANK": "0", "PMI_FD": str(descriptor)})
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertRegex(result.stderr, f"^grappa: PMI_RANK and PMI_FD={descriptor} say "
                                                    r".*--mpi none.*\n$")

    @unittest.skipUnless("mpich" in LIBRARIES, "of MPICH alone it is known how to make it wait")
    def test_mpi_that_does_not_start_says_what_may_be_the_reason(self):
        ours, theirs = socket.socketpair()  # a launcher that does not answer
        self.addCleanup(ours.close)
        environment = {"PMI_RANK": "0", "PMI_SIZE": "2", "PMI_FD": str(theirs.fileno())}
        job = subprocess.Popen([TOOL, "cc", "kron:8"], env=clean_environment() | environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               pass_fds=[theirs.fileno()])
        theirs.close()
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        self.assertRegex(job.stderr.readline(), "^grappa: .* if PMI_RANK was left over .*--mpi none")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
