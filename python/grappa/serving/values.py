"""Values in messages: a text in JSON, and the arrays behind it, each as a stream of Arrow.

JSON has None, booleans, numbers, texts and lists as they are; anything else is an object with one
key, which says what it is: {"array": [dtype, shape, where]}, {"tuple": […]}, {"dict": [[k, v], …]},
{"texts": [offsets, bytes]} of a long list of texts, {"handle": n} of something that stays where it
is. `where` is the place of the array's stream in the data (arrow_stream.py).
"""

import json
import math
import typing

import numpy as np

from grappa.serving import arrow_stream

DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
_MANY = 64  # texts, from which on they are arrays


class Malformed(ValueError):
    """What has come is no message."""


class Handle(typing.NamedTuple):
    """The number of something that a server keeps for a client."""

    number: int


def packed(value):
    """The text, and the buffers behind it: memoryviews of bytes, with their padding."""
    data = _Data()
    return json.dumps(_packed(value, data)).encode(), data.pieces


def unpacked(text, data):
    """The value; its arrays are parts of `data`, an array of bytes. Malformed."""
    try:
        return _unpacked(json.loads(text), data)
    except Malformed:
        raise
    except (ValueError, TypeError, LookupError, RecursionError, AttributeError) as error:
        raise Malformed(f"no message: {error}") from None


class _Data:
    def __init__(self):
        self.pieces = []
        self._size = 0

    def add(self, array):
        """Where it is now."""
        place = self._size
        self._append(arrow_stream.front(array.dtype.str, array.size))
        if array.nbytes:
            self._append(memoryview(array.reshape(-1)).cast("B"))
        self._append(arrow_stream.back(array.nbytes))
        return place

    def _append(self, piece):
        self.pieces.append(piece)
        self._size += len(piece)


def _packed(value, data):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Handle):
        return {"handle": value.number}
    if isinstance(value, np.ndarray):
        return {"array": _packed_array(value, data)}
    if isinstance(value, np.generic):
        return _packed(value.item(), data)
    if isinstance(value, bytes):
        return {"bytes": _packed_array(np.frombuffer(value, np.uint8), data)}
    if isinstance(value, tuple):
        return {"tuple": [_packed(each, data) for each in value]}
    if isinstance(value, list):
        if len(value) >= _MANY and all(isinstance(each, str) for each in value):
            return {"texts": [_packed_array(part, data) for part in _joined(value)]}
        return [_packed(each, data) for each in value]
    if isinstance(value, dict):
        return {"dict": [[_packed(key, data), _packed(each, data)] for key, each in value.items()]}
    raise TypeError(f"a {type(value).__name__} cannot be in a message")


def _packed_array(array, data):
    array = np.asarray(array, order="C")
    if array.dtype.str not in DTYPES:
        array = array.astype(array.dtype.newbyteorder("<"))
    if array.dtype.str not in DTYPES:
        raise TypeError(f"an array of {array.dtype} cannot be in a message")
    return [array.dtype.str, list(array.shape), data.add(array)]


def _joined(texts):
    """Where each ends, and all of them."""
    each = [text.encode("utf-8", "surrogateescape") for text in texts]
    ends = np.cumsum(np.fromiter(map(len, each), np.int64, len(each)))
    return ends, np.frombuffer(b"".join(each), np.uint8)


def _unpacked(value, data):
    if isinstance(value, list):
        return [_unpacked(each, data) for each in value]
    if not isinstance(value, dict):
        return value
    (kind, of), = value.items()
    if kind == "handle":
        return Handle(_whole(of))
    if kind == "array":
        return _unpacked_array(of, data)
    if kind == "bytes":
        return _unpacked_array(of, data).tobytes()
    if kind == "tuple":
        return tuple(_unpacked(each, data) for each in of)
    if kind == "dict":
        return {_unpacked(key, data): _unpacked(each, data) for key, each in of}
    if kind == "texts":
        return _texts(*(_unpacked_array(part, data) for part in of))
    raise Malformed(f"no message: it has a {kind}")


def _unpacked_array(of, data):
    dtype, shape, place = of
    if dtype not in DTYPES:
        raise Malformed(f"no message: an array of {dtype}")
    shape, place = tuple(map(_whole, shape)), _whole(place)
    front = arrow_stream.front(dtype, math.prod(shape))
    begin = place + len(front)
    end = begin + math.prod(shape) * np.dtype(dtype).itemsize
    if place % arrow_stream.ALIGNMENT or end > len(data) or data[place:begin].tobytes() != front:
        raise Malformed("no message: an array is not where it should be")
    return data[begin:end].view(dtype).reshape(shape)


def _texts(ends, joined):
    joined = joined.tobytes()
    starts = [0, *ends.tolist()]
    if any(start > end for start, end in zip(starts, starts[1:])) or starts[-1] > len(joined):
        raise Malformed("no message: texts end before they begin")
    return [joined[start:end].decode("utf-8", "surrogateescape")
            for start, end in zip(starts, starts[1:])]


def _whole(number):
    if type(number) is not int or not 0 <= number < 1 << 62:
        raise Malformed(f"no message: {number!r} where a whole number was expected")
    return number
