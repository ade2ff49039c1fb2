"""NetworkX's functions through the backend, beside NetworkX."""

import gc
import math
import random
import unittest

try:
    import networkx as nx
    from grappa import networkx_backend
    HAS_BACKENDS = "grappa" in nx.config.backends
    nx.config.warnings_to_ignore.add("cache")  # no graph is changed behind its back here
except (ImportError, AttributeError):
    HAS_BACKENDS = False


def graphs():
    """Graphs of odd shapes, undirected and directed."""
    for kind in (nx.Graph, nx.DiGraph):
        yield kind()
        one = kind()
        one.add_node("alone")
        yield one
        for seed in range(4):
            directed = kind is nx.DiGraph
            made = nx.gnm_random_graph(40, 60 * (seed + 1), seed=seed, directed=directed)
            if seed % 2:
                made = nx.relabel_nodes(made, {node: f"v{node}" for node in made})
            if seed == 3:
                made.add_node(("isolated", 1))
            yield made


def with_weights(graph, least=1):
    generator = random.Random(5)
    for _, _, data in graph.edges(data=True):
        data["weight"] = generator.randint(least, 9)
    return graph


@unittest.skipUnless(HAS_BACKENDS, "needs networkx 3.4 and an installed backend")
class Backend(unittest.TestCase):
    def compare(self, function, graph, *args, as_is=lambda result: result, **kwargs):
        """What both say, or that both refuse."""
        def outcome(**more):
            try:
                return as_is(function(graph, *args, **kwargs, **more))
            except (nx.NetworkXException, ValueError, ZeroDivisionError) as error:
                return type(error)

        expected, found = outcome(backend="networkx"), outcome(backend="grappa")
        context = f"{function.__name__} of {graph}"
        if isinstance(expected, dict):
            self.assertEqual(expected.keys(), found.keys(), context)
            for key, value in expected.items():
                self.assertTrue(math.isclose(value, found[key], rel_tol=1e-9, abs_tol=1e-12),
                                f"{context}: {key}: {value} and {found[key]}")
        elif isinstance(expected, float):
            self.assertTrue(math.isclose(expected, found, rel_tol=1e-9), context)
        else:
            self.assertEqual(expected, found, context)

    def test_ranks(self):
        for graph in graphs():
            self.compare(nx.pagerank, graph, tol=1e-12, max_iter=500)
            self.compare(nx.pagerank, graph, alpha=0.5)
            self.compare(nx.pagerank, graph, max_iter=1, tol=1e-15)

    def test_components(self):
        def sets(result):
            return sorted(map(sorted, (map(str, members) for members in result)))

        for graph in graphs():
            if graph.is_directed():
                self.compare(nx.weakly_connected_components, graph, as_is=sets)
                self.compare(nx.number_weakly_connected_components, graph)
                self.compare(nx.is_weakly_connected, graph)
            else:
                self.compare(nx.connected_components, graph, as_is=sets)
                self.compare(nx.number_connected_components, graph)
                self.compare(nx.is_connected, graph)

    def test_components_in_the_order_of_their_first_nodes(self):
        for parts in ([3, 3], [4, 3, 1], [1], [1, 1], [1, 5, 4]):
            graph = nx.disjoint_union_all(map(nx.path_graph, parts))
            found = list(nx.connected_components(graph, backend="grappa"))
            self.assertEqual(found, list(nx.connected_components(graph, backend="networkx")))
            self.assertTrue(all(map(gc.is_tracked, found)))

    def test_worth_it_from_a_thousand_edges_on(self):
        for kind in (nx.Graph, nx.DiGraph):
            for edges, expected in ((999, "fewer than 1000 edges"), (1000, True)):
                graph = nx.gnm_random_graph(60, edges, seed=1, directed=kind is nx.DiGraph)
                self.assertEqual(networkx_backend.Backend.should_run("triangles", (graph,), {}), expected)

    def test_not_worth_it_where_a_few_nodes_are_enough(self):
        graph = nx.gnm_random_graph(60, 1500, seed=1)
        should_run = networkx_backend.Backend.should_run
        self.assertIs(should_run("shortest_path_length", (graph, 0), {}), True)
        self.assertIs(should_run("shortest_path_length", (graph, 0, 1), {"weight": "weight"}), True)
        self.assertIn("both ends", should_run("shortest_path_length", (graph, 0), {"target": 1}))
        self.assertIn("one node", should_run("node_connected_component", (graph, 0), {}))

    def test_paths(self):
        for graph in graphs():
            for source in [*list(graph)[:3], "no such node"]:
                self.compare(nx.single_source_shortest_path_length, graph, source, as_is=dict)
                self.compare(nx.single_source_shortest_path_length, graph, source, cutoff=2,
                             as_is=dict)
                self.compare(nx.descendants_at_distance, graph, source, 2)
                self.compare(nx.single_target_shortest_path_length, graph, source, as_is=dict)
                self.compare(nx.single_target_shortest_path_length, graph, source, cutoff=2,
                             as_is=dict)
                self.compare(nx.shortest_path_length, graph, source)
                self.compare(nx.shortest_path_length, graph, target=source)
                self.compare(nx.shortest_path_length, graph, source, "no such node")
                if source in graph:
                    self.compare(nx.shortest_path_length, graph, source, list(graph)[-1])

    def test_weighted_paths(self):
        for graph in map(with_weights, graphs()):
            for source in list(graph)[:3]:
                self.compare(nx.single_source_dijkstra_path_length, graph, source, as_is=dict)
                self.compare(nx.single_source_dijkstra_path_length, graph, source, cutoff=7,
                             as_is=dict)
                self.compare(nx.dijkstra_path_length, graph, source, list(graph)[-1])
                self.compare(nx.single_source_bellman_ford_path_length, graph, source, as_is=dict)
                self.compare(nx.bellman_ford_path_length, graph, source, list(graph)[-1])
                for method in ("dijkstra", "bellman-ford"):
                    for ends in ({"source": source}, {"target": source},
                                 {"source": source, "target": list(graph)[-1]}):
                        self.compare(nx.shortest_path_length, graph, **ends, weight="weight",
                                     method=method)

    def test_paths_where_edges_weigh_one(self):
        """As integers where the weights are, or are missing; a change is seen."""
        for graph in graphs():
            for source in list(graph)[:1]:
                self.compare(nx.single_source_dijkstra_path_length, graph, source, as_is=dict)
                found = nx.single_source_dijkstra_path_length(graph, source, backend="grappa")
                self.assertEqual({type(length) for length in found.values()}, {int})
            for u, v in list(graph.edges())[:1]:
                for weight in (2, 0.5, 1.0):
                    graph[u][v]["weight"] = weight
                    graph.__networkx_cache__.clear()
                    self.compare(nx.single_source_dijkstra_path_length, graph, u, as_is=dict)
                    self.compare(nx.dijkstra_path_length, graph, u, v)

    def test_paths_of_all_pairs(self):
        for graph in map(with_weights, graphs()):
            for function in (nx.all_pairs_shortest_path_length, nx.all_pairs_dijkstra_path_length,
                             nx.all_pairs_bellman_ford_path_length, nx.shortest_path_length):
                expected = {node: dict(lengths) for node, lengths in
                            function(graph, backend="networkx")}
                self.assertEqual(dict(function(graph, backend="grappa")), expected)
            self.compare(nx.average_shortest_path_length, graph)
            for method in ("unweighted", "dijkstra", "bellman-ford"):
                self.compare(nx.average_shortest_path_length, graph, weight="weight", method=method)

    def test_the_component_of_a_node(self):
        for graph in graphs():
            if not graph.is_directed():
                for node in [*list(graph)[-2:], *list(graph)[:2]]:
                    self.compare(nx.node_connected_component, graph, node)

    def test_degrees(self):
        for graph in graphs():
            self.compare(nx.degree_centrality, graph)
            if graph.is_directed():
                self.compare(nx.in_degree_centrality, graph)
                self.compare(nx.out_degree_centrality, graph)

    def test_triangles_and_cores(self):
        for graph in graphs():
            if graph.is_directed():
                continue
            for function in (nx.triangles, nx.clustering, nx.transitivity, nx.average_clustering,
                             nx.core_number):
                self.compare(function, graph)
            some = list(graph)[:5]
            self.compare(nx.triangles, graph, some)
            self.compare(nx.clustering, graph, some)

    def test_betweenness(self):
        for graph in graphs():
            self.compare(nx.betweenness_centrality, graph)
            self.compare(nx.betweenness_centrality, graph, normalized=False)
            if len(graph) <= 10:
                continue
            for normalized in (True, False):
                if networkx_backend._NETWORKX >= (3, 5):
                    self.compare(nx.betweenness_centrality, graph, k=8, seed=3,
                                 normalized=normalized)
                else:
                    with self.assertRaises(NotImplementedError):
                        nx.betweenness_centrality(graph, k=8, seed=3, backend="grappa")

    def test_spanning_edges(self):
        for graph in graphs():
            if graph.is_directed():
                continue
            for number, (_, _, data) in enumerate(graph.edges(data=True)):
                data["weight"] = (number * 7919) % 10_007  # all different
            self.compare(nx.minimum_spanning_edges, graph, data=False,
                         as_is=lambda edges: {frozenset(edge) for edge in edges})
            total = sum(data["weight"] for *_, data in
                        nx.minimum_spanning_edges(graph, backend="grappa"))
            self.assertEqual(total, sum(data["weight"] for *_, data in
                                        nx.minimum_spanning_edges(graph, backend="networkx")))

    def test_what_it_cannot_do_is_said_before(self):
        graph = with_weights(nx.gnm_random_graph(20, 40, seed=1))
        for call in (lambda: nx.pagerank(graph, backend="grappa"),
                     lambda: nx.pagerank(graph, personalization={0: 1}, backend="grappa"),
                     lambda: nx.clustering(graph, weight="weight", backend="grappa"),
                     lambda: nx.betweenness_centrality(graph, endpoints=True, backend="grappa"),
                     lambda: nx.triangles(nx.MultiGraph(graph), backend="grappa")):
            with self.assertRaises((NotImplementedError, nx.NetworkXNotImplemented)):
                call()

    def test_configured_for_all_it_falls_back(self):
        graph = with_weights(nx.gnm_random_graph(60, 1500, seed=1))
        with nx.config(backend_priority=["grappa"]):
            self.assertEqual(nx.triangles(graph), nx.triangles(graph, backend="networkx"))
            ranks = nx.pagerank(graph)  # with weights, by NetworkX
        self.assertEqual(ranks, nx.pagerank(graph, backend="networkx"))

    def test_conversions_are_kept(self):
        graph = nx.gnm_random_graph(50, 200, seed=1)
        nx.pagerank(graph, backend="grappa")
        self.assertTrue(graph.__networkx_cache__["backends"]["grappa"])
        graph.add_edge(0, "new")
        self.assertIn("new", nx.pagerank(graph, backend="grappa"))


if __name__ == "__main__":
    unittest.main()
