"""Messages on a socket.

A frame is a mark of 4 bytes, the number of the call that it is of, the length of a text (32 bits),
the length of data (64 bits, all with the highest byte first), the text and the data; values.py has
what they mean. Both lengths are bounded before anything is allocated.
"""

import select
import socket
import struct

import numpy as np

from grappa.serving import values

_MARK = b"Gr\x001"
_PREFIX = struct.Struct(">4sQIQ")
_MOST_TEXT = 64 << 20  # bytes: statements of SQL, words, names of files
_SHORT = 1 << 16       # bytes, below which buffers go together
_PIECE = 1 << 20       # bytes that are read at a time of what there is no room for
SILENCE = 60.0         # seconds; who is silent for longer amid a message is lost


class TooLarge(MemoryError):
    """A message whose data there is no room for. It has been read, so that others can follow."""

    def __init__(self, number, size):
        super().__init__(f"{size} bytes of data at once: there is no room for so many")
        self.number = number


def prepare(connection):
    """The options of a connected socket: who vanished without a word is noticed in half a minute."""
    connection.settimeout(SILENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000)


def packed(number, value):
    """The message as buffers to send. TypeError, ValueError for what cannot be in one."""
    text, pieces = values.packed(value)
    if len(text) > _MOST_TEXT:
        raise ValueError(f"{len(text)} bytes of text at once; {_MOST_TEXT} are the most")
    return [_PREFIX.pack(_MARK, number, len(text), sum(map(len, pieces))) + text, *pieces]


def send(connection, buffers):
    """Sends what packed() has made."""
    short = []
    for each in buffers:
        short.append(each)
        if len(each) >= _SHORT:
            short.pop()
            connection.sendall(b"".join(short))
            connection.sendall(each)
            short.clear()
    connection.sendall(b"".join(short))


def has_come(connection, seconds):
    """Waits so long at most for something to receive."""
    wait = select.poll()
    wait.register(connection, select.POLLIN)
    return bool(wait.poll(seconds * 1000))


def receive(connection):
    """Number and value of the next message; None where the other side has closed between two.

    Malformed, TooLarge, OSError.
    """
    prefix = _read(connection, _PREFIX.size, may_end=True)
    if prefix is None:
        return None
    mark, number, text_size, size = _PREFIX.unpack(prefix)
    if mark != _MARK or text_size > _MOST_TEXT:
        raise values.Malformed("no message: it begins with something else")
    text = _read(connection, text_size).tobytes()
    if size > _room():
        _skip(connection, size)
        raise TooLarge(number, size)
    return number, values.unpacked(text, _read(connection, size))


def _room():
    """Bytes of memory that are free."""
    with open("/proc/meminfo", encoding="ascii") as file:
        free = next(line for line in file if line.startswith("MemAvailable"))
    return int(free.split()[1]) * 1024


def _read(connection, size, may_end=False):
    data = np.empty(size, np.uint8)
    view, have = memoryview(data), 0
    while have < size:
        count = connection.recv_into(view[have:])
        if count == 0:
            if may_end and have == 0:
                return None
            raise ConnectionResetError("the other side has closed the connection")
        have += count
    return data


def _skip(connection, size):
    while size > 0:
        size -= len(_read(connection, min(size, _PIECE)))


def hang_up(connection):
    """Both sides hear that this is the end, also threads that wait for the socket."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # it is the end already
        pass
