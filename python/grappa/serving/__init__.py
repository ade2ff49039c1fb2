"""A session of Grappa in another process, on a cluster say, for programs and notebooks elsewhere.

What crosses the line are calls of the compiled part by their names, from a list (operations.py), and
values: numbers, texts, arrays. Nothing that is sent is ever run.

| module | |
| --- | --- |
| arrow_stream | arrays as streams of Arrow |
| values | what of Python's values a message may have, and as what bytes |
| frames | messages on a socket: bounded, and whole or refused |
| greeting | who may come in: the token, which itself is never sent |
| failures | exceptions that cross |
| operations | all that a client may ask for |
| server, visits | those that listen and answer |
| link, client | those that ask |
| command | `python -m grappa serve` |
"""


class LocaleLost(ConnectionError):
    """The server of a connection is lost, or the way to it, and what lived in it."""


def connect(address, *, token=None, timeout=10.0):
    """The session of a server, `python -m grappa serve`, at "host:port".

    token: the server's; $GRAPPA_TOKEN unless given. timeout: seconds until the server has answered.
    ConnectionError if there is none, PermissionError for another token. While it is open: LocaleLost
    when the server or the way to it is lost.

        with gp.connect("cluster:4727", token="…"):
            gp.read("/data/web.txt").pagerank().top(10)     # the file is the server's

    or, without `with`, by its methods: cluster.read(…), cluster.kron(20), cluster.sql(…).
    """
    from grappa.serving import client
    return client.Connection(address, token, timeout)
