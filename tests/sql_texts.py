"""The texts of SQL that the tests and benchmarks of this project have.

    for text in texts(): ...      # each a statement, or several; some are wrong on purpose
"""

import ast
import re

import sqllogic
from cli_tool import SOURCE

BEGINS = re.compile(r"\s*(?:\(\s*)*(?:SELECT|WITH|FROM|VALUES|TABLE|INSERT|UPDATE|DELETE|CREATE|DROP|COPY|"
                    r"EXPLAIN|DESCRIBE|DESC|SHOW)\b(?=\s*\S)", re.IGNORECASE)
LITERALS = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+')  # of C++, one behind the other
STATEMENTS = re.compile(r"(?:[^;'\"-]|'[^']*'|\"[^\"]*\"|--[^\n]*|-)+")


def of_cpp(source):
    """String literals; those that follow one another are one."""
    for found in LITERALS.finditer(source):
        try:
            yield ast.literal_eval("(" + found[0] + ")")
        except (SyntaxError, ValueError):  # an escape that Python has not
            pass


def of_python(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def of_files():
    """Of the files of SQL, which seldom change."""
    for folder in ("bench/baselines", "src/grappa/query/sql/testdata"):
        for path in sorted((SOURCE / folder).glob("*.sql")):
            text = re.sub(r"<[^<>\n]*[\w)]>", "1", path.read_text(encoding="utf-8"))  # constants
            yield from STATEMENTS.findall(text)


def of_tests():
    for path in sorted((SOURCE / "tests/sqllogic").glob("*.test")):
        for record in sqllogic.records(path.read_text(encoding="utf-8")):
            yield record.sql
    for path in sorted((SOURCE / "src/grappa/query").rglob("*_test.cpp")):
        yield from of_cpp(path.read_text(encoding="utf-8"))
    for path in sorted((SOURCE / "tests").glob("sql*_test.py")):
        yield from of_python(path.read_text(encoding="utf-8"))


def statements(found):
    """Those that are such, without the comments before them."""
    found = {re.sub(r"^(\s*--[^\n]*\n)+", "", text).strip() for text in found}
    return sorted(text for text in found if BEGINS.match(text))


def texts():
    return statements([*of_files(), *of_tests()])
