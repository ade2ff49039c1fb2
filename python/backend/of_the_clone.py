"""The build of the clone that this folder is in, for pip install ./python."""

import functools
import os
from pathlib import Path

from scikit_build_core import build

_CLONE = Path(__file__).resolve().parents[2]


def _in_the_clone(hook):
    @functools.wraps(hook)
    def run(*arguments, **options):
        os.chdir(_CLONE)
        return hook(*arguments, **options)
    return run


globals().update({name: _in_the_clone(getattr(build, name)) for name in build.__all__})
