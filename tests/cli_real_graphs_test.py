"""Kernels on real graphs, compared with SciPy, for 1, 2 and 8 simulated locales. The graphs lie
beside the repository, in ../shared/graphs; where they do not, the test is skipped."""

import math
import unittest

from cli_tool import REAL_GRAPHS, ToolTest, skip_all

try:
    from cli_reference import Reference, read_edges, read_metis
except ImportError as error:
    skip_all(f"python3-networkx or python3-scipy is not here ({error})")

LOCALES = (1, 2, 8)


class RealGraphs(ToolTest):
    def check(self, name, reference, source):
        path = REAL_GRAPHS / name
        depths = {str(v): depth for v, depth in reference.bfs(source).items()}
        components = {str(v): str(label) for v, label in reference.components().items()}
        ranks = reference.pagerank(20)
        triangles = {str(v): str(count) for v, count in reference.triangles().items()}
        lcc = reference.lcc()
        cores = {str(v): str(k) for v, k in reference.core_numbers().items()}
        for locales in LOCALES:
            with self.subTest(graph=name, locales=locales):
                values = self.values_of("bfs", path, "--source", source, "--verify", "--locales",
                                        locales)
                self.assertEqual({v: float(depth) for v, depth in values.items()}, depths)
                self.assertEqual(self.values_of("cc", path, "--verify", "--locales", locales),
                                 components)
                values = self.values_of("pagerank", path, "--iterations", 20, "--tolerance", 0,
                                        "--verify", "--locales", locales)
                self.assertEqual(list(values), [str(v) for v in ranks])
                for v, rank in ranks.items():
                    self.assertTrue(math.isclose(float(values[str(v)]), rank, rel_tol=1e-9), v)
                self.assertEqual(self.values_of("triangles", path, "--verify", "--locales",
                                                locales), triangles)
                self.assertEqual(self.values_of("kcore", path, "--verify", "--locales", locales),
                                 cores)
                values = self.values_of("lcc", path, "--verify", "--locales", locales)
                self.assertEqual(list(values), [str(v) for v in lcc])
                for v, coefficient in lcc.items():
                    self.assertTrue(math.isclose(float(values[str(v)]), coefficient,
                                                 rel_tol=1e-9), v)

    def text_graph(self, name, source, directed):
        path = REAL_GRAPHS / name
        if not path.exists():
            self.skipTest(f"{path} is not here")
        self.check(name, Reference(read_edges(path), directed), source)

    def test_wiki_vote(self):
        self.text_graph("wiki-Vote.txt.gz", 30, directed=True)

    def test_email_enron(self):
        self.text_graph("email-Enron.txt.gz", 0, directed=False)  # the file says so

    def test_slashdot(self):
        self.text_graph("soc-Slashdot0902.txt.gz", 2494, directed=True)

    def test_pgp(self):
        path = REAL_GRAPHS / "PGPgiantcompo.graph.gz"
        if not path.exists():
            self.skipTest(f"{path} is not here")
        edges, vertices = read_metis(path)
        self.check(path.name, Reference(edges, directed=False, vertices=vertices), 1)


if __name__ == "__main__":
    if not REAL_GRAPHS.is_dir():
        skip_all(f"the graphs are not here ({REAL_GRAPHS})")
    unittest.main()
