"""A server in another process, for tests, and a client that may say anything."""

import functools
import re
import socket
import subprocess
import sys
import threading
import time

import grappa as gp
from grappa.serving import addresses, frames, greeting

TOKEN = "a token of the tests"


class Server:
    """python -m grappa serve, on a port that is free. `start` makes the process, of its words."""

    def __init__(self, *words, start=None, **options):
        start = start or functools.partial(_started, options)
        self.process = start("-m", "grappa", "serve", "--listen", "127.0.0.1:0", *words)
        self._said = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        line = self.process.stdout.readline()
        found = re.search(r"serving on (\S+) with (\d+) cores(?:, token (\S+))?", line)
        if not found:
            self.end()
            raise AssertionError(f"{line!r}: {self.said()}")
        self.address, cores, self.token = found.groups()
        self.cores = int(cores)
        self.token = self.token or TOKEN

    def _read(self):
        for line in self.process.stderr:
            self._said.append(line)

    def said(self):
        """What it has logged so far."""
        return "".join(self._said)

    def wait_for(self, words, seconds=20):
        """Until it has logged something that these words match."""
        end = time.monotonic() + seconds
        while not re.search(words, self.said()):
            if time.monotonic() > end:
                raise AssertionError(f"{words!r} not in {self.said()!r}")
            time.sleep(0.01)

    def connect(self):
        return gp.connect(self.address, token=self.token)

    def raw(self, admitted=True):
        """A socket to it, of a client that has the token, or has said nothing yet."""
        made = socket.create_connection(addresses.parse(self.address), 20)
        if admitted:
            greeting.enter(made, self.token, 20)
            made.settimeout(20)
        return made

    def end(self):
        """Its status."""
        self.process.terminate()
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self._reader.join(10)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


def _started(options, *words):
    return subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **options)


def ask(connection, number, value):
    """The answer to what a raw client says; None where the server has closed."""
    frames.send(connection, frames.packed(number, value))
    while (message := frames.receive(connection)) is not None:
        if message[1][0] != "alive":
            return message
    return None
