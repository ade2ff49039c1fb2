"""The process of a baseline of `grappa bench queries`, and of what makes its tables.

    query_worker.py SYSTEM|SET THREADS MEMORY RESULT

SYSTEM is of query_systems.py, and so is what MEMORY bounds, in bytes; SET is of query_sets.py.

Requests and answers (serving.py):

    (at the start)           {"system": "DuckDB 2.0.1", "lacks": {}}
    load FOLDER              {"seconds": 1.5}     all its Parquet files
    run FILE                 {"seconds": 0.25, "bytes": 1024}; {"lacks": "a reason"} where the SQL
                                                  of the system has not that query
    make SCALE FOLDER        {}                   of a set

The answer comes back in RESULT: an array of JSON, the rows, which are arrays of texts and nulls
(query_sets.rows_as_texts).
"""

import json
import os
import sys
import textwrap
import time

from serving import one_line, serve


class Baseline:
    def __init__(self, system, result):
        import query_sets

        self.sets = query_sets
        self.system = system
        self.result = result
        self.name = system.name

    def answer(self, request):
        word, argument = request.split(" ", 1)
        return {"load": self.load, "run": self.run}[word](argument)

    def load(self, folder):
        files = sorted(file for file in os.listdir(folder) if file.endswith(".parquet"))
        start = time.perf_counter()
        self.system.load({os.path.splitext(file)[0]: os.path.join(folder, file) for file in files})
        return {"seconds": time.perf_counter() - start}

    def run(self, file):
        with open(file, encoding="utf-8") as opened:
            query = opened.read()
        try:
            seconds, rows = self.system.run(query)
        except self.system.LACKING as error:
            return {"lacks": textwrap.shorten(one_line(error), 100, placeholder=" …")}
        text = json.dumps(self.sets.rows_as_texts(rows)).encode()
        with open(self.result, "r+b") as opened:
            opened.write(text)
        return {"seconds": seconds, "bytes": len(text)}


class Maker:
    def __init__(self, name):
        import query_sets

        if name in query_sets.OF_DUCKDB:
            sys.path.insert(0, os.path.join(sys.prefix, "generators"))  # generators.txt
        import duckdb

        self.set = name
        self.sets = query_sets
        self.name = f"DuckDB {duckdb.__version__}"

    def answer(self, request):
        _, scale, folder = request.split(" ", 2)
        self.sets.make(self.set, float(scale), folder)
        return {}


def main():
    name, threads, memory, result = sys.argv[1:]
    worker = None

    def greet():
        nonlocal worker
        from query_systems import SYSTEMS

        if name in SYSTEMS:
            worker = Baseline(SYSTEMS[name](int(threads), int(memory)), result)
        else:
            worker = Maker(name)
        return {"system": worker.name, "lacks": {}}

    serve(greet, lambda request: worker.answer(request))


if __name__ == "__main__":
    main()
