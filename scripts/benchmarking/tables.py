"""Writes the tables of the documents, from the records of runs.

A table stands between `<!-- table: AREA -->` and `<!-- end -->`. So do the text on the machine
("machine") and README's table of the rows with a headline ("README").
"""

import json
import math
import operator
import re
import sys

from benchmarking.measure import Failure

PLACE = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
COMPARE = {">=": operator.ge, "<=": operator.le}
SIGNS = {">=": "≥", "<=": "≤"}


def write_tables(rows, folder, documents):
    records = read_records(rows, folder)
    texts = {"machine": machine_text(records.values()),
             "README": readme_table(rows, records)}
    for area in {row.area for row in rows}:
        texts[area] = area_table([row for row in rows if row.area == area], records)
    for path in (documents / "docs/benchmarks.md", documents / "README.md"):
        old = path.read_text(encoding="utf-8")
        unknown = {match["name"] for match in PLACE.finditer(old)} - texts.keys()
        if unknown:
            raise Failure(f"{path}: there is no table '{min(unknown)}'")
        path.write_text(PLACE.sub(lambda match: match[1] + texts[match["name"]] + match[3], old),
                        encoding="utf-8")


def read_records(rows, folder):
    """{name: record} of all rows that have one; all of one machine and build."""
    records = {}
    for row in rows:
        path = folder / f"{row.name}.json"
        if path.is_file():
            records[row.name] = json.loads(path.read_text(encoding="utf-8"))
        else:
            print(f"benchmarks: no record of {row.name}", file=sys.stderr)
    if not records:
        raise Failure(f"{folder}: there are no records; scripts/benchmarks run makes them")
    first = next(iter(records.values()))
    for record in records.values():
        for what, key in (("machines", "machine"), ("sizes (--quick)", "quick")):
            if record[key] != first[key]:
                raise Failure(f"{record['name']} and {first['name']} are of different {what}")
        if record["build"]["digest"] != first["build"]["digest"]:
            raise Failure(f"{record['name']} and {first['name']} are of different builds")
    return records


def machine_text(records):
    records = list(records)
    machine, build = records[0]["machine"], records[0]["build"]
    linux = ".".join(machine["kernel"].split(".")[:2])
    minutes = math.ceil(sum(record["seconds"] for record in records) / 60)
    dates = sorted({record["date"] for record in records})
    small = " Only a trial of the commands, with tiny sizes." if records[0]["quick"] else ""
    return (f"Measured on {' and '.join(dates)}: {machine['processor']}, {machine['processors']} "
            f"processors,\n{machine['memory_gib']} GiB, Linux {linux}; "
            f"{build['version']}, commit {build['commit']};\n"
            f"measuring took {minutes} min.{small}\n")


def area_table(rows, records):
    if not any(row.name in records for row in rows):
        return "Not measured with this build.\n"
    lines = ["| what | command | Grappa | peer | ratio | range | target |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    missed = []
    for row in rows:
        record = records.get(row.name)
        if record is None:
            continue
        ours, peer, ratio = record["ours"], record.get("peer"), record.get("ratio")
        command = f"`{row.ours}`" + (f" by `{row.peer_command}`" if row.peer_command else "")
        spread = (f"{times(ratio['min'])[:-2]}–{times(ratio['max'])}" if ratio else
                  f"{shown(ours['min'], row.unit)} – {shown(ours['max'], row.unit)}"
                  if len(ours["samples"]) > 1 else "")
        lines.append("| " + " | ".join((
            row.what, command, shown(ours["median"], row.unit),
            f"{row.peer}: {shown(peer['median'], row.unit)}" if peer else "",
            times(ratio["median"]) if ratio else "", spread, target_text(row))) + " |")
        if not is_met(row, record):
            value = (times(ratio["median"]) if row.target.startswith("ratio") else
                     shown(ours["median"], row.unit))
            missed.append(f"{row.what} ({value})")
    if any(row.target for row in rows):
        lines += ["", "Missed: " + ("; ".join(missed) if missed else "nothing") + "."]
    return "\n".join(wrap(line) for line in lines) + "\n"


def readme_table(rows, records):
    lines = ["| what | Grappa | speed over the peer's |", "| --- | --- | --- |"]
    for row in rows:
        if row.headline and row.name in records:
            record = records[row.name]
            lines.append(f"| {row.headline} | {shown(record['ours']['median'], row.unit)} | "
                         f"{times(record['ratio']['median'])} |")
    return "\n".join(lines) + "\n"


def is_met(row, record):
    if not row.target:
        return True
    *subject, sign, limit = row.target.split()
    value = record["ratio" if subject else "ours"]["median"]
    return COMPARE[sign](value, float(limit))


def target_text(row):
    if not row.target:
        return ""
    *subject, sign, limit = row.target.split()
    text = f"{limit} {'×' if subject else row.unit}"
    return f"{SIGNS[sign]} {text}"


def shown(value, unit):
    """A figure with its unit; times in what makes them readable."""
    if unit == "s":
        for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
            if value >= scale:
                return f"{number(value / scale)} {name}"
        return f"{number(value / 1e-9)} ns"
    return f"{number(value)} {unit}".rstrip()


def times(ratio):
    return f"{ratio:.2f} ×" if ratio < 9.995 else f"{number(ratio)} ×"


def number(value):
    """Three digits, without an exponent."""
    if value == 0 or not math.isfinite(value):
        return f"{value:.3g}"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def wrap(line):
    """A line of text within 100 columns; rows of tables stay."""
    if line.startswith("|"):
        return line
    words, lines = line.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) >= 100:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)
