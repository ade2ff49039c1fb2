"""Random programs on random machines, real and simulated, against a sequential model.

GRAPPA_TEST_SOAK_SECONDS is how long it takes in all (default: a few seconds; `./run-tests soak` sets
ten minutes). A part of the time goes to jobs of several processes, where a launcher is installed."""

import os
import subprocess
import unittest

from cli_tool import ToolTest, clean_environment
from mpi_launch import BINARIES, LIBRARIES, launch

SOAK = BINARIES / "tests/bin/soak"
SECONDS = float(os.environ.get("GRAPPA_TEST_SOAK_SECONDS", 6))
# Half in one process, the other half in jobs of these numbers of processes.
JOBS = [(library, ranks) for library in LIBRARIES for ranks in (2, 4)]
SECONDS_OF_JOB = SECONDS / 2 / max(1, len(JOBS))
SECONDS_ALONE = SECONDS / 2 if JOBS else SECONDS
GRACE = 120  # for the last round
CONTAINERS = ("0", "1", "1", "containers")  # one round of the seed 1


class Soak(ToolTest):
    def check(self, status, output, errors):
        self.assertEqual(status, 0, "\n".join(output.splitlines()[-3:]) + "\n" + errors)
        self.assertIn("rounds agree with the model", output)
        print(output.splitlines()[-1])

    def test_in_one_process(self):
        result = subprocess.run([SOAK, str(SECONDS_ALONE)], cwd=self.folder,
                                env=clean_environment(), capture_output=True, text=True,
                                timeout=SECONDS_ALONE + GRACE)
        self.check(result.returncode, result.stdout, result.stderr)

    def test_containers_in_one_process(self):
        result = subprocess.run([SOAK, *CONTAINERS], cwd=self.folder, env=clean_environment(),
                                capture_output=True, text=True, timeout=GRACE)
        self.check(result.returncode, result.stdout, result.stderr)

    def test_containers_in_jobs(self):
        if not LIBRARIES:
            self.skipTest("neither Open MPI nor MPICH is here with its plug-in")
        for library in LIBRARIES:
            with self.subTest(library=library):
                result = launch(self.folder, library, 2, SOAK, *CONTAINERS, seconds=GRACE)
                self.check(result.returncode, result.stdout, result.stderr)

    def test_in_jobs(self):
        if not JOBS:
            self.skipTest("neither Open MPI nor MPICH is here with its plug-in")
        for library, ranks in JOBS:
            with self.subTest(library=library, ranks=ranks):
                result = launch(self.folder, library, ranks, SOAK, str(SECONDS_OF_JOB),
                                seconds=SECONDS_OF_JOB + GRACE)
                self.check(result.returncode, result.stdout, result.stderr)


if __name__ == "__main__":
    unittest.main()
