"""scripts/check-layers: what it must refuse and what it must allow, on small made-up trees; and
the repository itself."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECK = ROOT / "scripts" / "check-layers"


def check(root):
    return subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)


class CheckLayers(unittest.TestCase):
    def tree(self, files):
        """Runs the check on a tree of {path: included spellings}."""
        with tempfile.TemporaryDirectory() as folder:
            for name, includes in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                lines = ["// A file"] + [f"#include {spelling}" for spelling in includes]
                path.write_text("\n".join(lines) + "\n")
            return check(folder)

    def assert_refused(self, files, *messages):
        result = self.tree(files)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for message in messages:
            self.assertIn(message, result.stdout)

    def assert_allowed(self, files):
        result = self.tree(files)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_same_and_lower_layers_are_allowed(self):
        self.assert_allowed({
            "src/grappa/base/error.hpp": ["<string>"],
            "src/grappa/base/log.hpp": ['"grappa/base/error.hpp"'],
            "src/grappa/graph/csr.hpp": ['"grappa/base/error.hpp"', '"grappa/grappa.hpp"'],
            "src/grappa/grappa.hpp": ['"grappa/base/log.hpp"'],
            "cli/main.cpp": ["<grappa/grappa.hpp>", '"grappa/graph/csr.hpp"', '"bench/gups.hpp"'],
            "bench/gups.hpp": [],
        })

    def test_a_layer_above_is_refused_with_file_and_line(self):
        self.assert_refused({
            "src/grappa/base/log.hpp": ["<string>", '"grappa/context/switch.hpp"'],
            "src/grappa/context/switch.hpp": [],
        }, "src/grappa/base/log.hpp:3: base must not include context")

    def test_frameworks_leave_messages_to_parallel(self):
        files = {"src/grappa/message/aggregator.hpp": [], "src/grappa/parallel/exchange.hpp": []}
        self.assert_allowed({**files, "src/grappa/graph/a.hpp": ['"grappa/parallel/exchange.hpp"']})
        self.assert_refused({**files, "src/grappa/graph/a.hpp": ['"grappa/message/aggregator.hpp"']},
                            "src/grappa/graph/a.hpp:2: a framework must not include message")

    def test_angle_brackets_and_relative_paths_are_seen_through(self):
        files = {"src/grappa/sync/mutex.hpp": []}
        for spelling in ["<grappa/sync/mutex.hpp>", '"../sync/mutex.hpp"']:
            self.assert_refused({**files, "src/grappa/memory/heap_test.cpp": [spelling]},
                                "src/grappa/memory/heap_test.cpp:2: memory must not include sync")

    def test_frameworks_must_not_use_one_another(self):
        self.assert_refused({
            "src/grappa/graph/csr.hpp": [],
            "src/grappa/query/join.cpp": ['"grappa/graph/csr.hpp"'],
        }, "src/grappa/query/join.cpp:2: query must not use the insides of graph")

    def test_the_library_must_not_include_programs(self):
        self.assert_refused({
            "src/grappa/graph/csr.cpp": ['"cli/options.hpp"'],
            "cli/options.hpp": [],
        }, "src/grappa/graph/csr.cpp:2: graph must not include cli")

    def test_the_runtime_must_not_include_its_top_header(self):
        self.assert_refused({
            "src/grappa/container/array.hpp": ['"grappa/grappa.hpp"'],
            "src/grappa/grappa.hpp": [],
        }, "src/grappa/container/array.hpp:2:")

    def test_an_unknown_folder_and_a_missing_header_are_refused(self):
        self.assert_refused({
            "src/grappa/misc/things.hpp": [],
            "src/grappa/base/log.hpp": ['"grappa/base/gone.hpp"'],
        }, "src/grappa/misc/things.hpp:1: 'misc' is not a layer",
           "src/grappa/base/log.hpp:2: grappa/base/gone.hpp does not exist")

    def test_the_repository_itself(self):
        result = check(ROOT)
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
