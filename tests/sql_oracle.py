"""Random questions about random tables, answered as another system, the oracle, answers them."""

import csv
import math
import os
import random
import sqlite3
import time

from cli_tool import ToolTest, skip_all
from sql_random import COLUMNS, Questions, random_tables

if sqlite3.sqlite_version_info < (3, 39):
    skip_all("this SQLite has no full joins")

QUESTIONS = 60  # about the same tables, asked together
MOST_ROWS = 20_000
MARK = "-- next --"
SEED = int(os.environ.get("GRAPPA_TEST_SQL_SEED", 1))
SECONDS = float(os.environ.get("GRAPPA_TEST_SQL_SECONDS", 5))
MACHINES = ([], ["--locales", 2, "--cores", 1], ["--locales", 3, "--cores", 2],
            ["--locales", 8, "--cores", 1, "--route", "two-hop"])


class Lite:
    """The tables in SQLite."""

    HAS_ROWS = True

    def __init__(self, tables):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("PRAGMA case_sensitive_like = ON")
        self.connection.set_progress_handler(self.tick, 100_000)
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        for name, rows in tables.items():
            self.connection.execute(f"CREATE TABLE {name} ({columns})")
            self.connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?, ?)", rows)

    def tick(self):
        return time.monotonic() > self.until

    def rows(self, pair):
        """Nothing if it takes too long, or too many come."""
        self.until = time.monotonic() + 0.5
        try:
            rows = self.connection.execute(pair.sqlite).fetchmany(MOST_ROWS)
        except sqlite3.OperationalError as error:
            # SQLite finds no columns of queries around from within some groups.
            if "interrupted" in str(error) or "no such column" in str(error):
                return None
            raise
        return rows if len(rows) < MOST_ROWS else None


def sort_key(row):
    return [(value is None, isinstance(value, str), value or 0 if not isinstance(value, str) else value)
            for value in row]


def comparable(row):
    """Numbers as such, from what the oracle gives and from the fields of a CSV file."""
    def one(value):
        if value is None or value == "":
            return None
        try:
            return float(value)
        except (TypeError, ValueError):
            return str(value)
    return [one(value) for value in row or [None]]


def are_same(found, expected):
    found = sorted(map(comparable, found), key=sort_key)
    expected = sorted(map(comparable, expected), key=sort_key)
    def same(a, b):
        numbers = isinstance(a, float) and isinstance(b, float)
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) if numbers else a == b
    return len(found) == len(expected) and all(
        len(a) == len(b) and all(map(same, a, b)) for a, b in zip(found, expected))


class OracleTest(ToolTest):
    Oracle = Lite

    def write_tables(self, tables):
        """The statements that make them."""
        for name, rows in tables.items():
            with open(self.folder / f"{name}.csv", "w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(COLUMNS)
                writer.writerows(rows)
        columns = ", ".join(f"cast({name} AS {kind}) AS {name}" for name, kind in COLUMNS.items())
        return [f"CREATE TABLE {name} AS SELECT {columns} FROM '{name}.csv'" for name in tables]

    def answers(self, statements, questions, ask):
        """For each question its rows, or what the tool has said instead. ask(text): the process."""
        text = ";\n".join(statements + [f"{question}; SELECT '{MARK}' AS m" for question in questions])
        result = ask(text)
        if result.returncode == 0:
            parts = result.stdout.split(f"m\n{MARK}\n")[:-1]
            return [list(csv.reader(part.splitlines()))[1:] for part in parts]
        if len(questions) == 1:
            return [f"status {result.returncode}: {result.stderr}"]
        half = len(questions) // 2
        return (self.answers(statements, questions[:half], ask)
                + self.answers(statements, questions[half:], ask))

    def differences(self, seed, ask):
        """The questions of the seed that are not answered as the oracle does: as texts."""
        chance = random.Random(seed)
        tables = random_tables(chance)
        statements, oracle = self.write_tables(tables), self.Oracle(tables)
        made = Questions(chance, list(tables), self.Oracle.HAS_ROWS)
        pairs = [made.question() for _ in range(QUESTIONS)]
        asked = [(pair, rows) for pair in pairs if (rows := oracle.rows(pair)) is not None]
        found = self.answers(statements, [pair.grappa for pair, _ in asked], ask)
        return [f"seed {seed}:\n{pair.grappa}\n{pair.sqlite}\nfound {answer[:20]}\nnot {rows[:20]}"
                for (pair, rows), answer in zip(asked, found, strict=True)
                if isinstance(answer, str) or not are_same(answer, rows)]

    def ask_for_a_while(self):
        until, seed = time.monotonic() + SECONDS, SEED
        while time.monotonic() < until:
            machine = MACHINES[seed % len(MACHINES)]
            differences = self.differences(seed, lambda text: self.run_tool(
                "sql", text, "--output", "csv", *machine, errors="replace"))
            self.assertEqual(differences, [], f"{machine}:\n{chr(10).join(differences)}")
            seed += 1
