"""Signals to a running tool: SIGUSR1 tells what its tasks are at and changes nothing; SIGTERM and
Ctrl-C end it, and the job that it is part of, with one line and nothing left behind."""

import glob
import itertools
import json
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from cli_tool import SECONDS, TOOL, ToolTest, clean_environment
from mpi_launch import ENVIRONMENT, LAUNCHERS, LIBRARIES, end_with_parent

# Two components, in a form that is read to the end before anything is known.
GRAPH = "0\t1\n1\t2\n3\t4\n"
COMPONENTS = "0\t0\n1\t0\n2\t0\n3\t3\n4\t3\n"
# It waits for the graph until it is written.
WAITING = ("cc", "-", "-o", "-")
ENDLESS = ("pagerank", "kron:12", "--iterations", 1000000000, "--tolerance", 0, "-o", "out",
           "--json", "out.json")
SECONDS_TO_END = 20
NO_RUN = "no run is going on"


def descendants(pid):
    """The processes below a process, itself included, while they live."""
    parents = {}
    for entry in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = Path(entry).read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(entry.split("/")[2]))
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += parents.get(found[-1], [])
    return found


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_tool(pid):
    """Whether it is the tool, and has begun: before its first line signals are the loader's."""
    try:
        caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
        return (os.path.basename(os.readlink(f"/proc/{pid}/exe")) == TOOL.name and
                int(caught[1], 16) >> (signal.SIGTERM - 1) & 1 == 1)
    except OSError:
        return False


def temporary_names():
    """Where a launcher or an MPI library may leave something."""
    return {*glob.glob("/dev/shm/*"), *glob.glob("/tmp/*"), *glob.glob("/tmp/ompi.*/*")}


def tools_among(pids):
    return list(filter(is_tool, pids))


class Job:
    """A command that runs, alone or (`library`, `ranks`) under a launcher."""

    numbers = itertools.count()

    def __init__(self, test, *arguments, library=None, ranks=2):
        command = [TOOL, *map(str, arguments)]
        environment = clean_environment() | {"GRAPPA_LOST_AFTER": "30s"}
        if library:
            program, flags = LAUNCHERS[library]
            command = [program, *flags, "-n", str(ranks), *command, "--cores", "1"]
            environment |= ENVIRONMENT
        self.names_before = temporary_names()
        self.said_in = test.folder.parent / f"{test.folder.name}.{next(self.numbers)}.said"
        test.addCleanup(lambda: self.said_in.unlink(missing_ok=True))
        with open(self.said_in, "a") as errors:
            self.process = subprocess.Popen(command, cwd=test.folder, env=environment,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=errors, text=True, start_new_session=True,
                                            preexec_fn=end_with_parent)
        self.ranks = ranks if library else 1
        self.pids = set()
        test.addCleanup(self.kill)
        self.test = test

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def said(self):
        return self.said_in.read_text()

    def wait_until(self, condition):
        end = time.monotonic() + SECONDS
        while not condition():
            self.test.assertLess(time.monotonic(), end, self.said())
            self.test.assertIsNone(self.process.poll(), self.said())
            time.sleep(0.05)

    def tools(self):
        """The processes of the tool, once all of them are there."""
        self.wait_until(lambda: len(tools_among(descendants(self.process.pid))) == self.ranks)
        self.pids |= set(descendants(self.process.pid))
        return tools_among(descendants(self.process.pid))

    def reports(self):
        return re.findall(r"^grappa: report of process (\d+), ", self.said(), re.MULTILINE)

    def wait_for_run(self, rest=0.5):
        """Until all processes are in a run: they say so when they are asked; and then for a while,
        in which what else they have to say comes. A second later they can be asked again."""
        tool = self.tools()[0]
        late = 0  # asked in a run, and not answered by all while the test waited

        def answered():
            nonlocal late
            refused = self.said().count(NO_RUN)
            os.kill(tool, signal.SIGUSR1)
            end = time.monotonic() + 1.3  # who keeps a core is given a second
            while len(set(self.reports())) < self.ranks:
                if self.said().count(NO_RUN) > refused:
                    return False
                if time.monotonic() > end:
                    late += 1
                    return False
                time.sleep(0.05)
            return True
        self.wait_until(answered)
        time.sleep(1.5 if late else rest)
        self.said_in.write_text("")

    def finish(self, graph=""):
        output, _ = self.process.communicate(graph, timeout=SECONDS)
        return output

    def check_end(self, statuses):
        """Everything ends within seconds, and leaves nothing behind."""
        end = time.monotonic() + SECONDS_TO_END
        while self.process.poll() is None or any(map(is_alive, self.pids)):
            self.test.assertLess(time.monotonic(), end, self.said())
            time.sleep(0.05)
        self.test.assertIn(self.process.returncode, statuses, self.said())
        self.test.assertEqual(list(self.test.folder.iterdir()), [])
        # Random names of other tests may hold the digits of a process, too, among letters.
        numbers = "|".join(map(str, self.pids))
        left = [name for name in temporary_names() - self.names_before
                if re.search(rf"(?<![0-9A-Za-z])({numbers})(?![0-9A-Za-z])", name)]
        self.test.assertEqual(left, [])


class Reports(ToolTest):
    def check_lines(self, said):
        self.assertTrue(said.endswith("\n"), said)
        for line in said.splitlines():  # Open MPI's launcher says what it passes on
            self.assertRegex(line, "^(grappa|mpirun.openmpi): ")

    def report_while_loading(self, *options, cores):
        job = Job(self, *WAITING, *options)
        job.wait_for_run(rest=1.5)
        os.kill(job.tools()[0], signal.SIGUSR1)
        job.wait_until(lambda: job.reports())
        self.assertEqual(job.finish(GRAPH), COMPONENTS)
        self.assertEqual(job.process.returncode, 0, job.said())
        self.assertEqual(len(job.reports()), 1)
        self.check_lines(job.said())
        for core in range(cores):
            self.assertRegex(job.said(), rf"(?m)^grappa: core {core}: ")
        return job.said()

    def test_of_one_process(self):
        said = self.report_while_loading("--cores", 1, cores=1)
        self.assertRegex(said, r"core 0: runs task main \(.*\.[ch]pp:\d+\), and has not paused")

    def test_of_simulated_locales(self):
        said = self.report_while_loading("--locales", 4, "--cores", 1, cores=4)
        self.assertRegex(said, r"report of process \d+, locales 0 to 3:")

    def test_of_a_deterministic_simulation(self):
        said = self.report_while_loading("--locales", 4, "--cores", 1, "--simulation-mode",
                                         "deterministic", cores=4)
        self.assertIn("core 3: waits for its turn on its thread", said)

    def test_outside_a_run(self):
        # What it writes after the run is more than the pipe takes.
        job = Job(self, "cc", "urand:16:1", "--top", 100000, "--json", "-")
        tool = job.tools()[0]
        def is_outside():
            os.kill(tool, signal.SIGUSR1)
            time.sleep(0.1)
            return NO_RUN in job.said()
        time.sleep(0.5)
        job.wait_until(is_outside)
        self.assertEqual(json.loads(job.finish())["kernel"], "cc")
        self.assertEqual(job.process.returncode, 0)
        self.check_lines(job.said())

    def test_from_the_first_moment_on(self):
        job = Job(self, *WAITING)
        tool = job.tools()[0]
        for _ in range(50):
            os.kill(tool, signal.SIGUSR1)
            time.sleep(0.01)
        self.assertEqual(job.finish(GRAPH), COMPONENTS)
        self.assertEqual(job.process.returncode, 0, job.said())

    def report_of_job(self, library, whom):
        """Each process reports; and once, unless the machine is so busy that what is asked at once
        comes apart."""
        for _ in range(3):
            job = Job(self, *WAITING, library=library)
            job.wait_for_run(rest=1.5)
            os.kill(whom(job), signal.SIGUSR1)
            job.wait_until(lambda job=job: len(set(job.reports())) == 2)
            time.sleep(1.5)
            reports = job.reports()
            self.assertEqual(sorted(set(reports)), sorted(map(str, job.tools())), job.said())
            self.check_lines(job.said())
            for core in range(2):
                self.assertRegex(job.said(), rf"(?m)^grappa: core {core}: ")
            self.assertEqual(job.finish(GRAPH), COMPONENTS)
            self.assertEqual(job.process.returncode, 0, job.said())
            if len(reports) == 2:
                return
        self.fail(f"reports of {reports}")

    def test_of_a_job_by_a_signal_to_one_process(self):
        for library in LIBRARIES:
            for rank in range(2):
                with self.subTest(library, rank=rank):
                    self.report_of_job(library, lambda job: sorted(job.tools())[rank])

    def test_of_a_job_by_a_signal_to_the_launcher(self):
        for library in LIBRARIES:
            with self.subTest(library):
                self.report_of_job(library, lambda job: job.process.pid)


class Endings(ToolTest):
    SAID = {signal.SIGINT: "grappa: interrupted\n", signal.SIGTERM: "grappa: ended by a signal\n"}

    def test_in_a_run_and_while_loading(self):
        for number, said in self.SAID.items():
            for arguments in (ENDLESS, (*ENDLESS, "--locales", 4), (*WAITING[:2], "-o", "out")):
                with self.subTest(number=number, arguments=arguments):
                    job = Job(self, *arguments)
                    job.wait_for_run()
                    job.process.send_signal(number)
                    job.check_end({128 + number})
                    self.assertEqual(job.said(), said)

    def test_twice_in_a_row(self):
        for number, said in self.SAID.items():
            job = Job(self, *ENDLESS)
            job.wait_for_run()
            for _ in range(2):
                job.process.send_signal(number)
            job.check_end({128 + number})
            self.assertEqual(job.said(), said)

    def test_before_anything_has_begun(self):
        for _ in range(5):
            job = Job(self, *ENDLESS)
            job.tools()
            job.process.send_signal(signal.SIGTERM)
            job.check_end({143})
            self.assertEqual(job.said(), self.SAID[signal.SIGTERM])
            job.said_in.write_text("")

    def end_job(self, library, number, whom, statuses):
        job = Job(self, *ENDLESS, library=library)
        job.wait_for_run()
        os.kill(whom(job), number)
        job.check_end(statuses)
        return job.said()

    def test_of_a_job_by_a_signal_to_one_process(self):
        for library, rank, number in itertools.product(LIBRARIES, range(2), self.SAID):
            with self.subTest(library, rank=rank, number=number):
                # Hydra 4.0 replaces a status by 1 if it reaps the process before it notices that
                # its PMI socket is closed; and it kills the other process, and may tell of that.
                of_hydra = {1, signal.SIGKILL} if library == "mpich" else set()
                said = self.end_job(library, number, lambda job: sorted(job.tools())[rank],
                                    {128 + number} | of_hydra)
                if rank == 0:
                    self.assertIn(self.SAID[number], said)
                elif number == signal.SIGTERM:  # the first process says whose end it was
                    self.assertRegex(said, r"grappa: locale 1 \(.*\) has ended: SIGTERM\n")

    def test_of_a_job_by_a_signal_to_the_launcher(self):
        for library in LIBRARIES:
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(library, number=number):
                    # Hydra may end before it has heard the status of any process.
                    self.end_job(library, number, lambda job: job.process.pid,
                                 {1, 128 + number, -number} | ({0} if library == "mpich" else set()))


if __name__ == "__main__":
    unittest.main()
