"""Random questions, answered by Grappa on several numbers of locales as SQLite answers them.

GRAPPA_TEST_SQL_SECONDS asks for longer than five seconds, GRAPPA_TEST_SQL_SEED for other questions.
"""

import os
import sys
import time
import unittest

from sql_oracle import OracleTest

SEED = int(os.environ.get("GRAPPA_TEST_SQL_SEED", 1))
SECONDS = float(os.environ.get("GRAPPA_TEST_SQL_SECONDS", 5))
MACHINES = ([], ["--locales", 2, "--cores", 1], ["--locales", 3, "--cores", 2],
            ["--locales", 8, "--cores", 1, "--route", "two-hop"])


class RandomQuestions(OracleTest):
    def test_as_sqlite(self):
        until, seed = time.monotonic() + SECONDS, SEED
        while time.monotonic() < until:
            machine = MACHINES[seed % len(MACHINES)]
            differences = self.differences(seed, lambda text: self.run_tool(
                "sql", text, "--output", "csv", *machine, errors="replace"))
            self.assertEqual(differences, [], f"{machine}:\n{chr(10).join(differences)}")
            seed += 1


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
