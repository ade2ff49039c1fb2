"""What a kernel has found."""

import json

import numpy as np

from grappa import arrow, notebooks


def axes(given=None):
    """Those of matplotlib to draw in."""
    if given is not None:
        return given
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot.subplots()[1]


class Result:
    """What a kernel has found: arrays, and facts about all of it.

    The arrays have a value for each vertex, in the order of the graph's names; `values` is the
    first of them. Each is an attribute by its name, and so is each fact: `r.rank`, `r.iterations`.
    They are NumPy's, belong to Python, and outlive graph and session.
    """

    def __init__(self, kernel, value, found, graph):
        self.kernel = kernel
        """The kernel's name."""
        self.seconds = found.seconds
        """The time of the kernel alone."""
        self.verified = found.verified or None
        """What verify=True has checked; else None."""
        self.facts = json.loads(found.facts)
        """What the tool's --json has in `result`."""
        self._value = value
        self._graph = graph
        taken = found.take_columns()
        self._numbers = {name: values for name, (values, _) in taken.items()}
        self._columns = {name: graph._names_of(values) if are_vertices else values
                         for name, (values, are_vertices) in taken.items()}

    @property
    def columns(self):
        """All arrays by their names."""
        return dict(self._columns)

    @property
    def values(self):
        """The array that matters most: ranks of pagerank, weights of msf, …"""
        name = self._value if self._value in self._columns else next(iter(self._columns), None)
        if name is None:
            raise ValueError(f"{self.kernel} was asked for facts only (see .facts)")
        return self._columns[name]

    def numbers(self, name):
        """The array of that name; where it has vertices, their numbers and not their names."""
        return self._numbers[name]

    @property
    def names(self):
        """The vertices' names, in the order of the values."""
        return self._graph.names

    def top(self, k=10):
        """The k highest values, as pairs of a vertex's name and its value; ties by the name."""
        values = self.values
        if not np.issubdtype(values.dtype, np.number):
            raise ValueError(f"{self.kernel}: its values are no numbers")
        if len(self._graph) != len(values):
            raise ValueError(f"{self.kernel}: its values are not of vertices")
        order = np.argsort(-np.where(np.isfinite(values), values, -np.inf).astype(float),
                           kind="stable")[:k]
        names = self._graph._names_of(order)
        return list(zip(names.tolist(), values[order].tolist()))

    def plot(self, k=10, ax=None):
        """Bars for the k highest values, by matplotlib: into `ax`, or a new figure. Returns the axes.

            gp.kron(10).pagerank().plot()
        """
        names, values = zip(*self.top(k)) if len(self.values) else ((), ())
        ax = axes(ax)
        ax.barh([str(name) for name in names][::-1], values[::-1])
        ax.set_xlabel(self._value)
        ax.set_title(f"{self.kernel}: the highest")
        return ax

    def to_pandas(self):
        """A DataFrame with a row for each vertex, or for each edge of a forest."""
        import pandas
        return pandas.DataFrame(self._table())

    def __arrow_c_stream__(self, requested_schema=None):
        """The same rows for packages that know Arrow: polars.DataFrame(result), say.

        ValueError where vertices' names are neither texts nor numbers.
        """
        return arrow.stream(len(self.values), [(name, values, None)
                                               for name, values in self._table().items()])

    def _table(self):
        """The columns, with the names of vertices in front where there is a row for each."""
        columns = self.columns
        if len(self.values) == len(self._graph) and "u" not in columns:
            return {"vertex": self.names, **columns}
        return columns

    def __getattr__(self, name):
        for place in ("_columns", "facts"):
            found = self.__dict__.get(place, {})
            if name in found:
                return found[name]
        raise AttributeError(f"the result of {self.__dict__.get('kernel')} has no {name}; it has "
                             f"{', '.join([*self._columns, *self.facts])}")

    def __dir__(self):
        return [*super().__dir__(), *self._columns, *self.facts]

    def _facts_of_lines(self):
        """Facts that are one word each, for people."""
        return {name: value for name, value in self.facts.items()
                if isinstance(value, (int, float, str))}

    def __repr__(self):
        facts = ", ".join(f"{name} {value}" for name, value in self._facts_of_lines().items())
        return f"<{self.kernel} in {self.seconds * 1e3:.3g} ms: {facts}>"

    def _repr_html_(self):
        rows = {"kernel": self.kernel, "time": f"{self.seconds * 1e3:.3g} ms",
                **self._facts_of_lines()}
        return notebooks.facts_table(rows)
