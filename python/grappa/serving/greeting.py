"""How a server and a client find out that the other one has the token, which itself is never sent.

    server: grappa/1 NONCE
    client: NONCE PROOF     of the token and both nonces, by HMAC with SHA-256
    server: ok PROOF        another one of the same, or: refused REASON

Lines of ASCII, bounded, and all within some seconds. What follows is neither hidden nor signed:
through foreign networks it goes by a tunnel, ssh -L say.
"""

import hashlib
import hmac
import os
import re
import secrets
import time

_HELLO = "grappa/1"
_LONGEST_LINE = 256
_LEAST_TOKEN = 16  # characters
_SECONDS = 5.0     # for a client to answer


class Refused(Exception):
    """Who has connected may not come in; it says why."""


def new_token():
    """One that nobody guesses."""
    return secrets.token_urlsafe(24)


def token_of(given):
    """A token from an argument or $GRAPPA_TOKEN. ValueError if there is none, or too short a one."""
    token = given if given is not None else os.environ.get("GRAPPA_TOKEN")
    if token is None:
        raise ValueError("token: that of the server was expected, here or in $GRAPPA_TOKEN")
    if len(token) < _LEAST_TOKEN:
        raise ValueError(f"token: at least {_LEAST_TOKEN} characters were expected")
    return token


def admit(connection, token):
    """The server's part. Refused for who has not the token; OSError."""
    lines = _Lines(connection, _SECONDS)
    nonce = secrets.token_hex(32)
    lines.write(f"{_HELLO} {nonce}")
    answer = re.fullmatch("([0-9a-f]{64}) ([0-9a-f]{64})", lines.read())
    if not answer:
        raise Refused("no client of Grappa")
    theirs, proof = answer.groups()
    if not hmac.compare_digest(proof, _proof(token, "client", nonce, theirs)):
        lines.write("refused wrong token")
        raise Refused("wrong token")
    lines.write("ok " + _proof(token, "server", nonce, theirs))


def enter(connection, token, seconds):
    """The client's part. PermissionError if it is refused, ConnectionError if that is no server."""
    lines = _Lines(connection, seconds)
    try:
        hello = re.fullmatch(f"{_HELLO} ([0-9a-f]{{64}})", lines.read())
        if not hello:
            raise ConnectionError("what answers there is no server of this version of Grappa")
        nonce = secrets.token_hex(32)
        lines.write(f"{nonce} {_proof(token, 'client', hello[1], nonce)}")
        answer = lines.read()
    except Refused as error:
        raise ConnectionError(f"what answers there is no server of Grappa: {error}") from None
    if answer == "refused wrong token":
        raise PermissionError("the server has another token")
    if not hmac.compare_digest(answer, "ok " + _proof(token, "server", hello[1], nonce)):
        raise PermissionError("what answers there has not the token, and is another server")


def _proof(token, side, server_nonce, client_nonce):
    text = f"{side} {server_nonce} {client_nonce}"
    return hmac.new(token.encode(), text.encode(), hashlib.sha256).hexdigest()


class _Lines:
    """Lines on a socket until a moment; what comes behind a line is left there."""

    def __init__(self, connection, seconds):
        self._connection = connection
        self._end = time.monotonic() + seconds

    def write(self, line):
        self._wait()
        self._connection.sendall(line.encode("ascii") + b"\n")

    def read(self):
        line = b""
        while not line.endswith(b"\n"):
            self._wait()
            try:
                byte = self._connection.recv(1)
            except TimeoutError:
                raise Refused("silence") from None
            if not byte or len(line) == _LONGEST_LINE or not byte.isascii():
                raise Refused("no client of Grappa" if line or byte else "it has said nothing")
            line += byte
        return line[:-1].decode("ascii")

    def _wait(self):
        left = self._end - time.monotonic()
        if left <= 0:
            raise Refused("silence")
        self._connection.settimeout(left)
