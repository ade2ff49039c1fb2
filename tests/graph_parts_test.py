"""Graphs that all locales load together: the answers and the refusals are those of one locale, for
every format, on simulated locales."""

import sys
import unittest

from cli_tool import LOCALES
from graph_files import GraphFiles, sparse_edges


class Parts(GraphFiles):
    def kernels(self, graph):
        yield ("cc", graph)
        yield ("pagerank", graph, "--iterations", 5, "--tolerance", 0)

    def test_the_same_answers_on_simulated_locales(self):
        for graph in self.write_all_formats():
            for kernel in self.kernels(graph):
                alone = self.succeed(*kernel, "-o", "-")
                for locales in LOCALES[1:]:
                    with self.subTest(kernel=kernel, locales=locales):
                        self.assertEqual(
                            self.succeed(*kernel, "-o", "-", "--locales", locales), alone)

    def test_standard_input_is_shared_out(self):
        lines = "".join(f"{u} {v}\n" for u, v in sparse_edges())
        alone = self.succeed("cc", "-", "-o", "out", input=lines)
        expected = (self.folder / "out").read_text(encoding="utf-8")
        for locales in LOCALES[1:]:
            self.succeed("cc", "-", "-o", "out", "--locales", locales, input=lines)
            self.assertEqual((self.folder / "out").read_text(encoding="utf-8"), expected)
        self.assertIn("Vertices:", alone)

    def test_info_adds_up_the_parts(self):
        graphs = self.write_all_formats()
        for graph in ("weights.wel", "made.wsg", "strings.tsv"):
            self.assertIn(graph, graphs)
            alone = self.json_of("info", graph)
            for locales in LOCALES[1:]:
                found = self.json_of("info", graph, "--locales", locales)
                self.assertEqual(found["result"], alone["result"])
                self.assertEqual(found["graph"], alone["graph"])

    def test_the_same_refusals_on_simulated_locales(self):
        for graph in self.bad_files():
            alone = self.refuse("cc", graph)
            for locales in LOCALES[1:]:
                with self.subTest(graph=graph, locales=locales):
                    self.assertEqual(self.refuse("cc", graph, "--locales", locales), alone)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
