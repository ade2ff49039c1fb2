"""Random questions, answered by Grappa on several numbers of locales as SQLite answers them.

GRAPPA_TEST_SQL_SECONDS asks for longer than five seconds, GRAPPA_TEST_SQL_SEED for other questions.
"""

import sys
import unittest

from sql_oracle import OracleTest


class RandomQuestions(OracleTest):
    def test_as_sqlite(self):
        self.ask_for_a_while()


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
