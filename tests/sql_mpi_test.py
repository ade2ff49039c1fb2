"""Random questions in SQL to jobs of several processes, under Open MPI and MPICH."""

import sys
import unittest

from cli_tool import TOOL, skip_all
from mpi_launch import LIBRARIES, launch
from sql_oracle import OracleTest

if not LIBRARIES:
    skip_all("neither Open MPI nor MPICH is here with its plug-in")


class Sql(OracleTest):
    def test_as_sqlite(self):
        for seed, (library, ranks) in enumerate(zip(LIBRARIES, (2, 3)), 1):
            with self.subTest(library=library):
                differences = self.differences(seed, lambda text: launch(
                    self.folder, library, ranks, TOOL, "sql", text, "--output", "csv", "--cores", 1))
                self.assertEqual(differences, [], chr(10).join(differences))

    def test_answers_are_csv(self):
        """Whatever the launcher gives its processes for standard output."""
        for library in LIBRARIES:
            with self.subTest(library=library):
                result = launch(self.folder, library, 2, TOOL, "sql", "select 7 a", "--cores", 1)
                self.assertEqual(result.stdout.replace("\r", ""), "a\n7\n", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
