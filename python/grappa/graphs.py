"""Graphs: from files, generators, and what other packages have."""

import html
import itertools
import json
import operator
import os
import re

import numpy as np

from grappa import arrow, kernels, sessions
from grappa.given import array_of, integers
from grappa.results import Result, axes
from grappa.tables import sql

_WORD = re.compile(r"[^\s,;#%\"'][^\s,;\"']*")  # as all formats with names can have it
_EDGE_BYTES = 32  # of a list of edges and of the graph that is built of it, an edge, about


class Graph:
    """A graph, and the tool's kernels as its methods.

    Vertices have numbers 0 ... n-1 inside, and names: those of the file, or what they were made
    from. Options that name vertices (`source`) take names, and results are in the order of `names`.
    Made by read, kron, from_edges and the like. What a kernel needs is built when it is first
    called, and kept.
    """

    def __init__(self, made, session, label, names=None):
        self._made = made
        self._session = session
        self._label = label
        self._names = names
        self._index = None
        self._has_own_names = names is not None

    def __len__(self):
        return self._made.vertices

    @property
    def vertices(self):
        """How many there are."""
        return self._made.vertices

    @property
    def edges(self):
        """How many there are; an undirected one counts once."""
        return self._made.edges

    @property
    def directed(self):
        """Whether edges have a direction."""
        return self._made.directed

    @property
    def weighted(self):
        """Whether edges have weights."""
        return self._made.weighted

    @property
    def names(self):
        """What vertices are called: an array, of integers or of objects."""
        if self._names is None:
            names = self._made.names()
            if names is None:
                names = np.arange(len(self))
            elif isinstance(names, list):
                names = _objects(names)
            else:
                names = names.astype(np.int64)
            self._names = names
        return self._names

    def edge_arrays(self):
        """Sources, targets and weights (or None) of all edges, as numbers of vertices."""
        return self._made.edge_arrays()

    def info(self):
        """What the graph is like, as a dict: edges, self-loops, duplicates, degrees, weights.

        Edges count an undirected one once; arcs are what is stored, and degrees count arcs.
        """
        return json.loads(self._made.info())

    def arrange(self, order="given", split_hubs=0):
        """How vertices lie in memory, for kernels from now on. Names and answers stay the same.

        order: as their names ascend ("given"), those with most edges first ("degree": faster where
        few have most of the edges), at "random", which spreads them evenly over several locales, or
        there in stripes ("striped": for grids and maps). split_hubs: with several locales, edges of
        vertices with so many or more are stored at both ends; 0: none. Returns the graph.

            gp.kron(10).arrange("degree").pagerank()
        """
        self._made.arrange(order, operator.index(split_hubs))
        return self

    def write(self, path, *, format=None, weights=None, simplify=False):
        """Writes the graph to a file in any format that `grappa help graphs` lists.

        format: where the file's name does not tell; .gz and .zst compress. weights: False leaves
        them out, True makes some for a generated graph; otherwise those that there are. simplify:
        without self-loops, and of equal edges the lightest alone. Names stay where the format has
        names. Returns what the format cannot hold, in words, or "". The file is whole or not there.
        """
        path = os.fspath(path)
        graph, names = self, None
        if self._has_own_names:
            graph = self._with_texts_for_names()
            names = tuple(arrow.texts_from(graph.names.tolist()))
        return graph._made.write(path, format or "", weights, simplify, names)

    def plot_degrees(self, ax=None):
        """How many vertices have each degree, on axes of logarithms, by matplotlib. Returns the axes.

        Of a directed graph: edges in both directions.
        """
        sources, targets, _ = self.edge_arrays()
        degrees = np.bincount(np.concatenate([sources, targets]), minlength=len(self))
        values, counts = np.unique(degrees[degrees > 0], return_counts=True)
        ax = axes(ax)
        ax.loglog(values, counts, ".")
        ax.set_xlabel("degree")
        ax.set_ylabel("vertices")
        ax.set_title(self._label)
        return ax

    def to_scipy(self):
        """A sparse array in CSR format; an undirected edge is in it twice."""
        import scipy.sparse
        sources, targets, weights = self.edge_arrays()
        if weights is None:
            weights = np.ones(len(sources))
        if not self.directed:
            other = sources != targets
            sources, targets, weights = (
                np.concatenate([sources, targets[other]]),
                np.concatenate([targets, sources[other]]),
                np.concatenate([weights, weights[other]]))
        shape = (len(self), len(self))
        return scipy.sparse.coo_array((weights, (sources, targets)), shape=shape).tocsr()

    def to_networkx(self):
        """A networkx.Graph or DiGraph with the vertices' names."""
        import networkx
        made = networkx.DiGraph() if self.directed else networkx.Graph()
        names = self.names.tolist()
        made.add_nodes_from(names)
        sources, targets, weights = self.edge_arrays()
        pairs = ((names[u], names[v]) for u, v in zip(sources.tolist(), targets.tolist()))
        if weights is None:
            made.add_edges_from(pairs)
        else:
            made.add_weighted_edges_from((u, v, w) for (u, v), w in zip(pairs, weights.tolist()))
        return made

    def __repr__(self):
        kind = "directed" if self.directed else "undirected"
        return f"<grappa.Graph {self._label}: {len(self)} vertices, {self.edges} edges, {kind}>"

    def _repr_html_(self):
        label = html.escape(self._label)
        return f"<p><b>{label}</b>: {len(self):,} vertices, {self.edges:,} edges</p>"

    # ---- for files

    def _with_texts_for_names(self):
        """The same graph with the texts of its names for names, in their order."""
        texts = np.array([str(name) for name in self.names.tolist()], dtype=object)
        wrong = next((text for text in texts if not _WORD.fullmatch(text)), None)
        if wrong is not None:
            raise ValueError(f"{wrong!r}: a name in a file is a word, without blanks and commas")
        ordered, numbers = np.unique(texts, return_inverse=True)
        if len(ordered) != len(texts):
            raise ValueError("names: several vertices have the same text")
        sources, targets, weights = self.edge_arrays()
        numbers = numbers.reshape(-1)
        return from_edges(numbers[sources], numbers[targets], weights, vertices=len(self),
                          names=ordered, directed=self.directed, session=self._session)

    # ---- for the rest of the package

    def _run(self, kernel, words, verify):
        self._session.require_room(_EDGE_BYTES * self._made.edges)
        return Result(kernel["name"], kernel["value"], self._made.run(kernel["name"], words, verify),
                      self)

    def _names_of(self, vertices):
        """The names of an array of vertices' numbers; itself where these are the names."""
        if self._names is None and self._made.names() is None:
            return vertices
        return self.names[vertices]

    def _vertex(self, name):
        """A vertex as the compiled part calls it."""
        if not self._has_own_names:
            return name
        if self._index is None:
            self._index = {each: number for number, each in enumerate(self.names.tolist())}
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise ValueError(f"{name!r}: the graph has no such vertex") from None


kernels.add_methods(Graph)


# ---- from files and generators


def read(path, *, format=None, directed=None, session=None):
    """The graph in a file, of any format that `grappa help graphs` lists, plain, .gz or .zst.

    format: where the file's name does not tell.
    directed: takes every edge as directed (True) or undirected (False).
    FileNotFoundError, ValueError with file and line, MemoryError.
    """
    path = os.fspath(path)
    session = session or sessions.current()
    return _read(path, format, directed, 1, session, os.path.basename(path),
                 session.file_size(path))


def kron(scale, edge_factor=16, *, seed=1, session=None):
    """A Kronecker graph of 2^scale vertices with Graph500's parameters: undirected, simple."""
    return _generated(f"kron:{scale}:{edge_factor}", edge_factor << max(scale, 0), seed, session)


def urand(scale, degree=16, *, seed=1, session=None):
    """A graph of 2^scale vertices with edges between random ones: undirected, simple."""
    return _generated(f"urand:{scale}:{degree}", degree << max(scale, 0), seed, session)


def grid(rows, columns, *, session=None):
    """A grid: each vertex has its neighbors above, below, left and right."""
    return _generated(f"grid:{rows}x{columns}", 2 * rows * columns, 1, session)


def _generated(spec, edges, seed, session):
    return _read(spec, None, None, seed, session, spec, _EDGE_BYTES * edges)


def _read(path, format, directed, seed, session, label, memory):
    session = session or sessions.current()
    session.require_room(memory)
    made = session._compiled.Graph.read(session._made, path, format or "", directed, seed)
    return Graph(made, session, label)


# ---- from what other packages have


def from_edges(sources, targets, weights=None, *, vertices=None, directed=True, names=None,
               session=None):
    """A graph of edges from sources[i] to targets[i].

    Integers are the vertices' numbers, of `vertices` in all (else up to the greatest one); anything
    else (texts, objects that sort) are names of those that occur. names: what vertices are called,
    where edges have their numbers. weights: finite numbers.
    """
    sources, targets = array_of(sources), array_of(targets)
    if sources.ndim != 1 or sources.shape != targets.shape:
        raise ValueError(f"sources of shape {sources.shape} and targets of {targets.shape}: two "
                         "arrays of one length were expected")
    if sources.dtype.kind not in "iu" or targets.dtype.kind not in "iu":
        if len(sources) == 0:
            sources, targets = np.zeros(0, np.int64), np.zeros(0, np.int64)
        else:
            names, numbers = np.unique(np.concatenate([sources, targets]), return_inverse=True)
            sources, targets = np.split(numbers.reshape(-1), 2)
            names, vertices = _objects(names.tolist()), len(names)
    if vertices is None:
        vertices = len(names) if names is not None else \
            1 + max(int(ends.max()) if ends.size else -1 for ends in (sources, targets))
    session = session or sessions.current()
    session.require_room(_EDGE_BYTES * len(sources))
    made = session._compiled.Graph.of_edges(session._made, integers(sources), integers(targets),
                                            _weights(weights), int(vertices), bool(directed))
    return Graph(made, session, "from edges", _checked_names(names, vertices))


def from_scipy(matrix, *, directed=True, weights=True, session=None):
    """A graph with an edge for each entry that a sparse matrix or array stores, of its weight.

    directed=False: the matrix is symmetric, and two entries are one edge. weights=False: entries
    say only where edges are.
    """
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a matrix of shape {matrix.shape}: a square one was expected")
    rows = matrix.tocsr()
    session = session or sessions.current()
    session.require_room(_EDGE_BYTES * (rows.nnz if directed else rows.nnz // 2))
    made = session._compiled.Graph.of_rows(
        session._made, integers(rows.indptr), integers(rows.indices),
        _weights(rows.data) if weights else None, bool(directed),
        not directed and bool(rows.has_sorted_indices))
    return Graph(made, session, "from scipy")


def from_pandas(frame, source="source", target="target", weight=None, *, directed=True,
                session=None):
    """A graph with an edge for each row of a DataFrame, between what is in two of its columns."""
    return from_edges(frame[source].to_numpy(), frame[target].to_numpy(),
                      None if weight is None else frame[weight].to_numpy(), directed=directed,
                      session=session)


def from_arrow(table, source="source", target="target", weight=None, *, directed=True,
               session=None):
    """A graph with an edge for each row of a table that knows Arrow, between two of its columns.

    table: of pyarrow, Polars or DuckDB, or whatever else has `__arrow_c_stream__`. Columns of
    integers have the vertices' numbers, columns of texts their names. ValueError for a column that
    is not there or has nulls.

        gp.from_arrow(polars.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}))
    """
    if not arrow.is_given(table):
        raise TypeError(f"a {type(table).__name__} has no __arrow_c_stream__")
    columns = {name: (values, valid) for name, values, valid in arrow.columns(table)}
    ends = [_without_nulls(columns, name) for name in (source, target)]
    weights = None if weight is None else _without_nulls(columns, weight)
    return from_edges(*ends, weights, directed=directed, session=session)


def _without_nulls(columns, name):
    if name not in columns:
        raise ValueError(f"there is no column {name}; there are {', '.join(columns)}")
    values, valid = columns[name]
    if valid is not None and not valid.all():
        raise ValueError(f"column {name}: it has a null in row {int(np.argmin(valid))}")
    return _objects(values.to_list()) if isinstance(values, arrow.Texts) else values


def from_sql(query, *, directed=True, session=None, **tables):
    """A graph of the rows of a query, of tables as sql takes them: source, target, and maybe weight.

    Integers are the vertices' numbers, texts their names.

        calls = {"caller": ["a", "b"], "callee": ["b", "c"]}
        gp.from_sql("select caller, callee, count(*) from t group by 1, 2", t=calls)
    """
    answer = sql(query, session=session, **tables)
    if len(answer.names) not in (2, 3):
        raise ValueError(f"the query has {len(answer.names)} columns: a source, a target and maybe a "
                         "weight were expected")
    return from_arrow(answer, *answer.names, directed=directed, session=session)


def from_networkx(graph, weight=None, *, default=1.0, session=None):
    """A graph of the nodes and edges of a NetworkX graph; the nodes are the vertices' names.

    weight: the attribute that has the edges' weights; `default` where an edge has none. Parallel
    edges of a multigraph stay.
    """
    nodes = list(graph)
    index = {node: number for number, node in enumerate(nodes)}
    degrees, targets, weights = _adjacency(graph, weight, default)
    sources = np.repeat(np.arange(len(nodes)), degrees)
    targets = np.fromiter(map(index.__getitem__, targets), np.int64, len(sources))
    if weight is not None:
        weights = np.fromiter(weights, float, len(sources))
    else:
        weights = None
    if not graph.is_directed():
        once = sources <= targets
        sources, targets = sources[once], targets[once]
        weights = None if weights is None else weights[once]
    return from_edges(sources, targets, weights, vertices=len(nodes), names=nodes,
                      directed=graph.is_directed(), session=session)


def _adjacency(graph, weight, default):
    """How many targets each node has, all targets, and all weights."""
    rows = [row for _, row in graph.adjacency()]
    if not graph.is_multigraph():
        weights = (data.get(weight, default) for row in rows for data in row.values())
        return list(map(len, rows)), itertools.chain.from_iterable(rows), weights
    degrees = [sum(map(len, row.values())) for row in rows]
    targets = (node for row in rows for node, edges in row.items() for _ in edges)
    weights = (data.get(weight, default) for row in rows for edges in row.values()
               for data in edges.values())
    return degrees, targets, weights


def _weights(values):
    return None if values is None else np.ascontiguousarray(array_of(values), dtype=np.float64)


def _objects(values):
    return np.fromiter(values, dtype=object, count=len(values))


def _checked_names(names, vertices):
    if names is None:
        return None
    if len(names) != vertices:
        raise ValueError(f"{len(names)} names for {vertices} vertices")
    return names if isinstance(names, np.ndarray) else _objects(list(names))
