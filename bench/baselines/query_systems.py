"""The systems beside which `grappa bench queries` runs, those that are reached from Python.

    system = SYSTEMS["polars"](threads=2, memory=0)
    system.load({"people": "people.parquet"})
    seconds, rows = system.run("SELECT name FROM people")

`memory` bounds one that has BOUND, in bytes; 0 does not. `load` reads tables into memory. `run` asks
twice: for the rows, and then for the time until the system has its whole answer in its memory, nothing
of which becomes Python's. So what is timed is hot, however long the other system's turn was. LACKING of a system are the exceptions by which it says that its SQL has not a query.
ImportError: something of the system is not installed.
"""

import os
import shutil
import tempfile
import time


def seconds_of(call):
    start = time.perf_counter()
    answer = call()  # which is freed later
    seconds = time.perf_counter() - start
    del answer
    return seconds


class DuckDB:
    def __init__(self, threads, memory):
        import duckdb

        config = {"threads": threads}
        if memory > 0:
            config["memory_limit"] = f"{memory}B"
            self.spilled = tempfile.TemporaryDirectory()
            config["temp_directory"] = self.spilled.name
        # Where memory is bounded, files stay where they are.
        self.kind = "VIEW" if memory > 0 else "TABLE"
        self.database = duckdb.connect(config=config)
        self.LACKING = (duckdb.ParserException,)  # some words are keywords there
        self.name = f"DuckDB {duckdb.__version__}"

    def load(self, tables):
        for table, path in tables.items():
            path = path.replace("'", "''")
            self.database.execute(f"CREATE {self.kind} {table} AS SELECT * FROM '{path}'")

    def run(self, query):
        rows = self.database.execute(query).fetchall()
        return seconds_of(lambda: self.database.execute(query)), rows


class Polars:
    """Frames in memory, by its SQL."""

    def __init__(self, threads, _):
        os.environ["POLARS_MAX_THREADS"] = str(threads)  # which it reads when it is imported
        import polars

        self.polars = polars
        self.context = polars.SQLContext(eager=True)
        self.LACKING = (polars.exceptions.PolarsError,)
        self.name = f"Polars {polars.__version__}"

    def load(self, tables):
        for table, path in tables.items():
            self.context.register(table, self.polars.read_parquet(path))

    def run(self, query):
        rows = self.context.execute(query).rows()
        return seconds_of(lambda: self.context.execute(query)), rows


class Spark:
    """Apache Spark on this machine alone, its driver doing the work. The tables are in its cache; the
    answer of a query that is timed goes to its sink `noop`."""

    def __init__(self, threads, _):
        from pyspark.errors import AnalysisException
        from pyspark.sql import SparkSession
        from pyspark.version import __version__

        home = os.environ.get("JAVA_HOME")
        if not shutil.which(os.path.join(home, "bin/java") if home else "java"):
            raise ImportError("there is no java")
        half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        settings = {
            "spark.driver.memory": f"{max(half >> 20, 2048)}m",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": 2 * threads,
            # Sides of joins up to there are not shuffled: nothing goes through a network.
            "spark.sql.autoBroadcastJoinThreshold": "64m"}
        self.session = (SparkSession.builder.master(f"local[{threads}]").config(map=settings)
                        .getOrCreate())
        self.session.sparkContext.setLogLevel("ERROR")
        self.LACKING = (AnalysisException,)
        self.name = f"Spark {__version__}"

    def load(self, tables):
        for table, path in tables.items():
            frame = self.session.read.parquet(path).cache()
            frame.count()
            frame.createOrReplaceTempView(table)

    def run(self, query):
        rows = self.session.sql(query).collect()
        return seconds_of(lambda: self.session.sql(query).write.format("noop").mode("overwrite")
                          .save()), rows


SYSTEMS = {"duckdb": DuckDB, "polars": Polars, "spark": Spark}
