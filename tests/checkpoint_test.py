"""Checkpoints of the tool: whatever ends a run and wherever it goes on, the answers are those of a
run that was not interrupted; what is damaged or of something else is refused."""

import os
import random
import signal
import subprocess
import sys
import time
import unittest

from cli_tool import TOOL, ToolTest, clean_environment
from mpi_launch import LIBRARIES, launch

GRAPH = "kron:11"
PAGERANK = ("pagerank", GRAPH, "--iterations", 24, "--tolerance", 0)


class Checkpoints(ToolTest):
    def entries(self, name="dir"):
        return sorted(path.name for path in (self.folder / name).iterdir())

    def answer(self, *arguments):
        self.succeed(*arguments, "-q", "-o", "out")
        return (self.folder / "out").read_text(encoding="utf-8")

    def write_checkpoint(self, kernel=PAGERANK, *more):
        """In `dir`, of half of the iterations."""
        half = [12 if argument == 24 else argument for argument in kernel]
        return self.answer(*half, "--checkpoint", "dir", "--checkpoint-every", 5, *more)

    def test_a_run_goes_on_to_the_same_answer(self):
        whole = self.answer(*PAGERANK)
        self.write_checkpoint()
        self.assertEqual(len(self.entries()), 2, "a manifest and a part")
        found = self.json_of(*PAGERANK, "--resume", "dir", "-o", "out")
        self.assertEqual((self.folder / "out").read_text(encoding="utf-8"), whole)
        self.assertEqual(found["checkpoints"], {"written": 0, "resumed_after": 12})
        self.assertEqual(found["result"]["iterations"], 24)

    def test_other_numbers_of_locales(self):
        whole = self.answer(*PAGERANK)
        for before, after in ((1, 4), (4, 1), (3, 2)):
            with self.subTest(before=before, after=after):
                self.write_checkpoint(PAGERANK, "--locales", before)
                self.assertEqual(len(self.entries()), 1 + before)
                self.assertEqual(
                    self.answer(*PAGERANK, "--resume", "dir", "--locales", after), whole)
                for name in self.entries():
                    (self.folder / "dir" / name).unlink()

    def test_components_at_every_step(self):
        graph = "urand:14:1"
        whole = self.answer("cc", graph)
        for locales in (1, 3):
            folder = f"of{locales}"
            found = self.json_of("cc", graph, "--checkpoint", folder, "--checkpoint-every", 1,
                                 "--locales", locales, "-o", "out")
            self.assertEqual((self.folder / "out").read_text(encoding="utf-8"), whole)
            self.assertEqual(found["checkpoints"]["written"], 17)
            for other in (1, 2):
                self.assertEqual(
                    self.answer("cc", graph, "--resume", folder, "--locales", other), whole)

    def test_processes_that_differ_in_number(self):
        whole = self.answer(*PAGERANK)
        for library in LIBRARIES:
            steps = ((2, 8, "--checkpoint"), (1, 16, "--resume"), (3, 24, "--resume"))
            for ranks, iterations, how in steps:
                command = [iterations if argument == 24 else argument for argument in PAGERANK]
                folders = {"--checkpoint": library, how: library}
                flags = [word for pair in folders.items() for word in pair]
                result = launch(self.folder, library, ranks, TOOL, *command, *flags, "-q", "-o",
                                "out", "--cores", 1)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((self.folder / "out").read_text(encoding="utf-8"), whole)

    def run_until_killed(self, seconds, *arguments):
        """Whether it was killed, after so long, and not ended before."""
        process = subprocess.Popen([TOOL, *map(str, arguments)], cwd=self.folder,
                                   env=clean_environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        error = process.communicate()[1]
        if process.returncode != -signal.SIGKILL:
            self.assertEqual(process.returncode, 0, error)
        return process.returncode == -signal.SIGKILL

    def test_killed_at_any_moment(self):
        command = ("pagerank", GRAPH, "--iterations", 3000, "--tolerance", 0)
        whole = self.answer(*command)
        draw = random.Random(11)
        save = ("--checkpoint", "dir", "--checkpoint-every", 1)
        killed = 0
        longest = 0.3
        for _ in range(12):
            locales = draw.choice((1, 2))
            there = (self.folder / "dir" / "manifest").exists()
            if not there:
                longest *= 1.5  # a busy machine may need that for the first checkpoint
            killed += self.run_until_killed(
                draw.uniform(0.02, longest), *command, *save,
                *(["--resume", "dir"] if there else []), "-q", "--locales", locales)
        self.assertGreater(killed, 0)
        there = (self.folder / "dir" / "manifest").exists()
        self.assertTrue(there, "in seconds not one checkpoint")
        self.assertEqual(self.answer(*command, "--checkpoint", "dir", "--resume", "dir"), whole)
        self.assertEqual(len(self.entries()), 2, "what the killed runs have left is removed")

    def test_more_iterations_may_be_wanted_later(self):
        self.answer("pagerank", GRAPH, "--tolerance", "1e-3", "--checkpoint", "dir")
        found = self.json_of("pagerank", GRAPH, "--tolerance", "1e-9", "--resume", "dir",
                             "--checkpoint", "dir", "-o", "out")
        self.assertTrue(found["result"]["converged"])
        whole = self.json_of("pagerank", GRAPH, "--tolerance", "1e-9", "-o", "whole")
        self.assertEqual(found["result"], whole["result"])
        self.assertEqual((self.folder / "out").read_text(), (self.folder / "whole").read_text())

    def test_of_something_else(self):
        self.write_checkpoint()
        resume = ("--resume", "dir")
        self.assertIn("a checkpoint of pagerank, not of cc", self.refuse("cc", GRAPH, *resume))
        self.assertIn("2048 vertices", self.refuse("pagerank", "kron:10", *resume))
        self.assertIn("another graph", self.refuse("pagerank", GRAPH, "--seed", 2, *resume))
        self.assertIn("damping 0.85, this run has damping 0.5",
                      self.refuse(*PAGERANK, "--damping", 0.5, *resume))
        self.assertIn("after 12 iterations, 11 are wanted",
                      self.refuse("pagerank", GRAPH, "--iterations", 11, *resume))
        self.assertIn("no checkpoint", self.refuse(*PAGERANK, "--resume", "nowhere"))

    def test_flags_that_make_no_sense(self):
        self.assertIn("--checkpoint DIR", self.refuse(*PAGERANK, "--checkpoint-every", 3))
        for text in ("0", "-1", "5x", "0s", "min", "1e400h", "nan s", " 5"):
            self.assertIn("--checkpoint-every", self.refuse(
                *PAGERANK, "--checkpoint", "dir", f"--checkpoint-every={text}"))
        self.assertIn("one trial", self.refuse(*PAGERANK, "--trials", 2, "--checkpoint", "dir"))
        self.assertIn("no such option", self.refuse("bfs", GRAPH, "--checkpoint", "dir"))
        self.write("file", "")
        self.assertIn("file", self.refuse(*PAGERANK, "--checkpoint", "file"))
        self.write_checkpoint()
        self.assertIn("would be lost", self.refuse(*PAGERANK, "--checkpoint", "dir"))

    def test_a_folder_that_something_else_is(self):
        for option in ("-o", "--json", "--trace"):
            for folder in ("new", "./new/"):
                self.assertIn(f"{option} and --checkpoint", self.refuse(
                    *PAGERANK, option, "new", "--checkpoint", folder))
        self.write("g.txt", "1 2\n")
        os.symlink("g.txt", self.folder / "link")
        for name in ("g.txt", "link"):
            self.assertIn(f"--checkpoint: {name} is what is read (g.txt)", self.refuse(
                "cc", "g.txt", "--checkpoint", name))
        self.succeed(*PAGERANK, "--checkpoint", "new", "-o", "new/ranks")
        self.assertTrue((self.folder / "new" / "ranks").exists())
        self.assertIn("-o and --checkpoint", self.refuse(
            *PAGERANK, "-o", "new", "--checkpoint", "new"))

    def test_damage(self):
        self.write_checkpoint(PAGERANK, "--locales", 2)
        command = (*PAGERANK, "--resume", "dir")
        for name in self.entries():
            path = self.folder / "dir" / name
            good = path.read_bytes()
            half = len(good) // 2
            for bad in (good[:-1], good[:half], b"", good + b"x",
                        good[:half] + bytes([good[half] ^ 1]) + good[half + 1:]):
                path.write_bytes(bad)
                for locales in (1, 3):
                    self.assertIn("damaged", self.refuse(*command, "--locales", locales))
            path.unlink()
            self.assertIn(name, self.refuse(*command))
            path.write_bytes(good)
        self.succeed(*command)

    def test_a_disk_that_is_full(self):
        # A limit on the size of files is what a test can do without rights.
        limit = subprocess.run(
            ["sh", "-c", f'ulimit -f 8; trap "" XFSZ; exec "{TOOL}" ' +
             " ".join(map(str, PAGERANK)) + " --checkpoint dir --checkpoint-every 2"],
            cwd=self.folder, env=clean_environment(), capture_output=True, text=True, timeout=60)
        self.assertEqual(limit.returncode, 1, limit.stderr)
        self.assertEqual(len(limit.stderr.splitlines()), 1, limit.stderr)
        self.assertIn("checkpoint: ", limit.stderr)
        self.assertIn("cannot write", limit.stderr)
        self.assertEqual(self.entries(), [], "nothing half-written")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
