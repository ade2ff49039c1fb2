"""Facts, programs and a peer for the rows on rules in scripts/benchmarking/rows.py.

    rules.py make FOLDER THOUSANDS   facts, by size, and programs: FOLDER/NAME.dl
    rules.py duckdb NAME FOLDER      the same relation by DuckDB's recursive queries

DuckDB uses two threads and prints "Seconds: 1.25", of computing the relation from tables in memory.
Then it compares its own with what `grappa datalog FOLDER/NAME.dl -F FOLDER -D FOLDER` has written,
and ends with an error where they differ.
"""

import os
import sys
import time

# By name: the program; and in SQL, of tables with the names of the relations.
RULES = {
    "closure": ("""
.decl edge(x: number, y: number)
.input edge
.decl closure(x: number, y: number)
.output closure
closure(x, y) :- edge(x, y).
closure(x, z) :- closure(x, y), edge(y, z).
""", """
WITH RECURSIVE closure(x, y) AS (
  FROM edge UNION SELECT closure.x, edge.y FROM closure JOIN edge ON closure.y = edge.x)
FROM closure
"""),
    "generation": ("""
.decl parent(child: number, of: number)
.input parent
.decl generation(x: number, y: number)
.output generation
generation(x, y) :- parent(x, p), parent(y, p), x != y.
generation(x, y) :- parent(x, a), generation(a, b), parent(y, b).
""", """
WITH RECURSIVE generation(x, y) AS (
  SELECT a.child, b.child FROM parent a JOIN parent b ON a."of" = b."of" WHERE a.child != b.child
  UNION
  SELECT a.child, b.child FROM generation g JOIN parent a ON a."of" = g.x JOIN parent b ON b."of" = g.y)
FROM generation
"""),
    # L. Andersen's analysis of pointers, with fields.
    "points": ("""
.decl allocate(v: number, object: number)
.input allocate
.decl assign(to: number, from: number)
.input assign
.decl load(to: number, base: number, field: number)
.input load
.decl store(base: number, field: number, from: number)
.input store
.decl points(v: number, object: number)
.output points
.decl inside(object: number, field: number, other: number)
points(v, o) :- allocate(v, o).
points(v, o) :- assign(v, w), points(w, o).
inside(o, f, p) :- store(b, f, w), points(b, o), points(w, p).
points(v, p) :- load(v, b, f), points(b, o), inside(o, f, p).
""", """
WITH RECURSIVE points(v, object) USING KEY (v, object) AS (
  FROM allocate
  UNION
  SELECT DISTINCT v, object FROM (
    SELECT a."to" AS v, p.object FROM points p JOIN assign a ON a."from" = p.v
    UNION ALL
    SELECT l."to", q.object
    FROM points p JOIN load l ON l.base = p.v JOIN store s ON s.field = l.field
      JOIN recurring.points b ON b.v = s.base AND b.object = p.object
      JOIN recurring.points q ON q.v = s."from"
    UNION ALL
    SELECT l."to", q.object
    FROM points b JOIN store s ON s.base = b.v JOIN load l ON l.field = s.field
      JOIN recurring.points p ON p.v = l.base AND p.object = b.object
      JOIN recurring.points q ON q.v = s."from"
    UNION ALL
    SELECT l."to", q.object
    FROM points q JOIN store s ON s."from" = q.v JOIN load l ON l.field = s.field
      JOIN recurring.points b ON b.v = s.base
      JOIN recurring.points p ON p.v = l.base AND p.object = b.object) found
  WHERE NOT EXISTS (FROM recurring.points r WHERE r.v = found.v AND r.object = found.object))
FROM points
"""),
    "components": ("""
.decl road(x: number, y: number, length: number)
.input road
.decl components(x: number, least: number)
.output components
components(x, x) :- road(x, _, _).
components(y, c) :- components(x, c), road(x, y, _).
components(x, c) <= components(x, d) :- d <= c.
""", """
WITH RECURSIVE components(x, least) USING KEY (x) AS (
  SELECT DISTINCT x, x FROM road
  UNION
  SELECT road.y, min(c.least) FROM components c JOIN road ON road.x = c.x
    JOIN recurring.components r ON r.x = road.y
  WHERE c.least < r.least GROUP BY road.y)
FROM components
"""),
    "distances": ("""
.decl road(x: number, y: number, length: number)
.input road
.decl distances(x: number, length: number)
.output distances
distances(0, 0).
distances(y, d + l) :- distances(x, d), road(x, y, l).
distances(x, c) <= distances(x, d) :- d <= c.
""", """
WITH RECURSIVE distances(x, length) USING KEY (x) AS (
  SELECT 0::BIGINT, 0::BIGINT
  UNION
  SELECT road.y, min(d.length + road.length) FROM distances d JOIN road ON road.x = d.x
    LEFT JOIN recurring.distances r ON r.x = road.y
  WHERE r.x IS NULL OR d.length + road.length < r.length GROUP BY road.y)
FROM distances
"""),
}


def facts(thousands):
    """The columns of all relations with .input."""
    import numpy as np

    random = np.random.default_rng(1)
    n = thousands * 1000

    def some(most, count):
        return random.integers(0, most, count)

    towns, k = 40 * n, n // 10
    roads = np.stack([some(towns, 2 * towns), some(towns, 2 * towns), 1 + some(100, 2 * towns)])
    children = np.arange(1, 3 * n)
    return {
        "edge": [some(n, 2 * n), some(n, 2 * n)],
        "parent": [children, (random.random(len(children)) * children / 3).astype(int)],
        "allocate": [some(4 * k, k), np.arange(k)],
        "assign": [some(4 * k, 5 * k), some(4 * k, 5 * k)],
        "load": [some(4 * k, k), some(4 * k, k), some(k, k)],
        "store": [some(4 * k, k), some(k, k), some(4 * k, k)],
        "road": list(np.concatenate([roads, roads[[1, 0, 2]]], axis=1)),
    }


def make(folder, thousands):
    import numpy as np

    os.makedirs(folder, exist_ok=True)
    for name, columns in facts(int(thousands)).items():
        np.savetxt(f"{folder}/{name}.facts", np.unique(np.stack(columns, axis=1), axis=0), "%d", "\t")
    for name, (program, _) in RULES.items():
        with open(f"{folder}/{name}.dl", "w", encoding="ascii") as file:
            file.write(program)


def duckdb(name, folder):
    import duckdb as system

    program, query = RULES[name]
    connection = system.connect(config={"threads": 2})

    def load(relation, path):
        connection.execute(f"CREATE TABLE {relation} AS FROM read_csv('{path}', delim='\t', "
                           "header=false, auto_detect=false, columns={" +
                           ", ".join(f"'{column}': 'BIGINT'" for column in columns_of(program, relation))
                           + "})")

    for line in program.splitlines():
        if line.startswith(".input "):
            relation = line.removeprefix(".input ")
            load(relation, f"{folder}/{relation}.facts")
    start = time.perf_counter()
    connection.execute(f"CREATE TABLE found AS {query}")
    print("Seconds:", time.perf_counter() - start)
    load(name, f"{folder}/{name}.csv")
    differ = connection.execute(f"SELECT count(*) FROM ((FROM found EXCEPT FROM {name}) UNION ALL "
                                f"(FROM {name} EXCEPT FROM found))").fetchone()[0]
    if differ:
        sys.exit(f"rules.py: {differ} tuples of '{name}' are in one answer only")


def columns_of(program, relation):
    declared = next(line for line in program.splitlines() if line.startswith(f".decl {relation}("))
    return [column.split(":")[0].strip() for column in declared.split("(")[1].split(",")]


def main():
    command, *arguments = sys.argv[1:]
    {"make": make, "duckdb": duckdb}[command](*arguments)


if __name__ == "__main__":
    main()
