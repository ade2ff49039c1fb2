"""Exceptions that cross from a server to a client: their kind, from a list, and their words."""

import grappa

_KINDS = {kind.__name__: kind for kind in (
    FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError, OSError,
    ValueError, TypeError, IndexError, OverflowError, MemoryError, NotImplementedError, BufferError,
    KeyboardInterrupt, RuntimeError, grappa.Error)}


def described(error):
    """As a message can have it."""
    kind = next((each.__name__ for each in type(error).__mro__ if _KINDS.get(each.__name__) is each),
                "RuntimeError")
    words = error.args
    if isinstance(error, OSError) and error.filename is not None:
        words = (error.errno, error.strerror, error.filename)
    return kind, [word if isinstance(word, (int, str)) else str(word) for word in words]


def error_of(kind, words):
    """The exception again."""
    return _KINDS.get(kind, RuntimeError)(*words)
