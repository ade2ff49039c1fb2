"""SQL over tables that are in memory, and in files."""

import decimal
import functools
import html
import re

import numpy as np

from grappa import arrow, sessions
from grappa.given import array_of

# What a NumPy type is to SQL, and as what its values are given.
_NUMBERS = {"b": ("boolean", np.uint8), "i1": ("tinyint", np.int8), "i2": ("smallint", np.int16),
            "i4": ("integer", np.int32), "i8": ("bigint", np.int64), "u1": ("smallint", np.int16),
            "u2": ("integer", np.int32), "u4": ("bigint", np.int64), "u8": ("bigint", np.int64),
            "f2": ("real", np.float32), "f4": ("real", np.float32), "f8": ("double", np.float64)}


def sql(query, *, session=None, **tables):
    """Executes SQL, and returns the answer of its last statement.

    Tables are given by their names: pandas frames, whatever has `__arrow_c_stream__` (pyarrow,
    Polars, DuckDB's relations), or dicts of columns. Files are named in FROM: "select * from
    'people.csv'". NULL is None, a missing value of pandas, or null. ValueError says where a
    statement is wrong. Ctrl-C cancels it.

        gp.sql("select g, count(*) as n from t group by g order by g", t={"g": [1, 2, 1]}).fetchall()
    """
    if not isinstance(query, str):
        raise TypeError(f"query: a text was expected, not {query!r}")
    session = session or sessions.current()
    given = [prepared_table(name, table) for name, table in tables.items()]
    return Answer(session._compiled.run_query(session._made, query, given, session.room()))


class Answer:
    """Columns with the same number of rows.

    Packages that know Arrow take it as it is, numbers and texts without a copy:
    `polars.DataFrame(answer)`, `pyarrow.table(answer)`, `duckdb.sql("from answer")`.
    """

    def __init__(self, columns):
        self._columns = {name: _Column(*column) for name, column in _distinct(columns)}

    @property
    def names(self):
        """Of the columns."""
        return list(self._columns)

    @property
    def types(self):
        """Of the columns, as SQL calls them."""
        return [column.type for column in self._columns.values()]

    def __len__(self):
        return max((len(column) for column in self._columns.values()), default=0)

    def __getitem__(self, name):
        """The column as a NumPy array; a masked one where there are NULLs."""
        return self._columns[name].to_numpy()

    def fetchall(self):
        """All rows as tuples of Python's values; None for NULL."""
        return list(zip(*(column.to_list() for column in self._columns.values())))

    def to_pandas(self):
        """A DataFrame. NULL is None in columns of objects, else what pandas has for it."""
        import pandas
        return pandas.DataFrame({name: column.to_pandas() for name, column in self._columns.items()})

    def __arrow_c_stream__(self, requested_schema=None):
        """The rows for packages that know Arrow; NULL is null."""
        return arrow.stream(len(self), [(name, column.to_arrow(), column.valid)
                                        for name, column in self._columns.items()])

    def __repr__(self):
        return f"<grappa.Answer: {len(self)} rows of {', '.join(self.names)}>"

    def _repr_html_(self):
        rows = list(zip(*(column.head(20).to_list() for column in self._columns.values())))
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in row) + "</tr>"
                       for row in rows)
        more = f"<p>{len(self)} rows</p>" if len(self) > len(rows) else ""
        return f"<table><tr>{head}</tr>{body}</table>{more}"


class _Column:
    def __init__(self, type, given, valid):
        self.type = type
        self._given = arrow.Texts(*given) if isinstance(given, tuple) else given
        self.valid = None if valid is None else valid.astype(bool)

    @functools.cached_property
    def values(self):
        """An array: of numbers, or of objects."""
        given = self._given
        if isinstance(given, arrow.Texts):
            given = given.to_list(self.valid)
            if self.type.startswith("decimal"):
                given = [None if text is None else decimal.Decimal(text) for text in given]
                if self.type.endswith(",0)") and all(v is not None and -2**63 <= v < 2**63
                                                     for v in given):
                    return np.array([int(v) for v in given], np.int64)
            return _objects(given)
        if self.type == "boolean":
            return given.astype(bool)
        return given.astype("datetime64[D]") if self.type == "date" else \
            given.view("datetime64[us]") if self.type == "timestamp" else \
            given.view("timedelta64[us]") if self.type == "time" else given

    def __len__(self):
        given = self._given
        return len(given.offsets) - 1 if isinstance(given, arrow.Texts) else len(given)

    def head(self, count):
        """Its first values."""
        given = self._given
        given = given._replace(offsets=given.offsets[:count + 1]) \
            if isinstance(given, arrow.Texts) else given[:count]
        return _Column(self.type, given, None if self.valid is None else self.valid[:count])

    def to_arrow(self):
        """As arrow.stream takes it."""
        if self.type == "null":
            return None
        digits = _digits(self.type)
        if digits and self.values.dtype == object:
            return arrow.decimals_from(*digits, self.values)
        return self._given if isinstance(self._given, arrow.Texts) and not digits else self.values

    def to_list(self):
        values = self.values.tolist()
        if self.valid is None or self.values.dtype == object:
            return values
        return [value if there else None for value, there in zip(values, self.valid.tolist())]

    def to_numpy(self):
        if self.valid is None or self.values.dtype == object:
            return self.values
        return np.ma.masked_array(self.values, mask=~self.valid)

    def to_pandas(self):
        import pandas
        if self.valid is None or self.values.dtype == object:
            return self.values
        if self.values.dtype.kind in "mM":
            return np.where(self.valid, self.values, np.array("NaT", self.values.dtype))
        if self.values.dtype.kind == "f":
            return np.where(self.valid, self.values, np.nan)
        return pandas.array(self.to_list(), dtype="boolean" if self.values.dtype == bool else "Int64")


def _distinct(columns):
    """Columns of one name have a number behind it."""
    seen = {}
    for name, *rest in columns:
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else f"{name}_{seen[name]}"), rest


def _digits(type):
    """Precision and scale of a decimal."""
    found = re.fullmatch(r"decimal\((\d+),(\d+)\)", type)
    return found and tuple(map(int, found.groups()))


def prepared_table(name, table):
    """Name, rows and columns, as the compiled part takes them."""
    if arrow.is_given(table):
        columns = [_column_of_values(*column) for column in arrow.columns(table)]
    else:
        columns = [_column(str(of), table[of]) for of in _column_names(table)]
    counts = {_rows_of(column) for column in columns}
    if len(counts) > 1:
        raise ValueError(f"{name}: its columns have {', '.join(map(str, sorted(counts)))} rows")
    return name, counts.pop() if counts else 0, columns


def _rows_of(column):
    _, type, values, _ = column
    if isinstance(values, tuple):
        return len(values[0]) - 1
    is_wide = isinstance(type, tuple) and type[1] > 18  # two words each
    return len(values) // 2 if is_wide else len(values)


def _column_names(table):
    if hasattr(table, "columns"):  # pandas
        return list(table.columns)
    if hasattr(table, "keys"):
        return list(table.keys())
    raise ValueError(f"a {type(table).__name__} is no table: a frame, or a dict of columns, was "
                     "expected")


def _column(name, values):
    """Name, SQL's type, values and where there are some, as the compiled part takes them.

    Of texts the values are offsets and bytes, of a decimal the type is a name and two numbers.
    """
    if arrow.is_given(values):
        (_, values, valid), = arrow.columns(values)
        return _column_of_values(name, values, valid)
    valid = None
    if hasattr(values, "isna"):  # pandas: NaN is a missing value
        missing = np.asarray(values.isna())
        valid = ~missing if missing.any() else None
    if hasattr(values, "to_numpy"):
        values = (values if valid is None else _filled(values)).to_numpy()
    values = array_of(values) if not isinstance(values, np.ndarray) else values
    if values.ndim != 1:
        raise ValueError(f"column {name}: an array of one dimension was expected")
    if isinstance(values, np.ma.MaskedArray):
        valid = ~np.ma.getmaskarray(values)
        values = values.filled()
    return _column_of_values(name, values, valid)


def _column_of_values(name, values, valid):
    if isinstance(values, arrow.Texts):
        return name, "text", tuple(values), _bytes(valid)
    if isinstance(values, arrow.Decimals):
        return name, ("decimal", values.precision, values.scale), values.words, _bytes(valid)
    if values.dtype.kind == "O":
        return _column_of_objects(name, values, valid)
    if values.dtype.kind in "US":
        return name, "text", tuple(arrow.texts_from(values.astype(str).tolist())), None
    if values.dtype.kind == "M":
        return _column_of_times(name, values, valid)
    if values.dtype.kind == "m":
        return name, "time", values.astype("timedelta64[us]").astype(np.int64), _bytes(valid)
    key = values.dtype.kind if values.dtype.kind == "b" else values.dtype.str[1:]
    if key not in _NUMBERS:
        raise ValueError(f"column {name}: {values.dtype} has no type of SQL")
    if valid is not None and not valid.all():
        values = np.where(valid, values, np.zeros(1, values.dtype))
    if key == "u8" and values.size and values.max() > np.iinfo(np.int64).max:
        raise ValueError(f"column {name}: {values.max()} is more than a bigint holds")
    sql_type, given = _NUMBERS[key]
    return name, sql_type, np.ascontiguousarray(values, dtype=given), _bytes(valid)


def _filled(values):
    """pandas' integers with 0 for what is missing, or they would become floats; else the same."""
    kind = str(values.dtype).lower()
    return values.fillna(0).astype(kind) if kind.startswith(("int", "uint")) else values


def _column_of_objects(name, values, valid):
    if valid is None:
        valid = np.ones(len(values), dtype=bool)
    there = np.array([ok and value is not None and value == value
                      for value, ok in zip(values, valid)], dtype=bool)
    some = values[there]
    if all(isinstance(value, str) for value in some):
        texts = arrow.texts_from([value if ok else None for value, ok in zip(values, there)])
        return name, "text", tuple(texts), None if there.all() else _bytes(there)
    plain = np.array(some.tolist())  # numbers that stood beside None, say
    if plain.dtype.kind not in "biufM":
        plain = some.astype("datetime64[us]") if _are_times(some) else plain
    if plain.dtype.kind not in "biufM":
        raise ValueError(f"column {name}: it has {type(some[0]).__name__}, which has no type of SQL")
    full = np.zeros(len(values), dtype=plain.dtype)
    full[there] = plain
    made = _column_of_values(name, full, None)
    return (*made[:3], None if there.all() else _bytes(there))


def _are_times(values):
    return len(values) > 0 and all(hasattr(value, "isoformat") and hasattr(value, "year")
                                   for value in values)


def _column_of_times(name, values, valid):
    missing = np.isnat(values)
    if missing.any():
        valid = ~missing if valid is None else valid & ~missing
        values = np.where(missing, np.array(0, values.dtype), values)
    if values.dtype == np.dtype("datetime64[D]"):
        return name, "date", values.astype(np.int64).astype(np.int32), _bytes(valid)
    return (name, "timestamp", values.astype("datetime64[us]").astype(np.int64), _bytes(valid))


def _bytes(valid):
    return None if valid is None else np.ascontiguousarray(valid, dtype=np.uint8)


def _objects(values):
    return np.fromiter(values, dtype=object, count=len(values))
