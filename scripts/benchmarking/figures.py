"""Finds the figures of a run in what it printed.

A figure is a path through the JSON of `--json`, or "text:LABEL" for the numbers behind a label at
the beginning of a line, or "elapsed", the time from start to exit; or several of them, calculated
with. In a path

    trials.seconds                    a key of a list is taken of each element
    rows[workers=100][order=round]    the elements that have these values (* is anything)
    rows[kind=*].seconds.max          the largest
    a.b / c.d / 1e6, a + b, a * b     from left to right, element by element
"""

import fnmatch
import operator
import re

STEP = re.compile(r"(?P<key>[^\[]*)(?P<filters>(?:\[[^\]]*\])*)$")
OPERATORS = {"/": operator.truediv, "*": operator.mul, "+": operator.add}


def samples(figure, output, facts, elapsed):
    """The samples of a figure, as a list of numbers."""
    def operand(text):
        if text == "elapsed":
            return [elapsed]
        if text.startswith("text:"):
            label = re.escape(text.removeprefix("text:"))
            return [float(number) for number in
                    re.findall(rf"^\s*{label}:?\s+([\d.eE+-]+)", output, re.MULTILINE)]
        try:
            return [float(text)]
        except ValueError:
            return walk(text, facts)

    first, *rest = re.split(r" ([/*+]) ", figure)
    value = operand(first)
    for symbol, text in zip(rest[::2], rest[1::2]):
        value = combine(OPERATORS[symbol], value, operand(text))
    return [float(number) for number in value]


def combine(function, left, right):
    length = max(len(left), len(right))
    stretch = [values * length if len(values) == 1 else values for values in (left, right)]
    return [function(a, b) for a, b in zip(*stretch, strict=True)]


def walk(path, facts):
    """What the path leads to, as a list."""
    values = [facts]
    for step in re.split(r"\.(?![^\[]*\])", path):
        match = STEP.match(step)
        if match["key"] == "max":
            values = [max(values)]
            continue
        values = [value[match["key"]] for value in values]
        values = [item for value in values
                  for item in (value if isinstance(value, list) else [value])]
        for key, wanted in re.findall(r"\[([^=\]]*)=([^\]]*)\]", match["filters"]):
            values = [value for value in values if fnmatch.fnmatchcase(str(value[key]), wanted)]
    return values
