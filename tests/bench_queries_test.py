"""`grappa bench queries`: it checks its answers and those of what is beside it.

The baseline is a stand-in, which answers with what the set expects, except in the last class, which
needs the packages that `scripts/setup --baselines` installs, and for Spark --spark.
"""

import json
import shutil
import subprocess
import sys
import unittest

from cli_tool import SOURCE, ToolTest

PYTHON_OF_BASELINES = SOURCE / "build/baselines/bin/python3"


def has_spark():
    """Whether Spark is among the packages, and a Java there."""
    return shutil.which("java") and subprocess.run(
        [PYTHON_OF_BASELINES, "-c", "import pyspark"], capture_output=True, check=False).returncode == 0


STAND_IN = '''
import json, os, sys
result, fault = sys.argv[-1], os.environ["GRAPPA_TEST_BASELINE"]
print(json.dumps({"system": "Stand-in 1.0", "lacks": {}}), flush=True)
for line in sys.stdin:
    word, argument = line.rstrip("\\n").split(" ", 1)
    answer = {"seconds": 0.5}
    if word == "run":
        with open(argument[:-len("sql")] + "json") as file:
            text = file.read()
        if fault == "wrong":
            text = text.replace("Ada", "Eve")
        if fault.startswith("rounds "):
            text = text.replace("0.33333333334", fault.split()[1])
        with open(result, "r+") as file:
            file.write(text)
        answer["bytes"] = len(text)
        if fault == "lacks all" or fault == "lacks 2" and argument.endswith("/2.sql"):
            answer = {"lacks": "no joins"}
    print(json.dumps(answer), flush=True)
'''


class QueriesTest(ToolTest):
    def make_set(self):
        """Two tables and two queries, whose answers were computed by hand."""
        (self.folder / "data").mkdir()
        self.succeed("sql", "copy (select * from (values (1, 'Ada', 1.50), (2, 'Bob', null)) "
                     "as t(id, name, price)) to 'data/people.parquet'")
        self.succeed("sql", "copy (select 1 as person) to 'data/orders.parquet'")
        self.write_query("2", "select name from people, orders where id = person", [["Ada"]])
        self.write_query("10", "select id, price, 1 / 3.0::double from people order by id",
                         [["1", "1.5", "0.33333333334"], ["2", None, "0.33333333334"]])

    def write_query(self, name, text, answer):
        self.write(f"data/{name}.sql", text)
        self.write(f"data/{name}.json", json.dumps(answer))

    def command(self, *options):
        return ("bench", "queries", "--data", "data", "--trials", 2, *options)


class Alone(QueriesTest):
    def test_all_queries_are_measured_in_their_order(self):
        self.make_set()
        for options in ((), ("--locales", 2), ("--cores", 1)):
            facts = self.json_of(*self.command(*options))
            self.assertIs(facts["result"]["checked"], True)
            rows = facts["result"]["queries"]
            self.assertEqual([row["query"] for row in rows], ["2", "10", "all"])
            for row in rows:
                self.assertEqual(len(row["trials"]), 2)
                self.assertGreater(row["seconds"], 0)
            self.assertEqual(facts["trials"], rows[-1]["trials"])

    def test_some_are_chosen(self):
        self.make_set()
        facts = self.json_of(*self.command("--queries", "10"))
        self.assertEqual([row["query"] for row in facts["result"]["queries"]], ["10", "all"])
        self.assertIn("3", self.refuse(*self.command("--queries", "10", "3")))

    def test_rows_in_any_order(self):
        self.make_set()
        both = "select name from people order by name desc"
        for text, status in ((both, 1), ("-- any order\n" + both, 0)):
            self.write_query("3a", text, [["Ada"], ["Bob"]])
            done = self.run_tool(*self.command("--queries", "3a"))
            self.assertEqual(done.returncode, status, done.stderr)

    def test_wrong_answers_are_errors(self):
        for answer, words in (([["Ada"], ["Bob"]], "1 rows, not 2"),
                              ([["Bob"]], "row 1, column 1: 'Ada', not 'Bob'"),
                              ([[None]], "'Ada', not NULL"), ([["Ada", "1"]], "1 columns, not 2")):
            with self.subTest(words):
                if not (self.folder / "data").exists():
                    self.make_set()
                self.write("data/2.json", json.dumps(answer))
                self.assertIn(words, self.refuse(*self.command(), status=1))

    def test_numbers_agree_to_a_tolerance_if_they_are_not_whole(self):
        self.make_set()
        for query, answer, agrees in (("1000000000000", "1000000000001", False),
                                      ("0.3000000001", "0.3000000002", True),
                                      ("0.30000001", "0.30000002", False), ("1.50", "1.5", True)):
            with self.subTest(query):
                self.write_query("2", f"select {query}", [[answer]])
                if agrees:
                    self.succeed(*self.command())
                else:
                    self.assertIn(answer, self.refuse(*self.command(), status=1))

    def test_our_averages_are_not_rounded(self):
        self.make_set()
        self.write_query("10", "select 0.333333", [["0.3333333333333333"]])
        self.assertIn("'0.333333'", self.refuse(*self.command(), status=1))

    def test_folders_that_are_no_sets(self):
        (self.folder / "data").mkdir()
        self.assertIn("no tables", self.refuse(*self.command()))
        self.make_set_without_answer()
        self.assertIn("2.json", self.refuse(*self.command()))
        self.write("data/2.json", "[1]")
        self.assertIn("no array of rows", self.refuse(*self.command(), status=1))

    def make_set_without_answer(self):
        self.succeed("sql", "copy (select 1 as a) to 'data/t.parquet'")
        self.write("data/2.sql", "select a from t")

    def test_tables_that_cannot_be_made(self):
        said = self.refuse("bench", "queries", "--data", "nothing",
                           env={"GRAPPA_BASELINE_PYTHON": "/no/python"})
        self.assertIn("/no/python", said)
        self.assertIn("scripts/setup --baselines", said)


class BesidePipelines(QueriesTest):
    """Three triples with a person, 1, and one without."""

    QUERY = """-- any order
SELECT DISTINCT predicate FROM (
  SELECT other.p AS predicate FROM triples person JOIN triples other ON other.o = person.s
  WHERE person.p = 100 AND person.o = 101
  UNION ALL
  SELECT other.p FROM triples person JOIN triples other ON other.s = person.s
  WHERE person.p = 100 AND person.o = 101) found"""

    def setUp(self):
        super().setUp()
        (self.folder / "data").mkdir()
        self.make_triples("(1, 100, 101), (1, 102, 5), (6, 103, 1), (6, 104, 7)")
        self.write_query("9", self.QUERY, [["103"], ["102"], ["100"]])
        self.write_query("10", "select 1", [["1"]])

    def make_triples(self, rows):
        self.succeed("sql", f"copy (select * from (values {rows}) as t(s, p, o)) to 'data/triples.parquet'")

    def pipelines(self, *options):
        return self.command("--baseline", "pipelines", *options)

    def test_ratios(self):
        for options in ((), ("--cores", 1)):
            facts = self.json_of(*self.pipelines(*options))
            rows = facts["result"]["queries"]
            self.assertEqual([row["query"] for row in rows], ["9", "all"])
            for row in rows:
                self.assertAlmostEqual(row["ratio"], row["baseline_seconds"] / row["seconds"])
                self.assertEqual(len(row["baseline_trials"]), 2)

    def test_its_wrong_answer_is_an_error(self):
        self.write_query("9", self.QUERY.replace("= 100", "= 104", 1).replace("= 101", "= 7", 1),
                         [["100"], ["102"]])
        said = self.refuse(*self.pipelines(), status=1)
        self.assertIn("pipelines answers data/9.sql with", said)

    def test_what_they_are_not_for(self):
        self.assertIn("10", self.refuse(*self.pipelines("--queries", "10")))
        self.assertIn("one locale", self.refuse(*self.pipelines("--locales", 2)))
        self.assertIn("--memory", self.refuse(*self.pipelines("--memory", "1GiB")))
        self.write_query("9", "select 1", [["1"]])
        self.assertIn("data/9.sql is not query 9", self.refuse(*self.pipelines()))
        self.make_triples("(-1, 100, 101)")
        self.write_query("9", "select 2", [["2"]])
        self.assertIn("-1 is no term", self.refuse(*self.pipelines()))
        self.make_triples("('a', 'b', 'c')")
        self.assertIn("needs --set sp2bench", self.refuse(*self.pipelines()))
        (self.folder / "data/9.sql").unlink()
        self.assertIn("needs --set sp2bench", self.refuse(*self.pipelines()))


class BesideStandIn(QueriesTest):
    def setUp(self):
        super().setUp()
        self.make_set()
        self.write("stand_in.py", STAND_IN)
        self.python = self.folder / "python"
        self.python.write_text(f'#!/bin/sh\nexec {sys.executable} -B '
                               f'{self.folder / "stand_in.py"} "$@"\n', encoding="utf-8")
        self.python.chmod(0o755)

    def environment(self, fault=""):
        return {"GRAPPA_BASELINE_PYTHON": str(self.python), "GRAPPA_TEST_BASELINE": fault}

    def test_ratios(self):
        facts = self.json_of(*self.command("--baseline", "duckdb"), env=self.environment())
        self.assertEqual(facts["baseline"]["name"], "Stand-in 1.0")
        for row, seconds in zip(facts["result"]["queries"], (0.5, 0.5, 1), strict=True):
            self.assertEqual(row["baseline_seconds"], seconds)
            self.assertAlmostEqual(row["ratio"], seconds / row["seconds"])
            self.assertEqual(len(row["baseline_trials"]), 2)
        self.assertIn("Checked:", self.succeed(*self.command("--baseline", "duckdb"),
                                               env=self.environment()))

    def test_its_wrong_answer_is_an_error(self):
        said = self.refuse(*self.command("--baseline", "duckdb"), env=self.environment("wrong"),
                           status=1)
        self.assertIn("duckdb answers data/2.sql with row 1, column 1: 'Eve', not 'Ada'", said)

    def test_its_averages_of_decimals_may_be_rounded(self):
        for rounded, agrees in (("0.333333", True), ("0.333334", False), ("0.33333", False)):
            with self.subTest(rounded):
                done = self.run_tool(*self.command("--baseline", "spark"),
                                     env=self.environment(f"rounds {rounded}"))
                self.assertEqual(done.returncode == 0, agrees, done.stderr)

    def test_what_it_lacks_is_left_out(self):
        beside = self.command("--baseline", "polars")
        facts = self.json_of(*beside, env=self.environment("lacks 2"))
        lacking, other, both = facts["result"]["queries"]
        self.assertEqual((lacking["query"], lacking["lacks"]), ("2", "no joins"))
        self.assertNotIn("ratio", lacking)
        self.assertEqual(len(lacking["trials"]), 2)
        self.assertEqual(both["query"], "all")
        for figure in ("trials", "baseline_trials", "ratio"):
            self.assertEqual(both[figure], other[figure])
        self.assertEqual(facts["baseline"]["queries"], 1)
        said = self.succeed(*beside, env=self.environment("lacks 2"))
        self.assertRegex(said, r"\n +2 .*–.*\(no joins\)\n")
        self.assertRegex(said, "All: +1 of 2 queries")

    def test_one_that_lacks_all(self):
        facts = self.json_of(*self.command("--baseline", "spark"), env=self.environment("lacks all"))
        self.assertEqual([row["query"] for row in facts["result"]["queries"]], ["2", "10"])
        self.assertEqual(facts["baseline"]["queries"], 0)

    def test_several_locales_are_refused(self):
        said = self.refuse(*self.command("--baseline", "duckdb", "--locales", 2),
                           env=self.environment())
        self.assertIn("one locale", said)

    def test_a_bound_is_refused_beside_those_without(self):
        for baseline in ("polars", "spark"):
            said = self.refuse(*self.command("--baseline", baseline, "--memory", "1GiB"),
                               env=self.environment())
            self.assertIn(f"--baseline {baseline} has no bound for --memory", said)


class WithoutPackages(QueriesTest):
    def test_who_installs_them_is_said(self):
        self.make_set()
        python = self.python_without_packages()
        for baseline, option in (("duckdb", "baselines"), ("polars", "baselines"), ("spark", "spark")):
            beside = self.command("--baseline", baseline)
            said = self.refuse(*beside, env={"GRAPPA_BASELINE_PYTHON": str(python)})
            self.assertRegex(said, f"ModuleNotFoundError.*scripts/setup --{option} installs")
            said = self.refuse(*beside, env={"GRAPPA_BASELINE_PYTHON": "/no/python"})
            self.assertRegex(said, f"/no/python: scripts/setup --{option} makes")


@unittest.skipUnless(PYTHON_OF_BASELINES.exists(), "scripts/setup --baselines has not been run")
class BesideTheSystems(QueriesTest):
    def test_all_answers(self):
        for name, tables, queries in (("tpch", 8, 22), ("tpcds", 24, 99), ("ssb", 5, 13),
                                      ("sp2bench", 1, 17),
                                      ("sp2bench-texts", 1, 17), ("clickbench", 1, 43),
                                      ("job", 21, 27)):
            with self.subTest(name):
                options = ("bench", "queries", "--set", name, "--scale", 0.01, "--trials", 1)
                facts = self.json_of(*options, "--baseline", "duckdb",
                                     env={"XDG_CACHE_HOME": str(self.folder / name)})
                self.assertEqual(len(facts["result"]["queries"]), queries + 1)
                made = self.folder / name / f"grappa/{name}-0.01"
                self.assertEqual(len(list(made.glob("*.parquet"))), tables)
                self.assertEqual(list(made.parent.iterdir()), [made])
                self.succeed(*options, "--data", made, "--locales", 2)
                if name == "sp2bench":
                    facts = self.json_of(*options, "--data", made, "--baseline", "pipelines")
                    self.assertEqual([row["query"] for row in facts["result"]["queries"]], ["2", "4", "9", "all"])

    def lacking(self, name, baseline):
        """The queries of a set that the baseline has not."""
        facts = self.json_of("bench", "queries", "--set", name, "--scale", 0.01, "--trials", 1,
                             "--baseline", baseline, env={"XDG_CACHE_HOME": str(self.folder)})
        return [row["query"] for row in facts["result"]["queries"] if "lacks" in row]

    def test_polars(self):
        self.assertEqual(self.lacking("tpch", "polars"), [])
        self.assertEqual(self.lacking("sp2bench", "polars"), ["7"])

    def test_spark(self):
        if not has_spark():
            self.skipTest("scripts/setup --spark has not been run")
        for name in ("tpch", "sp2bench"):
            self.assertEqual(self.lacking(name, "spark"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
