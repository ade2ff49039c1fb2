"""Words, sorted files, k-means and Datalog from Python."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import grappa as gp

try:
    import pandas
    import sklearn.base
    import sklearn.cluster
except ImportError:
    sklearn = None

needs_sklearn = unittest.skipIf(sklearn is None, "needs scikit-learn and pandas")


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.text = self.folder / "a.txt"
        self.text.write_text("The cat, the dog\nthe cat\n")

    def test_words(self):
        self.assertEqual(gp.wordcount(self.text).fetchall(),
                         [("the", 2), ("The", 1), ("cat", 1), ("cat,", 1), ("dog", 1)])
        lower = gp.wordcount(self.text, self.text, lower=True, letters=True, top=2)
        self.assertEqual(lower.fetchall(), [("the", 6), ("cat", 4)])
        self.assertEqual(gp.wordcount(self.text, ngrams=2, top=1, lower=True, letters=True)["word"]
                         .tolist(), ["the cat"])
        with self.assertRaisesRegex(FileNotFoundError, "^absent: cannot open"):
            gp.wordcount("absent")
        for wrong in ({"ngrams": 0}, {"top": -1}):
            with self.assertRaises(ValueError):
                gp.wordcount(self.text, **wrong)
        with self.assertRaises(TypeError):
            gp.wordcount()

    def test_sorted_files(self):
        out = self.folder / "out.txt"
        facts = gp.sort(self.text, out=out)
        self.assertEqual(out.read_text(), "The cat, the dog\nthe cat\n")
        self.assertEqual((facts["records"], facts["bytes"]), (2, 25))
        numbers = self.folder / "numbers.tsv"
        numbers.write_text("a\t10\nb\t9\nc\tx\n")
        facts = gp.sort(numbers, out=out, column=2, separator="\t", reverse=True, skip_bad_records=1)
        self.assertEqual((out.read_text(), facts["skipped"]), ("a\t10\nb\t9\n", 1))
        with self.assertRaisesRegex(ValueError, "numbers.tsv:3"):
            gp.sort(numbers, out=self.folder / "never.txt", column=2, separator="\t")
        self.assertFalse((self.folder / "never.txt").exists())
        with self.assertRaises(ValueError):
            gp.sort(numbers, out=out, column=0)
        with self.assertRaises(ValueError):
            gp.sort(numbers, out=out, column=1, records=True)

    def test_timelines_and_counters(self):
        path = self.folder / "timeline.json"
        with gp.trace(path, cores=1) as session:
            gp.kron(8).pagerank()
            self.assertGreater(session.stats()["tasking.tasks"]["total"], 0)
        self.assertGreater(len(json.loads(path.read_text())["traceEvents"]), 0)
        self.assertIn("help", gp.stats()["tasking.tasks"])


    def test_points(self):
        points = self.folder / "points.csv"
        points.write_text("x,y\n1,2\n3,4\n5,6\n")
        self.assertEqual(gp.read_points(points).tolist(), [[1, 2], [3, 4], [5, 6]])
        np.save(self.folder / "points.npy", np.arange(6.0).reshape(3, 2))
        self.assertEqual(gp.read_points(self.folder / "points.npy").tolist(), [[0, 1], [2, 3], [4, 5]])
        (self.folder / "raw").write_bytes(np.arange(6.0).tobytes())
        self.assertEqual(gp.read_points(self.folder / "raw", format="bin", columns=3).shape, (2, 3))
        points.write_text("1,2\n3,x\n5,6\n")
        with self.assertRaisesRegex(ValueError, "points.csv:2"):
            gp.read_points(points)
        self.assertEqual(gp.read_points(points, skip_bad_records=1).tolist(), [[1, 2], [5, 6]])
        with self.assertRaises(FileNotFoundError):
            gp.read_points(self.folder / "absent")
        with gp.session(cores=1, locales=2, pin=False):
            many = np.random.default_rng(1).random((1000, 3))
            np.save(self.folder / "many.npy", many)
            self.assertTrue((gp.read_points(self.folder / "many.npy") == many).all())


class KMeans(unittest.TestCase):
    def points(self, rows=2000, columns=5):
        random = np.random.default_rng(3)
        return random.normal(size=(rows, columns)) + 6 * random.integers(0, 3, (rows, 1))

    @needs_sklearn
    def test_finds_what_scikit_learn_finds_from_equal_starts(self):
        for columns in (1, 2, 17):
            points = self.points(columns=columns)
            for k in (1, 3, 8):
                start = points[:k]
                ours = gp.KMeans(k, init=start).fit(points)
                theirs = sklearn.cluster.KMeans(k, init=start, n_init=1, algorithm="lloyd").fit(points)
                np.testing.assert_array_equal(ours.labels_, theirs.labels_)
                np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9)
                self.assertAlmostEqual(ours.inertia_ / theirs.inertia_, 1)
                self.assertEqual(ours.n_iter_, theirs.n_iter_)
                more = self.points(rows=100, columns=columns)
                np.testing.assert_array_equal(ours.predict(more), theirs.predict(more))
                np.testing.assert_array_equal(ours.predict(more[:1]), theirs.predict(more[:1]))

    def test_in_notebooks(self):
        made = gp.KMeans(2, random_state=1)
        self.assertIn("<td>not yet</td>", made._repr_html_())
        shown = made.fit([[0.0], [0.1], [9.0]])._repr_html_()
        self.assertRegex(shown, "<td>(1, 2|2, 1)</td>")
        self.assertIn("<td>3 of 1 columns</td>", shown)

    @needs_sklearn
    def test_in_the_company_of_scikit_learn(self):
        frame = pandas.DataFrame(self.points(), columns=list("abcde"))
        copy = sklearn.base.clone(gp.KMeans(3, random_state=2))
        self.assertEqual(copy.get_params()["n_clusters"], 3)
        self.assertEqual(len(np.unique(copy.fit_predict(frame))), 3)

    def test_starts(self):
        points = self.points()
        for init in ("k-means++", "random"):
            first = gp.KMeans(3, init=init, random_state=5).fit(points)
            again = gp.KMeans(3, init=init, random_state=5).fit(points)
            np.testing.assert_array_equal(first.labels_, again.labels_)
            self.assertEqual((first.labels_.dtype, first.cluster_centers_.shape), (np.int32, (3, 5)))
        few = gp.KMeans(8, init="random", n_init=1, random_state=1).fit(points).inertia_
        self.assertLessEqual(gp.KMeans(8, init="random", n_init=20, random_state=1).fit(points).inertia_,
                             few)
        self.assertEqual(gp.KMeans(3, max_iter=1).fit(points).n_iter_, 1)

    def test_what_is_wrong(self):
        points = self.points(rows=10)
        for words, run in (
                ("not fitted", lambda: gp.KMeans().predict(points)),
                ("10 points", lambda: gp.KMeans(11).fit(points)),
                (r"shape \(3,\)", lambda: gp.KMeans().fit([1, 2, 3])),
                ("row 1", lambda: gp.KMeans(1).fit([[1], [np.nan]])),
                ("2 columns; 5", lambda: gp.KMeans(2).fit(points).predict(points[:, :2])),
                (r"\(2, 5\) was expected", lambda: gp.KMeans(2, init=points[:3]).fit(points)),
                ("'nonsense'", lambda: gp.KMeans(init="nonsense").fit(points)),
                ("no such parameter", lambda: gp.KMeans().set_params(k=3))):
            with self.assertRaisesRegex(ValueError, words):
                run()


PATHS = """.decl edge(x: number, y: number)
.decl path(x: number, y: number)
path(x, y) :- edge(x, y).
path(x, z) :- path(x, y), edge(y, z).
"""


class Datalog(unittest.TestCase):
    def test_facts_in_memory(self):
        found = gp.datalog(PATHS, {"edge": {"x": [1, 2], "y": np.array([2, 3])}})
        self.assertEqual(list(found), ["path"])
        self.assertEqual(found["path"].fetchall(), [(1, 2), (1, 3), (2, 3)])
        self.assertEqual((found["path"].names, found["path"].types), (["x", "y"], ["bigint"] * 2))
        only = gp.datalog(PATHS + ".output path\n", {"edge": {"x": [1], "y": [2]}})
        self.assertEqual(list(only), ["path"])
        self.assertEqual(gp.datalog(PATHS)["path"].fetchall(), [])

    def test_values_of_all_kinds(self):
        program = """.decl t(s: symbol, n: number, u: unsigned, f: float)
                     .decl back(s: symbol, n: number, u: unsigned, f: float)
                     back(s, n, u, f) :- t(s, n, u, f)."""
        rows = [('a,"b"', -5, 7, 0.25), ("long text, with\na line", 2**40, 0, -1e300), ("ü", 0, 1, 2.0)]
        table = dict(zip("snuf", zip(*rows)))
        table = {name: list(values) for name, values in table.items()}
        self.assertEqual(gp.datalog(program, {"t": table})["back"].fetchall(), rows)

    def test_columns_of_other_types(self):
        program = """.decl t(s: symbol, n: number, f: float)
                     .decl back(s: symbol, n: number, f: float)
                     back(s, n, f) :- t(s, n, f)."""
        table = {"s": [7, None], "n": ["12", "-3"], "f": np.array([1, 2], np.int16)}
        self.assertEqual(gp.datalog(program, {"t": table})["back"].fetchall(),
                         [("", -3, 2.0), ("7", 12, 1.0)])

    def test_facts_of_a_relation_with_input(self):
        program = PATHS + ".input edge(filename=\"absent\")\n.output edge\n"
        found = gp.datalog(program, {"edge": {"x": [2, 1, 2], "y": [3, 2, 3]}})
        self.assertEqual(found["edge"].fetchall(), [(1, 2), (2, 3)])
        self.assertEqual(found["edge"]["x"].tolist(), [1, 2])

    def test_many_facts(self):
        x = np.random.default_rng(1).integers(0, 1 << 40, 300_000)
        texts = np.array([f"name {i}" for i in range(1000)])[x % 1000]
        expected = sorted(set(zip(x.tolist(), texts.tolist())))
        for options in ({}, {"locales": 2, "cores": 2}):
            with gp.session(**options):
                found = gp.datalog(".decl t(x: number, s: symbol)\n.output t",
                                   {"t": {"x": x, "s": texts}})
                self.assertEqual(found["t"].fetchall(), expected)

    def test_facts_in_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "edge.facts").write_text("1\t2\n2\t3\n")
            found = gp.datalog(PATHS + ".input edge\n", folder)
            self.assertEqual(len(found["path"]), 3)

    def test_what_is_wrong(self):
        edges = {"x": ["a"], "y": [1]}
        for words, run in (("program:1:8: expected", lambda: gp.datalog("path(x)")),
                           ("no relation edg; it has edge, path",
                            lambda: gp.datalog(PATHS, {"edg": edges})),
                           ("^facts of edge: column x, for a number: 'a' is no bigint$",
                            lambda: gp.datalog(PATHS, {"edge": edges})),
                           ("^facts of edge: column x is double, for a number$",
                            lambda: gp.datalog(PATHS, {"edge": {"x": [0.5], "y": [1]}})),
                           ("^facts of edge: it has 2 attributes, the table 1 columns$",
                            lambda: gp.datalog(PATHS, {"edge": {"x": [1]}})),
                           ("facts of edge: column y: expected a value in each row",
                            lambda: gp.datalog(PATHS, {"edge": {"x": [1, 2], "y": [None, 1]}})),
                           ("facts of n: column u: expected an unsigned: -1",
                            lambda: gp.datalog(".decl n(u: unsigned)", {"n": {"u": [-1]}})),
                           ("absent", lambda: gp.datalog(PATHS + ".input edge\n", "absent"))):
            with self.assertRaisesRegex((ValueError, FileNotFoundError), words):
                run()


if __name__ == "__main__":
    unittest.main()
