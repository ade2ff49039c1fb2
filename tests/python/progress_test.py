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

LONG = ("import grappa as gp\ng = gp.kron(12)\n"
        "g.pagerank(tolerance=0, iterations=COUNT)\nprint('done')\n")
# So many that it takes a second here; a kernel of known pace would need a known machine.
PACE = """
import time
import grappa as gp
g = gp.kron(12)
count = 200
g.pagerank(tolerance=0, iterations=count)
while True:
    start = time.perf_counter()
    g.pagerank(tolerance=0, iterations=count)
    if time.perf_counter() - start > 0.2:
        print(int(count * 2 / (time.perf_counter() - start)))
        break
    count *= 2
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
    @classmethod
    def setUpClass(cls):
        count = subprocess.run([sys.executable, "-c", PACE], capture_output=True, text=True,
                               check=True).stdout
        cls.long = LONG.replace("COUNT", count.strip())

    def test_of_what_lasts(self):
        status, out, seen = on_terminal(self.long)
        self.assertEqual((status, out), (0, "done\n"), seen)
        self.assertIn("pagerank: iteration ", seen)
        self.assertEqual(seen.rstrip("\r").rpartition("\r")[2].strip(" \x1b[A"), "", "it vanishes")

    def test_of_nothing_short(self):
        self.assertEqual(on_terminal(LONG.replace("COUNT", "10")), (0, "done\n", ""))

    def test_switched_off(self):
        self.assertEqual(on_terminal(self.long, TQDM_DISABLE="1"), (0, "done\n", ""))

    def test_not_without_a_terminal(self):
        done = subprocess.run([sys.executable, "-c", self.long], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))

    def test_not_without_tqdm(self):
        hidden = "import sys\nsys.modules['tqdm'] = sys.modules['tqdm.auto'] = None\n"
        self.assertEqual(on_terminal(hidden + self.long), (0, "done\n", ""))


if __name__ == "__main__":
    unittest.main()
