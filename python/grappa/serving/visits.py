"""One client at a server: who reads what it sends, and who does what it asks.

A thread reads, and so hears at any time that a call is cancelled, or that the client is gone; another
one works. A client asks for one thing after the other. While it waits it is told twice a second that
the server lives, and what it does.
"""

import queue
import threading

from grappa import _grappa, progress
from grappa.serving import addresses, failures, frames, greeting, operations, values

_INTERVAL = 0.5  # seconds


class Visit:
    """From the connection of a client to its end."""

    def __init__(self, connection, address, session, log):
        self._connection = connection
        self._name = addresses.text_of(address)
        self._log = log
        self._objects = operations.Objects(session)
        self._stop = _grappa.Stop()
        self._requests = queue.SimpleQueue()
        self._sending = threading.Lock()
        self._state = threading.Lock()  # guards the next two
        self._running = None            # the number of the call that goes on
        self._has_ended = False
        self._unanswered = None         # the number of the call that the client waits for
        self._doing = None              # what is done for it, and how much of that

    def run(self, token):
        """Until the client leaves, in a thread of its own. Nothing that comes in ends the server."""
        try:
            greeting.admit(self._connection, token)
        except (greeting.Refused, OSError) as error:
            self._log(f"refused {self._name}: {error}")
            self._connection.close()
            return
        self._log(f"{self._name} has come in")
        worker = threading.Thread(target=self._work, daemon=True)
        worker.start()
        try:
            frames.prepare(self._connection)
            why = self._read()
        except (values.Malformed, OSError, MemoryError) as error:
            why = str(error)
        finally:
            self.end()
            worker.join()
            self._connection.close()
        count = len(self._objects)
        self._objects.clear()
        self._log(f"{self._name} has left: {why}; {count} objects are freed")

    def end(self):
        """Cancels what goes on, and lets the client know that this is the end."""
        with self._state:
            self._has_ended = True
            self._stop.set()
        self._requests.put(None)
        frames.hang_up(self._connection)

    def _read(self):
        """Takes what comes; the reason for its end."""
        while True:
            if not frames.has_come(self._connection, _INTERVAL):
                self._tell_that_it_lives()
                continue
            try:
                message = frames.receive(self._connection)
            except frames.TooLarge as error:
                self._reply(error.number, ["failed", *failures.described(error)])
                continue
            if message is None:
                return "the connection is closed"
            number, value = message
            if value == ["cancel"]:
                self._cancel(number)
            elif self._unanswered is not None:
                raise values.Malformed("a call before the answer to the last one")
            elif _is_call(value):
                self._running = self._unanswered = number
                self._requests.put((number, *value[1:]))
            else:
                raise values.Malformed("no message: neither a call nor its end")

    def _work(self):
        progress.listen(self._note)
        while (request := self._requests.get()) is not None:
            if self._has_ended:
                return
            number, operation, arguments, dropped = request
            self._stop.begin()
            try:
                self._objects.drop(dropped)
                reply = ["done", operations.ALL[operation](self._objects, *arguments)]
            except BaseException as error:
                reply = ["failed", *failures.described(error)]
            self._finish()
            self._reply(number, reply)
            request = reply = arguments = None  # which may be large

    def _cancel(self, number):
        with self._state:
            if number == self._running:
                self._stop.set()

    def _finish(self):
        """A call: from here on nobody cancels it, and so not the next one in its place."""
        with self._state:
            self._running = None
            if not self._has_ended:
                self._stop.end()

    def _reply(self, number, value):
        try:
            buffers = frames.packed(number, value)
        except (TypeError, ValueError, MemoryError) as error:
            buffers = frames.packed(number, ["failed", *failures.described(error)])
        try:
            with self._sending:
                self._unanswered = self._doing = None
                frames.send(self._connection, buffers)
        except OSError:  # who reads hears of it, too
            frames.hang_up(self._connection)

    def _note(self, what, fraction):
        self._doing = what, fraction

    def _tell_that_it_lives(self):
        if not self._sending.acquire(blocking=False):
            return
        try:
            if self._unanswered is not None:
                frames.send(self._connection,
                            frames.packed(self._unanswered, ["alive", self._doing]))
        finally:
            self._sending.release()


def _is_call(value):
    """["call", operation, arguments, numbers of what the client has dropped]"""
    return (isinstance(value, list) and len(value) == 4 and value[0] == "call"
            and value[1] in operations.ALL and isinstance(value[2], list)
            and isinstance(value[3], list) and all(type(each) is int for each in value[3]))
