"""What SQL parses: our grammar beside that of PostgreSQL, which libpg_query has (PyPI: pglast).

The texts are those of the tests, random questions, and the former with tokens left out, doubled and
exchanged: of those of files, which seldom change, or with GRAPPA_TEST_SQL_SEED, which asks for others,
of all. GRAPPA_TEST_SQL_TEXTS asks for more. What one takes and the other refuses is in a list of
differences.
"""

import json
import os
import random
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import sql_texts
from cli_tool import SOURCE, skip_all
from sql_random import Questions

BINARIES = Path(os.environ.get("GRAPPA_BINARY_DIR", SOURCE / "build/release"))
PYTHON = os.environ.get("GRAPPA_BASELINE_PYTHON", SOURCE / "build/baselines/bin/python3")
COUNT = int(os.environ.get("GRAPPA_TEST_SQL_TEXTS", 4000))
SEED = int(os.environ.get("GRAPPA_TEST_SQL_SEED", 1))

ORACLE = """
import json, sys
from pglast.parser import ParseError, parse_sql
def refusal(text):
    try:
        parse_sql(text)
    except ParseError as error:
        return str(error.args[0])
    return ""
json.dump([refusal(text) for text in json.load(sys.stdin)], sys.stdout)
"""

if not shutil.which(PYTHON) or subprocess.run([PYTHON, "-c", "import pglast"], capture_output=True,
                                              check=False).returncode != 0:
    skip_all("pglast is not there; scripts/setup --baselines installs it")


def refusals_of_postgresql(texts):
    """What is wrong with each, or nothing."""
    return json.loads(subprocess.run([PYTHON, "-c", ORACLE], input=json.dumps(texts), capture_output=True,
                                     check=True, text=True).stdout)


def refusals_of_ours(texts):
    done = subprocess.run([BINARIES / "tests/bin/parse_sql"], input="".join(text + "\0" for text in texts),
                          capture_output=True, check=True, text=True)
    return done.stdout.split("\n")[:-1]


KEYWORDS = (r"(ALL|AND|ANY|ASC|BOTH|CASE|CAST|CHECK|CROSS|DEFAULT|DESC|DISTINCT|ELSE|END|EXISTS|FALSE|ILIKE|IN|"
            r"INNER|IS|JOIN|LATERAL|LEFT|LIKE|NATURAL|NOT|NULL|OR|OUTER|OVER|PRIMARY|RIGHT|SELECT|TABLE|THEN|TRUE|"
            r"UNIQUE|USING|VALUES|WHEN)\b")

# What we take and PostgreSQL refuses, by what such a text has.
EXTENSIONS = {
    "FROM first": r"(^|[(;]|\b(AS|ALL|COPY|DESCRIBE|DESC|EXCEPT|EXISTS|EXPLAIN|INTERSECT|UNION|INTO\s+\w+))\s*FROM\b",
    "files as tables": r"(\b(COPY|FROM|JOIN|DESCRIBE|LATERAL|USING)|,)\s*\(*\s*'",
    "lists and structures as arguments": r"[\[{]",
    "GROUP BY ALL, ORDER BY ALL": r"\bBY\s+ALL\b",
    "QUALIFY": r"\bQUALIFY\b",
    "EXCLUDE, REPLACE": r"\*\s*(EXCLUDE|EXCEPT|REPLACE)\b",
    "SEMI JOIN, ANTI JOIN": r"\b(SEMI|ANTI)\s+JOIN\b",
    "TRY_CAST": r"\bTRY_CAST\b",
    "IGNORE NULLS": r"\b(IGNORE|RESPECT)\s+NULLS\b",
    "a comma behind the last column": r",\s*(FROM\b|$|;|\)|WHERE\b)",
    "DESCRIBE": r"\b(DESCRIBE|DESC|SHOW)\b",
    "CREATE OR REPLACE TABLE": r"\bOR\s+REPLACE\s+(TEMP\w*\s+)?TABLE\b",
    "FORMAT json": r"\bFORMAT\s+json\b",
    "a table in parentheses": r"\(\s*(\w+\.)*\w+(\s+(AS\s+)?\w+)?\s*\)",
    "any word as the name of a type, or behind AS that of a table":
        r"\b(BETWEEN|IN|VALUES|ROW|EXISTS|COALESCE|NULLIF|LEAST|GREATEST)\s*('|[,)])|\bAS\s+" + KEYWORDS,
    "words as names of functions": r"\b(VALUES|TIME|TIMESTAMP|INTERVAL|DATE|NONE)\s*\(",
    "digits of any type": r"\w\s*\(\s*\d+\s*,\s*\d+\s*\)",
    "units of time as aliases without AS": r"\s(YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)\b",
    "FILTER without WHERE": r"\bFILTER\s*\(\s*(?!WHERE)",
    "* in ORDER BY": r"\bBY\b.*\*",
    "functions of nothing": r"\b(GROUPING|COALESCE|NULLIF|LEAST|GREATEST)\s*\(\s*\)",
    "COPY of a query without parentheses": r"\bCOPY\s+(SELECT|TABLE|VALUES|WITH|FROM)\b",
    "any word as a field": r"\bEXTRACT\s*\(\s*\w+\s+FROM\b",
    "clauses of a query in parentheses, and again behind them":
        r"\)\s*(ORDER|LIMIT|OFFSET|FETCH)\b|^\s*WITH\b.*\(\s*WITH",
}

# What PostgreSQL takes and we refuse, by the text and, behind a line feed, what we say.
MISSING = {
    "": r"\n.* not supported",
    "no columns": r"\bSELECT\b.*\nexpected an expression, found (the end of the text|[;)]|(FROM|WHERE|GROUP|HAVING|"
                  r"WINDOW|UNION|INTERSECT|EXCEPT|ORDER|LIMIT|OFFSET|FETCH)\b)",
    "rows of VALUES of several lengths, which PostgreSQL finds later": r"\nexpected a row of \d+ values",
    "names of arguments before others, likewise": r"\n.*as the argument before has a name",
    "an alias of *": r"\.\s*\*\s*(AS\s+)?\w+.*\nexpected a clause",
    "t *, for t and the tables that inherit from it": r"\nexpected (a clause|ON or USING|SET|\)).*found \*",
    "keywords as aliases without AS":
        r"\nexpected (a clause|an operator|a comma|ON or USING|SET|\)).*, found " + KEYWORDS,
    "the same where we see an operator":
        r"\b(AND|OR|LIKE|ILIKE|IN|IS|BETWEEN|SIMILAR)\s*([,;)]|FROM\b|UNION\b|\nexpected)",
    "prefix operators": r"\nexpected an expression, found [|~*<>=!@#&^]+",
    "words of joins and patterns as names of functions, types and tables":
        r"\nexpected (an expression|a type|the name of a table), found (LIKE|ILIKE|SIMILAR|IS|JOIN|LEFT|RIGHT|"
        r"FULL|CROSS|INNER|OUTER|NATURAL|QUALIFY)\b",
    "a type with arguments, or of several names, before a text":
        r"(\)|\w\s*\.\s*\w+|\bALL)\s*'.*\nexpected .*, found '",
    "columns with types behind a table": r"\bFROM\b.*\(.*\nexpected a comma or \)",
    "DISTINCT in a function in FROM": r"\bFROM\b.*\nexpected an expression, found DISTINCT\b",
    "expressions as lengths of types": r"\nexpected a length",
    "a common table called recursive": r"\bWITH\s+RECURSIVE\b.*\nexpected the name of a table",
    "GROUP BY ALL of a list": r"\bGROUP\s+BY\s+ALL\b.*\nexpected a clause",
    "an alias in INSERT": r"\bINSERT\b.*\nexpected a query, found as\b",
    "functions with qualified or special names in FROM": r"\b(FROM\b|,).*\nexpected .*found (\(|')",
    "texts that go on in another line": r"'\s*\n\s*'.*\nexpected .*found '",
    "ONLY before a table": r"\nexpected the name of a table, found only",
    "a number of rows that is no number": r"\bFETCH\b.*\nexpected ONLY",
    "parts of values": r"\)\s*\..*\nexpected .*found \.",
    "functions called try_cast": r"\bTRY_CAST\b.*\nexpected AS",
    "f(*) in FROM": r"\(\s*\*\s*\).*\nexpected an expression, found \*",
    "operators beside comparisons before ANY and ALL": r"\nexpected an expression, found (ALL|ANY|SOME)\b",
    "NULL and NOT NULL, likewise found later": r"\nexpected NOT NULL, a comma or \), found (NOT|NULL)\b",
    "SHOW of variables": r"\bSHOW\b.*\nexpected TABLES",
}


class Mutations:
    """Texts with tokens left out, doubled, exchanged, and replaced by others that are there."""

    TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\w+|\s+|[<>=!~*|:]+|.", re.DOTALL)

    def __init__(self, texts, chance):
        self.chance = chance
        self.lists = [tokens for tokens in (self.TOKEN.findall(text) for text in texts) if len(tokens) < 200]
        self.all = [token for tokens in self.lists for token in tokens if not token.isspace()]

    def text(self):
        tokens = list(self.chance.choice(self.lists))
        places = [i for i, token in enumerate(tokens) if not token.isspace()]
        for _ in range(self.chance.choice([1, 1, 2])):
            i, j = self.chance.choice(places), self.chance.choice(places)
            way = self.chance.randrange(5)
            if way == 0:
                tokens[i] = ""
            elif way == 1:
                tokens[i] += " " + tokens[i]
            elif way == 2:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            elif way == 3:
                tokens[i] = self.chance.choice(self.all)
            else:
                tokens[i] += f" {self.chance.choice(self.all)} "
        return "".join(tokens)


class BesidePostgreSQL(unittest.TestCase):
    def check(self, texts):
        unexplained = []
        for text, theirs, ours in zip(texts, refusals_of_postgresql(texts), refusals_of_ours(texts), strict=True):
            if bool(theirs) == bool(ours):
                continue
            known = EXTENSIONS if theirs else MISSING
            where = text if theirs else f"{text}\n{ours}"
            if not any(re.search(pattern, where, re.IGNORECASE | re.DOTALL) for pattern in known.values()):
                unexplained.append(f"{text}\n  PostgreSQL: {theirs or 'ok'}\n  Grappa: {ours or 'ok'}")
        self.assertEqual(unexplained, [], "\n\n".join(unexplained))

    def test_texts_of_tests(self):
        self.check(sql_texts.texts())

    def test_random_questions(self):
        questions = Questions(random.Random(SEED))
        self.check([questions.question().grappa for _ in range(COUNT // 10)])

    def test_changed_texts(self):
        is_asked = "GRAPPA_TEST_SQL_SEED" in os.environ
        texts = sql_texts.texts() if is_asked else sql_texts.statements(sql_texts.of_files())
        mutations = Mutations(texts, random.Random(SEED))
        self.check([mutations.text() for _ in range(COUNT)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
