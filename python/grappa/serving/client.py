"""The session of a server, as the package's functions use it: what they ask of the compiled part goes
to the server instead.
"""

import functools
import inspect
import weakref

import grappa
from grappa import sessions
from grappa.serving import addresses, greeting, link


class Connection(sessions.Session):
    """A session in another process, of gp.connect.

    It is used as others are, in a `with` statement or as `session=`; or the package's functions are
    its methods: cluster.read("/data/web.txt"), cluster.zeros(10), cluster.KMeans(3). Files that are
    named are the server's. Closed, it frees what was made in it; results stay.
    """

    def __init__(self, address, token=None, timeout=10.0):
        parsed = addresses.parse(address)
        self._link = link.Link(parsed, greeting.token_of(token), timeout)
        self._made = _Made(self._link)
        self._compiled = _Compiled(self._link)
        self._cores = self._link.call("cores")
        weakref.finalize(self, self._link.close)

    @property
    def cores(self):
        """Cores that it works on."""
        return self._cores

    def close(self):
        """Ends it. Graphs that were made in it can no longer be used; results can."""
        self._leave()
        self._link.close()

    def require_room(self, more):
        """MemoryError where so many bytes more than now are not allowed."""
        self._link.call("require_room", more)

    def room(self):
        """How many bytes more than now are allowed; 0 where nothing bounds them."""
        return self._link.call("room")

    def file_size(self, path):
        """Bytes of a file of the server. FileNotFoundError if it is not there."""
        return self._link.call("file_size", path)

    def __getattr__(self, name):
        """A function of the package that takes a session, with this one."""
        found = getattr(grappa, name) if name in grappa.__all__ else None
        if found is None or "session" not in inspect.signature(found).parameters:
            raise AttributeError(f"a connection has no {name}")
        return functools.partial(found, session=self)

    def __dir__(self):
        return [*super().__dir__(), *grappa.__all__]

    def __repr__(self):
        if not self._link.is_open:
            return f"<grappa.Connection to {self._link.name}, closed>"
        return f"<grappa.Connection to {self._link.name} with {self.cores} cores>"


class _Made:
    """In the place of the compiled part's Session."""

    def __init__(self, link):
        self.stats = functools.partial(link.call, "stats")
        self.nothing = functools.partial(link.call, "nothing")


class _Compiled:
    """In the place of the compiled part itself. What is given as its session is not looked at."""

    def __init__(self, link):
        self.Graph = _Graphs(link)
        self.Array = lambda _, dtype, size: _Array(link, link.call("make_array", dtype, size), dtype,
                                                   size)
        for name in "run_query", "run_datalog", "count_words", "sort_files", "read_points", "kmeans":
            setattr(self, name, functools.partial(_call_without_session, link, name))


def _call_without_session(link, name, _, *arguments):
    return link.call(name, *arguments)


class _Remote:
    """What the server keeps, until Python has no more use for it."""

    def __init__(self, link, handle):
        self._link = link
        self._handle = handle
        link.keep(handle, self)

    def _call(self, operation, *arguments):
        return self._link.call(operation, self._handle, *arguments)


class _Graphs:
    """In the place of the class Graph: its makers."""

    def __init__(self, link):
        self._link = link

    def read(self, _, *arguments):
        return self._made("read_graph", arguments)

    def of_edges(self, _, *arguments):
        return self._made("graph_of_edges", arguments)

    def of_rows(self, _, *arguments):
        return self._made("graph_of_rows", arguments)

    def _made(self, operation, arguments):
        return _Graph(self._link, *self._link.call(operation, *arguments))


class _Graph(_Remote):
    def __init__(self, link, handle, vertices, directed, weighted):
        super().__init__(link, handle)
        self.vertices = vertices
        self.directed = directed
        self.weighted = weighted

    @functools.cached_property
    def edges(self):
        return self._call("graph_edges")

    @functools.cached_property
    def _names(self):
        return self._call("graph_names")

    def names(self):
        return self._names

    def edge_arrays(self):
        return self._call("graph_edge_arrays")

    def arrange(self, order, split_hubs):
        self._call("graph_arrange", order, split_hubs)

    def info(self):
        return self._call("graph_info")

    def write(self, path, format, weights, simplify, names):
        return self._call("graph_write", path, format, weights, simplify, names)

    def run(self, kernel, words, verify):
        return _Found(*self._call("graph_run", kernel, words, verify))


class _Found:
    def __init__(self, columns, facts, seconds, verified):
        self._columns = columns
        self.facts = facts
        self.seconds = seconds
        self.verified = verified

    def take_columns(self):
        return self._columns


class _Array(_Remote):
    def __init__(self, link, handle, dtype, size):
        super().__init__(link, handle)
        self._dtype = dtype
        self._size = size

    def __len__(self):
        return self._size

    def view(self):
        return None  # they are not here

    def indices(self, given):
        return _Indices(self._link, self._call("array_indices", given), len(given))

    def read(self, first, step, out):
        out[:] = self._call("array_read", first, step, len(out), self._dtype)

    def gather(self, indices, out):
        out[:] = indices._call("array_gather", self._dtype)

    def update(self, operation, first, step, count, values):
        self._call("array_update", operation, first, step, count, values)

    def scatter(self, operation, indices, values):
        indices._call("array_scatter", operation, values)

    def set_sequence(self, bounds):
        self._call("array_set_sequence", bounds)

    def set_random(self, bounds, seed):
        self._call("array_set_random", bounds, seed)

    def reduce(self, what):
        return self._call("array_reduce", what)

    def sort(self):
        self._call("array_sort")

    def histogram(self, edges):
        return self._call("array_histogram", edges)


class _Indices(_Remote):
    def __init__(self, link, handle, size):
        super().__init__(link, handle)
        self._size = size

    def __len__(self):
        return self._size
