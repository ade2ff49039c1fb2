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
        message, place = error.args
        return [message, len(text) if place is None else place]
    return None
json.dump([refusal(text) for text in json.load(sys.stdin)], sys.stdout)
"""

if not shutil.which(PYTHON) or subprocess.run([PYTHON, "-c", "import pglast"], capture_output=True,
                                              check=False).returncode != 0:
    skip_all("pglast is not there; scripts/setup --baselines installs it")


def refusals_of_postgresql(texts):
    """What is wrong with each, and the place in characters; or nothing."""
    return json.loads(subprocess.run([PYTHON, "-c", ORACLE], input=json.dumps(texts), capture_output=True,
                                     check=True, text=True).stdout)


def refusals_of_ours(texts):
    """Likewise."""
    done = subprocess.run([BINARIES / "tests/bin/parse_sql"], input="".join(text + "\0" for text in texts),
                          capture_output=True, check=True, text=True)
    def refusal(text, line):
        if not line:
            return None
        row, column, message = line.split(":", 2)
        before = text.split("\n")[:int(row) - 1]
        return [message.strip(), sum(len(each) + 1 for each in before) + int(column) - 1]
    return [refusal(*pair) for pair in zip(texts, done.stdout.split("\n")[:-1], strict=True)]


def marked(text, refusal):
    """With ▸ before what is refused, and the reason behind a line feed."""
    message, place = refusal
    return f"{text[:place]}▸{text[place:]}\n{message}"


KEYWORDS = (r"(ALL|ANALYZE|AND|ANY|AS|ASC|BOTH|CASE|CAST|CHECK|CROSS|DEFAULT|DESC|DISTINCT|ELSE|END|EXISTS|FALSE|ILIKE|IN|"
            r"INNER|IS|JOIN|LATERAL|LEFT|LIKE|NATURAL|NOT|NULL|OR|OUTER|OVER|PRIMARY|RIGHT|SELECT|TABLE|THEN|TRUE|"
            r"UNIQUE|USING|VALUES|WHEN)\b")

NO_TYPES = (r"(BETWEEN|IN|VALUES|ROW|EXISTS|COALESCE|NULLIF|LEAST|GREATEST|GROUPING|NONE|TRIM|EXTRACT|POSITION|OVERLAY|"
            r"SUBSTRING)")

# What we take and PostgreSQL refuses, by where it does so (▸).
EXTENSIONS = {
    "FROM first": r"(^|[(;]|\b(AS|ALL|COPY|DESCRIBE|DESC|EXCEPT|EXISTS|EXPLAIN|INTERSECT|UNION|INTO\s+[\w\s.]+))\s*▸FROM\b",
    "files as tables": r"(\b(COPY|FROM|JOIN|DESCRIBE|LATERAL|USING)|,)\s*\(*\s*▸'",
    "lists and structures as arguments": r"▸[\[{]",
    "GROUP BY ALL, ORDER BY ALL": r"\bBY\s+▸ALL\b|\bGROUP\s+BY\s+ALL\s*▸",
    "QUALIFY": r"▸QUALIFY\b|\bQUALIFY\s*\(?\s*\w*\s*\)?\s*▸",
    "EXCLUDE, REPLACE": r"\*\s*▸(EXCLUDE|REPLACE)\b|\*\s*(EXCLUDE|EXCEPT|REPLACE)\s*\(?\s*▸",
    "SEMI JOIN, ANTI JOIN": r"▸(SEMI|ANTI)\s+JOIN\b",
    "TRY_CAST": r"\bTRY_CAST\s*\([^▸]*▸AS\b",
    "IGNORE NULLS": r"▸(IGNORE|RESPECT)\s+NULLS\b|\b(IGNORE|RESPECT)\s+▸NULLS\b",
    "a comma behind the last column": r",\s*▸(FROM\b|$|\n|;|\)|WHERE\b)",
    "DESCRIBE": r"(^|;|\bEXPLAIN(\s+ANALYZE)?)\s*▸(DESCRIBE|DESC|SHOW)\b",
    "CREATE OR REPLACE TABLE": r"\bOR\s+REPLACE\s+(TEMP\w*\s+)?▸TABLE\b",
    "FORMAT json": r"▸FORMAT\s+json\b",
    "a table in parentheses": r"(\b(FROM|JOIN|LATERAL|USING)|[,(])\s*\([^▸]*[\w)\"]\s*▸\)",
    "any word as the name of a type, or behind AS that of a table":
        r"\b" + NO_TYPES + r"\s*▸['$,)]|\w\s+▸" + NO_TYPES + r"\s*[,)]|\bAS\s+▸\w",
    "words as names of functions":
        r"\b(VALUES|NONE|TIME|TIMESTAMP|INTERVAL|BIGINT|BOOLEAN|INT|INTEGER|REAL|SMALLINT)\s*"
        r"(▸\(|\(\s*▸|\(\s*\d+\s*\)\s*▸)",
    "position as a function like others": r"\bPOSITION\s*\([^▸]*▸[,)]",
    "INTERVAL 2 year": r"\bINTERVAL\s+▸[\d(]",
    "NULL as the value of an option": r"\bCOPY\b[^▸]*\([^▸]*\w\s+▸NULL\b",
    "NOT behind a point, where LIKE or the like follows": r"\.\s*▸NOT\b",
    "digits of any type": r"\w\s*▸?\(\s*\d+\s*▸?,\s*\d+\s*\)",
    "aliases without AS that need it there":
        r"[\w)'\"]\s+▸(YEAR|MONTH|DAY|HOUR|MINUTE|SECOND|CHAR|CHARACTER|FILTER|OVERLAPS|PRECISION|VARYING|WITHIN|WITHOUT)\b",
    "FILTER without WHERE": r"\bFILTER\s*\(\s*▸(?!WHERE)",
    "* in ORDER BY": r"\bBY\b[^▸]*▸\*",
    "functions of nothing, of *, and with ORDER BY":
        r"\b(GROUPING|COALESCE|NULLIF|LEAST|GREATEST)\s*\((\s*▸[)*]|[^▸]*▸ORDER\b)",
    "COPY of a query without parentheses": r"\bCOPY\s+▸(SELECT|TABLE|VALUES|WITH|FROM)\b",
    "any word as a field, and extract as a function like others": r"\bEXTRACT\s*\(\s*\w*\s*▸",
    "clauses of a query in parentheses, and again behind them": r"\nmultiple .* clauses not allowed",
}

# What PostgreSQL takes and we refuse, by where we do so (▸) and, behind a line feed, what we say.
MISSING = {
    "": r"\n[^\n]* not supported",
    "no columns": r"\bSELECT(\s+(ALL|DISTINCT))?(\s|--[^\n]*)*▸.*\nexpected an expression",
    "rows of VALUES of several lengths, which PostgreSQL finds later": r"\nexpected a row of \d+ values",
    "names of arguments before others, likewise": r"\n[^\n]*as the argument before has a name",
    "an alias of *": r"\.\s*\*\s*▸\w+.*\nexpected a clause",
    "t *, for t and the tables that inherit from it": r"\w\"?\s*▸\*.*\nexpected (a clause|ON or USING|SET|\))",
    "keywords as aliases without AS":
        r"[\w)'\"\]]\s*▸" + KEYWORDS + r".*\nexpected (a clause|an operator|a comma|ON or USING|SET|\))",
    "the same where we see an operator":
        r"\b(AND|OR|LIKE|ILIKE|IN|IS|BETWEEN|SIMILAR)\s*▸([,;)\n]|(FROM|UNION|WHERE|GROUP|ORDER|LIMIT)\b)",
    "numbers in other bases": r"▸0[box]\w*.*\nexpected a number",
    "prefix operators": r"▸[|~*<>=!@#&^]+.*\nexpected an expression",
    "words of joins and patterns as names of functions, types and tables":
        r"▸(LIKE|ILIKE|SIMILAR|IS|JOIN|LEFT|RIGHT|FULL|CROSS|INNER|OUTER|NATURAL|QUALIFY)\b.*"
        r"\nexpected (an expression|a type|the name of a table)",
    "a type with arguments, or of several names, before a text": r"(\)|\w\s*\.\s*\w+|\bALL)\s*▸'",
    "columns with types behind a table": r"\bFROM\b.*\([^()]*\w\s+▸\w+.*\nexpected a comma or \)",
    "DISTINCT in a function in FROM": r"\(\s*▸DISTINCT\b.*\nexpected an expression",
    "expressions as lengths of types": r"\nexpected a length",
    "a common table called recursive": r"\bWITH\s+RECURSIVE\s*▸.*\nexpected the name of a table",
    "GROUP BY ALL of a list": r"\bGROUP\s+BY\s+ALL\s*▸.*\nexpected a clause",
    "an alias in INSERT": r"\bINSERT\s+INTO\s+[\w.\"]+\s+▸AS\b",
    "functions with qualified or special names in FROM":
        r"(\b(FROM|JOIN|LATERAL)\s*|,\s*)[\w.\"]+\s*▸[('].*\nexpected",
    "texts that go on in another line": r"'\s*\n\s*▸'",
    "ONLY before a table": r"▸ONLY\b.*\nexpected the name of a table",
    "a number of rows that is no number": r"\bFETCH\b[^▸]*▸.*\nexpected ONLY",
    "parts of values": r"\)\s*▸\.",
    "functions called try_cast": r"\bTRY_CAST\b[^▸]*▸.*\nexpected AS",
    "f(*) in FROM": r"\(\s*▸\*\s*\)",
    "operators beside comparisons before ANY and ALL": r"▸(ALL|ANY|SOME)\b.*\nexpected an expression",
    "NULL and NOT NULL, likewise found later": r"▸(NOT|NULL)\b.*\nexpected a comma or \)",
    "comparisons as bounds of BETWEEN": r"\bBETWEEN\b[^▸]*▸[<>=!]+.*\nexpected AND",
    "GROUP BY DISTINCT": r"\bGROUP\s+BY\s+▸DISTINCT\b",
    "the columns of another table": r"▸LIKE\b.*\nexpected the name of a column",
    "options of COPY without parentheses": r"\bCOPY\b[^▸]*'\s*▸\w+.*\nexpected a clause",
    "an alias called QUALIFY": r"\bQUALIFY\s*▸\n",
    "SHOW of variables": r"\bSHOW\s+▸.*\nexpected TABLES",
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
            where = marked(text, theirs or ours)
            if not any(re.search(pattern, where, re.IGNORECASE | re.DOTALL) for pattern in known.values()):
                unexplained.append(f"{where}\n  by {'PostgreSQL' if theirs else 'Grappa'}")
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
