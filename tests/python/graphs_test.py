"""Graphs from files, generators and other packages, and kernels on them."""

import gzip
import inspect
import tempfile
import unittest
from pathlib import Path

import numpy as np

import grappa as gp
from grappa import _grappa

try:
    import networkx as nx
    import pandas
    import scipy.sparse
except ImportError:
    nx = pandas = scipy = None

needs_packages = unittest.skipIf(nx is None, "needs networkx, pandas and scipy")


class Inputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
        return path

    def test_a_file_with_names(self):
        g = gp.read(self.file("a.txt.gz", "10 20\n20 30\n30 10\n40 10\n"))
        self.assertEqual((len(g), g.edges, g.directed, g.weighted), (4, 4, True, False))
        self.assertEqual(g.names.tolist(), [10, 20, 30, 40])
        self.assertEqual(g.bfs(source=40).depth.tolist(), [1, 2, 3, 0])
        self.assertEqual(g.cc().component.tolist(), [10, 10, 10, 10])

    def test_a_file_whose_name_is_markup(self):
        shown = gp.read(self.file("<b>&.txt", "1 2\n"))._repr_html_()
        self.assertIn("&lt;b&gt;&amp;.txt</b>: 2 vertices, 1 edges", shown)

    def test_names_that_are_texts(self):
        g = gp.read(self.file("a.csv", "ann,bob\nbob,cid\n"), directed=False)
        self.assertEqual(g.names.tolist(), ["ann", "bob", "cid"])
        self.assertEqual(g.bfs(source="cid").top(1), [("ann", 2)])

    def test_weights_of_a_file(self):
        g = gp.read(self.file("a.wel", "0 1 2.5\n1 2 1\n0 2 9\n"))
        self.assertTrue(g.weighted)
        self.assertEqual(g.sssp(source=0).distance.tolist(), [0, 2.5, 3.5])

    def test_what_is_wrong_with_a_file(self):
        with self.assertRaises(FileNotFoundError) as raised:
            gp.read(self.folder / "absent.txt")
        self.assertEqual(raised.exception.filename, str(self.folder / "absent.txt"))
        with self.assertRaisesRegex(ValueError, "bad.txt:2"):
            gp.read(self.file("bad.txt", "1 2\n3\n"))
        with self.assertRaisesRegex(ValueError, "nonsense"):
            gp.read(self.file("a.txt", "1 2\n"), format="nonsense")

    def test_generators(self):
        for g in (gp.kron(8), gp.urand(8, 8), gp.grid(16, 16)):
            self.assertEqual(len(g), 256)
            self.assertFalse(g.directed)
            sources, targets, weights = g.edge_arrays()
            self.assertEqual(len(sources), g.edges)
            self.assertTrue((sources != targets).all())
            self.assertIsNone(weights)
        self.assertEqual(gp.grid(16, 16).edges, 2 * 16 * 15)
        self.assertNotEqual(gp.kron(8, seed=2).edges, 0)
        for make in (gp.kron, gp.urand):
            with self.assertRaisesRegex(ValueError, "SCALE is a number from 1 to"):
                make(-1)

    def test_edges_of_any_integers(self):
        for dtype in (np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
            g = gp.from_edges(np.array([0, 1, 2], dtype), np.array([1, 2, 0], dtype))
            self.assertEqual((len(g), g.edges), (3, 3), dtype)
        self.assertEqual(len(gp.from_edges([0, 5], [1, 1])), 6)  # gaps are vertices
        self.assertEqual(len(gp.from_edges([], [])), 0)
        self.assertEqual(gp.from_edges([], [], vertices=3).cc().component.tolist(), [0, 1, 2])
        every_other = np.arange(10)[::2]
        self.assertEqual(len(gp.from_edges(every_other, every_other)), 9)

    def test_edges_of_texts(self):
        g = gp.from_edges(["b", "a"], ["c", "b"])
        self.assertEqual(g.names.tolist(), ["a", "b", "c"])
        self.assertEqual(g.bfs(source="a").depth.tolist(), [0, 1, 2])

    def test_edges_that_are_none(self):
        for arguments, words in ((([0], [1, 2]), "one length"), (([-1], [0]), "-1"),
                                 (([0], [7], None), None), (([0], [1], [1, 2]), "weights"),
                                 (([0], [1], [float("nan")]), "finite")):
            if words is None:
                with self.assertRaisesRegex(ValueError, "7"):
                    gp.from_edges(*arguments, vertices=3)
                continue
            with self.assertRaisesRegex(ValueError, words):
                gp.from_edges(*arguments)

    @needs_packages
    def test_scipy_and_back(self):
        made = scipy.sparse.random(300, 300, 0.02, format="csr",
                                   random_state=np.random.default_rng(1))
        g = gp.from_scipy(made)
        self.assertEqual(abs(g.to_scipy() - made).max(), 0)
        symmetric = made + made.T
        undirected = gp.from_scipy(symmetric, directed=False)
        self.assertFalse(undirected.directed)
        self.assertLess(abs(undirected.to_scipy() - symmetric).max(), 1e-15)
        unsorted = scipy.sparse.csr_array(([1.0, 2, 1, 2], [2, 1, 0, 0], [0, 2, 3, 4]))
        self.assertFalse(unsorted.has_sorted_indices)
        sources, targets, weights = gp.from_scipy(unsorted, directed=False).edge_arrays()
        self.assertEqual(sorted(zip(sources, targets, weights)), [(0, 1, 2), (0, 2, 1)])
        with self.assertRaisesRegex(ValueError, "square"):
            gp.from_scipy(scipy.sparse.csr_array((2, 3)))
        symmetric.indices[-1] = 300
        for directed in (True, False):
            with self.assertRaisesRegex(ValueError, "300 is no vertex"):
                gp.from_scipy(symmetric, directed=directed)

    @needs_packages
    def test_networkx_and_back(self):
        for kind in (nx.Graph, nx.DiGraph):
            made = nx.gnm_random_graph(50, 200, seed=1, directed=kind is nx.DiGraph)
            made = nx.relabel_nodes(made, {node: (node, "x") for node in made})
            for number, (_, _, data) in enumerate(made.edges(data=True)):
                data["weight"] = number + 0.5
            back = gp.from_networkx(made, "weight").to_networkx()
            self.assertTrue(nx.utils.graphs_equal(back, made), kind)

    @needs_packages
    def test_pandas(self):
        frame = pandas.DataFrame({"from": ["x", "y"], "to": ["y", "z"], "far": [2, 3]})
        g = gp.from_pandas(frame, "from", "to", "far")
        self.assertEqual(g.sssp(source="x").distance.tolist(), [0, 2, 5])
        table = g.sssp(source="x").to_pandas()
        self.assertEqual(table.vertex.tolist(), ["x", "y", "z"])
        self.assertEqual(table.distance.tolist(), [0, 2, 5])


class Kernels(unittest.TestCase):
    def test_every_kernel_of_the_table_runs_and_is_right(self):
        edges = np.random.default_rng(2).integers(0, 60, (2, 400))
        for directed in (True, False):
            g = gp.from_edges(*edges, weights=np.arange(400) % 7 + 1.0, directed=directed)
            for kernel in _grappa.kernel_table():
                result = getattr(g, kernel["name"])(verify=True)
                self.assertTrue(result.verified, kernel["name"])
                self.assertGreaterEqual(result.seconds, 0)
                self.assertIn(kernel["name"], repr(result))
                self.assertGreater(len(result.columns), 0, kernel["name"])
                if kernel["name"] != "msf":
                    self.assertEqual(len(result.values), len(g), kernel["name"])

    def test_options_are_keywords_and_documented(self):
        for kernel in _grappa.kernel_table():
            method = getattr(gp.Graph, kernel["name"])
            parameters = inspect.signature(method).parameters
            self.assertIn("verify", parameters)
            for name in list(parameters)[1:]:
                self.assertIn(f"{name}:", method.__doc__)
        self.assertIn("damping", inspect.signature(gp.Graph.pagerank).parameters)

    def test_options_that_are_none(self):
        g = gp.kron(6)
        with self.assertRaisesRegex(TypeError, "dampin.*damping"):
            g.pagerank(dampin=0.5)
        with self.assertRaisesRegex(ValueError, "damping.*from 0 to 1"):
            g.pagerank(damping=7)
        with self.assertRaisesRegex(ValueError, "no such vertex"):
            g.bfs(source=10**6)
        with self.assertRaises(TypeError):
            g.pagerank(cores=4)
        with self.assertRaisesRegex(ValueError, "True or False"):
            g.triangles(total="yes")

    def test_results(self):
        result = gp.kron(8).pagerank(tolerance=1e-6)
        self.assertAlmostEqual(result.values.sum(), 1, places=9)
        self.assertIs(result.rank, result.values)
        self.assertTrue(result.converged)
        self.assertEqual(result.iterations, result.facts["iterations"])
        best = result.top(3)
        self.assertEqual(best[0], (int(result.values.argmax()), result.values.max()))
        self.assertEqual(len(result.top(10_000)), 256)
        self.assertIn("<tr><th>iterations</th>", result._repr_html_())
        with self.assertRaisesRegex(AttributeError, "rank"):
            result.depth
        total = gp.kron(8).triangles(total=True)
        self.assertGreater(total.triangles, 0)
        with self.assertRaisesRegex(ValueError, "facts"):
            total.values

    def test_weights_from_a_generator(self):
        g = gp.kron(8)
        result = g.sssp(source=0, verify=True)
        self.assertGreater(result.distance[np.isfinite(result.distance)].max(), 1)

    def test_negative_weights_are_refused_by_those_who_cannot(self):
        g = gp.from_edges([0, 1], [1, 2], [-1, 2])
        with self.assertRaisesRegex(ValueError, "-1"):
            g.sssp(source=0)
        self.assertEqual(g.msf().weight.sum(), 1)

    def test_a_graph_without_vertices(self):
        g = gp.from_edges([], [])
        self.assertEqual(len(g.pagerank().values), 0)
        self.assertEqual(g.pagerank().top(3), [])


if __name__ == "__main__":
    unittest.main()
