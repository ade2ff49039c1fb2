"""Graphs into files, what they are like, how they lie in memory, and checkpoints of kernels."""

import os
import re
import signal
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

import grappa as gp


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Written(InFolder):
    def edges(self, path, **options):
        g = gp.read(path, **options)
        sources, targets, weights = g.edge_arrays()
        names = g.names.tolist()
        return sorted(zip((names[u] for u in sources), (names[v] for v in targets),
                          [None] * g.edges if weights is None else weights.tolist()))

    def test_with_numbers_and_weights(self):
        g = gp.from_edges([0, 1, 2], [1, 2, 0], [1.5, 2, 3])
        for name in ("a.wel", "a.csv.gz", "a.tsv.zst"):
            g.write(self.folder / name)
            self.assertEqual(self.edges(self.folder / name), [(0, 1, 1.5), (1, 2, 2), (2, 0, 3)])
        g.write(self.folder / "b", format="el")
        self.assertEqual(self.edges(self.folder / "b", format="el"), [(0, 1, None), (1, 2, None),
                                                                     (2, 0, None)])
        g.write(self.folder / "c.csv", weights=False)
        self.assertEqual(self.edges(self.folder / "c.csv")[0], (0, 1, None))

    def test_with_names(self):
        g = gp.from_edges(["zoe", "ann", "bob"], ["ann", "bob", "zoe"], [1, 2, 3])
        g.write(self.folder / "a.csv")
        self.assertEqual(self.edges(self.folder / "a.csv"),
                         [("ann", "bob", 2), ("bob", "zoe", 3), ("zoe", "ann", 1)])
        again = gp.read(self.folder / "a.csv")
        again.write(self.folder / "b.tsv")
        self.assertEqual(self.edges(self.folder / "b.tsv"), self.edges(self.folder / "a.csv"))
        renamed = gp.from_edges([0, 1], [1, 2], names=["c", "b", "a"])
        renamed.write(self.folder / "c.csv")
        self.assertEqual(self.edges(self.folder / "c.csv"), [("b", "a", None), ("c", "b", None)])

    def test_of_generators(self):
        gp.kron(8).write(self.folder / "a.grappa")
        self.assertEqual(gp.read(self.folder / "a.grappa").edges, gp.kron(8).edges)
        gp.kron(8).write(self.folder / "a.wsg")  # a format with weights
        self.assertTrue(gp.read(self.folder / "a.wsg").weighted)
        gp.kron(8).write(self.folder / "a.csv", weights=True)
        self.assertTrue(gp.read(self.folder / "a.csv").weighted)

    def test_simplified(self):
        g = gp.from_edges([0, 0, 1, 2], [1, 1, 1, 0], [5, 4, 9, 1])
        g.write(self.folder / "a.wel", simplify=True)
        self.assertEqual(self.edges(self.folder / "a.wel"), [(0, 1, 4), (2, 0, 1)])

    def test_what_a_format_cannot_hold_is_said(self):
        self.assertIn("renumbered", gp.from_edges([0], [1]).write(self.folder / "a.mtx"))

    def test_what_is_wrong(self):
        g = gp.from_edges([0], [1])
        for wrong, words in ((lambda: g.write(self.folder / "a.unknown"), "format"),
                             (lambda: g.write(self.folder / "a.csv", format="none"), "none"),
                             (lambda: g.write(self.folder / "a.csv", weights=True), "no weights"),
                             (lambda: g.write("-", format="csv"), "a file was expected"),
                             (lambda: gp.from_edges(["a b"], ["c"]).write(self.folder / "a.csv"), "a b"),
                             (lambda: gp.from_edges([0], [1], names=[1, "1"]).write(
                                 self.folder / "a.csv"), "same text")):
            with self.assertRaisesRegex(ValueError, words):
                wrong()
        with self.assertRaises(OSError):
            g.write(self.folder / "absent" / "a.csv")
        self.assertEqual(list(self.folder.iterdir()), [])


class Facts(unittest.TestCase):
    def test_of_a_graph(self):
        directed = gp.from_edges([0, 0, 1, 2, 2], [1, 1, 2, 2, 0], [1, 2, 3, 4, 5], vertices=5).info()
        self.assertEqual({name: directed[name] for name in (
            "directed", "vertices", "edges", "arcs", "self_loops", "duplicates", "isolated", "weighted")},
            {"directed": True, "vertices": 5, "edges": 5, "arcs": 5, "self_loops": 1, "duplicates": 1,
             "isolated": 2, "weighted": True})
        self.assertEqual(directed["weights"], {"min": 1, "max": 5})
        self.assertEqual(directed["out_degree"], {"min": 0, "max": 2, "mean": 1, "median": 1})
        undirected = gp.from_edges([0, 1], [1, 2], directed=False).info()
        self.assertEqual((undirected["arcs"], undirected["degree"]["max"]), (4, 2))
        self.assertEqual(gp.from_edges([], []).info()["vertices"], 0)

    def test_of_a_query(self):
        t = {"who": ["a", "b", "a"], "whom": ["b", "c", "b"]}
        g = gp.from_sql("select who, whom, count(*) from t group by 1, 2", t=t)
        self.assertEqual((g.names.tolist(), g.edges, g.weighted), (["a", "b", "c"], 2, True))
        self.assertEqual(sorted(g.edge_arrays()[2].tolist()), [1, 2])
        self.assertEqual(len(gp.from_sql("select 3 as a, 4 as b")), 5)
        for wrong, words in (("select 1 as x", "1 columns"), ("select null as a, 1 as b", "null")):
            with self.assertRaisesRegex(ValueError, words):
                gp.from_sql(wrong)

    def test_of_edges_in_queries(self):
        with tempfile.TemporaryDirectory() as folder:
            gp.from_edges(["a", "b"], ["b", "c"]).write(f"{folder}/a.csv")
            rows = gp.sql(f"select * from edges('{folder}/a.csv') order by 1").fetchall()
        self.assertEqual(rows, [("a", "b"), ("b", "c")])


class Arranged(unittest.TestCase):
    def test_answers_stay_the_same(self):
        for session in ({"cores": 1}, {"cores": 1, "locales": 2, "pin": False}):
            with gp.session(**session):
                g = gp.kron(9)
                depth, rank = g.bfs(source=3).depth, g.pagerank().rank
                for order in ("degree", "random", "striped", "given"):
                    self.assertIs(g.arrange(order, split_hubs=20), g)
                    self.assertTrue((g.bfs(source=3, verify=True).depth == depth).all(), order)
                    np.testing.assert_allclose(g.pagerank(verify=True).rank, rank, rtol=1e-9)
                    self.assertEqual(g.info()["edges"], g.edges)
        g = gp.kron(5)
        for wrong in ({"order": "none"}, {"split_hubs": -1}):
            with self.assertRaises(ValueError):
                g.arrange(**wrong)


class Checkpoints(InFolder):
    def test_go_on_where_they_were(self):
        g = gp.kron(9)
        first = g.pagerank(tolerance=0, iterations=10, checkpoint=self.folder / "a", checkpoint_every=2)
        self.assertEqual(first.checkpoints, {"written": 5})
        rest = g.pagerank(tolerance=0, iterations=25, resume=self.folder / "a")
        self.assertEqual(rest.checkpoints["resumed_after"], 10)
        whole = g.pagerank(tolerance=0, iterations=25)
        np.testing.assert_allclose(rest.rank, whole.rank, rtol=1e-12)
        self.assertNotIn("checkpoints", whole.facts)

    def test_after_control_c(self):
        g = gp.kron(9)
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            g.pagerank(tolerance=0, iterations=10**9, checkpoint=self.folder / "a", checkpoint_every=50)
        timer.join()
        done = int((self.folder / "a").exists() and self.iterations_of(self.folder / "a"))
        rest = g.pagerank(tolerance=0, iterations=done + 50, resume=self.folder / "a")
        self.assertEqual((rest.checkpoints["resumed_after"], done % 50), (done, 0))

    def iterations_of(self, folder):
        """Of its checkpoint, which a run that has nothing more to do says."""
        with self.assertRaises(ValueError) as raised:
            gp.kron(9).pagerank(tolerance=0, iterations=1, resume=folder)
        return re.search(r"\d+", str(raised.exception).replace(str(folder), ""))[0]

    def test_what_is_wrong(self):
        g = gp.kron(6)
        for options, words in (({"resume": self.folder / "absent"}, "absent"),
                               ({"checkpoint_every": 3}, "folder"),
                               ({"checkpoint": self.folder, "checkpoint_every": "often"}, "often")):
            with self.assertRaisesRegex((ValueError, FileNotFoundError), words):
                g.pagerank(**options)
        g.pagerank(tolerance=0, iterations=4, checkpoint=self.folder / "a", checkpoint_every=2)
        with self.assertRaises(ValueError):  # of another graph
            gp.kron(7).pagerank(resume=self.folder / "a")
        with self.assertRaisesRegex(TypeError, "takes no checkpoint"):
            g.bfs(checkpoint="x")


if __name__ == "__main__":
    unittest.main()
