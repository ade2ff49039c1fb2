"""The files of tests/sqllogic, on one locale and on several; and the runner itself."""

import unittest

import sqllogic
from cli_tool import SOURCE, ToolTest

FILES = sorted((SOURCE / "tests/sqllogic").glob("*.test"))
MARK = "-- next --"


class Files(ToolTest):
    def failures(self, text, *options):
        """What is not as the file says. What succeeds is executed by one process, and what fails by one
        each, behind the statements before it."""
        done, before, queries, found = "", "", [], []
        for record in sqllogic.records(text):
            if record.kind == "error":
                result = self.run_tool("sql", before + record.sql, "--output", "csv", *options)
                message = "\n".join(record.expected)
                if result.returncode != 2 or message not in result.stderr:
                    found.append(f"line {record.line}: {result.returncode}, {result.stderr or result.stdout}")
                continue
            done += record.sql + ";\n"
            if record.kind == "query":
                queries.append(record)
                done += f"SELECT '{MARK}' AS mark;\n"
            else:
                before += record.sql + ";\n"
        answers = self.succeed("sql", "-f", "-", "--output", "csv", *options, input=done)
        answers = answers.split(f"mark\n{MARK}\n")
        self.assertEqual(len(answers), len(queries) + 1)
        for record, answer in zip(queries, answers):
            wrong = sqllogic.difference(record, sqllogic.rows_of_csv(answer))
            if wrong:
                found.append(f"line {record.line}: {record.sql}\n{wrong}")
        return found

    def test_files(self):
        self.assertEqual(len(FILES), 6)
        for path in FILES:
            for options in (("--cores", 2), ("--locales", 3, "--cores", 1)):
                with self.subTest(path.name, options=options):
                    found = self.failures(path.read_text(encoding="utf-8"), *options)
                    self.assertEqual(found, [], "\n\n".join(found))

    def test_tells_what_is_wrong(self):
        wrong = "statement ok\nCREATE TABLE t AS SELECT 1 AS a\n\n"
        for record in ("query I\nSELECT a FROM t\n----\n2", "query II\nSELECT a FROM t\n----\n1",
                       "query I\nSELECT a FROM t\n----\n1\n1", "statement error\nSELECT a FROM t",
                       "statement error\nSELECT b FROM t\n----\nno table", "query R\nSELECT a FROM t\n----\n1",
                       "query T\nSELECT '' FROM t\n----\n", "query I\nSELECT a FROM t\n----\n1 values hashing to "
                       + "0" * 32):
            with self.subTest(record):
                self.assertEqual(len(self.failures(wrong + record + "\n")), 1)


class Format(unittest.TestCase):
    def test_records(self):
        text = ("# comment\nhash-threshold 8\n\nstatement ok\nCREATE TABLE t\n(a int)\n\nskipif grappa\nstatement ok\n"
                "NONE\n\nonlyif grappa\nquery IT rowsort x\nSELECT 1,\n# here, too\n'a'\n----\n1\ta\n\n\n"
                "statement error\nBAD\n----\nmessage\n\nhalt\n\nstatement ok\nNOT READ\n")
        first, second, third = sqllogic.records(text)
        self.assertEqual((first.kind, first.sql, first.line), ("ok", "CREATE TABLE t\n(a int)", 4))
        self.assertEqual((second.types, second.sort, second.label, second.sql, second.expected),
                         ("IT", "rowsort", "x", "SELECT 1,\n'a'", ["1\ta"]))
        self.assertEqual((third.kind, third.expected), ("error", ["message"]))
        for bad in ("statement maybe\nX\n", "query\nX\n", "query IX\nX\n", "query I sorted\nX\n", "what\n"):
            with self.assertRaises(sqllogic.Malformed):
                list(sqllogic.records(bad))

    def test_answers(self):
        rows = sqllogic.rows_of_csv('a,b\n1,"x ""y"",\nz"\n,""\n')
        self.assertEqual(rows, [["1", 'x "y",\nz'], [None, ""]])
        for types, sort, expected in (("IT", "nosort", ["1", 'x "y",@z', "NULL", "(empty)"]),
                                      ("IT", "rowsort", ['1\tx "y",@z', "NULL\t(empty)"]),
                                      ("IT", "valuesort", ["(empty)", "1", "NULL", 'x "y",@z']),
                                      ("RT", "nosort", ['1.000\tx "y",@z', "NULL\t(empty)"]),
                                      ("IT", "nosort", ["4 values hashing to 9a6b2b1a4b8b0b2d9c2d3b4f5a6c7d8e"])):
            record = sqllogic.Record(1, "query", "", types, sort, "", expected)
            is_right = "hashing" not in expected[0]
            self.assertEqual(sqllogic.difference(record, rows) is None, is_right)


if __name__ == "__main__":
    unittest.main(verbosity=2)
