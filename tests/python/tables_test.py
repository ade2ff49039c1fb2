"""SQL over what is in Python's memory."""

import datetime
import decimal
import tempfile
import unittest
from pathlib import Path

import numpy as np

import grappa as gp

try:
    import pandas
    import polars
    import pyarrow
except ImportError:
    pandas = None

needs_packages = unittest.skipIf(pandas is None, "needs pandas, polars and pyarrow")


def rows(query, **tables):
    return gp.sql(query, **tables).fetchall()


class Tables(unittest.TestCase):
    def test_columns_of_all_numbers(self):
        for dtype in (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16,
                      np.uint32, np.uint64, np.float32, np.float64):
            values = np.array([1, 0, 1], dtype)
            self.assertEqual(rows("select x from t", t={"x": values}),
                             [(value,) for value in values.tolist()], dtype)
        with self.assertRaisesRegex(ValueError, "bigint"):
            rows("select 1", t={"x": np.array([2**64 - 1], np.uint64)})

    def test_texts_times_and_nulls(self):
        table = {"name": ["ann", None, "ümlaut, longer than twelve bytes"],
                 "day": np.array(["2024-02-29", "NaT", "1969-12-31"], "datetime64[D]"),
                 "at": np.array(["2024-02-29T12:30:00.5", "NaT", "1969-12-31"], "datetime64[ns]"),
                 "n": [1, None, 3]}
        self.assertEqual(rows("select * from t", t=table), [
            ("ann", datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30, 0, 500_000), 1),
            (None, None, None, None),
            ("ümlaut, longer than twelve bytes", datetime.date(1969, 12, 31),
             datetime.datetime(1969, 12, 31), 3)])
        self.assertEqual(rows("select name from t where n is null or day < date '2000-01-01'",
                              t=table), [(None,), ("ümlaut, longer than twelve bytes",)])

    def test_nan_of_numpy_is_a_number(self):
        self.assertEqual(rows("select count(x) from t", t={"x": np.array([1, np.nan])}), [(2,)])

    def test_large_tables_and_joins(self):
        n = 300_000
        table = {"k": np.arange(n) % 1000, "v": np.arange(n, dtype=float)}
        answer = gp.sql("select k, count(*) as c, sum(v) as s from t group by k order by k", t=table)
        self.assertEqual(answer["k"].tolist(), list(range(1000)))
        self.assertEqual(set(answer["c"].tolist()), {n // 1000})
        expected = np.bincount(table["k"], table["v"])
        self.assertLess(abs(answer["s"] - expected).max() / expected.max(), 1e-12)
        self.assertEqual(rows("select count(*) from t join u on t.k = u.k", t=table,
                              u={"k": [1, 2]}), [(2 * n // 1000,)])

    def test_decimals_and_sums(self):
        self.assertEqual(rows("select cast('1.50' as decimal(5, 2))"), [(decimal.Decimal("1.50"),)])
        self.assertEqual(rows("select sum(x) from t", t={"x": np.array([2**62, 2**62, 2**62])}),
                         [(3 * 2**62,)])

    def test_files_and_several_statements(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.csv")
            path.write_text("x,y\n1,a\n2,b\n")
            self.assertEqual(rows(f"create table u as select x + 1 as z from '{path}'; "
                                  "select z from u order by z"), [(2,), (3,)])

    def test_what_is_wrong(self):
        with self.assertRaisesRegex(ValueError, "nowhere"):
            rows("select x from nowhere")
        with self.assertRaisesRegex(TypeError, "^query: a text was expected, not 3$"):
            gp.sql(3)
        with self.assertRaisesRegex(ValueError, "selct"):
            rows("selct 1")
        with self.assertRaisesRegex(ValueError, "2, 3 rows"):
            rows("select 1", t={"a": [1, 2], "b": [1, 2, 3]})
        with self.assertRaisesRegex(ValueError, "no type of SQL"):
            rows("select 1", t={"a": [object()]})
        with self.assertRaisesRegex(ValueError, "no table"):
            rows("select 1", t=7)

    def test_answers(self):
        answer = gp.sql("select 1 as a, 'x' as b, 2 as a union all select 3, null, 4")
        self.assertEqual(answer.names, ["a", "b", "a_2"])
        self.assertEqual(len(answer), 2)
        self.assertIn("<td>None</td>", answer._repr_html_())
        shown = gp.sql("select * from t order by x", t={
            "x": range(100), "s": [f"<{i}>" for i in range(99)] + [None]})._repr_html_()
        self.assertEqual(shown.count("<tr>"), 21)
        self.assertIn("<td>19</td><td>&lt;19&gt;</td>", shown)
        self.assertIn("<p>100 rows</p>", shown)
        self.assertEqual(gp.sql("create table t (x int)").fetchall(), [])


@needs_packages
class Frames(unittest.TestCase):
    def test_pandas(self):
        frame = pandas.DataFrame({"g": ["a", "b", "a", None], "x": [1.5, np.nan, 2, 3],
                                  "i": pandas.array([1, None, 3, 4], dtype="Int64")})
        answer = gp.sql("select g, count(x) as n, sum(i) as s from t group by g order by g", t=frame)
        self.assertEqual(answer.fetchall(), [("a", 2, 4), ("b", 0, None), (None, 1, 4)])
        table = answer.to_pandas()
        self.assertEqual(table.n.tolist(), [2, 0, 1])
        self.assertTrue(table.g.isna().tolist(), [False, False, True])

    def test_pandas_and_back(self):
        frame = pandas.DataFrame({"i": [1, 2], "f": [0.5, 1.5], "s": ["a", "b"],
                                  "t": pandas.to_datetime(["2024-01-01", "2024-01-02"])})
        back = gp.sql("select * from t order by i", t=frame).to_pandas()
        self.assertEqual(back.values.tolist(), frame.values.tolist())

    def test_polars_and_arrow(self):
        columns = {"g": ["a", "b", None], "x": [1, None, 3], "y": [0.5, 1.5, None]}
        for frame in (polars.DataFrame(columns), pyarrow.table(columns)):
            self.assertEqual(rows("select g, x, y from t", t=frame),
                             [("a", 1, 0.5), ("b", None, 1.5), (None, 3, None)], type(frame))
            self.assertEqual(gp.sql("select x from t", t=frame).types, ["bigint"], type(frame))


if __name__ == "__main__":
    unittest.main()
