"""All that a client may ask a server for.

An operation is a function of the client's objects and of values. What lives at the server is a number
to the client (values.Handle), good for objects of the kind that is expected, of its own.
"""

import typing

import numpy as np

from grappa import _grappa
from grappa.serving.values import Handle

ALL = {}


def _operation(function):
    ALL[function.__name__] = function
    return function


class Objects:
    """What a client has at the server, and the session that it lives in."""

    def __init__(self, session):
        self.session = session
        self.made = session._made
        self._kept = {}
        self._last = 0

    def __len__(self):
        return len(self._kept)

    def keep(self, made):
        """Its number from now on."""
        self._last += 1
        self._kept[self._last] = made
        return Handle(self._last)

    def get(self, handle, kind):
        """Of that kind. ValueError if the client has no such thing."""
        made = self._kept.get(handle.number) if isinstance(handle, Handle) else None
        if not isinstance(made, kind):
            raise ValueError(f"{handle}: the client has no such {kind.__name__}")
        return made

    def drop(self, numbers):
        """Lets go of them."""
        for number in numbers:
            self._kept.pop(number, None)

    def clear(self):
        """Lets go of all, and frees it."""
        self._kept.clear()
        self.made.nothing()  # a call of the session frees what was dropped before it


# ---- the session


@_operation
def stats(of):
    return of.made.stats()


@_operation
def cores(of):
    return of.made.cores


@_operation
def nothing(of):
    of.made.nothing()


@_operation
def require_room(of, more):
    of.session.require_room(more)


@_operation
def room(of):
    return of.session.room()


@_operation
def file_size(of, path):
    return of.session.file_size(path)


# ---- graphs


@_operation
def read_graph(of, path, format, directed, seed):
    return _kept_graph(of, _grappa.Graph.read(of.made, path, format, directed, seed))


@_operation
def graph_of_edges(of, sources, targets, weights, vertices, directed):
    return _kept_graph(
        of, _grappa.Graph.of_edges(of.made, sources, targets, weights, vertices, directed))


@_operation
def graph_of_rows(of, offsets, targets, weights, directed, ascending):
    return _kept_graph(of, _grappa.Graph.of_rows(of.made, offsets, targets, weights, directed,
                                                  ascending))


def _kept_graph(of, graph):
    return of.keep(graph), graph.vertices, graph.directed, graph.weighted


@_operation
def graph_edges(of, graph):
    return of.get(graph, _grappa.Graph).edges


@_operation
def graph_names(of, graph):
    return of.get(graph, _grappa.Graph).names()


@_operation
def graph_edge_arrays(of, graph):
    return of.get(graph, _grappa.Graph).edge_arrays()


@_operation
def graph_arrange(of, graph, order, split_hubs):
    of.get(graph, _grappa.Graph).arrange(order, split_hubs)


@_operation
def graph_info(of, graph):
    return of.get(graph, _grappa.Graph).info()


@_operation
def graph_write(of, graph, path, format, weights, simplify, names):
    if names is not None:
        _require_texts("names", *names)
    return of.get(graph, _grappa.Graph).write(path, format, weights, simplify, names)


@_operation
def graph_run(of, graph, kernel, words, verify):
    if "--help" in words or "-h" in words:
        raise ValueError(f"{kernel}: --help is the tool's")
    found = of.get(graph, _grappa.Graph).run(kernel, words, verify)
    return found.take_columns(), found.facts, found.seconds, found.verified


# ---- arrays


@_operation
def make_array(of, dtype, size):
    return of.keep(_grappa.Array(of.made, dtype, size))


class _Chosen(typing.NamedTuple):
    """Indices, which have been checked for one array alone."""

    array: _grappa.Array
    indices: _grappa.Indices


@_operation
def array_indices(of, array, given):
    array = of.get(array, _grappa.Array)
    return of.keep(_Chosen(array, array.indices(given)))


@_operation
def array_read(of, array, first, step, count, dtype):
    array = of.get(array, _grappa.Array)
    if not 0 <= count <= len(array):
        raise ValueError(f"{count} elements of {len(array)}")
    out = np.empty(count, dtype)
    array.read(first, step, out)
    return out


@_operation
def array_gather(of, chosen, dtype):
    array, indices = of.get(chosen, _Chosen)
    out = np.empty(len(indices), dtype)
    array.gather(indices, out)
    return out


@_operation
def array_update(of, array, operation, first, step, count, values):
    of.get(array, _grappa.Array).update(operation, first, step, count, values)


@_operation
def array_scatter(of, chosen, operation, values):
    array, indices = of.get(chosen, _Chosen)
    array.scatter(operation, indices, values)


@_operation
def array_set_sequence(of, array, bounds):
    of.get(array, _grappa.Array).set_sequence(bounds)


@_operation
def array_set_random(of, array, bounds, seed):
    of.get(array, _grappa.Array).set_random(bounds, seed)


@_operation
def array_reduce(of, array, what):
    return of.get(array, _grappa.Array).reduce(what)


@_operation
def array_sort(of, array):
    of.get(array, _grappa.Array).sort()


@_operation
def array_histogram(of, array, edges):
    return of.get(array, _grappa.Array).histogram(edges)


# ---- tables, programs, files, points


@_operation
def run_query(of, query, tables, room):
    _require_tables(tables)
    return _grappa.run_query(of.made, query, tables, room)


def _require_tables(tables):
    for _, _, columns in tables:
        for name, _, values, _ in columns:
            if isinstance(values, tuple):
                _require_texts(name, *values)


def _require_texts(name, offsets, texts):
    # Where there is no client a program has itself to blame.
    if offsets.dtype != np.int64 or offsets.ndim != 1 or len(offsets) == 0:
        raise ValueError(f"column {name}: offsets of int64 were expected")
    if (offsets[0] < 0 or offsets[-1] > texts.nbytes or (offsets[1:] < offsets[:-1]).any()):
        raise ValueError(f"column {name}: texts end before they begin")


@_operation
def run_datalog(of, program, folder, tables, chosen):
    _require_tables(tables)
    return _grappa.run_datalog(of.made, program, folder, tables, chosen)


@_operation
def count_words(of, paths, lower, letters, ngrams, top):
    return _grappa.count_words(of.made, paths, lower, letters, ngrams, top)


@_operation
def sort_files(of, paths, out, by, column, separator, reverse, skip_bad_records):
    return _grappa.sort_files(of.made, paths, out, by, column, separator, reverse, skip_bad_records)


@_operation
def read_points(of, path, format, columns, skip_bad_records):
    return _grappa.read_points(of.made, path, format, columns, skip_bad_records)


@_operation
def kmeans(of, points, k, start, centers, seed, iterations, tolerance):
    return _grappa.kmeans(of.made, points, k, start, centers, seed, iterations, tolerance)
