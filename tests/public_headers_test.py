"""What of the graph framework is for programs: all headers but those in exec/ and internal/."""

import os
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parent.parent)) / "src"
GRAPH = SOURCE / "grappa/graph"


class PublicHeaders(unittest.TestCase):
    def test_one_header_includes_them_all_and_nothing_else(self):
        public = {str(header.relative_to(SOURCE)) for header in GRAPH.rglob("*.hpp")
                  if not {"exec", "internal"} & set(header.relative_to(GRAPH).parts)
                  and not header.name.startswith("test_")}
        included = re.findall(r'^#include "(grappa/graph/.*)"',
                              (SOURCE / "grappa/graph.hpp").read_text(), re.MULTILINE)
        self.assertEqual(sorted(included), sorted(public))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
