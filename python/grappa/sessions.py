"""The session that graphs and queries live in."""

import atexit
import json
import os
import sys
import threading
import weakref

from grappa import _grappa
from grappa.sizes import byte_count

_lock = threading.Lock()
_all = weakref.WeakSet()
_LEAST_ROOM = 16 << 20  # bytes, for a query
_open = []  # (thread, session) of each `with`, the innermost last; no thread: the one all share
script_status = 0  # of the program, where __main__ runs it


class Session:
    """A run of Grappa beside Python, on threads of its own. They sleep while nothing is to do.

    cores: how many; all that this process may use, unless given.
    memory: what the process may have in all, when a graph is made or read, or a query is computed:
        bytes, or "8GiB". MemoryError beyond; a query writes what is more to files in $TMPDIR, as
        far as that does.
    trace: a file for the timeline of all that is done in it, for ui.perfetto.dev; it is there when
        the session has ended.
    options: the runtime's by the names that `grappa help cc` has for them, such as locales=4 for a
        simulated cluster, stack_size="128KiB", pin=False.

        with gp.session(cores=2) as two:
            g = gp.read("web.txt")
    """

    def __init__(self, cores=None, memory=None, trace=None, **options):
        if cores is not None:
            options["cores"] = _count("cores", cores)
        if trace is not None:
            options["trace"] = os.fspath(trace)
        self._compiled = _grappa
        self._made = _grappa.Session([(_option_named(name), _text_of(value))
                                      for name, value in options.items()])
        self._memory = None if memory is None else byte_count(memory)
        self._process = os.getpid()
        _all.add(self)

    @property
    def cores(self):
        """Cores that it works on."""
        return self._made.cores

    def stats(self):
        """What its layers have counted so far: a dict by the metrics' names.

        Each is a dict: "help" says what it is, "kind", "total", "per_core".
        """
        return json.loads(self._made.stats())

    def close(self):
        """Ends it. Graphs that were made in it can no longer be used; results can."""
        self._leave()
        if self._process == os.getpid():
            self._made.close()

    def _leave(self):
        """It is no longer what calls use that name no session."""
        with _lock:
            _open[:] = [entry for entry in _open if entry[1] is not self]

    def require_room(self, more):
        """MemoryError where so many bytes more than now are not allowed."""
        if self._memory is not None and more + _resident_bytes() > self._memory:
            raise MemoryError(f"about {more} bytes are needed, and the session's memory of "
                              f"{self._memory} bytes has {_resident_bytes()} in use")

    def room(self):
        """How many bytes more than now are allowed; 0 where nothing bounds them."""
        if self._memory is None:
            return 0
        self.require_room(_LEAST_ROOM)
        return self._memory - _resident_bytes()

    def file_size(self, path):
        """Bytes of a file, where the session finds files. FileNotFoundError if it is not there."""
        return os.stat(path).st_size

    def __enter__(self):
        with _lock:
            _open.append((threading.get_ident(), self))
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        if not self._made.is_open:
            return "<grappa.Session, closed>"
        return f"<grappa.Session on {self.cores} cores>"


def session(cores=None, memory=None, trace=None, **options):
    """A session to be used in a `with` statement, or to be closed; see Session."""
    return Session(cores, memory, trace, **options)


def trace(path, cores=None, memory=None):
    """A session whose timeline is written to this file, for ui.perfetto.dev, when it ends.

        with gp.trace("timeline.json"):
            gp.kron(10).pagerank()
    """
    return Session(cores, memory, trace=path)


def stats():
    """What the layers of the current session have counted so far; see Session.stats.

        gp.stats()["tasking.tasks"]["total"]
    """
    return current().stats()


def current():
    """The session of the innermost `with` of this thread, else of the main one, else the shared one."""
    for thread in (threading.get_ident(), threading.main_thread().ident, None):
        with _lock:
            for of, session_of_it in reversed(_open):
                if of == thread:
                    return session_of_it
    made = Session()
    with _lock:
        if all(of is not None for of, _ in _open):
            _open.append((None, made))
            return made
    made.close()
    return current()


def _count(name, value):
    count = int(value)
    if count != value or count < 1:
        raise ValueError(f"{name}: {value!r} is not a whole number from 1 on")
    return count


def _option_named(name):
    """The runtime's option that a keyword stands for."""
    known = {flag.replace("-", "_"): flag for flag, *_ in _grappa.session_options()}
    if name not in known:
        raise TypeError(f"session() takes no {name}; it takes memory, {', '.join(known)}")
    return known[name]


def _text_of(value):
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@atexit.register
def _end():
    _grappa.end_calls(threading.active_count() > 1)
    for each in list(_all):
        each.close()
    # A launcher may end this process when another one is quicker to return.
    for stream in sys.stdout, sys.stderr:
        if stream is not None and not stream.closed:
            stream.flush()
    _grappa.leave_job(script_status)
