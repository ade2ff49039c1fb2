"""Arrays over all cores, for reads and updates without any order."""

import operator
import weakref

import numpy as np

from grappa import notebooks, sessions
from grappa.given import array_of, integers
from grappa.sizes import byte_text

_TYPES = ("int32", "uint32", "int64", "uint64", "float32", "float64")


class _AsNumPy(np.lib.mixins.NDArrayOperatorsMixin):
    """What is a NumPy array wherever one is wanted (to_numpy), but is changed in place (_update)."""

    def __iadd__(self, other):
        return self._update("add", _operand(other, self.dtype))

    def __isub__(self, other):
        return self._update("add", np.negative(_operand(other, self.dtype)))

    def __imul__(self, other):
        return self._update("multiply", _operand(other, self.dtype))

    def __iand__(self, other):
        return self._update("and", _operand(other, self.dtype))

    def __ior__(self, other):
        return self._update("or", _operand(other, self.dtype))

    def __ixor__(self, other):
        return self._update("xor", _operand(other, self.dtype))

    def __array__(self, dtype=None, copy=None):
        values = self.to_numpy()
        return values.astype(dtype or values.dtype, copy=bool(copy))

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        inputs = [each.to_numpy() if isinstance(each, _AsNumPy) else each for each in inputs]
        return getattr(ufunc, method)(*inputs, **keywords)


class Array(_AsNumPy):
    """An array of one dimension over all cores of a session.

    dtype: int32, uint32, int64, uint64, float32 or float64.

        a = gp.zeros(1_000_000, "int64")
        a[[3, 5, 3]] += 1            # element 3 twice, unlike NumPy's
        a[[3, 5]]                    # a NumPy array, once it is used as one
        a[10:20] = 7
        a.maximum_at([3, 4], 9)

    Indices are as NumPy's: numbers, slices, arrays of integers or booleans, negative ones from the
    end. IndexError for one that is not there; nothing has been changed then. Integers wrap. What
    is chosen by an array of indices is read or changed on all cores, in no order: of several values
    for one element any may stay.
    """

    def __init__(self, made, dtype, session):
        self._made = made
        self.dtype = dtype
        """NumPy's type of the elements."""
        self._session = session
        self._waiting = weakref.WeakValueDictionary()  # by id: selections that have not been read

    def __len__(self):
        return len(self._made)

    @property
    def size(self):
        """How many elements there are."""
        return len(self)

    @property
    def shape(self):
        """As NumPy has it."""
        return (len(self),)

    @property
    def nbytes(self):
        """The memory of the elements."""
        return len(self) * self.dtype.itemsize

    def to_numpy(self):
        """A copy of all elements."""
        return self[:]

    def __dlpack_device__(self):
        """The processor's memory."""
        return (1, 0)

    def __dlpack__(self, **wishes):
        """The elements themselves for packages that know DLPack, without a copy.

        They stay while somebody has them, also when the session is closed. Nobody may change them
        there while a call of the session goes on. BufferError where they are in other processes.

            np.from_dlpack(a)[3] = 7         # a[3] is 7 now
        """
        self._read_waiting()
        view = self._made.view()
        if view is None:
            raise BufferError("the elements are in other processes; to_numpy() makes a copy of them")
        return view.__dlpack__(**wishes)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._read(key)
        if _is_number(key):
            return self._read(_slice_of(key, len(self)))[0]
        return Selection(self, key)

    def __setitem__(self, key, values):
        if isinstance(values, Selection) and values._is_chosen_by(self, key):
            return  # a[key] += … has changed them already
        self._change("assign", key, values)

    def _read(self, key):
        first, step, count, turned = _range(key, len(self))
        out = np.empty(count, self.dtype)
        self._made.read(first, step, out)
        return out[::-1] if turned else out

    def _change(self, operation, key, values):
        self._read_waiting()
        values = _operand(values, self.dtype)
        if _is_number(key):
            key = _slice_of(key, len(self))
        if not isinstance(key, slice):
            indices = self._made.indices(_indices(key, len(self)))
            return self._made.scatter(operation, indices, values)
        first, step, count, turned = _range(key, len(self))
        values = np.ascontiguousarray(values[::-1]) if turned else values
        self._made.update(operation, first, step, count, values)

    def _update(self, operation, values):
        self._change(operation, slice(None), values)
        return self

    def _read_waiting(self, but=None):
        """Reads what has been chosen and may change now."""
        for selection in list(self._waiting.values()):
            if selection is not but:
                selection.to_numpy()

    # ---- changes in place

    def minimum_at(self, indices, values):
        """Each of these elements becomes the least of it and the values for it."""
        self._change("minimum", indices, values)

    def maximum_at(self, indices, values):
        """Each of these elements becomes the greatest of it and the values for it."""
        self._change("maximum", indices, values)

    def sort(self):
        """Sorts the elements, ascending; NaNs are last. Needs memory for twice the elements."""
        self._session.require_room(2 * self.nbytes)
        self._read_waiting()
        self._made.sort()

    # ---- of all elements

    def sum(self):
        """Of all elements: of integers in 64 bits, of floats as float64."""
        return self._made.reduce("sum")

    def mean(self):
        """NaN where there are no elements."""
        return self.sum() / len(self) if len(self) else float("nan")

    def min(self):
        """The least element; NaN where there is one. ValueError if there are none."""
        return self._extreme("minimum")

    def max(self):
        """The greatest element; NaN where there is one. ValueError if there are none."""
        return self._extreme("maximum")

    def _extreme(self, which):
        if not len(self):
            raise ValueError(f"an array without elements has no {which}")
        return self._made.reduce(which)

    def unique(self, return_counts=False):
        """The different values, ascending, as a NumPy array; on demand how often each is there."""
        copy = array(self, session=self._session)
        copy.sort()
        values = copy.to_numpy()
        is_first = np.ones(len(values), bool)
        is_first[1:] = values[1:] != values[:-1]
        if values.dtype.kind == "f":
            is_first[1:] &= ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
        firsts = np.flatnonzero(is_first)
        if not return_counts:
            return values[firsts]
        return values[firsts], np.diff(np.append(firsts, len(values)))

    def histogram(self, bins=10, range=None):
        """How many elements are in each of some bins, and their edges, as numpy.histogram.

        bins: how many of the same width, or their edges, ascending. range: of the bins, or the least
        and the greatest element; what is outside is not counted.
        """
        if np.ndim(bins) == 0:
            low, high = range if range is not None else \
                (self.min(), self.max()) if len(self) else (0, 1)
            edges = np.histogram_bin_edges(np.array([low, high], float), bins, (low, high))
        else:
            edges = np.asarray(bins, float)
            if edges.ndim != 1 or len(edges) < 2 or (edges[1:] < edges[:-1]).any():
                raise ValueError("bins: a number, or at least two edges, ascending, were expected")
        return self._made.histogram(np.ascontiguousarray(edges)), edges

    def _some(self):
        """The first and the last elements, as a text."""
        if len(self) <= 6:
            return ", ".join(map(str, self[:].tolist()))
        return ", ".join(map(str, self[:3].tolist())) + ", …, " + \
            ", ".join(map(str, self[-3:].tolist()))

    def __repr__(self):
        return f"<grappa.Array of {len(self)} {self.dtype}: [{self._some()}]>"

    def _repr_html_(self):
        return notebooks.facts_table({"elements": f"{len(self):,}", "type": self.dtype,
                                      "memory": byte_text(self.nbytes), "values": self._some()})


class Selection(_AsNumPy):
    """Elements that an array of indices chooses.

    It is a NumPy array wherever one is wanted, and then what they were when they were chosen;
    changed in place it changes the array: each element as often as its index is there.
    """

    def __init__(self, chosen_from, key):
        self._array = chosen_from
        self.dtype = chosen_from.dtype
        """NumPy's type of the elements."""
        self._key = key
        self._indices = chosen_from._made.indices(_indices(key, len(chosen_from)))
        self._wait()

    def _wait(self):
        """For its first use, or the first change of the array."""
        self._values = None
        self._array._waiting[id(self)] = self

    def to_numpy(self):
        """The elements."""
        if self._values is None:
            out = np.empty(len(self._indices), self._array.dtype)
            self._array._made.gather(self._indices, out)
            self._values = out
            del self._array._waiting[id(self)]
        return self._values

    def _is_chosen_by(self, chosen_from, key):
        """Whether it is what a statement `chosen_from[key] += …` has changed."""
        return self._array is chosen_from and self._values is None and self._key is key

    def _update(self, operation, values):
        self._array._read_waiting(but=self)
        self._array._made.scatter(operation, self._indices, values)
        self._wait()
        return self

    def __len__(self):
        return len(self._indices)

    def __getitem__(self, key):
        return self.to_numpy()[key]

    def __iter__(self):
        return iter(self.to_numpy())

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.to_numpy(), name)

    def __repr__(self):
        return repr(self.to_numpy())


# ---- making them


def array(values, dtype=None, *, session=None):
    """An array with these values: a NumPy array, a list, or another array of Grappa."""
    values = array_of(values, dtype)
    if values.ndim != 1:
        raise ValueError(f"values of shape {values.shape}: one dimension was expected")
    made = zeros(len(values), values.dtype, session=session)
    made[:] = values
    return made


def zeros(count, dtype="float64", *, session=None):
    """An array of zeros."""
    session = session or sessions.current()
    dtype = np.dtype(dtype)
    if dtype.name not in _TYPES or not dtype.isnative:
        raise ValueError(f"dtype {dtype}: one of {', '.join(_TYPES)} was expected")
    count = operator.index(count)
    session.require_room(count * dtype.itemsize)
    return Array(session._compiled.Array(session._made, dtype.name, count), dtype, session)


def arange(start, stop=None, step=1, dtype=None, *, session=None):
    """start, start + step, … below stop; with one argument, 0, 1, … below it. As numpy.arange."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("step: 0 leads nowhere")
    dtype = np.dtype(dtype or np.result_type(start, stop, step))
    made = zeros(max(0, int(np.ceil((stop - start) / step))), dtype, session=session)
    made._made.set_sequence(np.array([start, step]).astype(made.dtype))
    return made


def random(count, low=0.0, high=1.0, dtype="float64", *, seed=1, session=None):
    """Random numbers from low on and below high, each as likely; of one seed always the same."""
    made = zeros(count, dtype, session=session)
    bounds = np.array([low, high]).astype(made.dtype)
    if not bounds[0] < bounds[1]:
        raise ValueError(f"low {low}, high {high}: low below high was expected")
    made._made.set_random(bounds, operator.index(seed) % 2**64)
    return made


# ---- as the compiled part takes them


def _is_number(key):
    return isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_))


def _slice_of(index, size):
    """The one element."""
    place = int(index) + size if index < 0 else int(index)
    if not 0 <= place < size:
        raise IndexError(f"index {index} is out of bounds for an array of {size} elements")
    return slice(place, place + 1)


def _range(key, size):
    """First element, step above 0, how many, and whether they are in the other order."""
    chosen = range(*key.indices(size))
    turned = chosen.step < 0
    chosen = chosen[::-1] if turned else chosen
    return chosen.start, chosen.step, len(chosen), turned


def _indices(key, size):
    """An array of indices."""
    if isinstance(key, tuple):
        raise IndexError("an array of one dimension takes one index")
    key = array_of(key)
    if key.ndim == 1 and key.dtype == bool:
        if len(key) != size:
            raise IndexError(f"{len(key)} booleans for an array of {size} elements")
        return np.flatnonzero(key)
    if key.ndim == 1 and key.size == 0:
        return np.zeros(0, np.int64)
    if key.ndim != 1 or key.dtype.kind not in "iu":
        raise IndexError("a number, a slice, or an array of integers or booleans was expected")
    return integers(key)


def _operand(values, dtype):
    """An array of values, or of one for all."""
    values = np.atleast_1d(array_of(values))
    if values.ndim != 1:
        raise ValueError(f"values of shape {values.shape}: one dimension was expected")
    if values.size == 1 or values.dtype != dtype:
        if values.dtype.kind in "iub" and dtype.kind in "iu":
            checked = values.astype(dtype)  # numbers that do not fit are refused
            if (checked != values).any():
                raise OverflowError(f"{values[checked != values][0]} does not fit {dtype}")
            values = checked
        else:
            values = values.astype(dtype, casting="same_kind")
    return np.ascontiguousarray(values)
