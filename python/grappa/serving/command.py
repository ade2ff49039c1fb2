"""python -m grappa serve: a session for clients elsewhere (gp.connect)."""

import argparse
import os
import signal
import sys

from grappa import sessions
from grappa.serving import addresses, greeting, server

_DESCRIPTION = """Keeps a session open for programs elsewhere: gp.connect("host:port", token="…").
Who has the token can do what the user of this process can do with files; data is not encrypted on
its way (ssh -L is a tunnel). SIGINT and SIGTERM end it."""


class _Ended(Exception):
    """By a signal."""


def run(words):
    """What the arguments say, until a signal. The status to end with."""
    options = _parser().parse_args(words)
    try:
        token, is_new = _token(options)
        address = addresses.parse(options.listen)
        session = sessions.Session(options.cores, options.memory, options.trace)
    except (ValueError, OSError) as error:
        print(f"grappa: {error}", file=sys.stderr)
        return 2
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, _end)
    try:
        serving = server.Server(address, token, session)
        print(f"grappa: serving on {addresses.text_of(serving.address)} with {session.cores} cores"
              + (f", token {token}" if is_new else ""), flush=True)
        serving.run()
    except ValueError as error:
        print(f"grappa: {error}", file=sys.stderr)
        return 2
    except _Ended:
        server.log("the server ends")
    session.close()
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="python -m grappa serve", description=_DESCRIPTION)
    parser.add_argument("--listen", metavar="HOST[:PORT]", default="127.0.0.1",
                        help="the interface; port 0: any that is free "
                             f"[127.0.0.1:{addresses.DEFAULT_PORT}]")
    parser.add_argument("--token-file", metavar="FILE",
                        help="a file with the token; else $GRAPPA_TOKEN, or one that is made and "
                             "printed")
    parser.add_argument("--cores", type=int, metavar="N", help="of each process [all usable]")
    parser.add_argument("--memory", metavar="SIZE", help="what the process may have in all [no bound]")
    parser.add_argument("--trace", metavar="FILE", help="a timeline of all that is done")
    return parser


def _token(options):
    """The token, and whether it is new."""
    if options.token_file is not None:
        with open(options.token_file, encoding="utf-8") as file:
            return greeting.token_of(file.read().strip()), False
    if "GRAPPA_TOKEN" in os.environ:
        return greeting.token_of(None), False
    return greeting.new_token(), True


def _end(number, frame):
    # Others follow, of mpirun say, while it ends.
    for each in signal.SIGINT, signal.SIGTERM:
        signal.signal(each, signal.SIG_IGN)
    raise _Ended
