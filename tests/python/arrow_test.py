"""Tables from packages that know Arrow, and for them."""

import datetime
import decimal
import gc
import subprocess
import sys
import unittest

import numpy as np

import grappa as gp

try:
    import duckdb
    import pandas
    import polars
    import pyarrow as pa
except ImportError:
    pa = None

LONG = "ümlaut, longer than twelve bytes"


def rows(table, query="select * from t"):
    return gp.sql(query, t=table).fetchall()


@unittest.skipIf(pa is None, "needs duckdb, pandas, polars and pyarrow")
class Arrow(unittest.TestCase):
    def columns(self):
        """Each of all types, with nulls."""
        day, noon = datetime.date(1969, 12, 31), datetime.datetime(2024, 2, 29, 12, 0, 0, 5)
        made = {"text": pa.array(["a", None, LONG]), "large": pa.array([LONG, "", None], pa.large_string()),
                "view": pa.array([None, LONG, "b"], pa.string_view()),
                "dictionary": pa.array(["x", None, "x"]).dictionary_encode(),
                "null": pa.nulls(3), "boolean": pa.array([True, None, False]),
                "day": pa.array([day, None, day]), "noon": pa.array([None, noon, noon]),
                "seconds": pa.array([noon.replace(microsecond=0), None, None], pa.timestamp("s")),
                "time": pa.array([datetime.time(1, 2, 3), None, None]),
                "small": pa.array([decimal.Decimal("-1.25"), None, decimal.Decimal("7")],
                                  pa.decimal128(9, 2)),
                "wide": pa.array([decimal.Decimal(-10**30), None, decimal.Decimal(10**30)],
                                 pa.decimal128(38, 0))}
        for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(),
                     pa.int64(), pa.uint64(), pa.float32(), pa.float64()):
            made[str(kind)] = pa.array([1, None, 2], kind)
        return made

    def plain(self, column):
        """As SQL has it: a time is a time since midnight."""
        return [datetime.timedelta(hours=v.hour, minutes=v.minute, seconds=v.second)
                if isinstance(v, datetime.time) else v for v in column.to_pylist()]

    def test_columns_of_all_types_in_pieces_of_all_kinds(self):
        for name, column in self.columns().items():
            table = pa.table({"x": column})
            for given in (table, table.slice(1), table.slice(0, 0),
                          pa.concat_tables([table, table.slice(2), table.slice(1, 1)]),
                          table.to_batches()[0]):
                expected = [(value,) for value in self.plain(given.column(0))]
                self.assertEqual(rows(given), expected, name)
            self.assertEqual(rows({"x": column}), [(v,) for v in self.plain(column)], name)

    def test_answers_come_back_as_they_went(self):
        table = pa.table(self.columns())
        back = pa.table(gp.sql("select * from t", t=table))
        for name in table.column_names:
            self.assertEqual(back[name].to_pylist(), table[name].to_pylist(), name)
        self.assertEqual(pa.table(gp.sql("select * from t", t=table.slice(0, 0))).num_rows, 0)

    def test_types_of_answers(self):
        made = pa.table(gp.sql("""
            select cast(1 as tinyint) a, cast(1 as smallint) b, 1 c, cast(1 as bigint) d,
                   cast(1.5 as real) e, 1.5e0 f, 1.25 g, true h, 'x' i, date '2024-01-02' j,
                   timestamp '2024-01-02 03:04:05' k, time '10:00' l, null m"""))
        self.assertEqual([str(kind) for kind in made.schema.types],
                         ["int8", "int16", "int32", "int64", "float", "double",
                          "decimal128(3, 2)", "bool", "large_string", "date32[day]",
                          "timestamp[us]", "time64[us]", "null"])
        self.assertEqual(made["m"].to_pylist(), [None])

    def test_polars(self):
        frame = polars.DataFrame({"g": ["a", LONG, None], "x": [1, None, 3], "y": [0.5, 1.5, None],
                                  "c": polars.Series(["u", "v", "u"], dtype=polars.Categorical)})
        self.assertEqual(rows(frame), frame.rows())
        self.assertEqual(rows({"x": frame["g"]}), [("a",), (LONG,), (None,)])
        back = polars.DataFrame(gp.sql("select * from t", t=frame))
        self.assertEqual(back.rows(), frame.rows())
        self.assertEqual(back["x"].dtype, polars.Int64)

    def test_duckdb(self):
        relation = duckdb.sql("select i, i * 0.5 as h, 'name ' || i as n, sum(i) over () as s "
                              "from range(5000) r(i)")
        answer = gp.sql("select count(*), sum(i), max(n), max(s) from t", t=relation)
        self.assertEqual(answer.fetchall(), [(5000, 12497500, "name 999", 12497500)])
        answer = gp.sql("select i % 3 as k, count(*) as c from t group by k order by k", t=relation)
        self.assertEqual(duckdb.sql("select sum(c), max(k) from answer").fetchall(), [(5000, 2)])

    def test_pandas_takes_answers(self):
        answer = gp.sql("select * from t", t={"a": [1, None], "b": ["x", None]})
        frame = pandas.DataFrame.from_arrow(answer)
        self.assertEqual(frame["a"].isna().tolist(), [False, True])
        self.assertEqual(frame["b"][0], "x")

    def test_graphs(self):
        for made in (pa.table, polars.DataFrame):
            g = gp.from_arrow(made({"from": ["a", LONG], "to": [LONG, "c"], "far": [2.0, 0.5]}),
                              "from", "to", "far")
            self.assertEqual(g.sssp(source="a").distance.tolist(), [0, 2.5, 2])
            g = gp.from_arrow(made({"source": [0, 1], "target": [1, 2]}), directed=False)
            self.assertEqual(g.bfs(source=2).depth.tolist(), [2, 1, 0])
        with self.assertRaisesRegex(ValueError, "no column weight; there are source, target"):
            gp.from_arrow(pa.table({"source": [0], "target": [1]}), weight="weight")
        with self.assertRaisesRegex(ValueError, "target: it has a null in row 1"):
            gp.from_arrow(pa.table({"source": [0, 1], "target": [1, None]}))
        with self.assertRaisesRegex(TypeError, "int has no __arrow_c_stream__"):
            gp.from_arrow(7)

    def test_results_of_kernels(self):
        found = gp.from_edges(["a", "b"], ["b", "c"]).bfs(source="a")
        self.assertEqual(pa.table(found).to_pydict(), {"vertex": ["a", "b", "c"], "depth": [0, 1, 2]})
        ranks = gp.kron(8).pagerank()
        frame = polars.DataFrame(ranks)
        self.assertEqual(frame.columns, ["vertex", "rank"])
        np.testing.assert_array_equal(frame["rank"].to_numpy(), ranks.values)
        odd = gp.from_edges([0], [1], names=[(1, 2), (3, 4)]).bfs(source=(1, 2))
        with self.assertRaisesRegex(ValueError, "no type of Arrow"):
            pa.table(odd)

    def test_numbers_are_not_copied(self):
        answer = gp.sql("select * from t", t={"x": np.arange(1000), "s": ["ab"] * 1000})
        table = pa.table(answer)
        self.assertEqual(table["x"].chunk(0).buffers()[1].address, answer["x"].ctypes.data)
        x, s = table["x"], table["s"]
        del answer, table
        gc.collect()
        self.assertEqual((x[999].as_py(), s[999].as_py()), (999, "ab"))  # kept by whoever has them

    def test_what_is_wrong(self):
        with self.assertRaisesRegex(ValueError, r"column x: Arrow's type '\+l' has no type of SQL"):
            rows(pa.table({"x": [[1]]}))
        with self.assertRaisesRegex(ValueError, "binary|'z'"):
            rows(pa.table({"x": [b"a"]}))
        with self.assertRaisesRegex(ValueError, "bigint"):
            rows(pa.table({"x": pa.array([2**64 - 1], pa.uint64())}))

        class Once:
            capsule = pa.table({"x": [1]}).__arrow_c_stream__()

            def __arrow_c_stream__(self):
                return self.capsule

        once = Once()
        self.assertEqual(rows(once), [(1,)])
        with self.assertRaisesRegex(ValueError, "read once"):
            rows(once)

    def test_streams_that_nobody_reads_cost_nothing(self):
        done = subprocess.run([sys.executable, "-c", """if True:
            import resource
            import numpy as np
            import pyarrow as pa
            import grappa as gp
            answer = gp.sql("select * from t", t={"x": np.arange(1_000_000), "s": ["a"] * 1_000_000})
            def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for i in range(300):
                answer.__arrow_c_stream__()
                table = pa.table(answer)
                gp.sql("select count(*) from t", t=table.slice(0, 10))
                if i == 100: before = peak()
            print(peak() - before)"""], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.stderr, "")
        self.assertLess(int(done.stdout), 50_000)  # KiB; one answer has 16 MB


if __name__ == "__main__":
    unittest.main()
