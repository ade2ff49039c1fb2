"""Progress bars: for what lasts, where somebody sees them, and otherwise not a character."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import unittest
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from server_process import TOKEN, Server  # noqa: E402

SHORT = "import grappa as gp\ngp.kron(8).pagerank()\nprint('done')\n"
# At last a call of a second or more, however quick this machine is.
LONG = """
import time
import grappa as gp
g = gp.kron(12)
count, start = 500, time.perf_counter()
while time.perf_counter() - start < 1:
    count, start = 2 * count, time.perf_counter()
    g.pagerank(tolerance=0, iterations=count)
print('done')
"""


def on_terminal(code, **environment):
    """What a fresh interpreter writes to a terminal as its standard error."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    job = subprocess.Popen([sys.executable, "-c", code], stderr=theirs, stdout=subprocess.PIPE,
                           env={**os.environ, "TERM": "xterm", **environment})
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    out = job.stdout.read()
    job.stdout.close()
    return job.wait(), out.decode(), seen.decode()


@unittest.skipUnless(find_spec("tqdm"), "needs tqdm")
class Bars(unittest.TestCase):
    def test_of_what_lasts(self):
        status, out, seen = on_terminal(LONG)
        self.assertEqual((status, out), (0, "done\n"), seen)
        self.assertIn("pagerank: iteration ", seen)
        self.assertEqual(seen.rstrip("\r").rpartition("\r")[2].strip(" \x1b[A"), "", "it vanishes")

    def test_of_what_lasts_at_a_server(self):
        server = Server(env={**os.environ, "GRAPPA_TOKEN": TOKEN})
        self.addCleanup(server.end)
        status, out, seen = on_terminal(
            f"import grappa as gp\ngp.connect({server.address!r}, token={TOKEN!r}).__enter__()\n" + LONG)
        self.assertEqual((status, out), (0, "done\n"), seen)
        self.assertIn("pagerank: iteration ", seen)
        self.assertNotIn("pagerank", server.said())

    def test_of_nothing_short(self):
        self.assertEqual(on_terminal(SHORT), (0, "done\n", ""))

    def test_switched_off(self):
        self.assertEqual(on_terminal(LONG, TQDM_DISABLE="1"), (0, "done\n", ""))

    def test_not_without_a_terminal(self):
        done = subprocess.run([sys.executable, "-c", LONG], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))

    def test_not_without_tqdm(self):
        hidden = "import sys\nsys.modules['tqdm'] = sys.modules['tqdm.auto'] = None\n"
        self.assertEqual(on_terminal(hidden + LONG), (0, "done\n", ""))


if __name__ == "__main__":
    unittest.main()
