"""How the process of a baseline talks to its benchmark: a line comes, a line goes, an object of JSON.

    serve(lambda: {"system": "NetworKit 11.3", "lacks": {}}, answer)

The greeting is {"missing": "…"} where it raises ImportError. The answer of a request is what
answer(request) returns, and {"error": "…"} where that raises.
"""

import json
import os
import signal
import sys


def one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())


def serve(greeting, answer):
    """Until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # that is for the benchmark, which ends this
    # What a library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(what):
        print(json.dumps(what), file=answers, flush=True)

    try:
        say(greeting())
    except ImportError as error:
        say({"missing": one_line(error)})
        return
    for request in sys.stdin:
        try:
            said = answer(request.rstrip("\n"))
        except Exception as error:  # whatever a library throws
            said = {"error": one_line(error)}
        say(said)
