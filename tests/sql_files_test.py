"""What SQL reads and writes: CSV, JSON, Parquet, triples; COPY; and what is wrong in files."""

import csv
import gzip
import itertools
import json
import os
import sys
import unittest

from cli_tool import LOCALES
from sql_tables import PEOPLE, SqlTest


class SqlFiles(SqlTest):
    def test_does_not_write_over_what_it_reads(self):
        for query in ("SELECT * FROM 'people.csv'", "SELECT * FROM 'peop*.csv'",
                      "CREATE TABLE t AS SELECT (SELECT max(age) FROM 'people.csv')",
                      "WITH t AS (FROM 'people.csv') SELECT * FROM t"):
            for option in ("-o", "--json", "--plot", "--stats-json", "--trace"):
                with self.subTest(query=query, option=option):
                    result = self.run_tool("sql", query, option, "people.csv")
                    self.assertEqual(result.returncode, 2, result.stdout)
                    self.assertEqual(result.stderr, f"grappa: {option}: people.csv is what is read (people.csv); "
                                                    "give another name\n")
                    self.assertEqual((self.folder / "people.csv").read_text(), PEOPLE)
        self.assertEqual(self.run_tool("sql", "FROM t", "--table", "t=p*e.csv", "-o", "people.csv").returncode, 2)
        # A text that is no table may be anything.
        self.succeed("sql", "SELECT 'people.csv'", "-o", "people.csv")

    def test_parquet_of_other_writers(self):
        """Files that Arrow has written, with 20 rows: by dictionary, plainly, by differences, by bytes that are
        split; with one codec each. Two have a list in a column."""
        corpus = os.path.join(os.environ["GRAPPA_SOURCE_DIR"], "tests/fuzz/corpus/parquet_fuzz/")
        for name, locales in itertools.product(("dictionary", "plain_v2", "delta", "lengths"), (1, 2)):
            with self.subTest(name=name, locales=locales):
                found = self.succeed(
                    "sql", f"SELECT i, s, d, count(*) FROM '{corpus}{name}' GROUP BY ALL ORDER BY i, s",
                    "--output", "csv", "--locales", locales)
                self.assertEqual(list(csv.reader(found.splitlines()))[1:],
                                 [["-4", "a longer text, of its own", "0.0", "5"], ["1", "a", "1.5", "5"],
                                  ["3", "", "", "5"], ["", "bb", "2.5", "5"]])
        result = self.run_tool("sql", f"SELECT i, l FROM '{corpus}dictionary'")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.splitlines()[0],
                         "grappa: 1:11: column l of the file is nested: a list")

    def test_stars_tell_what_they_leave_out(self):
        file = os.path.join(os.environ["GRAPPA_SOURCE_DIR"], "tests/fuzz/corpus/parquet_fuzz/dictionary")
        note = "grappa: * leaves out column l, which is nested: a list\n"
        for told, *query in ((note, f"SELECT * FROM '{file}'"), (note, f"FROM (SELECT t.* FROM '{file}' t)"),
                             (note, f"COPY (FROM '{file}') TO 'a.csv'"),
                             ("", f"SELECT * EXCLUDE (l) FROM '{file}'"), ("", f"SELECT i FROM '{file}'"),
                             ("", f"SELECT o.* FROM '{file}' t JOIN generate_series(1, 2) o(i) ON o.i = t.i"),
                             ("", f"SELECT * FROM '{file}'", "--quiet")):
            for locales in (1, 2):
                with self.subTest(query=query, locales=locales):
                    result = self.run_tool("sql", *query, "--locales", locales)
                    self.assertEqual((result.returncode, result.stderr), (0, told))

    def test_writes_parquet(self):
        """What is read of a file that was written is what the query gave; in the order of its rows."""
        types = ("SELECT id, name, age::smallint AS a, age / 7.0 AS b, age::decimal(30,3) AS c, born, "
                 "city = 'Oslo' AS d, born::timestamp AS e, NULL AS f FROM people")
        many = "SELECT 'text ' || a.id::varchar AS t, a.id * b.id AS n FROM people a, people b ORDER BY a.id, b.id DESC"
        for query, locales in itertools.product((types + " ORDER BY id", many, types + " WHERE id > 99"), LOCALES):
            with self.subTest(query=query, locales=locales):
                for name in ("a.parquet", "a.csv"):
                    self.succeed("sql", query, "--table", "people=people.csv", "-o", name, "--locales", locales)
                found = self.succeed("sql", "FROM 'a.parquet'", "--output", "csv", "--locales", 1, "--cores", 1)
                self.assertEqual(found, (self.folder / "a.csv").read_text())
        described = self.succeed("sql", "DESCRIBE SELECT * FROM 'a.parquet'", "--output", "csv")
        self.assertEqual([row[1] for row in csv.reader(described.splitlines())][1:],
                         ["bigint", "varchar", "smallint", "double", "decimal(30,3)", "date", "boolean", "timestamp",
                          "boolean"])

    def test_refuses_parquet_where_it_cannot_be(self):
        for query, options, expected in (
                ("SELECT 1", ["--output", "parquet"],
                 "Parquet is not for the eye: name a file for it; -o - is a pipe's"),
                ("SELECT 1; SELECT 2", ["-o", "a.pq"], "a.pq: a Parquet file has one answer, this is the second"),
                ("SELECT 1", ["-o", "a.parquet.gz"],
                 "a.parquet.gz: a Parquet file compresses its columns itself; let its name end with .parquet"),
                ("SELECT interval '-1 day'", ["-o", "a.parquet"], "an interval that is negative, or has parts of a "
                 "millisecond, cannot be written to a Parquet file: cast it to text")):
            with self.subTest(query=query, options=options):
                result = self.run_tool("sql", query, *options)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertEqual(result.stderr, f"grappa: {expected}\n")
                self.assertFalse((self.folder / options[-1]).exists())

    def test_lines_of_json(self):
        """Objects with their keys in any order, some of them late, on any number of cores: pieces are of a megabyte."""
        late = '{"id": 40001, "Late key": {"x": [1, "]"]}, "n": 1e3}'
        rows = [f'{{"id": {n}, "name": "n\\u00e9 \\"{n}\\"", "zip": "{n:05}", "day": "2024-01-{n % 28 + 1:02}"'
                + (f', "n": {n}' if n % 2 else ', "n": null') + "}" for n in range(40_000)]
        self.write("a.jsonl", "\n".join(rows) + "\r\n\n" + late)
        self.write("b.ndjson.gz", gzip.compress((late + "\n" + "\n".join(rows)).encode()))
        self.write("c.json", "[" + ",\n".join([*rows, late]) + "]\n")
        for name, locales in itertools.product(("a.jsonl", "b.ndjson.gz", "c.json"), LOCALES):
            with self.subTest(name=name, locales=locales):
                found = self.succeed("sql", f"SELECT * FROM '{name}' WHERE id IN (7, 8, 40001) ORDER BY id; "
                                     f"SELECT count(*), sum(n), count(\"late key\"), max(zip), min(day) FROM '{name}'",
                                     "--output", "jsonl", "--locales", locales, "--cores", 1 if locales > 1 else 2)
                rows_found = [json.loads(line) for line in found.splitlines()]
                self.assertEqual([row["id"] for row in rows_found[:3]], [7, 8, 40001])
                self.assertEqual(rows_found[0]["name"], 'né "7"')
                self.assertEqual(rows_found[0]["zip"], "00007")
                self.assertEqual((rows_found[0]["n"], rows_found[1]["n"], rows_found[2]["n"]), (7.0, None, 1000.0))
                self.assertEqual(rows_found[2]["Late key"], '{"x": [1, "]"]}')
                self.assertEqual(list(rows_found[3].values()), [40001, 400001000.0, 1, "39999", "2024-01-01"])
        self.write("d.jsonl", '{"a": true, "b": 1, "c": "x", "d": 99999999999999999999, "A": 1}\n'
                              '{"a": 2, "b": "1", "c": ""}\n')
        self.assertEqual(self.succeed("sql", "FROM read_json('d.jsonl'); DESCRIBE FROM 'd.jsonl'", "--output", "csv"),
                         "a,b,c,d,A_1\ntrue,1,x,99999999999999999999,1\n2,1,\"\",,\ncolumn_name,column_type\n"
                         "a,varchar\nb,varchar\nc,varchar\nd,\"decimal(38,0)\"\nA_1,bigint\n")

    def test_json_over_lines(self):
        """Objects over several lines, or several on one, with all that their texts may have."""
        rows = [{"id": n, "name": f'}} {{"{n}"\\ ,\n[', "inside": {"a": [n, {"b": "]"}]}} for n in range(20_000)]
        broken = json.dumps(rows, indent=1)
        self.write("a.json", broken)
        self.write("b.json", json.dumps(rows))
        self.write("c.json.gz", gzip.compress(broken.encode()))
        self.write("d.json", broken.replace("\n", "\r\n"))
        self.write("e.json", " ".join(map(json.dumps, rows)))
        for name, locales in itertools.product(("a.json", "b.json", "c.json.gz", "d.json", "e.json"), LOCALES):
            with self.subTest(name=name, locales=locales):
                found = self.succeed("sql", f"SELECT count(*), sum(id), min(length(name)), count(DISTINCT inside) FROM '{name}'; "
                                     f"SELECT name, inside FROM '{name}' WHERE id = 17", "--output", "jsonl",
                                     "--locales", locales)
                first, second = map(json.loads, found.splitlines())
                self.assertEqual(list(first.values()), [20_000, 199_990_000, 11, 20_000])
                self.assertEqual(second["name"], rows[17]["name"])
                self.assertEqual(json.loads(second["inside"]), rows[17]["inside"])
        line = broken.split("\n").index('  "id": 15000,')
        for name, pack in (("f.json", bytes), ("g.json.gz", gzip.compress)):
            self.write(name, pack(broken.replace('"id": 15000,', '"id": x,').encode()))
            self.assertIn(f"{name}:{line}: is no JSON object", self.run_tool("sql", f"FROM '{name}'").stderr)
        self.write("h.json", '{\n"a": 1,\n"b": 2\n}\n')
        self.assertEqual(self.succeed("sql", "FROM read_json(['h.json', 'h.json'], columns = {a: 'double'})",
                                      "--output", "csv"), "a,b\n1.0,2\n1.0,2\n")

    def test_wrong_lines(self):
        for name, content, expected in (
                ("a.jsonl", '{"a": 1}\n{"a": }\n', "a.jsonl:2: is no JSON object: "),
                ("a.jsonl", '{"a": 1}\n\n{"a": 1} 2\n', "a.jsonl:3: is no JSON object: "),
                ("a.jsonl", '{"a": 1}\n17\n', "a.jsonl:2: a JSON object on a line of its own was expected"),
                ("a.jsonl", '{"a": 01}\n', "a.jsonl:1: is no JSON object: "),
                ("a.jsonl", '{"a": "b}\n', "a.jsonl:1: is no JSON object: "),
                ("a.jsonl", '{"a": "\\ud800"}\n', "a.jsonl:1: is no JSON object: "),
                ("a.jsonl", '{"a": 1}\n' * 100_000 + '{"a"', "a.jsonl:100001: is no JSON object: "),
                ("a.jsonl", "".join(f'{{"k{i}": {i}}}\n' for i in range(20_000)),
                 "a.jsonl:10001: has more than 10,000 different keys"),
                ("a.jsonl", '{"a": 1}\n' * 200_000 + "".join(f'{{"k{i}": {i}}}\n' for i in range(30_000)),
                 "has more than 10,000 different keys"),
                ("a.jsonl", "\n\n", "a.jsonl: has no rows"),
                ("a.nt", "<a> <b> .\n", "a.nt:1: an object was expected: <IRI>, _:node or a literal in quotes"),
                ("a.nt", "<a> <b> \"c\" .\n<a> \"b\" <c> .\n", "a.nt:2: a predicate was expected: <IRI>"),
                ("a.nt", "<a> <b> <c>\n", "a.nt:1: a point was expected behind the object")):
            with self.subTest(content=content[:40]):
                self.write(name, content)
                result = self.run_tool("sql", f"SELECT count(*) FROM '{name}'", "--locales", 2)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(expected, result.stderr)

    def test_triples(self):
        self.write("a.nt", "# A comment\n<http://x/s> <http://x/p> _:b.1 . # another\n\n"
                           "_:b.1\t<http://x/p>\t\"a \\\"text\\\"\"@en-GB.\n"
                           "<http://x/s> <http://x/q> \"1\"^^<http://x/int> .\n")
        for locales in LOCALES:
            found = self.succeed("sql", "SELECT a.subject, a.object, b.object FROM 'a.nt' a LEFT JOIN 'a.nt' b "
                                 "ON a.object = b.subject ORDER BY 1, 2", "--output", "tsv", "--locales", locales)
            self.assertEqual(list(csv.reader(found.splitlines()[1:], delimiter="\t")),
                             [["<http://x/s>", '"1"^^<http://x/int>', ""],
                              ["<http://x/s>", "_:b.1", '"a \\"text\\""@en-GB'],
                              ["_:b.1", '"a \\"text\\""@en-GB', ""]])

    def test_copies(self):
        """To files and back, in each format and with all options; what was read before is not what is read then."""
        for locales in LOCALES:
            options = ["--locales", locales, "--cores", 1] if locales > 1 else []
            query = "SELECT * FROM people ORDER BY id"
            for name, text, back in (
                    ("a.csv", "", ""),
                    ("b.txt", "(FORMAT csv, DELIMITER '|', HEADER false)", "(DELIM '|', HEADER false)"),
                    ("g.csv", "(QUOTE '|', HEADER false)", "(QUOTE '|', HEADER false)"),
                    ("h.csv", "(DELIMITER '\"', QUOTE ',')", "(DELIMITER '\"', QUOTE ',')"),
                    ("i.csv", "(QUOTE 'o', ESCAPE '\\', NULL '1')", "(QUOTE 'o', ESCAPE '\\', NULL '1')"),
                    ("c.tsv.gz", "", "(FORMAT tsv)"), ("d.parquet", "(COMPRESSION zstd)", ""),
                    ("e", "WITH (FORMAT parquet, CODEC 'gzip')", "(FORMAT parquet)")):
                with self.subTest(name=name, locales=locales):
                    found = self.sql(
                        f"COPY ({query}) TO '{name}' {text}; CREATE TABLE t (id smallint, name text, age int, "
                        f"born date, city text); COPY t FROM '{name}' {back}; "
                        f"COPY t (city, name, born, id) FROM 'two.csv'; SELECT * FROM t ORDER BY id", *options)
                    self.assertEqual((found.returncode, found.stderr), (0, ""))
                    self.assertEqual(found.stdout, PEOPLE + "6,007,,2000-01-01,\"\"\n")
            self.assertEqual((self.folder / "b.txt").read_text(), PEOPLE.partition("\n")[2].replace(",", "|")
                             .replace('"Dora| the second"', "Dora, the second"))
            # Texts of which one is empty, and a text that could be NULL.
            found = self.sql("COPY (SELECT * FROM (VALUES (1, ''), (2, 'x'), (3, NULL))) TO 'j.csv' (HEADER false, "
                             "NULL 'x'); CREATE TABLE t (a int, b text); COPY t FROM 'j.csv' (NULL 'x', HEADER false);"
                             " SELECT a, b = '', b = 'x', b IS NULL FROM t ORDER BY a", *options)
            self.assertEqual(found.stdout.splitlines()[1:], ["1,true,false,false", "2,false,true,false", "3,,,true"])
            self.assertEqual((self.folder / "j.csv").read_text(), '1,""\n2,"x"\n3,x\n')
            again = self.sql("COPY (SELECT 1 AS x) TO 'f.csv'; SELECT * FROM 'f*.csv'; "
                             "COPY (SELECT 2 AS y) TO 'f.csv'; SELECT * FROM 'f*.csv'; "
                             "COPY sales (day, person) TO 'g.jsonl'", *options)
            self.assertEqual((again.stdout, again.stderr), ("x\n1\ny\n2\n", ""))
            self.assertEqual(sorted((self.folder / "g.jsonl").read_text().splitlines())[0],
                             '{"day":"2024-01-01","person":1}')

    def test_copies_all_or_nothing(self):
        """A file that was there stays where its new rows cannot be computed; a table, where a row is wrong."""
        self.write("old.csv", "a\n1\n")
        self.write("bad.csv", "a\n1\nx\n")
        for locales in LOCALES:
            result = self.sql("COPY (SELECT 10 / (id - 4) FROM people) TO 'old.csv'", "--locales", locales)
            self.assertEqual(result.returncode, 2)
            self.assertEqual((self.folder / "old.csv").read_text(), "a\n1\n")
            result = self.sql("CREATE TABLE t (a int); COPY t FROM 'bad.csv'", "--locales", locales)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr, "grappa: bad.csv:3: column 'a': 'x' is no integer (give the column "
                                            "another type, or say what text stands for NULL)\n")

    def test_damaged_parquet(self):
        with open(os.path.join(os.environ["GRAPPA_SOURCE_DIR"], "tests/fuzz/corpus/parquet_fuzz/delta"), "rb") as file:
            whole = file.read()
        for name, damaged in (("cut.parquet", whole[:-20]), ("page.parquet", whole[:60] + b"xxxx" + whole[64:])):
            self.write(name, damaged)
            result = self.run_tool("sql", f"SELECT * FROM '{name}'", "--locales", 2)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertRegex(result.stderr, rf"^grappa: .*{name}: [^\n]*\n$")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
