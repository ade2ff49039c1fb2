"""wordcount, kmeans and sort as jobs of several processes, under Open MPI and MPICH."""

import gzip
import random
import sys
import unittest

from cli_tool import TOOL, ToolTest, skip_all
from mpi_launch import LIBRARIES, launch

if not LIBRARIES:
    skip_all("neither Open MPI nor MPICH is here with its plug-in")


class MapReduce(ToolTest):
    def assert_same(self, option, *command):
        """What the option writes is what one process writes."""
        self.succeed(*command, option, "alone", "--cores", 1)
        for library, ranks in zip(LIBRARIES, (2, 3)):
            with self.subTest(command=command, library=library):
                result = launch(self.folder, library, ranks, TOOL, *command, option, "out", "-q",
                                "--cores", 1)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual((self.folder / "out").read_bytes(),
                                 (self.folder / "alone").read_bytes())

    def test_the_same_answers(self):
        chance = random.Random(2)
        words = [str(chance.randint(0, 400)) for _ in range(20_000)]
        self.write("text", "".join(f"{a} {b}\n" for a, b in zip(words[::2], words[1::2])))
        self.assert_same("-o", "wordcount", "text")
        self.assert_same("-o", "sort", "text", "--column", 2)
        self.assert_same("-o", "sort", "text")
        # Of files that all processes have mapped only places travel, of others the bytes.
        (self.folder / "packed.gz").write_bytes(gzip.compress((self.folder / "text").read_bytes()))
        self.write("other", "".join(f"{word}\n\n" for word in words))
        self.assert_same("-o", "sort", "text", "packed.gz", "other", "--reverse")
        (self.folder / "records").write_bytes(chance.randbytes(100 * 5000))
        self.assert_same("-o", "sort", "--records", "records")
        self.assert_same("--labels", "kmeans", "text", "-k", 5)

    def test_the_line_that_is_bad(self):
        self.write("text", "1 2\n" * 5000 + "3 x\n" + "4 5\n" * 5000)
        for library in LIBRARIES:
            result = launch(self.folder, library, 2, TOOL, "sort", "text", "--column", 2, "-o",
                            "out", "--cores", 1)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("grappa: text:5001: expected a number, found 'x'", result.stderr)
            self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
