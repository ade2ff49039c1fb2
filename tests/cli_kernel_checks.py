"""What a kernel's command finds, compared with NetworkX and SciPy, for 1, 2 and 8 simulated locales."""

import collections
import math

import numpy
from cli_tool import LOCALES, ToolTest

# With what computes the kernels that there are as vertex programs, too.
DIRECT = [(locales, "direct") for locales in LOCALES]
ENGINES = [*DIRECT, (1, "async"), (1, "sync"), (2, "sync"), (2, "async")]
CLOSE = 1e-9  # relative


class KernelChecks(ToolTest):
    """Each takes a Reference and the arguments that name the same graph."""
    engines = ENGINES

    def check_bfs(self, reference, source, *arguments):
        expected = reference.bfs(source)
        reached = reference.networkx_bfs(source)
        self.assertEqual({v for v, depth in expected.items() if depth < math.inf}, set(reached))
        for locales, engine in self.engines:
            with self.subTest(locales=locales, engine=engine):
                values = self.values_of("bfs", *arguments, "--source", source, "--verify",
                                        "--locales", locales, "--engine", engine)
                self.assertEqual({v: float(depth) for v, depth in values.items()},
                                 {str(v): depth for v, depth in expected.items()})

    def check_sssp(self, reference, source, *arguments):
        reached = reference.distances(source)
        expected = {str(v): reached.get(v, math.inf) for v in reference.names}
        for locales, engine in self.engines:
            with self.subTest(locales=locales, engine=engine):
                values = self.values_of("sssp", *arguments, "--source", source, "--verify",
                                        "--locales", locales, "--engine", engine)
                self.assertEqual({v: float(distance) for v, distance in values.items()}, expected)

    def check_components(self, reference, *arguments):
        expected = {str(v): str(label) for v, label in reference.components().items()}
        for locales, engine in self.engines:
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

    def check_betweenness(self, reference, sources, *arguments):
        scores = reference.betweenness(sources)
        for locales in LOCALES:
            with self.subTest(locales=locales):
                self.assert_scores(self.values_of("bc", *arguments, "--sources",
                                                  ",".join(map(str, sources)), "--verify",
                                                  "--locales", locales), scores)

    def check_exact_betweenness(self, reference, *arguments):
        scores = reference.betweenness(reference.names)
        for locales in LOCALES[:2]:  # a search from every vertex
            with self.subTest(locales=locales, exact=True):
                self.assert_scores(self.values_of("bc", *arguments, "--exact",
                                                  "--locales", locales), scores)

    def check_cdlp(self, reference, *arguments):
        for iterations in (1, 10):
            expected = {str(v): str(label) for v, label in reference.cdlp(iterations).items()}
            for locales in LOCALES:
                with self.subTest(locales=locales, iterations=iterations):
                    self.assertEqual(self.values_of("cdlp", *arguments, "--iterations", iterations,
                                                    "--verify", "--locales", locales), expected)

    def check_independent_set(self, reference, *arguments):
        """The same set everywhere, in which no two are neighbors and to which none can be added."""
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
        """The same colors everywhere, and no vertex has one of its neighbors'."""
        colors = [self.values_of("coloring", *arguments, "--verify", "--locales", locales)
                  for locales in LOCALES]
        self.assertEqual(colors, [colors[0]] * len(LOCALES))
        self.assertEqual(list(colors[0]), [str(v) for v in reference.names])
        for u, v in reference.edges:
            if u != v:
                self.assertNotEqual(colors[0][str(u)], colors[0][str(v)], f"edge {u} {v}")

    def check_core_numbers(self, reference, *arguments):
        expected = reference.core_numbers()
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

    def check_trusses(self, reference, *arguments):
        truss, edges = reference.trusses()
        for locales in LOCALES:
            with self.subTest(locales=locales):
                options = (*arguments, "--verify", "--locales", locales)
                self.assertEqual(self.values_of("ktruss", *options),
                                 {str(v): str(k) for v, k in truss.items()})
                result = self.json_of("ktruss", *options, "--top", 1000)["result"]
                self.assertEqual((result["largest_k"], result["innermost"]),
                                 max(edges.items(), default=(0, 0)))
                for row in result["trusses"]:
                    k = row["truss"]
                    self.assertEqual(row["edges"], edges[k] - edges.get(k + 1, 0))
                    self.assertEqual(row["edges_in_truss"], edges[k])
                    self.assertEqual(row["vertices_in_truss"],
                                     sum(value >= k for value in truss.values()))
                self.assertEqual(sum(row["edges"] for row in result["trusses"]), edges.get(2, 0))

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
                               ("top_percent_fraction", top / max(1, degrees.sum()))):
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
        expected = ([f"{v}\t{out[v]}\t{into[v]}" for v in out] if reference.directed
                    else [f"{v}\t{out[v]}" for v in out])
        for locales in LOCALES:
            with self.subTest(locales=locales):
                lines = self.succeed("degrees", *arguments, "--verify", "--locales", locales,
                                     "-o", "-").splitlines()
                self.assertEqual(lines, expected)

    def check_degree_summary(self, reference, *arguments):
        """Takes memory that grows with the square of the vertices."""
        out, into = reference.degrees()
        for locales in LOCALES:
            with self.subTest(locales=locales):
                options = (*arguments, "--verify", "--locales", locales)
                result = self.json_of("degrees", *options, "--top", 1)["result"]
                self.assertEqual(result["isolated"],
                                 sum(out[v] == 0 and into[v] == 0 for v in out))
                first = min(out, key=lambda v: (-out[v], v))
                if reference.directed:
                    self.assert_degree_statistics(result["out_degree"], list(out.values()))
                    self.assert_degree_statistics(result["in_degree"], list(into.values()))
                    self.assertEqual(result["top"], [{"vertex": first, "out_degree": out[first],
                                                      "in_degree": into[first]}])
                else:
                    self.assert_degree_statistics(result["degree"], list(out.values()))
                    self.assertEqual(result["top"], [{"vertex": first, "degree": out[first]}])

    def check_all(self, reference, source, *arguments):
        self.check_bfs(reference, source, *arguments)
        self.check_sssp(reference, source, *arguments)
        self.check_components(reference, *arguments)
        self.check_pagerank(reference, *arguments)
        self.check_triangles(reference, *arguments)
        self.check_lcc(reference, *arguments)
        few = [source] + [v for v in reference.names[::50] if v != source]
        self.check_betweenness(reference, few, *arguments)
        self.check_exact_betweenness(reference, *arguments)
        self.check_cdlp(reference, *arguments)
        self.check_independent_set(reference, *arguments)
        self.check_coloring(reference, *arguments)
        # NetworkX takes half a minute for one of the real graphs.
        self.assertEqual(reference.core_numbers(), reference.networkx_core_numbers())
        self.check_core_numbers(reference, *arguments)
        self.check_trusses(reference, *arguments)
        self.check_spanning_forest(reference, *arguments)
        self.check_degrees(reference, *arguments)
        self.check_degree_summary(reference, *arguments)
