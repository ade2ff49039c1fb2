"""Graphs as tables, edges('g.mtx'), and queries as graphs, sql:QUERY."""

import gzip
import unittest

from cli_tool import LOCALES, ToolTest

CALLS = """source,target,weight
Ann,Bob,3
Bob,Cid,1.5
Ann,Cid,4
Cid,Ann,2
"""
MATRIX = """%%MatrixMarket matrix coordinate real symmetric
3 3 2
2 1 0.5
3 2 2
"""


class EdgesAsTables(ToolTest):
    def rows(self, query, *options):
        return sorted(self.succeed("sql", query, "--output", "csv", *options).splitlines()[1:])

    def test_names_of_the_file(self):
        self.write("calls.csv", CALLS)
        self.write("numbers.txt", "# far\n4000000000000 7\n7 9\n")
        self.write("packed.txt.gz", gzip.compress(b"1 2\n2 3\n"))
        self.write("plane.mtx", MATRIX)
        for locales in LOCALES:
            with self.subTest(locales):
                options = ("--locales", locales)
                self.assertEqual(self.rows("select * from edges('calls.csv')", *options),
                                 ["Ann,Bob,3.0", "Ann,Cid,4.0", "Bob,Cid,1.5", "Cid,Ann,2.0"])
                self.assertEqual(self.rows("select source, target from edges('numbers.txt')", *options),
                                 ["4000000000000,7", "7,9"])
                self.assertEqual(self.rows("from edges('packed.txt.gz')", *options), ["1,2", "2,3"])
                # Vertices of a matrix count from one; an undirected edge is there once.
                self.assertEqual(self.rows("select least(source, target), greatest(source, target), weight "
                                           "from edges('plane.mtx')", *options), ["1,2,0.5", "2,3,2.0"])
                self.assertEqual(self.rows("select source, target from edges('plane.mtx', directed = true)",
                                           *options), ["1,2", "2,1", "2,3", "3,2"])

    def test_types(self):
        self.write("calls.csv", CALLS)
        self.assertEqual(self.rows("describe from edges('calls.csv')"),
                         ["source,varchar", "target,varchar", "weight,double"])

    def test_with_other_tables(self):
        self.write("calls.csv", CALLS)
        self.write("people.csv", "name,city\nAnn,Oslo\nBob,Rome\nCid,Rome\n")
        self.assertEqual(self.rows("select city, sum(weight) from edges('calls.csv') e "
                                   "join 'people.csv' p on p.name = e.target group by city"),
                         ["Oslo,2.0", "Rome,8.5"])
        self.write("ring", "1 2\n2 3\n3 1\n5 6\n")
        self.assertEqual(self.rows("with recursive reached(v) as (select 1 union select target "
                                   "from edges('ring', format = 'el') join reached on source = v) "
                                   "select count(*) from reached"), ["3"])

    def test_generators_give_the_graph_that_kernels_get(self):
        for graph in ("kron:8", "grid:4x5"):
            edges = self.json_of("info", graph)["graph"]["edges"]
            for locales in (1, 4):
                self.assertEqual(self.rows(f"select count(*), count(distinct source * 1000 + target) from "
                                           f"edges('{graph}') where source < target", "--locales", locales),
                                 [f"{edges},{edges}"])

    def test_many_edges(self):
        self.succeed("generate", "urand:14:16", "many.txt", "-q")
        expected = self.json_of("info", "many.txt")["graph"]["edges"]
        for locales in (1, 3):
            self.assertEqual(self.rows("select count(*) from edges('many.txt')", "--locales", locales),
                             [str(expected)])

    def test_errors(self):
        self.write("bad.txt", "1 2\n3 x\n")
        self.write("calls.csv", CALLS)
        for query, words in (("from edges('bad.txt')", "bad.txt:2"),
                             ("from edges('none.txt')", "none.txt"),
                             ("from edges('calls.csv', format = 'xyz')", "xyz")):
            for locales in (1, 2):
                with self.subTest(query, locales=locales):
                    self.assertIn(words, self.refuse("sql", query, "--locales", locales))
        for query, words in (("from edges('calls.csv', header = true)", "HEADER is no option of a graph"),
                             ("from edges()", "edges takes a file in quotes"),
                             ("from egdes('calls.csv')", "did you mean edges?")):
            with self.subTest(query):
                self.assertIn(words, self.run_tool("sql", query).stderr)

    def test_does_not_write_over_the_graph(self):
        self.write("calls.csv", CALLS)
        self.assertIn("calls.csv", self.refuse("sql", "from edges('calls.csv')", "-o", "calls.csv"))
        said = self.run_tool("sql", "copy (from edges('calls.csv')) to 'calls.csv'").stderr
        self.assertIn("COPY: calls.csv is what is read", said)
        self.assertEqual((self.folder / "calls.csv").read_text(), CALLS)


class QueriesAsGraphs(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("calls.csv", CALLS)

    def test_kernels_give_what_they_give_of_the_file(self):
        for kernel, options, query in (
                ("pagerank", (), "select source, target from 'calls.csv'"),
                ("sssp", ("--source", "Ann"), "select source, target, weight from 'calls.csv'"),
                ("cc", (), "from edges('calls.csv')")):
            for locales in LOCALES:
                with self.subTest(kernel, locales=locales):
                    run = (*options, "--locales", locales)
                    self.assertEqual(self.values_of(kernel, f"sql:{query}", *run),
                                     self.values_of(kernel, "calls.csv", *run))

    def test_integers(self):
        query = "sql:select x, x % 10 from generate_series(100, 1000) t(x)"
        self.assertEqual(self.json_of("info", query)["graph"],
                         {"name": query, "vertices": 911, "edges": 901, "arcs": 901})
        components = self.values_of("cc", query)
        self.assertEqual(len(components), 911)
        self.assertEqual(components["100"], components["1000"])

    def test_converts(self):
        self.succeed("convert", "sql:select target, source, 2 * weight from 'calls.csv'", "back.csv", "-q")
        self.assertEqual(sorted(self.succeed("sql", "from edges('back.csv')").splitlines()[1:]),
                         ["Ann,Cid,4.0", "Bob,Ann,6.0", "Cid,Ann,8.0", "Cid,Bob,3.0"])
        self.assertIn("calls.csv", self.refuse("convert", "sql:from 'calls.csv'", "calls.csv"))

    def test_undirected(self):
        facts = self.json_of("info", "sql:from 'calls.csv'", "--undirected")
        self.assertIs(facts["result"]["directed"], False)

    def test_rows_that_are_no_edges(self):
        for query, words in (
                ("select 1", "gives 1 column; two were expected"),
                ("select 1, 2, 3, 4", "gives 4 columns"),
                ("select 1, 'a'", "texts for one end of an edge and integers for the other"),
                ("select 1.5, 2", "decimal(2,1) for the source"),
                ("select 1, 2, 'heavy'", "varchar for the weight"),
                ("select 1, 2 union all select null, 3", "the source is NULL"),
                ("select 1, 2 union all select 3, -4", "the target is -4"),
                ("select 1, 2 where false", "gives no rows"),
                ("select 1, 2; select 3, 4", "has two answers"),
                ("select a, b from 'none.csv'", "none.csv")):
            for locales in (1, 2):
                with self.subTest(query, locales=locales):
                    self.assertIn(words, self.refuse("info", f"sql:{query}", "--locales", locales))
        self.assertIn("at least 0", self.refuse("sssp", "sql:select 1, 2, -0.5", "--source", 1))
        self.assertIn("sourse", self.run_tool("cc", "sql:select sourse, target from 'calls.csv'").stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
