"""What of the frameworks is for programs: all headers but those in exec/ and internal/."""

import os
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parent.parent)) / "src"
FRAMEWORKS = ("graph", "mapreduce")


class PublicHeaders(unittest.TestCase):
    def test_one_header_includes_them_all_and_nothing_else(self):
        for name in FRAMEWORKS:
            folder = SOURCE / "grappa" / name
            public = {str(header.relative_to(SOURCE)) for header in folder.rglob("*.hpp")
                      if not {"exec", "internal"} & set(header.relative_to(folder).parts)
                      and not header.name.startswith("test_")}
            included = re.findall(rf'^#include "(grappa/{name}/.*)"',
                                  (SOURCE / f"grappa/{name}.hpp").read_text(), re.MULTILINE)
            self.assertEqual(sorted(included), sorted(public))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
