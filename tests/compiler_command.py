"""The compiler and the flags of the tests, for scripts that compile something themselves."""

import json
import os
import re
import shlex
from pathlib import Path

BINARY = Path(os.environ["GRAPPA_BINARY_DIR"])


def compiler_command():
    """How the tests are compiled, without files, optimization and precompiled headers."""
    for entry in json.loads((BINARY / "compile_commands.json").read_text()):
        if entry["file"].endswith("tests/litmus_test.cpp"):
            break
    words = shlex.split(entry["command"])
    for number, word in enumerate(words):
        if Path(word).name == "ccache":
            words = words[number + 1:]
            break
    command = []
    skip = False
    for word in words:
        if skip or word == entry["file"]:
            skip = False
        elif word in ("-o", "-MF", "-MT", "-include"):
            skip = True
        elif word not in ("-c", "-MD") and not re.match(r"-O|-g|-flto|-fsanitize|-Winvalid-pch", word):
            command.append(word)
    return [*command, "-fsyntax-only", "-ftemplate-backtrace-limit=0"]
