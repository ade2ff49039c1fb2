"""The server: who listens, and the visits of its clients."""

import socket
import sys
import threading
import time

from grappa.serving import addresses, visits

_MOST = 256  # connections at a time, those of strangers among them
_GRACE = 5.0  # seconds, for visits to end


class Server:
    """Listens at an address, for clients with the token; they share a session."""

    def __init__(self, address, token, session):
        self._token = token
        self._session = session
        self._listener = _listener(*address)
        self._visits = {}  # and their threads
        self._lock = threading.Lock()

    @property
    def address(self):
        """Host and port."""
        return self._listener.getsockname()[:2]

    def run(self):
        """Takes in who comes, until an exception of a signal's handler ends it."""
        try:
            while True:
                try:
                    connection, address = self._listener.accept()
                except OSError as error:  # one that is gone again, or no more files
                    log(f"nobody could be taken in: {error}")
                    time.sleep(0.1)
                    continue
                self._take_in(connection, address)
        finally:
            self._listener.close()
            self._end_visits()

    def _take_in(self, connection, address):
        visit = visits.Visit(connection, address, self._session, log)
        thread = threading.Thread(target=self._attend, args=(visit,), daemon=True)
        try:
            with self._lock:
                if len(self._visits) >= _MOST:
                    raise RuntimeError(f"{_MOST} connections are open")
                self._visits[visit] = thread
            thread.start()
        except RuntimeError as error:  # also where no more threads can be had
            log(f"refused {addresses.text_of(address)}: {error}")
            self._forget(visit)
            connection.close()

    def _attend(self, visit):
        try:
            visit.run(self._token)
        finally:
            self._forget(visit)

    def _forget(self, visit):
        with self._lock:
            self._visits.pop(visit, None)

    def _end_visits(self):
        with self._lock:
            open_visits = dict(self._visits)
        for visit in open_visits:
            visit.end()
        end = time.monotonic() + _GRACE
        for thread in open_visits.values():
            if thread.ident is not None:
                thread.join(max(0.0, end - time.monotonic()))


def log(line):
    """For who runs the server."""
    print(f"{time.strftime('%F %T')} grappa: {line}", file=sys.stderr, flush=True)


def _listener(host, port):
    """ValueError for an address that is not of this machine, or is taken."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=64)
    except OSError as error:
        raise ValueError(f"{host}:{port}: {error.strerror or error}") from None
