"""pip install ./python is pip install . of the clone around it."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parents[2]))


@unittest.skipUnless(find_spec("scikit_build_core"), "needs scikit-build-core")
class Metadata(unittest.TestCase):
    def metadata(self, folder):
        """What pip finds out of a folder before it builds it: files by their names."""
        text = (folder / "pyproject.toml").read_text()
        backend = re.search(r'^build-backend = "(.*)"', text, re.MULTILINE)[1]
        path = re.search(r'^backend-path = \["(.*)"\]', text, re.MULTILINE)
        with tempfile.TemporaryDirectory() as out:
            code = (f"import importlib, sys\nsys.path.insert(0, {str(folder / path[1]) if path else ''!r})\n"
                    f"hooks = importlib.import_module({backend!r})\n"
                    "print(hooks.get_requires_for_build_wheel({}))\n"
                    f"hooks.prepare_metadata_for_build_wheel({out!r}, {{}})\n")
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout, {str(file.relative_to(out)): file.read_text()
                                 for file in Path(out).rglob("*") if file.is_file()}

    def test_is_that_of_the_clone(self):
        whole, part = self.metadata(SOURCE), self.metadata(SOURCE / "python")
        self.assertEqual(part, whole)
        self.assertTrue(any("networkx.backends" in text for text in part[1].values()))

    def test_wants_the_same_to_be_built(self):
        wants = [re.search(r"^requires = .*", (folder / "pyproject.toml").read_text(), re.MULTILINE)[0]
                 for folder in (SOURCE, SOURCE / "python")]
        self.assertEqual(wants[0], wants[1])


if __name__ == "__main__":
    unittest.main()
