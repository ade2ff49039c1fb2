"""Graphs and tables on all cores of the machine, as one shared memory.

    import grappa as gp

    g = gp.read("soc-Slashdot0902.txt.gz")
    g.pagerank(tolerance=1e-4).top(10)
    gp.sql("select g, count(*) from t group by g", t=frame).to_pandas()

Importing starts nothing. The first call starts a session: threads on all cores, which sleep while
nothing is asked of them. `session` chooses how many. docs/python.md is a tutorial.
"""

from grappa._grappa import Error, version as _version
from grappa.arrays import Array, arange, array, random, zeros
from grappa.graphs import (Graph, from_arrow, from_edges, from_networkx, from_pandas, from_scipy,
                           from_sql, grid, kron, read, urand)
from grappa.mapreduce import KMeans, read_points, sort, wordcount
from grappa.programs import datalog
from grappa.results import Result
from grappa.serving import LocaleLost, connect
from grappa.sessions import Session, session, stats, trace
from grappa.tables import Answer, sql

__version__ = _version()
__all__ = ["Answer", "Array", "Error", "Graph", "KMeans", "LocaleLost", "Result", "Session", "arange",
           "array", "connect", "datalog", "from_arrow", "from_edges", "from_networkx", "from_pandas",
           "from_scipy", "from_sql", "grid", "kron", "random", "read", "read_points", "session", "sort",
           "sql", "stats", "trace", "urand", "wordcount", "zeros"]
