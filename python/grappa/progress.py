"""Progress bars of what lasts, by tqdm where it is there, on terminals and in notebooks.

Each says in one line what is done; how much of it, where that is known. They vanish with their calls.
TQDM_DISABLE=1 in the environment switches them off.
"""

import sys
import threading
import warnings

_KNOWN = "{desc}: {percentage:3.0f}%|{bar:30}| {elapsed}"
_UNKNOWN = "{desc} {elapsed}"
_of_thread = threading.local()


def listen(listener):
    """From now on calls of this thread show no bars, but tell this function."""
    _of_thread.listener = listener


class Bar:
    """The bar of one call. The compiled part makes it once the call has lasted half a second."""

    def __init__(self):
        self._listener = getattr(_of_thread, "listener", None)
        made = None if self._listener else _tqdm()
        self._bar = made and made(total=1.0, leave=False, bar_format=_UNKNOWN, file=sys.stderr)

    def show(self, what, fraction):
        """What is done now, and how much of it: 0 to 1, or below where nobody knows."""
        if self._listener:
            self._listener(what, fraction)
        if self._bar is None:
            return
        self._bar.bar_format = _KNOWN if fraction >= 0 else _UNKNOWN
        self._bar.n = max(fraction, 0.0)
        self._bar.set_description_str(what)

    def close(self):
        """Takes it away."""
        if self._bar is not None:
            self._bar.close()


def _tqdm():
    """The class of tqdm for where this runs; None where nobody would see it."""
    in_notebook = "ipykernel" in sys.modules
    if not in_notebook and not (sys.stderr is not None and sys.stderr.isatty()):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of notebooks without widgets, where it writes text
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
