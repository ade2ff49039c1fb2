"""Random questions, answered by Grappa on several numbers of locales as DuckDB answers them.

It needs the packages that `scripts/setup --baselines` installs. GRAPPA_TEST_SQL_SECONDS asks for
longer than five seconds, GRAPPA_TEST_SQL_SEED for other questions.
"""

import os
import re
import sys
import unittest

from cli_tool import SOURCE, skip_all

try:
    import duckdb
except ImportError:
    python = SOURCE / "build/baselines/bin/python3"
    if not python.exists() or sys.prefix == str(SOURCE / "build/baselines"):
        skip_all("scripts/setup --baselines has not been run")
    os.execv(python, [python, *sys.argv])

from sql_oracle import MOST_ROWS, OracleTest
from sql_random import COLUMNS


class Duck:
    """The tables in DuckDB."""

    HAS_ROWS = False  # the NULL of one is equal to that of another

    def __init__(self, tables):
        self.tables = tables
        self.connect()

    def connect(self):
        self.connection = duckdb.connect(config={"threads": 1})
        self.connection.execute("SET integer_division = true")
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        for name, rows in self.tables.items():
            self.connection.execute(f"CREATE TABLE {name} ({columns})")
            if rows:
                self.connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?, ?)", rows)

    def rows(self, pair):
        """Nothing if too many come, or DuckDB finds a fault in itself and answers nothing any more."""
        # It rounds what decimals of different scales make to the least of these.
        question = re.sub(r"\b\d+\.\d+\b", r"(\g<0>::double)", pair.grappa)
        try:
            rows = self.connection.execute(question).fetchmany(MOST_ROWS)
        except (duckdb.InternalException, duckdb.FatalException):
            self.connect()
            return None
        return rows if len(rows) < MOST_ROWS else None


class RandomQuestions(OracleTest):
    Oracle = Duck

    def test_as_duckdb(self):
        self.ask_for_a_while()


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
