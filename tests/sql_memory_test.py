"""Queries of the tool within --memory: where what does not fit goes, and what is left of it."""

import os
import signal
import subprocess
import sys
import time
import unittest

from cli_tool import LOCALES, TOOL, ToolTest, clean_environment

TEXTS = "(SELECT i * 7919 % 1000003 AS k, 'the text with the number ' || i AS s FROM generate_series(1, {}) t(i))"
SORT = f"SELECT k, s FROM {TEXTS.format(400_000)} ORDER BY s"
JOIN = (f"SELECT count(*), max(a.s), min(b.s) FROM {TEXTS.format(300_000)} a JOIN {TEXTS.format(400_000)} b "
        "ON a.s = b.s AND a.k < b.k + 1")
ENDLESS = (f"SELECT count(*) FROM (SELECT a.s FROM {TEXTS.format(400_000)} a JOIN {TEXTS.format(400_000)} b "
           "ON a.k % 10 = b.k % 10 ORDER BY a.s || b.s)")


class SqlMemory(ToolTest):
    def setUp(self):
        super().setUp()
        self.spill = self.folder / "spill"
        self.spill.mkdir()

    def test_answers_the_same(self):
        for query in SORT, JOIN:
            expected = self.succeed("sql", query)
            for locales in LOCALES:
                found = self.succeed("sql", query, "--locales", locales, "--memory", "16MiB", "--spill-folder", "spill")
                self.assertEqual(found, expected, f"{locales} locales: {query}")
        self.assertEqual(list(self.spill.iterdir()), [])

    def test_a_million_texts_of_a_kilobyte(self):
        texts = "SELECT lpad(i::text, 1024, 'x') AS s FROM generate_series(1, 1000000) t(i)"
        self.succeed("sql", f"COPY ({texts}) TO 'texts.parquet'")
        for source in f"({texts})", "'texts.parquet'":
            found = self.succeed("sql", f"SELECT count(DISTINCT s) AS n, max(s) AS m FROM {source}", "--output", "csv",
                                 "--memory", "300MiB", "--spill-folder", "spill")
            self.assertEqual(found, f"n,m\n1000000,{'x' * 1023}9\n")

    def test_tells_what_was_written(self):
        self.assertRegex(self.succeed("sql", "--analyze", JOIN, "--memory", "16MiB"), r"inner join.*MiB spilled\]")
        self.assertNotIn("spilled", self.succeed("sql", "--analyze", JOIN, "--memory", "4GiB"))

    def test_wrong_options(self):
        for options, expected in (
                (["--memory", "much"], '--memory much: a size of at least 16MiB was expected, such as 8GiB'),
                (["--memory", "1MiB"], '--memory 1MiB: a size of at least 16MiB was expected, such as 8GiB'),
                (["--memory", "1GiB", "--spill-folder", "absent"], "--spill-folder absent: a folder was expected"),
                (["--memory", "16MiB", "--spill-folder", "sealed"], "sealed: Permission denied")):
            if options[-1] == "sealed":
                if os.geteuid() == 0:
                    continue
                (self.folder / "sealed").mkdir(mode=0o500)
            with self.subTest(options):
                status = 1 if options[-1] == "sealed" else 2
                self.assertIn(expected, self.refuse("sql", SORT, *options, status=status))
        result = self.run_tool("sql", "SELECT 1", "--spill-folder", "spill")
        self.assertIn("--spill-folder has no effect", result.stderr)

    def test_a_table_that_does_not_fit(self):
        self.write("t.csv", "i,s\n" + "".join(f"{i},a text that is long enough for a heap {i}\n" for i in range(300_000)))
        line = self.refuse("sql", "SELECT max(s) FROM 't.csv'", "--memory", "16MiB")
        self.assertRegex(line, r"the tables take .*MiB of memory, .* more than the 16 MiB")

    def test_a_disk_that_is_full(self):
        # A limit on the size of files is what a test can do without rights.
        for locales in LOCALES:
            limit = subprocess.run(
                ["sh", "-c", f'ulimit -f 2000; exec "{TOOL}" sql "$0" --memory 16MiB --spill-folder spill '
                 f"--locales {locales}", SORT],
                cwd=self.folder, env=clean_environment(), capture_output=True, text=True, timeout=60)
            self.assertEqual((limit.returncode, limit.stdout), (1, ""), limit.stderr)
            self.assertEqual(len(limit.stderr.splitlines()), 1, limit.stderr)
            self.assertIn("cannot write a temporary file in spill: File too large", limit.stderr)

    def test_nothing_is_left_by_a_process_that_ends(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
            process = subprocess.Popen([TOOL, "sql", ENDLESS, "--memory", "64MiB"], cwd=self.folder,
                                       env=clean_environment() | {"TMPDIR": str(self.spill)},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                while not self.has_spilled(process):
                    self.assertIsNone(process.poll(), "it ended by itself")
                    time.sleep(0.02)
                process.send_signal(number)
                self.assertNotEqual(process.wait(timeout=30), 0)
            finally:
                process.kill()
                process.wait()
            self.assertEqual(list(self.spill.iterdir()), [], number)

    def has_spilled(self, process):
        """Whether it has a file in the folder, which has no name there."""
        try:
            files = os.listdir(f"/proc/{process.pid}/fd")
            links = [os.readlink(f"/proc/{process.pid}/fd/{file}") for file in files]
        except FileNotFoundError:
            return False
        return any(link.startswith(str(self.spill)) for link in links)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
