"""What the tests of the command-line tool share: running it, and small graphs to run it on."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parent.parent))
TOOL = Path(os.environ.get("GRAPPA_TOOL", SOURCE / "build/release/cli/grappa"))
REAL_GRAPHS = SOURCE.parent / "shared" / "graphs"
SECONDS = 300  # for what hangs

SKIPPED = 77  # the exit status that CTest takes for "skipped"


def skip_all(reason):
    """Ends the program as skipped."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


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

    def check_values(self, path, kernel, expected):
        """What `-o path` wrote is `expected`, of values_of, in the same order; ranks as sums of
        floating-point numbers may differ in the last digits."""
        found = dict(line.split("\t") for line in path.read_text().splitlines())
        self.assertEqual(list(found), list(expected))
        for vertex, value in found.items():
            if kernel == "pagerank":
                rank = float(expected[vertex])
                self.assertLessEqual(abs(float(value) - rank), 1e-9 * rank, f"vertex {vertex}")
            else:
                self.assertEqual(value, expected[vertex], f"vertex {vertex}")

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
