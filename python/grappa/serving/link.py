"""A client's way to its server: calls, one after the other.

A thread of its own sends and receives, so that Ctrl-C, which Python throws into the main thread, never
leaves half a message behind.
"""

import collections
import os
import queue
import socket
import threading
import weakref

from grappa import progress
from grappa.serving import LocaleLost, addresses, failures, frames, greeting, values

_LOOK = 0.25  # seconds, from one look at what the server does to the next


class _Call:
    """What one thread asks, and another one finds out."""

    def __init__(self, number, buffers):
        self.number = number
        self.buffers = buffers
        self.answered = threading.Event()
        self.value = None
        self.error = None
        self.doing = None
        self.is_abandoned = False

    def answer(self, value=None, error=None):
        self.value, self.error = value, error
        self.answered.set()


class _Use(weakref.ref):
    """Of what the server keeps: as long as the object here lives."""

    __slots__ = ("number",)


class Link:
    """A connection. call() may come from any thread."""

    def __init__(self, address, token, timeout):
        self.name = addresses.text_of(address)
        self._socket = _connected(address, self.name, token, timeout)
        self._process = os.getpid()
        self._lost = None  # what calls throw from then on
        self._last = 0
        self._one = threading.Lock()      # held by who waits for an answer
        self._sending = threading.Lock()
        self._uses = set()
        self._dropped = collections.deque()  # ended uses, and numbers
        self._calls = queue.SimpleQueue()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def is_open(self):
        return self._lost is None

    def call(self, operation, *arguments):
        """The answer of the server, or what it throws; LocaleLost."""
        if os.getpid() != self._process:
            raise RuntimeError("grappa: this process was forked from one with a connection; it may "
                               "open its own")
        with self._one:
            self._last += 1
            call = self._made_call(operation, arguments)
            self._wait_for(call)
        if call.error is not None:
            raise call.error
        return call.value

    def keep(self, handle, user):
        """Lets the server keep something as long as this object lives.

        It hears of the end with the next call.
        """
        # No code of Python runs while it collects, where nobody would hear of Ctrl-C.
        use = _Use(user, self._dropped.append)
        use.number = handle.number
        self._uses.add(use)

    def close(self):
        """Whoever waits for an answer gets LocaleLost."""
        self._lose(RuntimeError("grappa: the connection of this object is closed"))

    def _made_call(self, operation, arguments):
        dropped = self._take_dropped()
        try:
            return _Call(self._last, frames.packed(
                self._last, ["call", operation, list(arguments), dropped]))
        except (TypeError, ValueError):  # what cannot be sent
            self._dropped.extend(dropped)
            raise

    def _wait_for(self, call):
        bar = None
        try:
            self._calls.put(call)
            while not self._is_answered(call):
                if call.doing:
                    bar = bar or progress.Bar()
                    bar.show(*call.doing)
        except KeyboardInterrupt:
            call.is_abandoned = True
            # By another thread, since a second Ctrl-C may come.
            threading.Thread(target=self._cancel, args=(call.number,), daemon=True).start()
            while not self._is_answered(call):
                pass
            self._drop_value(call)
            raise
        finally:
            if bar:
                bar.close()

    def _is_answered(self, call):
        """After some time at most."""
        if not call.answered.wait(_LOOK) and self._lost is not None:
            call.answer(error=self._lost)
        return call.answered.is_set()

    def _take_dropped(self):
        ended = [self._dropped.popleft() for _ in range(len(self._dropped))]
        self._uses.difference_update(ended)
        return [each if isinstance(each, int) else each.number for each in ended]

    def _drop_value(self, call):
        """What has been made for a call whose answer nobody takes."""
        made = call.value if isinstance(call.value, tuple) and not isinstance(call.value, values.Handle) \
            else (call.value,)
        self._dropped.extend(each.number for each in made if isinstance(each, values.Handle))

    def _cancel(self, number):
        try:
            with self._sending:
                frames.send(self._socket, frames.packed(number, ["cancel"]))
        except OSError:  # who receives hears of it, too
            pass

    def _serve(self):
        with self._socket:
            self._answer_calls()

    def _answer_calls(self):
        while (call := self._calls.get()) is not None and self._lost is None:
            try:
                with self._sending:
                    frames.send(self._socket, call.buffers)
                self._receive(call)
                if call.is_abandoned:
                    self._drop_value(call)
            except (OSError, values.Malformed) as error:
                reason = "it has been silent for too long" if isinstance(error, TimeoutError) \
                    else error.strerror or error if isinstance(error, OSError) else error
                self._lose(LocaleLost(f"the server at {self.name} is lost: {reason}"))
                call.answer(error=self._lost)
            except BaseException as error:  # no memory for what has come, say
                self._lose(LocaleLost(f"the connection to {self.name} is lost: {error}"))
                call.answer(error=error)
            call = None  # or it would keep the value

    def _receive(self, call):
        while True:
            message = frames.receive(self._socket)
            if message is None:
                raise ConnectionResetError("it has closed the connection")
            number, value = message
            if number != call.number:
                raise values.Malformed("an answer to another call")
            if value[0] == "done":
                return call.answer(value[1])
            if value[0] == "failed":
                return call.answer(error=failures.error_of(*value[1:]))
            call.doing = value[1]

    def _lose(self, error):
        self._lost = self._lost or error
        frames.hang_up(self._socket)
        self._calls.put(None)


def _connected(address, name, token, timeout):
    try:
        made = socket.create_connection(address, timeout)
    except OSError as error:
        raise ConnectionError(f"no server at {name}: {error.strerror or error}") from None
    try:
        greeting.enter(made, token, timeout)
        frames.prepare(made)
    except PermissionError as error:
        made.close()
        raise PermissionError(f"{name}: {error}") from None
    except OSError as error:
        made.close()
        raise ConnectionError(f"{name}: {error.strerror or error}") from None
    return made
