"""Graphs that the processes of a job load together: the answers and the refusals are those of one
process, for every format, under the launchers of Open MPI and MPICH."""

import sys
import unittest

from cli_tool import TOOL, skip_all
from graph_files import GraphFiles
from mpi_launch import LIBRARIES, RANK_VARIABLES, launch

if not LIBRARIES:
    skip_all("neither Open MPI nor MPICH is here with its plug-in")


class Parts(GraphFiles):
    def test_the_same_answers(self):
        for number, graph in enumerate(self.write_all_formats()):
            alone = self.succeed("cc", graph, "-o", "-")
            library = LIBRARIES[number % len(LIBRARIES)]
            ranks = 2 + number // 2 % 2
            with self.subTest(graph=graph, library=library, ranks=ranks):
                result = launch(self.folder, library, ranks, TOOL, "cc", graph, "-q", "-o", "out",
                                "--cores", 1)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual((self.folder / "out").read_text(encoding="utf-8"), alone)

    def test_the_same_refusals(self):
        # Starting a job takes a second, and simulated locales go through all of them.
        for number, graph in enumerate(list(self.bad_files())[::3]):
            library = LIBRARIES[number % len(LIBRARIES)]
            with self.subTest(graph=graph, library=library):
                result = launch(self.folder, library, 3, TOOL, "cc", graph, "--cores", 1)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(self.refuse("cc", graph), result.stderr.splitlines())

    def refused_with_another_file(self, library, prepare):
        """What is said where locale 1 works in another folder, which `prepare` has filled."""
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        prepare(elsewhere)
        script = (f'[ "${RANK_VARIABLES[library]}" = 1 ] && cd elsewhere; '
                  f'exec "{TOOL}" cc graph.txt --cores 1')
        result = launch(self.folder, library, 3, "sh", "-c", script)
        self.assertEqual(result.returncode, 2, result.stderr)
        said = [line for line in result.stderr.splitlines() if line.startswith("grappa: ")]
        self.assertEqual(len(said), 1, result.stderr)
        return said[0]

    def test_a_file_that_a_locale_has_not_or_has_otherwise(self):
        self.write("graph.txt", "1 2\n2 3\n3 4\n")
        for library in LIBRARIES:
            said = self.refused_with_another_file(library, lambda folder: None)
            self.assertIn("graph.txt: locale 1 (host ", said)
            self.assertIn("No such file", said)
            said = self.refused_with_another_file(
                library, lambda folder: (folder / "graph.txt").write_text("1 2\n"))
            self.assertIn("12 bytes at locale 0, but 4 at locale 1", said)
            said = self.refused_with_another_file(
                library, lambda folder: (folder / "graph.txt").write_text("1 2\n2 3\n3 5\n"))
            self.assertIn("another file", said)
            (self.folder / "elsewhere" / "graph.txt").unlink()


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
