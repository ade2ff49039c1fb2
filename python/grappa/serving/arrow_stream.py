"""An array as a stream of Arrow's IPC format: what is in front of its values, and behind them.

The stream has one batch of one column, `values`, without nulls: the message of the schema, that of the
batch, the values, and the end (https://arrow.apache.org/docs/format/Columnar.html). Whoever knows Arrow
can read it. What stands in front of the values follows from their type and number alone, so here
nothing has to be parsed: it is what it should be, or refused.
"""

import functools
import struct

ALIGNMENT = 64  # bytes: where the stream begins, and its values
_VERSION = 4                 # V5
_SCHEMA, _BATCH = 1, 3       # kinds of messages
_INT, _FLOAT = 2, 3          # kinds of types
_PRECISIONS = {"2": 0, "4": 1, "8": 2}  # of floats, by their bytes
_MESSAGE = b"\xff\xff\xff\xff"


@functools.lru_cache(1000)
def front(dtype, count):
    """The bytes before the values. dtype: as NumPy's dtype.str; |b1 is an integer of 8 bits."""
    size = int(dtype[2:]) * count
    schema = _message(_SCHEMA, [None, _tables([_column(dtype)])], 0)
    batch = [("q", count), _structs([(count, 0)]), _structs([(0, 0), (0, size)])]
    return schema + _message(_BATCH, batch, size + -size % 8, len(schema))


def back(size):
    """The bytes behind `size` bytes of values, so that another stream can follow."""
    end = bytes(-size % 8) + _MESSAGE + bytes(4)
    return end + bytes(-(size + len(end)) % ALIGNMENT)


def _column(dtype):
    kind, width = dtype[1], dtype[2:]
    if kind == "f":
        of_type = _FLOAT, [("h", _PRECISIONS[width])]
    else:
        of_type = _INT, [("i", 8 * int(width)), ("?", kind == "i")]
    return [_text("values"), None, ("B", of_type[0]), _table(of_type[1]), None, _tables([])]


def _message(kind, header, body_size, before=None):
    """With its length. before: bytes in front of it, where values follow, which begin aligned."""
    root = bytearray(4)
    struct.pack_into("<I", root, 0, _table([("h", _VERSION), ("B", kind), _table(header),
                                            ("q", body_size)])(root))
    root += bytes(-len(root) % 8)
    if before is not None:
        root += bytes(-(before + 8 + len(root)) % ALIGNMENT)
    return _MESSAGE + struct.pack("<i", len(root)) + bytes(root)


# ---- flatbuffers: what writes itself at the end of a bytearray, and returns where it is


def _table(fields):
    """Fields by their slots: (format, value), what writes itself, or None."""
    def write(out):
        slots = [0] * len(fields)
        size = 4
        for slot, field in enumerate(fields):
            if field is not None:
                width = struct.calcsize(field[0]) if isinstance(field, tuple) else 4
                size += -size % width
                slots[slot] = size
                size += width
        index = struct.pack(f"<HH{len(slots)}H", 4 + 2 * len(slots), size, *slots)
        out += bytes(-(len(out) + len(index)) % 8)
        at = len(out) + len(index)
        out += index + struct.pack("<i", len(index)) + bytes(size - 4)
        for slot, field in zip(slots, fields):
            if isinstance(field, tuple):
                struct.pack_into("<" + field[0], out, at + slot, field[1])
            elif field is not None:
                struct.pack_into("<I", out, at + slot, field(out) - at - slot)
        return at
    return write


def _tables(all_fields):
    def write(out):
        out += bytes(-len(out) % 4)
        at = len(out)
        out += struct.pack("<I", len(all_fields)) + bytes(4 * len(all_fields))
        for i, fields in enumerate(all_fields):
            place = at + 4 + 4 * i
            struct.pack_into("<I", out, place, _table(fields)(out) - place)
        return at
    return write


def _structs(pairs):
    """Of two integers of 64 bits each."""
    def write(out):
        out += bytes((4 - len(out)) % 8)
        at = len(out)
        out += struct.pack("<I", len(pairs)) + b"".join(struct.pack("<qq", *pair) for pair in pairs)
        return at
    return write


def _text(text):
    def write(out):
        out += bytes(-len(out) % 4)
        at = len(out)
        out += struct.pack("<I", len(text)) + text.encode() + b"\0"
        return at
    return write
