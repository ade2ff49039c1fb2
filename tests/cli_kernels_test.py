"""Kernels on generated and made-up graphs, compared with NetworkX and SciPy, for 1, 2 and 8
simulated locales."""

import collections
import math
import random
import unittest

from cli_tool import ToolTest, skip_all

try:
    import numpy
    from cli_reference import Reference, read_edges, read_weights
except ImportError as error:
    skip_all(f"python3-networkx or python3-scipy is not here ({error})")

LOCALES = (1, 2, 8)
# With what computes the kernels that there are as vertex programs, too.
ENGINES = [(1, "direct"), (2, "direct"), (8, "direct"),
           (1, "async"), (1, "sync"), (2, "sync"), (2, "async")]
CLOSE = 1e-9  # relative


def awkward_graph():
    """Directed, with gaps between the ids, self-loops, equal edges, vertices without out-edges,
    several components, and ids above 32 bits."""
    draw = random.Random(5)
    edges = [(draw.randrange(300) * 3 + 1, draw.randrange(300) * 3 + 1) for _ in range(700)]
    edges += [(7, 7), (7, 7), (5000, 5001), (5001, 5000), (5001, 5000), (2**40, 2**40 + 9)]
    edges += [(1, 6000 + i) for i in range(40)]
    return edges


class Kernels(ToolTest):
    def check_bfs(self, reference, source, *arguments):
        expected = reference.bfs(source)
        reached = reference.networkx_bfs(source)
        self.assertEqual({v for v, depth in expected.items() if depth < math.inf}, set(reached))
        for locales, engine in ENGINES:
            with self.subTest(locales=locales, engine=engine):
                values = self.values_of("bfs", *arguments, "--source", source, "--verify",
                                        "--locales", locales, "--engine", engine)
                self.assertEqual({v: float(depth) for v, depth in values.items()},
                                 {str(v): depth for v, depth in expected.items()})

    def check_sssp(self, reference, source, *arguments):
        reached = reference.distances(source)
        expected = {str(v): reached.get(v, math.inf) for v in reference.names}
        for locales, engine in ENGINES:
            with self.subTest(locales=locales, engine=engine):
                values = self.values_of("sssp", *arguments, "--source", source, "--verify",
                                        "--locales", locales, "--engine", engine)
                self.assertEqual({v: float(distance) for v, distance in values.items()}, expected)

    def check_components(self, reference, *arguments):
        expected = {str(v): str(label) for v, label in reference.components().items()}
        for locales, engine in ENGINES:
            with self.subTest(locales=locales, engine=engine):
                values = self.values_of("cc", *arguments, "--verify", "--locales", locales,
                                        "--engine", engine)
                self.assertEqual(values, expected)

    def assert_ranks(self, values, expected, tolerance):
        self.assertEqual(list(values), [str(v) for v in expected])
        self.assertAlmostEqual(math.fsum(map(float, values.values())), 1.0, places=12)
        for v, rank in expected.items():
            self.assertTrue(math.isclose(float(values[str(v)]), rank, rel_tol=tolerance),
                            f"vertex {v}: {values[str(v)]}, not {rank}")

    def check_pagerank(self, reference, *arguments):
        exact = reference.pagerank(20)
        converged = reference.networkx_pagerank()
        for locales in LOCALES:
            with self.subTest(locales=locales):
                values = self.values_of("pagerank", *arguments, "--iterations", 20,
                                        "--tolerance", 0, "--verify", "--locales", locales)
                self.assert_ranks(values, exact, CLOSE)
                values = self.values_of("pagerank", *arguments, "--iterations", 1000,
                                        "--tolerance", 1e-12, "--locales", locales)
                self.assert_ranks(values, converged, 1e-7)
        for locales, engine in ENGINES[3:]:
            with self.subTest(locales=locales, engine=engine):
                values = self.values_of("pagerank", *arguments, "--iterations", 1000,
                                        "--tolerance", 1e-10, "--locales", locales,
                                        "--engine", engine, "--verify")
                self.assert_ranks(values, converged, 1e-5)

    def check_triangles(self, reference, *arguments):
        expected = reference.triangles()
        self.assertEqual(expected, reference.networkx_triangles())
        total = sum(expected.values()) // 3
        transitivity, average = reference.networkx_clustering()
        for locales in LOCALES:
            with self.subTest(locales=locales):
                options = (*arguments, "--verify", "--locales", locales)
                self.assertEqual(self.values_of("triangles", *options),
                                 {str(v): str(count) for v, count in expected.items()})
                result = self.json_of("triangles", *options)["result"]
                self.assertEqual(result["triangles"], total)
                self.assertAlmostEqual(result["global_clustering"], transitivity, places=12)
                self.assertAlmostEqual(result["average_clustering"], average, places=12)
                result = self.json_of("triangles", *options, "--total")["result"]
                self.assertEqual(result["triangles"], total)
                self.assertAlmostEqual(result["global_clustering"], transitivity, places=12)

    def check_lcc(self, reference, *arguments):
        expected = reference.lcc()
        for locales in LOCALES:
            with self.subTest(locales=locales):
                values = self.values_of("lcc", *arguments, "--verify", "--locales", locales)
                self.assertEqual(list(values), [str(v) for v in expected])
                for v, coefficient in expected.items():
                    self.assertTrue(math.isclose(float(values[str(v)]), coefficient,
                                                 rel_tol=CLOSE), v)

    def assert_scores(self, values, expected):
        self.assertEqual(list(values), [str(v) for v in expected])
        for v, score in expected.items():
            self.assertTrue(math.isclose(float(values[str(v)]), score, rel_tol=CLOSE),
                            f"vertex {v}: {values[str(v)]}, not {score}")

    def check_betweenness(self, reference, source, *arguments):
        few = [source] + [v for v in reference.names[::50] if v != source]
        some = reference.betweenness(few)
        exact = reference.betweenness(reference.names)
        for locales in LOCALES:
            with self.subTest(locales=locales):
                self.assert_scores(self.values_of("bc", *arguments, "--sources",
                                                  ",".join(map(str, few)), "--verify",
                                                  "--locales", locales), some)
        for locales in LOCALES[:2]:  # a search from every vertex
            with self.subTest(locales=locales, exact=True):
                self.assert_scores(self.values_of("bc", *arguments, "--exact",
                                                  "--locales", locales), exact)

    def check_cdlp(self, reference, *arguments):
        for iterations in (1, 10):
            expected = {str(v): str(label) for v, label in reference.cdlp(iterations).items()}
            for locales in LOCALES:
                with self.subTest(locales=locales, iterations=iterations):
                    self.assertEqual(self.values_of("cdlp", *arguments, "--iterations", iterations,
                                                    "--verify", "--locales", locales), expected)

    def check_independent_set(self, reference, *arguments):
        """The same set everywhere, in which no two are neighbours and to which none can be added."""
        sets = [self.values_of("mis", *arguments, "--verify", "--locales", locales)
                for locales in LOCALES]
        self.assertEqual(sets, [sets[0]] * len(LOCALES))
        self.assertEqual(list(sets[0]), [str(v) for v in reference.names])
        around = {v: set() for v in sets[0]}
        for u, v in reference.edges:
            if u != v:
                around[str(u)].add(str(v))
                around[str(v)].add(str(u))
        for v, value in sets[0].items():
            members = [w for w in around[v] if sets[0][w] == "1"]
            self.assertEqual(value, "0" if members else "1", f"vertex {v} beside {members}")

    def check_coloring(self, reference, *arguments):
        """The same colours everywhere, and no vertex has one of its neighbours'."""
        colors = [self.values_of("coloring", *arguments, "--verify", "--locales", locales)
                  for locales in LOCALES]
        self.assertEqual(colors, [colors[0]] * len(LOCALES))
        self.assertEqual(list(colors[0]), [str(v) for v in reference.names])
        for u, v in reference.edges:
            if u != v:
                self.assertNotEqual(colors[0][str(u)], colors[0][str(v)], f"edge {u} {v}")

    def check_core_numbers(self, reference, *arguments):
        expected = reference.core_numbers()
        self.assertEqual(expected, reference.networkx_core_numbers())
        greatest = max(expected.values())
        for locales in LOCALES:
            with self.subTest(locales=locales):
                options = (*arguments, "--verify", "--locales", locales)
                self.assertEqual(self.values_of("kcore", *options),
                                 {str(v): str(k) for v, k in expected.items()})
                result = self.json_of("kcore", *options, "--top", 3)["result"]
                self.assertEqual(result["degeneracy"], greatest)
                self.assertEqual(result["innermost"], list(expected.values()).count(greatest))
                cores = sorted(set(expected.values()), reverse=True)[:3]
                self.assertEqual(
                    [(core["core"], core["vertices"], core["vertices_in_core"])
                     for core in result["cores"]],
                    [(k, list(expected.values()).count(k),
                      sum(c >= k for c in expected.values())) for k in cores])

    def check_spanning_forest(self, reference, *arguments):
        expected = reference.spanning_forest()
        weight = math.fsum(weight for _, _, weight in expected)
        for locales in LOCALES:
            with self.subTest(locales=locales):
                options = (*arguments, "--verify", "--locales", locales)
                lines = self.succeed("msf", *options, "-o", "-").splitlines()
                found = [line.split("\t") for line in lines]
                self.assertEqual([(u, v, float(w)) for u, v, w in found],
                                 [(str(u), str(v), float(w)) for u, v, w in expected])
                result = self.json_of("msf", *options)["result"]
                self.assertEqual(result["edges"], len(expected))
                self.assertEqual(result["trees"], len(reference.names) - len(expected))
                self.assertTrue(math.isclose(result["weight"], weight, rel_tol=CLOSE))

    def assert_degree_statistics(self, found, degrees):
        """`found` is what follows from the degrees, most of it by NumPy."""
        degrees = numpy.sort(degrees)
        n = len(degrees)
        self.assertEqual((found["min"], found["max"]), (degrees[0], degrees[-1]))
        self.assertEqual(found["median"], numpy.median(degrees))
        for percent in (90, 99):
            self.assertEqual(found[f"p{percent}"],
                             numpy.percentile(degrees, percent, method="inverted_cdf"))
        top = degrees[-math.ceil(n / 100):].sum()
        differences = numpy.abs(degrees[:, None] - degrees[None, :]).sum()
        for name, expected in (("mean", degrees.mean()), ("standard_deviation", degrees.std()),
                               ("gini", differences / (2 * n * max(1, degrees.sum()))),
                               ("top_percent_share", top / max(1, degrees.sum()))):
            self.assertTrue(math.isclose(found[name], expected, rel_tol=CLOSE, abs_tol=1e-12),
                            f"{name}: {found[name]}, not {expected}")
        values, counts = numpy.unique(degrees, return_counts=True)
        self.assertEqual(found["distribution"], [list(pair) for pair in zip(values, counts)])
        self.assertEqual(
            {(one["from"], one["to"]): one["vertices"] for one in found["histogram"]},
            dict(collections.Counter((2**(int(d).bit_length() - 1), 2**int(d).bit_length() - 1)
                                     if d > 0 else (0, 0) for d in degrees)))

    def check_degrees(self, reference, *arguments):
        out, into = reference.degrees()
        for locales in LOCALES:
            with self.subTest(locales=locales):
                options = (*arguments, "--verify", "--locales", locales)
                lines = self.succeed("degrees", *options, "-o", "-").splitlines()
                result = self.json_of("degrees", *options, "--top", 1)["result"]
                self.assertEqual(result["isolated"],
                                 sum(out[v] == 0 and into[v] == 0 for v in out))
                first = min(out, key=lambda v: (-out[v], v))
                if reference.directed:
                    self.assertEqual(lines, [f"{v}\t{out[v]}\t{into[v]}" for v in out])
                    self.assert_degree_statistics(result["out_degree"], list(out.values()))
                    self.assert_degree_statistics(result["in_degree"], list(into.values()))
                    self.assertEqual(result["top"], [{"vertex": first, "out_degree": out[first],
                                                      "in_degree": into[first]}])
                else:
                    self.assertEqual(lines, [f"{v}\t{out[v]}" for v in out])
                    self.assert_degree_statistics(result["degree"], list(out.values()))
                    self.assertEqual(result["top"], [{"vertex": first, "degree": out[first]}])

    def check_all(self, reference, source, *arguments):
        self.check_bfs(reference, source, *arguments)
        self.check_sssp(reference, source, *arguments)
        self.check_components(reference, *arguments)
        self.check_pagerank(reference, *arguments)
        self.check_triangles(reference, *arguments)
        self.check_lcc(reference, *arguments)
        self.check_betweenness(reference, source, *arguments)
        self.check_cdlp(reference, *arguments)
        self.check_independent_set(reference, *arguments)
        self.check_coloring(reference, *arguments)
        self.check_core_numbers(reference, *arguments)
        self.check_spanning_forest(reference, *arguments)
        self.check_degrees(reference, *arguments)

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
            self.assertEqual(float(values["7"]), 0.5)  # of its two neighbours one leads to the other
            self.assertTrue(math.isclose(float(values[str(leaves)]), 1 / (leaves * (leaves - 1)),
                                         rel_tol=CLOSE))

    def test_order_of_the_vertices_changes_no_answer(self):
        self.write("g.txt", "".join(f"{u} {v}\n" for u, v in awkward_graph()))
        unique = [("bfs", "--source", 7), ("sssp",), ("cc",), ("cc", "--engine", "sync"), ("cdlp",),
                  ("triangles",), ("lcc",), ("kcore",), ("degrees",)]
        close = [("pagerank",), ("bc",), ("bc", "--sources", "7,5000,5001")]
        several = [("mis",), ("coloring",), ("msf",)]
        for kernel in unique + close + several:
            given = self.succeed(*kernel, "g.txt", "-o", "-")
            for order in ("degree", "random"):
                for locales in (1, 3):
                    with self.subTest(kernel=kernel, order=order, locales=locales):
                        values = self.succeed(*kernel, "g.txt", "-o", "-", "--verify",
                                              "--order", order, "--locales", locales)
                        lines = [line.split("\t") for line in values.splitlines()]
                        expected = [line.split("\t") for line in given.splitlines()]
                        if kernel in unique:
                            self.assertEqual(lines, expected)
                        elif kernel in close:
                            self.assertEqual([v for v, _ in lines], [v for v, _ in expected])
                            for (v, value), (_, right) in zip(lines, expected):
                                self.assertTrue(math.isclose(float(value), float(right),
                                                             rel_tol=CLOSE, abs_tol=1e-12), v)
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
