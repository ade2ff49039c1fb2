"""Kernels on real graphs, compared with NetworkX and SciPy, for 1, 2 and 8 simulated locales. The
graphs lie beside the repository, in ../shared/graphs; where they do not, the test is skipped."""

import math
import unittest

from cli_tool import REAL_GRAPHS, skip_all

try:
    from cli_kernel_checks import CLOSE, DIRECT, LOCALES, KernelChecks
    from cli_reference import Reference, read_edges, read_metis
except ImportError as error:
    skip_all(f"python3-networkx or python3-scipy is not here ({error})")


class RealGraphs(KernelChecks):
    def check(self, path, reference, source):
        self.check_bfs(reference, source, path)
        self.check_components(reference, path)
        self.check_core_numbers(reference, path)
        self.check_degrees(reference, path)
        ranks = reference.pagerank(20)
        triangles = {str(v): str(count) for v, count in reference.triangles().items()}
        for locales in LOCALES:
            with self.subTest(locales=locales):
                values = self.values_of("pagerank", path, "--iterations", 20, "--tolerance", 0,
                                        "--verify", "--locales", locales)
                self.assertEqual(list(values), [str(v) for v in ranks])
                for v, rank in ranks.items():
                    self.assertTrue(math.isclose(float(values[str(v)]), rank, rel_tol=CLOSE), v)
                self.assertEqual(self.values_of("triangles", path, "--verify", "--locales",
                                                locales), triangles)

    def check_what_takes_the_reference_long(self, path, reference, source):
        few = {source, *reference.names[::len(reference.names) // 3]}
        self.check_lcc(reference, path)
        self.check_betweenness(reference, sorted(few), path)
        self.check_cdlp(reference, path)
        self.check_independent_set(reference, path)
        self.check_coloring(reference, path)
        weights = [(7 * u + 13 * v) % 251 + 1 for u, v in reference.edges]
        self.write("weighted.txt", "".join(f"{u} {v} {w}\n" for (u, v), w in
                                           zip(reference.edges, weights)))
        weighted = Reference(reference.edges, reference.directed, weights=weights)
        arguments = ("weighted.txt", "--directed" if reference.directed else "--undirected")
        self.check_sssp(weighted, source, *arguments)
        self.check_spanning_forest(weighted, *arguments)

    def path_of(self, name):
        path = REAL_GRAPHS / name
        if not path.exists():
            self.skipTest(f"{path} is not here")
        return path

    def test_wiki_vote(self):
        path = self.path_of("wiki-Vote.txt.gz")
        reference = Reference(read_edges(path), directed=True)
        self.check(path, reference, 30)
        self.check_what_takes_the_reference_long(path, reference, 30)

    def test_email_enron(self):
        path = self.path_of("email-Enron.txt.gz")
        self.check(path, Reference(read_edges(path), directed=False), 0)  # the file says so

    def test_slashdot(self):
        self.engines = DIRECT  # a second a command, and the vertex programs had the other graphs
        path = self.path_of("soc-Slashdot0902.txt.gz")
        self.check(path, Reference(read_edges(path), directed=True), 2494)

    def test_pgp(self):
        path = self.path_of("PGPgiantcompo.graph.gz")
        edges, vertices = read_metis(path)
        reference = Reference(edges, directed=False, vertices=vertices)
        self.check(path, reference, 1)
        self.check_what_takes_the_reference_long(path, reference, 1)


if __name__ == "__main__":
    if not REAL_GRAPHS.is_dir():
        skip_all(f"the graphs are not here ({REAL_GRAPHS})")
    unittest.main()
