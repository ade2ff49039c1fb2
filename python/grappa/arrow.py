"""Tables of other packages, and for them, by the Arrow C stream interface.

Nobody needs pyarrow for it: pyarrow, Polars and DuckDB bring their own half. A column is an array
of NumPy, or the bytes of Texts, and where its values are none (a mask, or None). Numbers in one
piece are used where they lie; so are texts with offsets.
"""

import decimal
import typing

import numpy as np

from grappa import _grappa


class Texts(typing.NamedTuple):
    """Texts, one behind the other, and where each begins; the last offset is where the last ends."""

    offsets: np.ndarray  # int64, one more than there are texts
    bytes: np.ndarray    # uint8, UTF-8

    def to_list(self, valid=None):
        """Python's texts; None where there is none."""
        return _grappa.texts_of(self.offsets, self.bytes, _as_bytes(valid))

    def take(self, indices):
        """Those of these indices."""
        return _gathered(self.bytes, self.offsets[indices], np.diff(self.offsets)[indices])


def texts_from(values):
    """Of a list of texts and None."""
    return Texts(*_grappa.text_buffers(values))


class Decimals(typing.NamedTuple):
    """Numbers with so many digits, of these `scale` behind the point."""

    precision: int
    scale: int
    words: np.ndarray  # int64: one of each, or two beyond 18 digits, the lower one first


def is_given(table):
    """Whether it has an Arrow interface. (pandas has one if there is pyarrow; it goes without.)"""
    return (hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")) \
        and not hasattr(table, "isna")


def columns(table):
    """(name, values, where there are some) of each column; of what is one column, that."""
    if hasattr(table, "__arrow_c_stream__"):
        schema, chunks = _grappa.read_arrow_stream(table.__arrow_c_stream__())
    else:
        schema, chunks = _grappa.read_arrow_array(*table.__arrow_c_array__())
    pieces = [_Piece(chunk, chunk.offset, chunk.length) for chunk in chunks]
    if schema.format != "+s":
        return [(schema.name, *_column(schema.name, schema, pieces))]
    return [(of.name, *_column(of.name, of, [piece.child(i) for piece in pieces]))
            for i, of in ((i, schema.child(i)) for i in range(schema.children))]


# ---- reading

_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
            "e": "f2", "f": "f4", "g": "f8"}
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


class _Piece(typing.NamedTuple):
    """Some values of a chunk."""

    chunk: typing.Any
    start: int
    length: int

    def child(self, i):
        of = self.chunk.child(i)
        return _Piece(of, self.start + of.offset, self.length)

    def array(self, index, dtype, more=0):
        """Values of a buffer, and so many behind them."""
        end = self.start + self.length + more
        found = self.chunk.buffer(index, end * np.dtype(dtype).itemsize) if self.length else None
        return np.zeros(self.length + more, dtype) if found is None else \
            found.view(dtype)[self.start:]

    def bits(self, index):
        end = self.start + self.length
        found = self.chunk.buffer(index, (end + 7) // 8) if self.length else None
        return None if found is None else \
            np.unpackbits(found, count=end, bitorder="little")[self.start:].astype(bool)


def _column(name, schema, pieces):
    """Values of all pieces, and where there are some; None: everywhere."""
    try:
        found = [_values(schema, piece) for piece in pieces if piece.length] or \
            [_values(schema, _Piece(None, 0, 0))]
    except NotImplementedError as error:
        raise ValueError(f"column {name}: Arrow's type {error} has no type of SQL") from None
    masks = [_valid(schema, piece) for piece in pieces if piece.length]
    valid = None
    if any(mask is not None for mask in masks):
        valid = np.concatenate([np.ones(piece.length, bool) if mask is None else mask for mask, piece
                                in zip(masks, (piece for piece in pieces if piece.length))])
    return _joined(found), valid


def _joined(found):
    if len(found) == 1:
        return found[0]
    if isinstance(found[0], Texts):
        ends = np.cumsum([0] + [int(each.offsets[-1] - each.offsets[0]) for each in found])
        offsets = [each.offsets[:-1] - each.offsets[0] + end for each, end in zip(found, ends)]
        return Texts(np.concatenate([*offsets, ends[-1:]]), np.concatenate(
            [each.bytes[each.offsets[0]:each.offsets[-1]] for each in found]))
    if isinstance(found[0], Decimals):
        return found[0]._replace(words=np.concatenate([each.words for each in found]))
    return np.concatenate(found)


def _valid(schema, piece):
    if schema.format == "n":
        return np.zeros(piece.length, bool)
    mask = piece.bits(0) if piece.chunk.nulls else None
    if schema.dictionary is None:
        return mask
    meanings = piece.chunk.dictionary
    of_meanings = _valid(schema.dictionary, _Piece(meanings, meanings.offset, meanings.length))
    if of_meanings is None:
        return mask
    there = np.append(of_meanings, False)[_codes(schema, piece)]
    return there if mask is None else there & mask


def _codes(schema, piece):
    """Of a dictionary; the last one where there is none."""
    codes = piece.array(1, _NUMBERS[schema.format]).astype(np.int64)
    mask = piece.bits(0) if piece.length and piece.chunk.nulls else None
    return codes if mask is None else np.where(mask, codes, -1)


def _values(schema, piece):
    format = schema.format
    if schema.dictionary is not None:
        return _of_dictionary(schema, piece)
    if format in _NUMBERS:
        return piece.array(1, _NUMBERS[format])
    if format == "n":
        return np.zeros(piece.length, np.int8)
    if format == "b":
        found = piece.bits(1)
        return np.zeros(piece.length, bool) if found is None else found
    if format in ("u", "U"):
        offsets = piece.array(1, np.int32 if format == "u" else np.int64, more=1).astype(
            np.int64, copy=False)
        found = piece.chunk.buffer(2, int(offsets[-1])) if offsets[-1] else None
        return Texts(offsets, np.zeros(0, np.uint8) if found is None else found)
    if format == "vu":
        return _of_views(piece)
    if format == "tdD":
        return piece.array(1, np.int32).astype("datetime64[D]")
    if format == "tdm":
        return piece.array(1, "datetime64[ms]").astype("datetime64[D]")
    if format.startswith("ts"):  # what has a zone is in UTC
        return piece.array(1, f"datetime64[{_UNITS[format[2]]}]")
    if format.startswith("tt"):
        width = np.int32 if format[2] in "sm" else np.int64
        return piece.array(1, width).astype(np.int64).view(f"timedelta64[{_UNITS[format[2]]}]")
    if format.startswith("d:"):
        return _of_decimals(format, piece)
    raise NotImplementedError(repr(format))


def _of_dictionary(schema, piece):
    if not piece.length:
        return _values(schema.dictionary, piece)
    of = piece.chunk.dictionary
    values = _values(schema.dictionary, _Piece(of, of.offset, of.length))
    codes = np.maximum(_codes(schema, piece), 0)
    if of.length == 0:  # and so nothing but nulls
        return texts_from([None] * piece.length) if isinstance(values, Texts) else \
            np.zeros(piece.length, values.dtype)
    return values.take(codes)


def _of_views(piece):
    """Texts of up to 12 bytes lie in their views, longer ones in one of several buffers."""
    if not piece.length:
        return texts_from([])
    end = piece.start + piece.length
    views = piece.chunk.buffer(1, 16 * end)[16 * piece.start:]
    many = piece.chunk.buffers - 3
    sizes = piece.chunk.buffer(2 + many, 8 * many).view(np.int64) if many else []
    others = [piece.chunk.buffer(2 + i, int(size)) for i, size in enumerate(sizes)]
    others = [np.zeros(0, np.uint8) if each is None else each for each in others]
    firsts = np.cumsum([len(views)] + [len(each) for each in others])
    words = views.view(np.int32).reshape(-1, 4)
    lengths = words[:, 0].astype(np.int64)
    mask = piece.bits(0) if piece.chunk.nulls else None
    if mask is not None:
        lengths = np.where(mask, lengths, 0)
    is_short = lengths <= 12
    starts = np.where(is_short, 16 * np.arange(piece.length) + 4,
                      firsts[np.where(is_short, 0, words[:, 2])] + words[:, 3])
    return _gathered(np.concatenate([views, *others]), starts, lengths)


def _gathered(source, starts, lengths):
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    return Texts(offsets, source[places])


def _of_decimals(format, piece):
    precision, scale, bits = (*map(int, format[2:].split(",")), 128)[:3]
    if bits == 256 or precision > 38 or scale < 0:
        raise NotImplementedError(repr(format))
    if bits < 128:
        return Decimals(precision, scale, piece.array(1, f"i{bits // 8}").astype(np.int64))
    words = piece.array(1, "V16").view(np.int64)
    return Decimals(precision, scale, np.ascontiguousarray(words[::2]) if precision <= 18 else words)


# ---- writing

_FORMATS = {**{dtype: format for format, dtype in _NUMBERS.items()}, "M8[D]": "tdD",
            "M8[s]": "tss:", "M8[ms]": "tsm:", "M8[us]": "tsu:", "M8[ns]": "tsn:", "m8[us]": "ttu"}


def stream(rows, given):
    """The capsule of `__arrow_c_stream__` for columns: (name, values, where there are some)."""
    return _grappa.make_arrow_stream(rows, [_written(name, values, valid)
                                            for name, values, valid in given])


def _written(name, values, valid):
    nulls = 0 if valid is None else int(np.count_nonzero(~valid))
    mask = None if not nulls else np.packbits(valid, bitorder="little")
    if isinstance(values, Texts):
        return name, "U", nulls, [mask, values.offsets, values.bytes]
    if isinstance(values, Decimals):
        return name, f"d:{values.precision},{values.scale}", nulls, [mask, values.words]
    if values is None:
        return name, "n", len(valid), []
    if values.dtype == object:
        return _written(name, _texts_of_names(name, values), valid)
    if values.dtype == bool:
        return name, "b", nulls, [mask, np.packbits(values, bitorder="little")]
    if values.dtype == "M8[D]":
        return name, "tdD", nulls, [mask, values.astype(np.int64).astype(np.int32)]
    values = np.ascontiguousarray(values)
    return name, _FORMATS[values.dtype.str[1:]], nulls, [mask, values.view(f"u{values.itemsize}")]


def _texts_of_names(name, values):
    wrong = next((each for each in values if not isinstance(each, str)), None)
    if wrong is not None:
        raise ValueError(f"column {name}: {wrong!r} has no type of Arrow here; texts and numbers have")
    return texts_from(values.tolist())


def decimals_from(precision, scale, values):
    """Of a list of decimal.Decimal and None."""
    exact = decimal.Context(prec=76)
    whole = (0 if value is None else int(value.scaleb(scale, exact)) for value in values)
    data = b"".join(value.to_bytes(16, "little", signed=True) for value in whole)
    return Decimals(precision, scale, np.frombuffer(data, np.int64))


def _as_bytes(valid):
    return None if valid is None else np.ascontiguousarray(valid).view(np.uint8)
