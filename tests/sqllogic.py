"""Files in the format of sqllogictest, as SQLite and DuckDB have them.

    for record in records(text): ...

Records are separated by blank lines; lines that begin with # are comments.

    statement ok                      a statement that has to succeed, on the lines below
    statement error                   ... to fail; behind ---- there may be a part of the message
    query IRT [nosort|rowsort|valuesort] [label]
                                      a query, and behind ---- its answer: a letter for each column,
                                      integer, real or text
    skipif NAME, onlyif NAME          before a record: for the system of that name, "grappa" here
    hash-threshold N, halt

An answer has a line for each value, or for each row, with tabs between the values; or it is "30 values
hashing to MD5". NULL is NULL, an empty text (empty), a real number has three decimals.
"""

import dataclasses
import hashlib
import re

SYSTEM = "grappa"
SORTS = ("nosort", "rowsort", "valuesort")
FIELD = re.compile(r'"((?:[^"]|"")*)"|([^,\n]*)')


class Malformed(Exception):
    """A file that is not in the format."""


@dataclasses.dataclass
class Record:
    line: int
    kind: str  # "ok", "error" or "query"
    sql: str
    types: str = ""
    sort: str = "nosort"
    label: str = ""
    expected: list = dataclasses.field(default_factory=list)  # lines


def records(text):
    """Those that are for us."""
    for line, block in blocks(text):
        first = block[0].split()
        is_ours = True
        while first[0] in ("skipif", "onlyif"):
            is_ours &= (first[1] == SYSTEM) == (first[0] == "onlyif")
            block, line = block[1:], line + 1
            first = block[0].split()
        if first[0] == "halt" and is_ours:
            return
        if first[0] not in ("hash-threshold", "halt") and is_ours:
            yield record(line, first, block[1:])


def blocks(text):
    """(line number, lines) of what blank lines separate."""
    block = []
    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.startswith("#"):
            continue
        if line.strip():
            block.append((number, line))
        elif block:
            yield block[0][0], [line for _, line in block]
            block = []


def record(line, first, body):
    sql, expected = body, []
    if "----" in body:
        cut = body.index("----")
        sql, expected = body[:cut], body[cut + 1:]
    sql = "\n".join(sql)
    if first[0] == "statement" and first[1:] in (["ok"], ["error"]):
        return Record(line, first[1], sql, expected=expected)
    if first[0] == "query" and len(first) > 1 and re.fullmatch("[IRT]+", first[1]):
        sort = first[2] if len(first) > 2 else "nosort"
        if sort in SORTS:
            return Record(line, "query", sql, first[1], sort, first[3] if len(first) > 3 else "", expected)
    raise Malformed(f"line {line}: {' '.join(first)}")


def rows_of_csv(text):
    """Of what the tool writes, without the header: NULL is None."""
    rows, row, at = [], [], 0
    while at < len(text):
        field = FIELD.match(text, at)
        quoted, plain = field.groups()
        row.append(quoted.replace('""', '"') if quoted is not None else plain or None)
        at = field.end()
        if text[at:at + 1] != ",":
            rows.append(row)
            row = []
        at += 1
    return rows[1:]


def shown(value, kind):
    if value is None:
        return "NULL"
    if kind == "R":
        return f"{float(value):.3f}"
    if kind == "I":
        return {"true": "1", "false": "0"}.get(value, value)
    return value.replace("\n", "@") or "(empty)"


def difference(record, rows):
    """How the answer is not what is expected, or None."""
    if any(len(row) != len(record.types) for row in rows):
        return f"{len(rows[0])} columns, not {len(record.types)}"
    found = [[shown(value, kind) for value, kind in zip(row, record.types)] for row in rows]
    if record.sort == "rowsort":
        found.sort()
    values = [value for row in found for value in row]
    if record.sort == "valuesort":
        values.sort()
    hashed = re.fullmatch(r"(\d+) values hashing to ([0-9a-f]{32})", "\n".join(record.expected))
    if hashed:
        sum_of = hashlib.md5("".join(value + "\n" for value in values).encode()).hexdigest()
        same = (str(len(values)), sum_of) == hashed.groups()
    else:
        by_rows = ["\t".join(row) for row in found]
        same = record.expected in (values, by_rows)
    return None if same else "\n".join(["answers", *("\t".join(row) for row in found)])
