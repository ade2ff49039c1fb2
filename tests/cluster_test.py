"""A cluster of four hosts on one machine (cluster/hosts.py): the same answers as alone, and locales
that are killed, cut off or stopped at random moments end the whole job, with one line each.

GRAPPA_TEST_ROUNDS (1) is how often each failure is tried, GRAPPA_TEST_SEED where it happens and
when."""

import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from cli_tool import SECONDS, TOOL, ToolTest, clean_environment, skip_all
from cluster.hosts import COUNT, Hosts
from mpi_launch import BINARIES, LIBRARIES, end_with_parent

WAYS_TO_END = BINARIES / "tests/bin/ways_to_end"
ROUNDS = int(os.environ.get("GRAPPA_TEST_ROUNDS", "1"))
SEED = int(os.environ.get("GRAPPA_TEST_SEED", random.randrange(1 << 30)))
# It takes some seconds, and more on a busy machine; MPI alone would say nothing for minutes.
MOST_SECONDS_TO_END = 60
# Hydra sends SIGUSR1 to the others when a process dies and it is not to kill them.
OF_A_REPORT = re.compile(r"grappa: (report of process|SIGUSR1:| *core) ")

if not LIBRARIES:
    skip_all("neither Open MPI nor MPICH is here with its plug-in")

hosts = None


def setUpModule():
    global hosts
    hosts = Hosts()
    where = f"{COUNT} hosts in namespaces" if hosts.real() else f"loopback only: {hosts.why_not}"
    print(f"cluster: {where}; GRAPPA_TEST_SEED={SEED}", file=sys.stderr, flush=True)


def tearDownModule():
    hosts.close()


def environment_of(pid):
    try:
        return dict(entry.split("=", 1) for entry in
                    Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
                    if "=" in entry)
    except OSError:
        return {}


class Job:
    """A command on all hosts; what each locale says goes to a file of its own."""

    def __init__(self, test, library, ranks, *command, flags=()):
        self.folder = test.folder
        self.program = os.path.realpath(command[0])
        for old in self.folder.glob("said.*"):
            old.unlink()
        script = (f'export GRAPPA_TEST_JOB="{self.folder}"; '
                  f'exec "$0" "$@" 2>"{self.folder}/said.${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}"')
        with open(self.folder / "out", "w") as out, open(self.folder / "launcher", "w") as launcher:
            self.process = subprocess.Popen(
                [*hosts.launch_command(library, ranks, flags), "sh", "-c", script,
                 *map(str, command)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out,
                stderr=launcher, start_new_session=True, preexec_fn=end_with_parent,
                env=clean_environment() | hosts.environment() | {"GRAPPA_CORES": "1"})
        test.addCleanup(self.close)

    def locales(self):
        """{rank: pid} of the locales that run, from every namespace."""
        found = {}
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and os.readlink(f"/proc/{entry}/exe") == self.program:
                    variables = environment_of(entry)
                    if variables.get("GRAPPA_TEST_JOB") == str(self.folder):
                        rank = variables.get("OMPI_COMM_WORLD_RANK", variables.get("PMI_RANK"))
                        found[int(rank)] = int(entry)
            except OSError:
                continue
        return found

    def wait_for_locales(self, ranks):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            found = self.locales()
            if len(found) == ranks:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"the job did not start: {self.said()} {self.launcher()}")

    def wait_for_output(self, text):
        end = time.monotonic() + SECONDS
        while text not in (self.folder / "out").read_text():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"no '{text}': {self.said()} {self.launcher()}")
            time.sleep(0.02)

    def seconds_until_gone(self, but=()):
        """How long it takes until no locale is left but those of the ranks in `but`."""
        start = time.monotonic()
        while time.monotonic() < start + SECONDS:
            if not set(self.locales()) - set(but):
                return time.monotonic() - start
            time.sleep(0.05)
        return SECONDS

    def said(self):
        """{rank: the lines of ours on its standard error}."""
        return {int(path.suffix[1:]): [line for line in path.read_text().splitlines()
                                       if line.startswith("grappa: ")]
                for path in sorted(self.folder.glob("said.*"))}

    def launcher(self):
        return (self.folder / "launcher").read_text()

    def close(self):
        for pid in self.locales().values():
            os.kill(pid, signal.SIGKILL)
        hosts.clear()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Cluster(ToolTest):
    def finish(self, job, status=0):
        self.assertEqual(job.process.wait(SECONDS), status, f"{job.said()} {job.launcher()}")

    # ---- the same answers

    def check_kernel(self, *arguments):
        alone = self.succeed(*arguments, "-o", "-")
        for library in LIBRARIES:
            with self.subTest(library):
                self.finish(Job(self, library, COUNT, TOOL, *arguments, "--verify", "-q",
                                "-o", self.folder / "values", "--cores", 1))
                self.assert_same_values((self.folder / "values").read_text(), alone)

    def test_bfs(self):
        self.check_kernel("bfs", "kron:12", "--source", 1)

    def test_components(self):
        self.check_kernel("cc", "urand:12:3")

    def test_pagerank(self):
        self.check_kernel("pagerank", "kron:12", "--iterations", 20, "--tolerance", 0)

    def test_gups_checks_itself(self):
        for library in LIBRARIES:
            with self.subTest(library):
                job = Job(self, library, COUNT, TOOL, "bench", "gups", "--table", "16MiB",
                          "--cores", 1)
                self.finish(job)
                self.assertIn("Checked:", (self.folder / "out").read_text())

    # ---- locales that are lost

    def long_job(self, library, cleanup=False, command=None, begun="Build time:"):
        """A job that runs until something happens to it, at a random moment of its life."""
        # Hydra kills the others by itself when a process dies. Here they are to find out.
        flags = ["-disable-auto-cleanup"] if library == "mpich" and not cleanup else []
        command = command or ["pagerank", "kron:14", "--tolerance", 0, "--iterations", 1_000_000,
                              "-o", self.folder / "ranks.tsv"]
        job = Job(self, library, COUNT, TOOL, *command, "--cores", 1, flags=flags)
        locales = job.wait_for_locales(COUNT)
        # They can only notice each other when they know one another.
        job.wait_for_output(begun)
        time.sleep(2 * self.random.random())
        return job, locales

    def each_loss(self, name, lose, mend=lambda _: None, but_lost=False, names_itself=False, **of_job):
        self.random = random.Random(f"{SEED} {name}")
        for round_number in range(ROUNDS):
            for library in LIBRARIES:
                lost = self.random.randrange(COUNT)
                with self.subTest(f"{name} {library} round {round_number} locale {lost}"):
                    job, locales = self.long_job(library, **of_job)
                    try:
                        lose(lost, locales[lost])
                        self.check_loss(job, lost, but_lost, names_itself)
                    finally:
                        job.close()
                        mend(lost)

    def check_loss(self, job, lost, but_lost, names_itself):
        seconds = job.seconds_until_gone(but=[lost] if but_lost else [])
        said = job.said()
        self.assertLessEqual(seconds, MOST_SECONDS_TO_END, said)
        for rank in range(COUNT):
            if rank == lost and not names_itself:
                continue
            lines = [line for line in said.get(rank, []) if not OF_A_REPORT.match(line)]
            self.assertEqual(len(lines), 1, f"locale {rank} of {said}")
            self.assertRegex(lines[0], rf"^grappa: locale {lost} \(host .*\) is (lost|cut off)")
        self.assertFalse((self.folder / "ranks.tsv").exists(), "half of a result")
        self.assertEqual(list(self.folder.glob(".*.tmp")), [])

    def test_killed(self):
        self.each_loss("kill", lambda _, pid: os.kill(pid, signal.SIGKILL))

    def test_killed_in_a_join(self):
        join = ("SELECT 'begun' AS b; COPY (SELECT count(*) FROM generate_series(1, 2000000) a(i) "
                "JOIN generate_series(1, 2000000) b(j) ON a.i % 100 = b.j % 100) TO 'ranks.tsv'")
        self.each_loss("join", lambda _, pid: os.kill(pid, signal.SIGKILL),
                       command=["sql", join], begun="begun")

    def test_stopped(self):
        # Nothing but SIGKILL reaches a stopped process: its launcher's, or ours in the end.
        self.each_loss("stop", lambda _, pid: os.kill(pid, signal.SIGSTOP), but_lost=True)

    def test_cut_off(self):
        if not hosts.real():
            self.skipTest(f"no namespaces: {hosts.why_not}")
        self.each_loss("cut", lambda host, _: hosts.cut(host), mend=hosts.mend, names_itself=True)

    def test_the_launcher_killed(self):
        self.random = random.Random(f"{SEED} launcher")
        for library in LIBRARIES:
            with self.subTest(library):
                job, _ = self.long_job(library)
                job.process.kill()
                self.assertLessEqual(job.seconds_until_gone(), MOST_SECONDS_TO_END, job.said())

    def test_interrupted(self):
        self.random = random.Random(f"{SEED} interrupt")
        for library in LIBRARIES:
            with self.subTest(library):
                job, _ = self.long_job(library, cleanup=True)
                os.killpg(job.process.pid, signal.SIGINT)
                self.assertLessEqual(job.seconds_until_gone(), MOST_SECONDS_TO_END, job.said())
                job.process.wait(SECONDS)  # the status is the launcher's affair
                self.assertFalse((self.folder / "ranks.tsv").exists())

    # ---- jobs that end by themselves

    def end_by_itself(self, way, pattern, everywhere=True):
        for library in LIBRARIES:
            with self.subTest(library):
                flags = ["-disable-auto-cleanup"] if library == "mpich" else []
                job = Job(self, library, COUNT, WAYS_TO_END, way, flags=flags)
                job.wait_for_locales(COUNT)
                self.assertLessEqual(job.seconds_until_gone(), MOST_SECONDS_TO_END, job.said())
                said = job.said()
                for rank in range(COUNT if everywhere else 1):
                    text = (self.folder / f"said.{rank}").read_text()
                    self.assertRegex(text, pattern, f"locale {rank} of {said}; {job.launcher()}")
                job.close()

    def test_a_deadlock_is_described(self):
        self.end_by_itself(
            "deadlock-of-many",
            r"(?s)deadlock: all 5 suspended tasks wait, and no message is in flight:\n"
            r"  core 0: .*\n  core 1: .*WaitForEver waits for a full word, for about \d+\.\d s\n  core 2: .*\n  core 3: ",
            everywhere=False)

    def test_all_wait_for_a_value_that_nobody_puts(self):
        self.end_by_itself("empty-queue", "deadlock: all 5 suspended tasks wait", everywhere=False)

    def test_a_reader_dies_while_others_wait(self):
        self.end_by_itself("reader-dies", "locale 3 ", everywhere=False)

    def test_waiting_for_time_to_pass_is_no_deadlock(self):
        for library in LIBRARIES:
            with self.subTest(library):
                self.finish(Job(self, library, COUNT, WAYS_TO_END, "slow"))

    def test_a_task_that_keeps_its_core_is_no_deadlock(self):
        for library in LIBRARIES:
            with self.subTest(library):
                self.finish(Job(self, library, COUNT, WAYS_TO_END, "busy"))

    def test_last_words_reach_everybody(self):
        self.end_by_itself("suspend", "a delegate would suspend")

    def test_a_pointer_is_refused_before_it_is_sent(self):
        self.end_by_itself(
            "pointer", r"ways_to_end: .*ways_to_end\.cpp:\d+: the closure that goes to other "
            r"cores here holds 0x\w+ at byte 0", everywhere=False)

    def test_out_of_memory(self):
        self.end_by_itself("memory", r"(?i)locale 3 .*has ended: .*memory|grappa: fatal: .*memory")

    def test_exit_in_the_middle(self):
        self.end_by_itself("exit-inside", "locale 3 .*called exit", everywhere=False)

    def test_a_full_disk(self):
        for library in LIBRARIES:
            with self.subTest(library):
                job = Job(self, library, COUNT, TOOL, "cc", "kron:12", "--cores", 1, "-q",
                          "-o", "/dev/full")
                self.assertNotEqual(job.process.wait(SECONDS), 0)
                self.assertLessEqual(job.seconds_until_gone(), MOST_SECONDS_TO_END)
                lines = [line for lines in job.said().values() for line in lines]
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], "/dev/full: cannot write: No space left on device")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
