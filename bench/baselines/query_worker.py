"""The process of a baseline of `grappa bench queries`, and of what makes its tables.

    query_worker.py duckdb|SET THREADS MEMORY RESULT

MEMORY bounds the system, in bytes; 0 does not.

Requests and answers (serving.py):

    (at the start)           {"system": "DuckDB 2.0.1", "lacks": {}}
    load FOLDER              {"seconds": 1.5}     all its Parquet files, into memory; where that is
                                                  bounded, as views of the files
    run FILE                 {"seconds": 0.25, "bytes": 1024}
    make SCALE FOLDER        {}                   of a set of query_sets.py

What is timed of a query is that the system has its whole answer in memory. The answer comes back in
RESULT: an array of JSON, the rows, which are arrays of texts and nulls (query_sets.rows_as_texts).
"""

import json
import os
import sys
import tempfile
import time

from serving import serve


class Worker:
    def __init__(self, system, threads, memory, result):
        import query_sets

        self.set = system
        self.sets = query_sets
        if system in query_sets.OF_DUCKDB:
            sys.path.insert(0, os.path.join(sys.prefix, "generators"))  # generators.txt
        import duckdb

        config = {"threads": int(threads)}
        if int(memory) > 0:
            config["memory_limit"] = f"{memory}B"
            self.spilled = tempfile.TemporaryDirectory()
            config["temp_directory"] = self.spilled.name
        self.kind = "VIEW" if int(memory) > 0 else "TABLE"
        self.database = duckdb.connect(config=config)
        self.result = result
        self.name = f"DuckDB {duckdb.__version__}"

    def answer(self, request):
        word, arguments = request.split(" ", 1)
        return {"load": self.load, "run": self.run, "make": self.make}[word](arguments)

    def load(self, folder):
        start = time.perf_counter()
        for file in sorted(os.listdir(folder)):
            table, ending = os.path.splitext(file)
            if ending == ".parquet":
                path = os.path.join(folder, file).replace("'", "''")
                self.database.execute(f"CREATE {self.kind} {table} AS SELECT * FROM '{path}'")
        return {"seconds": time.perf_counter() - start}

    def run(self, file):
        with open(file, encoding="utf-8") as opened:
            query = opened.read()
        start = time.perf_counter()
        answer = self.database.execute(query)
        seconds = time.perf_counter() - start
        text = json.dumps(self.sets.rows_as_texts(answer)).encode()
        with open(self.result, "r+b") as opened:
            opened.write(text)
        return {"seconds": seconds, "bytes": len(text)}

    def make(self, arguments):
        scale, folder = arguments.split(" ", 1)
        self.sets.make(self.set, float(scale), folder)
        return {}


def main():
    system, threads, memory, result = sys.argv[1:]
    worker = None

    def greet():
        nonlocal worker
        worker = Worker(system, threads, memory, result)
        return {"system": worker.name, "lacks": {}}

    serve(greet, lambda request: worker.answer(request))


if __name__ == "__main__":
    main()
