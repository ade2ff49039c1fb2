"""Kernels on generated and made-up graphs, compared with NetworkX and SciPy, for 1, 2 and 8
simulated locales."""

import math
import random
import unittest

from cli_tool import kernels, skip_all

try:
    from cli_kernel_checks import CLOSE, LOCALES, KernelChecks
    from cli_reference import Reference, read_edges, read_weights
except ImportError as error:
    skip_all(f"python3-networkx or python3-scipy is not here ({error})")


def awkward_graph():
    """Directed, with gaps between the ids, self-loops, equal edges, vertices without out-edges,
    several components, and ids above 32 bits."""
    draw = random.Random(5)
    edges = [(draw.randrange(300) * 3 + 1, draw.randrange(300) * 3 + 1) for _ in range(700)]
    edges += [(7, 7), (7, 7), (5000, 5001), (5001, 5000), (5001, 5000), (2**40, 2**40 + 9)]
    edges += [(1, 6000 + i) for i in range(40)]
    return edges


class Kernels(KernelChecks):
    def generated(self, spec):
        """The same graph for the reference, through a file."""
        self.succeed("generate", spec, "g.wel")
        self.succeed("convert", spec, "g.mtx")  # which says how many vertices there are
        sizes = [line for line in (self.folder / "g.mtx").read_text().splitlines()
                 if not line.startswith("%")][0]
        return Reference(read_edges(self.folder / "g.wel"), directed=False,
                         vertices=range(int(sizes.split()[0])),
                         weights=read_weights(self.folder / "g.wel"))

    def test_kronecker(self):
        reference = self.generated("kron:9")
        self.check_all(reference, reference.edges[0][0], "kron:9")

    def test_uniform(self):
        self.check_all(self.generated("urand:8:3"), 17, "urand:8:3")

    def test_grid(self):
        self.check_all(self.generated("grid:13x29"), 100, "grid:13x29")

    def test_directed_with_everything_awkward(self):
        edges = awkward_graph()
        self.write("g.txt", "".join(f"{u} {v}\n" for u, v in edges))
        self.check_all(Reference(edges, directed=True), 1, "g.txt")

    def test_weights_of_every_kind(self):
        edges = awkward_graph()
        draw = random.Random(7)
        for name, draw_weight in (("bytes", lambda: draw.randrange(256)),
                                  ("words", lambda: draw.randrange(2**32)),
                                  ("reals", lambda: draw.random() * 100)):
            weights = [draw_weight() for _ in edges]
            self.write("g.txt", "".join(f"{u} {v} {w!r}\n"
                                        for (u, v), w in zip(edges, weights)))
            for directed in (True, False):
                with self.subTest(weights=name, directed=directed):
                    reference = Reference(edges, directed, weights=weights)
                    arguments = ("g.txt", "--directed" if directed else "--undirected")
                    self.check_sssp(reference, 1, *arguments)
                    self.check_spanning_forest(reference, *arguments)

    def test_a_spanning_forest_is_a_graph(self):
        self.succeed("msf", "kron:8", "-o", "forest.tsv")
        forest = self.json_of("msf", "kron:8")["result"]
        again = self.json_of("msf", "forest.tsv", "--verify")["result"]
        self.assertEqual(again["weight"], forest["weight"])
        self.assertEqual(again["edges"], forest["edges"])

    def test_a_spanning_forest_of_negative_weights(self):
        self.write("g.txt", "1 2 -5\n2 3 0.5\n1 3 -1\n4 4 -7\n")
        self.assertEqual(self.succeed("msf", "g.txt", "--verify", "-o", "-"),
                         "1\t2\t-5\n1\t3\t-1\n")

    def test_shortest_paths_say_what_weights_there_are(self):
        self.write("g.txt", "1 2 5\n2 3 0.5\n")
        self.assertIn("0.5 to 5", self.succeed("sssp", "g.txt", "--source", 1))
        self.assertEqual(self.json_of("sssp", "g.txt", "--source", 1)["result"]["farthest"], 5.5)
        self.write("h.txt", "1 2\n")
        self.assertIn("every edge weighs 1", self.succeed("sssp", "h.txt"))
        self.write("n.txt", "1 2 -5\n")
        self.assertIn("-5", self.refuse("sssp", "n.txt"))

    def test_taken_as_undirected(self):
        edges = awkward_graph()
        self.write("g.txt", "".join(f"{u} {v}\n" for u, v in edges))
        self.check_all(Reference(edges, directed=False), 1, "g.txt", "--undirected")

    def test_taken_as_directed(self):
        reference = self.generated("grid:4x5")
        both = reference.edges + [(v, u) for u, v in reference.edges]
        self.check_all(Reference(both, directed=True, weights=2 * reference.weights), 3,
                       "grid:4x5", "--directed")

    def test_damping(self):
        edges = awkward_graph()
        self.write("g.txt", "".join(f"{u} {v}\n" for u, v in edges))
        for damping in (0, 0.5, 1):
            values = self.values_of("pagerank", "g.txt", "--iterations", 7, "--tolerance", 0,
                                    "--damping", damping)
            self.assert_ranks(values, Reference(edges, True).pagerank(7, damping), CLOSE)

    def test_a_star_with_a_triangle(self):
        leaves = 100_000
        self.write("g.txt", "7 9\n" + "".join(f"{leaves} {leaf}\n" for leaf in range(leaves)))
        for locales in LOCALES:
            values = self.values_of("triangles", "g.txt", "--verify", "--locales", locales)
            self.assertEqual({v for v, count in values.items() if count == "1"},
                             {"7", "9", str(leaves)})
            self.assertEqual(set(values.values()), {"0", "1"})
            values = self.values_of("lcc", "g.txt", "--verify", "--locales", locales)
            self.assertEqual(float(values["7"]), 0.5)  # of its two neighbors one leads to the other
            self.assertTrue(math.isclose(float(values[str(leaves)]), 1 / (leaves * (leaves - 1)),
                                         rel_tol=CLOSE))

    def test_order_of_the_vertices_changes_no_answer(self):
        self.write("g.txt", "".join(f"{u} {v}\n" for u, v in awkward_graph()))
        several = ("mis", "coloring", "msf")  # right answers
        for kernel in [(kernel,) for kernel in kernels()] + [
                ("bfs", "--source", 7), ("cc", "--engine", "sync"),
                ("bc", "--sources", "7,5000,5001")]:
            given = self.succeed(*kernel, "g.txt", "-o", "-")
            for order in ("degree", "random", "striped"):
                for locales in (1, 3):
                    with self.subTest(kernel=kernel, order=order, locales=locales):
                        values = self.succeed(*kernel, "g.txt", "-o", "-", "--verify",
                                              "--order", order, "--locales", locales)
                        if kernel[0] not in several:
                            self.assert_same_values(values, given)
        # What is said of single vertices, too; here all have the same degree.
        for kernel in ("bfs", "sssp", "degrees", "cc", "cdlp", "kcore"):
            results = [self.json_of(kernel, "grid:1x300", "--order", order)["result"]
                       for order in ("given", "degree", "random")]
            for result in results:
                result.pop("mteps", None)
            self.assertEqual(results[1], results[0])
            self.assertEqual(results[2], results[0])
        self.assertIn("--order", self.refuse("bfs", "g.txt", "--order", "size"))

    def test_splitting_hubs_changes_no_answer(self):
        self.write("g.txt", "".join(f"{u} {v}\n" for u, v in awkward_graph()))
        for kernel in (("bfs", "--source", 7), ("bfs", "--engine", "async"), ("sssp",),
                       ("sssp", "--engine", "sync"), ("sssp", "--engine", "async"),
                       ("cc", "--engine", "sync"), ("cc", "--engine", "async"), ("kcore",)):
            given = self.succeed(*kernel, "g.txt", "-o", "-")
            for degree in (1, 5):
                for locales in (1, 3):
                    with self.subTest(kernel=kernel, degree=degree, locales=locales):
                        self.assertEqual(
                            self.succeed(*kernel, "g.txt", "-o", "-", "--verify", "--locales",
                                         locales, "--split-hubs", degree), given)
        for locales, is_split in ((1, False), (3, True)):
            facts = self.json_of("bfs", "g.txt", "--split-hubs", 5, "--locales", locales)
            self.assertEqual(facts["split_hubs"] > 0, is_split)
        self.assertIn("--split-hubs", self.refuse("bfs", "g.txt", "--split-hubs", "-1"))

    def test_total_has_no_values(self):
        self.write("g.txt", "1 2\n")
        self.assertIn("--total", self.refuse("triangles", "g.txt", "--total", "-o", "t.tsv"))

    def test_samples_of_betweenness(self):
        reference = self.generated("kron:9")
        exact = self.json_of("bc", "kron:9", "--exact")["result"]
        isolated = len(reference.names) - len({v for edge in reference.edges for v in edge})
        self.assertGreater(isolated, 0)
        self.assertEqual(exact["sources"], len(reference.names) - isolated)
        self.assertEqual(self.json_of("bc", "kron:9", "--samples", 512)["result"]["top"],
                         exact["top"])
        self.assertEqual(self.json_of("bc", "kron:9")["result"]["sources"], 16)
        # The summary names the samples, and --sources takes them.
        summary = self.succeed("bc", "kron:9", "--samples", 5, "--sample-seed", 8)
        line = [line for line in summary.splitlines() if line.startswith("Sources:")][0]
        names = line.split("samples: ")[1].split(" (")[0].replace(", ", ",")
        self.assertEqual(self.values_of("bc", "kron:9", "--sources", names),
                         self.values_of("bc", "kron:9", "--samples", 5, "--sample-seed", 8,
                                        "--locales", 2))
        self.assertNotEqual(self.values_of("bc", "kron:9", "--samples", 5),
                            self.values_of("bc", "kron:9", "--sources", names))

    def test_sources_of_betweenness_that_make_no_sense(self):
        self.assertIn("no such vertex", self.refuse("bc", "grid:3x3", "--sources", "1,9"))
        self.assertIn("1 is given twice", self.refuse("bc", "grid:3x3", "--sources", "1,2,1"))
        self.assertIn("--exact", self.refuse("bc", "grid:3x3", "--sources", "1", "--exact"))

    def test_one_vertex(self):
        self.write("g.txt", "4 4\n")
        self.check_all(Reference([(4, 4)], directed=True), 4, "g.txt")

    def test_no_edges(self):
        self.write("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")
        self.assertEqual(self.values_of("cc", "g.mtx"), {"1": "1", "2": "2", "3": "3"})
        self.assertEqual(self.values_of("bfs", "g.mtx", "--source", 2),
                         {"1": "inf", "2": "0", "3": "inf"})
        ranks = self.values_of("pagerank", "g.mtx")
        self.assertTrue(all(math.isclose(float(r), 1 / 3) for r in ranks.values()))

    def test_string_names(self):
        edges = [("bob", "alice"), ("alice", "carol"), ("dave", "erin"), ("carol", "bob")]
        self.write("g.csv", "from,to\n" + "".join(f"{u},{v}\n" for u, v in edges))
        self.check_all(Reference(edges, directed=True), "bob", "g.csv")


if __name__ == "__main__":
    unittest.main()
