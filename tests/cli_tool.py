"""What the tests of the command-line tool share: running it, and small graphs to run it on."""

import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parent.parent))
TOOL = Path(os.environ.get("GRAPPA_TOOL", SOURCE / "build/release/cli/grappa"))
REAL_GRAPHS = SOURCE.parent / "shared" / "graphs"
SECONDS = 300  # for what hangs
LOCALES = (1, 2, 8)  # numbers of simulated locales on which an answer is the same

SKIPPED = 77  # the exit status that CTest takes for "skipped"


def skip_all(reason):
    """Ends the program as skipped."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


@functools.cache
def commands():
    """{heading: names} of the commands, in the order in which `grappa help` lists them."""
    groups, heading = {}, ""
    text = subprocess.run([TOOL, "help"], capture_output=True, check=True, text=True).stdout
    for line in text.splitlines():
        if entry := re.match(r"  (\S+) +\S", line):
            groups.setdefault(heading, []).append(entry[1])
        else:
            heading = line.partition(":")[0]
    return groups


def kernels():
    """The names of the graph kernels: all of the table in cli/kernels.cpp."""
    return commands()["Kernels"]


def are_close(a, b, tolerance):
    """Whether two texts are equal but for the last digits of a number that is not whole."""
    if a == b or (a.isdigit() and b.isdigit()):
        return a == b
    try:
        return math.isclose(float(a), float(b), rel_tol=tolerance, abs_tol=1e-12)
    except ValueError:
        return False


def clean_environment():
    """The environment without what would configure the tool from outside."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GRAPPA_")}


class ToolTest(unittest.TestCase):
    """A test with a folder of its own that runs the tool in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        """A file in the test's folder; its name."""
        data = content if isinstance(content, bytes) else content.encode()
        (self.folder / name).write_bytes(data)
        return name

    def python_without_packages(self):
        """The path of an interpreter that finds no module but its own and those beside its script."""
        python = self.folder / "python"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S -c '
                          '"import runpy, sys; sys.argv = sys.argv[1:]; '
                          'sys.path.insert(0, sys.argv[0].rpartition(\'/\')[0]); '
                          'runpy.run_path(sys.argv[0], run_name=\'__main__\')" "$@"\n',
                          encoding="utf-8")
        python.chmod(0o755)
        return python

    def run_tool(self, *arguments, **options):
        """The finished process, whatever its status."""
        environment = clean_environment() | options.pop("env", {})
        return subprocess.run([TOOL, *map(str, arguments)], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=SECONDS, **options)

    def succeed(self, *arguments, **options):
        """Standard output of a run that must end with status 0."""
        result = self.run_tool(*arguments, **options)
        self.assertEqual(result.returncode, 0, f"{arguments}: {result.stderr}")
        return result.stdout

    def json_of(self, *arguments, **options):
        return json.loads(self.succeed(*arguments, "--json", "-", **options))

    def values_of(self, *arguments, **options):
        """{vertex: value} of -o, both as text, in the order of the lines."""
        text = self.succeed(*arguments, "-o", "-", **options)
        return dict(line.split("\t") for line in text.splitlines())

    def assert_same_values(self, found, expected, tolerance=1e-9):
        """Of what -o wrote. Sums of floating-point numbers may differ in the last digits."""
        lines, expected_lines = found.splitlines(), expected.splitlines()
        self.assertEqual(len(lines), len(expected_lines))
        for line, right in zip(lines, expected_lines):
            if line != right:
                pairs = zip(line.split("\t"), right.split("\t"), strict=True)
                self.assertTrue(all(are_close(a, b, tolerance) for a, b in pairs),
                                f"{line}, not {right}")

    def refuse(self, *arguments, status=2, **options):
        """The one line of standard error with which a run must be refused."""
        before = sorted(path.name for path in self.folder.iterdir())
        result = self.run_tool(*arguments, **options)
        self.assertEqual(result.returncode, status,
                         f"{arguments}: {result.stdout}{result.stderr}")
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("grappa: "), lines[0])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before,
                         f"{arguments} left something behind")
        return lines[0]
