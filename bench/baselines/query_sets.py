"""The sets of tables and queries of `grappa bench queries`.

    make("tpch", 0.1, "tpch-0.1")

A folder has a Parquet file for each table, the queries as 1.sql and so on, and their answers, which
DuckDB gives (for TPC-H they are those that were published), as 1.json: see rows_as_texts. It appears
when it is whole, and only once where several make it.
"""

import decimal
import json
import math
import os
import re
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))


def make(name, scale, folder):
    import duckdb

    database = duckdb.connect()
    constants = SETS[name](database, scale) or {}
    unfinished = f"{folder}.unfinished-{os.getpid()}"
    os.makedirs(unfinished)
    try:
        for (table,) in database.execute("SHOW TABLES").fetchall():
            path = os.path.join(unfinished, f"{table}.parquet").replace("'", "''")
            database.execute(f"COPY {table} TO '{path}'")
        published = published_answers(database, name, scale)
        texts = queries_of_tpcds(database) if name == "tpcds" else queries(name, constants)
        for number, text in texts.items():
            path = os.path.join(unfinished, number)
            with open(f"{path}.sql", "w", encoding="utf-8") as file:
                file.write(text)
            rows = rows_as_texts(database.execute(text).fetchall())
            if number in published and not are_same(rows, published[number]):
                raise ValueError(f"{name}, query {number}: DuckDB's answer is not the published one")
            with open(f"{path}.json", "w", encoding="utf-8") as file:
                json.dump(rows, file)
        if not os.path.isdir(folder):
            os.rename(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def make_tpch(database, scale):
    database.execute(f"CALL dbgen(sf={scale})")


def published_answers(database, name, scale):
    """Rows of texts by query, where there are such for the scale."""
    if name != "tpch":
        return {}
    answers = database.execute("SELECT query_nr, answer FROM tpch_answers() WHERE scale_factor = ?",
                               [scale]).fetchall()
    return {str(number): [line.split("|") for line in text.splitlines()[1:]]
            for number, text in answers}


def are_same(rows, published):
    """Numbers to a 10^9th."""
    def same(a, b):
        if a is None:
            return b == ""
        try:
            return math.isclose(float(a), float(b), rel_tol=1e-9)
        except ValueError:
            return a == b
    return len(rows) == len(published) and all(
        len(a) == len(b) and all(map(same, a, b)) for a, b in zip(rows, published))


def make_tpcds(database, scale):
    database.execute(f"CALL dsdgen(sf={scale})")


def queries_of_tpcds(database):
    """{number: text}, with the parameters of the validation runs."""
    found = database.execute("FROM tpcds_queries()").fetchall()
    return {str(number): text for number, text in found}


def make_ssb(database, scale):
    """The Star Schema Benchmark's tables, of those of TPC-H: as many rows, columns of the same
    distributions, but parts, customers and suppliers of an order are those of TPC-H, modulo their
    numbers here."""
    make_tpch(database, scale)
    customers = max(int(30_000 * scale), 1)
    suppliers = max(int(2_000 * scale), 1)
    database.execute(f"""
CREATE TABLE dates AS SELECT
    year(day) * 10000 + month(day) * 100 + day(day) AS d_datekey,
    strftime(day, '%B %-d, %Y') AS d_date, dayname(day) AS d_dayofweek,
    monthname(day) AS d_month, year(day) AS d_year,
    year(day) * 100 + month(day) AS d_yearmonthnum, strftime(day, '%b%Y') AS d_yearmonth,
    (dayofyear(day) - 1) // 7 + 1 AS d_weeknuminyear
FROM range(DATE '1992-01-01', DATE '1999-01-01', INTERVAL 1 DAY) AS days(day);

CREATE TABLE lineorder AS SELECT
    l_orderkey AS lo_orderkey, l_linenumber AS lo_linenumber,
    o_custkey % {customers} + 1 AS lo_custkey, l_partkey AS lo_partkey,
    l_suppkey % {suppliers} + 1 AS lo_suppkey,
    year(o_orderdate) * 10000 + month(o_orderdate) * 100 + day(o_orderdate) AS lo_orderdate,
    o_orderpriority AS lo_orderpriority, o_shippriority AS lo_shippriority,
    l_quantity::INTEGER AS lo_quantity, (l_extendedprice * 100)::INTEGER AS lo_extendedprice,
    (o_totalprice * 100)::INTEGER AS lo_ordtotalprice, (l_discount * 100)::INTEGER AS lo_discount,
    (l_extendedprice * (1 - l_discount) * 100)::INTEGER AS lo_revenue,
    (l_extendedprice / l_quantity * 60)::INTEGER AS lo_supplycost,
    (l_tax * 100)::INTEGER AS lo_tax,
    year(l_commitdate) * 10000 + month(l_commitdate) * 100 + day(l_commitdate) AS lo_commitdate,
    l_shipmode AS lo_shipmode
FROM lineitem JOIN orders ON l_orderkey = o_orderkey;

CREATE TABLE customers AS SELECT c_custkey, c_name, c_address,
    rpad(n_name, 9, ' ')[:9] || hash(c_custkey) % 10 AS c_city, n_name AS c_nation,
    r_name AS c_region, c_phone, c_mktsegment
FROM customer JOIN nation ON c_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
WHERE c_custkey <= {customers};

CREATE TABLE suppliers AS SELECT s_suppkey, s_name, s_address,
    rpad(n_name, 9, ' ')[:9] || hash(s_suppkey) % 10 AS s_city, n_name AS s_nation,
    r_name AS s_region, s_phone
FROM supplier JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
WHERE s_suppkey <= {suppliers};

CREATE TABLE parts AS SELECT p_partkey, p_name, 'MFGR#' || right(p_mfgr, 1) AS p_mfgr,
    'MFGR#' || right(p_brand, 2) AS p_category,
    'MFGR#' || right(p_brand, 2) || hash(p_partkey) % 40 + 1 AS p_brand1,
    p_type, p_size, p_container
FROM part;
""")
    for table in ("lineitem", "orders", "partsupp", "customer", "supplier", "part", "nation", "region"):
        database.execute(f"DROP TABLE {table}")
    for table in ("customer", "supplier", "part"):
        database.execute(f"ALTER TABLE {table}s RENAME TO {table}")


def make_sp2bench(database, scale):
    """SP²Bench's triples, `scale` millions, of terms that are integers."""
    import sp2bench

    (s, p, o), _, constants = sp2bench.generate(int(1_000_000 * scale))
    of_integers = {"s": s, "p": p, "o": o}
    database.execute("CREATE TABLE triples AS SELECT * FROM of_integers")
    return constants


def make_sp2bench_texts(database, scale):
    """The same of terms that are texts."""
    import numpy as np
    import sp2bench

    (s, p, o), known, constants = sp2bench.generate(int(1_000_000 * scale))
    names = sp2bench.texts(known)
    of_integers = {"s": s, "p": p, "o": o}
    terms = {"id": np.arange(len(names)), "term": names.astype(object)}
    database.execute("""
CREATE TABLE triples AS SELECT subject.term AS s, predicate.term AS p, object.term AS o
FROM of_integers t JOIN terms subject ON subject.id = t.s JOIN terms predicate ON predicate.id = t.p
    JOIN terms object ON object.id = t.o""")
    return {name: f"'{names[of]}'" if of < len(names) else "'nobody'"
            for name, of in constants.items()}


def make_clickbench(database, scale):
    """ClickBench's hits, `scale` millions."""
    import clickbench

    return clickbench.make(database, int(1_000_000 * scale))


def make_job(database, scale):
    """The Join Order Benchmark's relations, about 350,000 times `scale` films."""
    import job

    job.make(database, int(350_000 * scale))


SETS = {"tpch": make_tpch, "tpcds": make_tpcds, "ssb": make_ssb, "sp2bench": make_sp2bench,
        "sp2bench-texts": make_sp2bench_texts, "clickbench": make_clickbench, "job": make_job}
OF_DUCKDB = ("tpch", "tpcds", "ssb")  # by the one of generators.txt


def queries(name, constants):
    """{number: text} of a file in which "-- 7" on a line of its own is before the seventh; <name> in
    it is one of the constants. Sets of the same queries have names that begin with that of the file."""
    with open(os.path.join(HERE, f"{name.split('-')[0]}.sql"), encoding="utf-8") as file:
        text = file.read()
    if constants:
        text = re.sub(r"<([^<>\n]*[\w)])>", lambda found: str(constants[found[1]]), text)
    _, *parts = re.split(r"^-- (\d[\w.]*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2]))


def rows_as_texts(rows):
    return [[text_of(value) for value in row] for row in rows]


def text_of(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return str(value)
