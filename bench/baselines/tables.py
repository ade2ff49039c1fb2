"""Inputs and peers of the rows on MapReduce and queries in scripts/benchmarking/rows.py.

    tables.py make words.txt MB          words by Zipf's law, twelve a line
    tables.py make lines.txt MB          random lines of 50 to 109 characters
    tables.py make records.bin MB        random records of 100 bytes
    tables.py make points.npy THOUSANDS  points of six normally distributed columns
    tables.py make tpch PERCENT          TPC-H's tables and queries, PERCENT / 100 its scale
    tables.py make sp2bench THOUSANDS    SP²Bench's triples and queries
    tables.py words duckdb|polars FILE   counts the words of a text
    tables.py sort polars FILE           sorts its lines into another one
    tables.py kmeans elkan|lloyd FILE K ITERATIONS
    tables.py load duckdb FILE           loads a CSV or Parquet file

The peers use two threads and print "Seconds: 1.25": how long it took, without the start of Python
and its modules; of kmeans an iteration.
"""

import os
import sys
import time

THREADS = "2"
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[variable] = THREADS


def make(name, size):
    import numpy as np

    random = np.random.default_rng(1)
    size = int(size)
    if name == "tpch":
        write_tpch(name, size / 100)
    elif name == "sp2bench":
        import query_sets

        query_sets.make(name, size / 1000, name)
    elif name == "points.npy":
        np.save(name, random.normal(size=(size * 1000, 6)))
    elif name == "records.bin":
        with open(name, "wb") as file:
            for _ in range(size):
                file.write(random.bytes(1_000_000))
    elif name == "lines.txt":
        with open(name, "wb") as file:
            for _ in range(size):
                lengths = random.integers(50, 110, 12_000)
                text = random.integers(33, 127, int(lengths.sum()), dtype=np.uint8)
                text[np.cumsum(lengths) - 1] = ord("\n")
                text.tofile(file)
    else:
        write_words(name, size * 1_000_000, random, np)


def write_tpch(folder, scale):
    """With lineitem as CSV, too."""
    sys.path.insert(0, os.path.join(sys.prefix, "generators"))  # generators.txt
    import duckdb
    import query_sets

    query_sets.make("tpch", scale, folder)
    duckdb.execute(f"COPY (FROM '{folder}/lineitem.parquet') TO '{folder}/lineitem.csv' (HEADER)")


def write_words(name, size, random, np):
    count = 200_000
    letters = random.integers(97, 123, (count, 10), dtype=np.uint8)
    words = [bytes(row[:n]).decode() for row, n in zip(letters, random.integers(2, 11, count))]
    words = np.array(words, dtype=object)
    chances = np.cumsum(1 / np.arange(1, count + 1))
    with open(name, "w", encoding="ascii") as file:
        while file.tell() < size:
            chosen = words[np.searchsorted(chances, random.random(120_000) * chances[-1])]
            file.writelines(" ".join(line) + "\n" for line in chosen.reshape(-1, 12))


def seconds_of(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def words(system, path):
    if system == "duckdb":
        import duckdb

        database = duckdb.connect(config={"threads": int(THREADS)})
        query = ("SELECT word, count(*) AS n FROM (SELECT unnest(string_split(line, ' ')) AS word "
                 f"FROM read_csv('{path}', delim='\x01', quote='', escape='', header=false, "
                 "auto_detect=false, columns={'line': 'VARCHAR'})) GROUP BY word "
                 "ORDER BY n DESC LIMIT 10")
        return seconds_of(lambda: database.execute(query).fetchall())
    import polars

    lines = polars.scan_csv(path, has_header=False, new_columns=["line"], separator="\x01",
                            quote_char=None)
    counts = (lines.select(polars.col("line").str.split(" ").explode().alias("word"))
              .group_by("word").len().top_k(10, by="len"))
    return seconds_of(counts.collect)


def sort(_, path):
    import polars

    def run():
        lines = polars.read_csv(path, has_header=False, new_columns=["line"], separator="\x01",
                                quote_char=None)
        lines.sort("line").write_csv("sorted.peer", include_header=False, quote_style="never")

    return seconds_of(run)


def kmeans(algorithm, path, k, iterations):
    import warnings

    import numpy as np
    from sklearn.cluster import KMeans

    warnings.simplefilter("ignore")  # that it has not converged
    points = np.load(path)
    start = points[np.random.default_rng(1).choice(len(points), int(k), replace=False)]

    def fit(most):
        model = KMeans(int(k), init=start, n_init=1, max_iter=most, tol=0, algorithm=algorithm)
        return seconds_of(lambda: model.fit(points))

    # What is not an iteration is in both.
    few = 2
    return (fit(few + int(iterations)) - fit(few)) / int(iterations)


def load(_, path):
    import duckdb

    database = duckdb.connect(config={"threads": int(THREADS)})
    return seconds_of(lambda: database.execute(f"CREATE TABLE t AS SELECT * FROM '{path}'"))


def main():
    task, *arguments = sys.argv[1:]
    if task == "make":
        make(*arguments)
        return
    seconds = {"words": words, "sort": sort, "kmeans": kmeans, "load": load}[task](*arguments)
    print(f"Seconds: {seconds:.6f}")


if __name__ == "__main__":
    main()
