"""The commands wordcount, kmeans and sort: what they answer, on any machine, and what they refuse."""

import collections
import gzip
import os
import pty
import random
import resource
import re
import struct
import subprocess
import sys
import time
import unicodedata
import unittest

from cli_tool import SECONDS, TOOL, ToolTest, clean_environment

MACHINES = (("--cores", 1), ("--cores", 2), ("--locales", 2), ("--locales", 3, "--cores", 2))


def counted(words):
    """What -o has of them."""
    counts = collections.Counter(words)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0].encode()))
    return "".join(f"{word}\t{count}\n" for word, count in ordered)


def some_text(lines, seed=1):
    """Words of several scripts, white space of several kinds."""
    chance = random.Random(seed)
    alphabet = "abcdeäöüßαβγДЖ北京é😀'-."
    words = ["".join(chance.choices(alphabet, k=chance.randint(1, 9))) for _ in range(300)]
    spaces = [" ", "  ", "\t", "\u00a0", "\u2003", "\u3000", " \x1f"]
    text = ""
    for _ in range(lines):
        for word in chance.choices(words, weights=[1 / (i + 1) for i in range(300)], k=9):
            text += word + chance.choice(spaces)
        text += chance.choice(["\n", "\r\n", "\n\n"])
    return text


class Waiting(ToolTest):
    def test_for_input_is_no_stall(self):
        os.mkfifo(self.folder / "fifo")
        for command in (("wordcount", "-"), ("sort", "-", "-o", "out"), ("sort", "fifo", "-o", "-"),
                        ("kmeans", "-", "-k", 1), ("cc", "-")):
            with self.subTest(command):
                self.assertEqual(self.said_while_waiting(*command), "")

    def said_while_waiting(self, *command):
        """On standard error, by a tool whose input comes late, and the rest of it later."""
        with subprocess.Popen([TOOL, *map(str, command), "--stall", "250ms", "--cores", "2"],
                              cwd=self.folder, env=clean_environment(), stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            to = process.stdin
            if "fifo" in command:
                # For reading, too, so that it does not wait for the tool.
                to = os.fdopen(os.open(self.folder / "fifo", os.O_RDWR), "wb")
            with to:
                for _ in range(2):
                    time.sleep(0.8)
                    to.write(b"1 2\n")
                    to.flush()
            self.assertEqual(process.wait(SECONDS), 0)
            return process.stderr.read().decode()


class Progress(ToolTest):
    def test_is_shown_while_input_is_read(self):
        """On a terminal."""
        for shown, command in (("counting", ("wordcount", "-")), ("reading", ("sort", "-", "-o", "out")),
                               ("loading points", ("kmeans", "-", "-k", 1))):
            with self.subTest(command):
                terminal, end = pty.openpty()
                with subprocess.Popen([TOOL, *map(str, command)], cwd=self.folder, stdin=subprocess.PIPE,
                                      env=clean_environment(), stdout=subprocess.DEVNULL, stderr=end) as process:
                    os.close(end)
                    for _ in range(4):
                        process.stdin.write(b"12 34\n" * 1_000_000)
                        process.stdin.flush()
                        time.sleep(0.2)
                    process.stdin.close()
                    self.assertEqual(process.wait(SECONDS), 0)
                self.assertIn(f"grappa: {shown}", os.read(terminal, 100_000).decode())
                os.close(terminal)


class WordCount(ToolTest):
    def counts(self, *arguments, **options):
        self.succeed("wordcount", *arguments, "-o", "counts.tsv", **options)
        return (self.folder / "counts.tsv").read_bytes().decode()

    def test_as_python_counts(self):
        text = some_text(2000)
        self.write("a.txt", text)
        self.write("b.txt", text[:5000].rstrip())
        self.write("empty.txt", "")
        expected = counted(text.split() + text[:5000].split())
        for machine in MACHINES:
            self.assertEqual(self.counts("a.txt", "b.txt", "empty.txt", *machine), expected)

    def test_empty(self):
        self.write("empty.txt", "")
        for machine in MACHINES:
            self.assertEqual(self.counts("empty.txt", *machine), "")

    def test_one_word_of_a_megabyte(self):
        word = "ü" * 500_000
        self.write("long.txt", "a " + word)
        for machine in MACHINES:
            self.assertEqual(self.counts("long.txt", *machine), counted(["a", word]))

    def test_compressed_and_from_a_pipe(self):
        text = some_text(3000)
        self.write("a.txt.gz", gzip.compress(text.encode()))
        for machine in MACHINES:
            self.assertEqual(self.counts("a.txt.gz", *machine), counted(text.split()))
            self.assertEqual(self.counts("-", *machine, input=text), counted(text.split()))

    def test_letters_in_small(self):
        text = "The cat's HAT, the hat; Ärger über ÄRGER. 42 times\n" * 7
        self.write("a.txt", text)
        self.assertEqual(self.counts("a.txt", "--lower"), counted(text.lower().split()))
        self.assertEqual(self.counts("a.txt", "--letters", "--lower"),
                         counted(re.findall(r"[^\W\d_]+", text.lower())))
        text = unicodedata.normalize("NFD", "Ärger über naïve Cafés ") * 7
        self.write("decomposed.txt", text)
        self.assertEqual(self.counts("decomposed.txt", "--letters"), counted(text.split()))

    def test_ngrams(self):
        lines = ["a b a b", "b a", "c"] * 5
        self.write("a.txt", "\n".join(lines))
        pairs = []
        for line in lines:
            words = line.split()
            pairs += [" ".join(pair) for pair in zip(words, words[1:])]
        self.assertEqual(self.counts("a.txt", "--ngrams", 2), counted(pairs))

    def test_summary(self):
        self.write("a.txt", "b a b\n")
        result = self.json_of("wordcount", "a.txt", "--top", 1)["result"]
        self.assertEqual((result["words"], result["distinct"]), (3, 2))
        self.assertEqual(result["top"], [{"word": "b", "count": 2}])
        self.write("odd.txt", "\033[2J " + "x" * 1000)
        said = self.succeed("wordcount", "odd.txt")
        self.assertIn("  \\x1b[2J ", said)
        self.assertLess(max(map(len, said.splitlines()[:-1])), 100)

    def test_refusals(self):
        self.write("a.txt", "a\n")
        (self.folder / "folder").mkdir()
        self.assertIn("nowhere.txt: ", self.refuse("wordcount", "a.txt", "nowhere.txt", "-o", "out"))
        self.assertIn("directory", self.refuse("wordcount", "folder", "-o", "out"))
        self.write("broken.gz", gzip.compress(b"a b c" * 1000)[:-20])
        self.assertIn("broken.gz", self.refuse("wordcount", "broken.gz", "-o", "out"))
        for name in ("nothing.gz", "nothing.zst"):
            self.write(name, "")
            self.assertIn(f"{name}: is empty, which no", self.refuse("wordcount", name, "-o", "out"))
        self.assertIn("only once", self.refuse("wordcount", "-", "a.txt", "-", input="a"))
        self.assertIn("a.txt", self.refuse("wordcount", "a.txt", "-o", "a.txt"))


class Sort(ToolTest):
    def sorted_by(self, *arguments, **options):
        self.succeed("sort", *arguments, "-o", "out", **options)
        return (self.folder / "out").read_bytes()

    def gnu_sort(self, *arguments):
        return subprocess.run(["sort", *arguments], cwd=self.folder, capture_output=True, check=True,
                              env=os.environ | {"LC_ALL": "C"}).stdout

    def test_lines(self):
        chance = random.Random(3)
        lines = [bytes(chance.choices(range(11, 256), k=chance.choice([0, 3, 8, 9, 40])))
                 for _ in range(20_000)]
        self.write("a", b"\n".join(lines))
        self.write("b", some_text(500))
        for machine in MACHINES:
            self.assertEqual(self.sorted_by("a", "b", *machine), self.gnu_sort("a", "b"))
        self.assertEqual(self.sorted_by("a", "--reverse"), self.gnu_sort("-r", "a"))

    def test_numbers(self):
        chance = random.Random(4)
        self.write("a", "".join(f"x{chance.randint(0, 9)}\t{chance.randint(-99, 99) / 4} y\n"
                                for _ in range(5000)))
        for machine in MACHINES:
            self.assertEqual(self.sorted_by("a", "--column", 2, *machine),
                             self.gnu_sort("-k2,2g", "a"))

    def test_integers_of_64_bits(self):
        chance = random.Random(5)
        centers = (0, 2**53, -2**53, 2**63 - 70, -2**63 + 70, 2**64 - 70)
        numbers = [chance.choice(centers) + chance.randint(-60, 60) for _ in range(4000)]
        self.write("a", "".join(f"{number}\n" for number in numbers))
        for machine in MACHINES:
            found = self.sorted_by("a", "--column", 1, *machine).split()
            self.assertEqual([int(number) for number in found], sorted(numbers))
        found = self.sorted_by("a", "--column", 1, "--reverse").split()
        self.assertEqual([int(number) for number in found], sorted(numbers, reverse=True))

    def test_byte_order_marks_are_left_out(self):
        self.write("a", b"\xef\xbb\xbf3\n1\n")
        for order in ((), ("--column", 1)):
            for name, options in (("a", {}), ("-", {"input": "\ufeff3\n1\n"})):
                self.assertEqual(self.sorted_by(name, *order, **options), b"1\n3\n")

    def test_records(self):
        records = [os.urandom(100) for _ in range(3000)]
        self.write("a", b"".join(records))
        for machine in MACHINES:
            self.assertEqual(self.sorted_by("a", "--records", *machine), b"".join(sorted(records)))

    def test_compressed_and_from_a_pipe(self):
        text = some_text(300)
        self.write("a.gz", gzip.compress(text.encode()))
        self.write("a", text)
        expected = self.gnu_sort("a")
        self.assertEqual(self.sorted_by("a.gz"), expected)
        self.assertEqual(self.sorted_by("-", input=text, env={}), expected)
        for machine in MACHINES:
            self.succeed("sort", "a", "-o", "out.gz", *machine)
            self.assertEqual(gzip.decompress((self.folder / "out.gz").read_bytes()), expected)

    def test_refusals(self):
        self.write("a", "1\n2\nx\n")
        self.assertIn("-o", self.refuse("sort", "a"))
        self.assertIn("a:3: ", self.refuse("sort", "a", "--column", 1, "-o", "out"))
        for text in ("36893488147419103233\n", "x\n", "+-9\n"):
            self.write("numbers", "1\n" + text)
            said = self.refuse("sort", "numbers", "--column", 1, "-o", "out")
            self.assertIn("numbers:2: ", said)
            self.assertEqual("more than 64 bits" in said, text.startswith("3"))
            self.assertEqual("--skip-bad-records" in said, text.startswith("3"))
        self.assertIn("whole number of records", self.refuse("sort", "a", "--records", "-o", "out"))
        self.assertIn("nowhere", self.refuse("sort", "nowhere", "-o", "out"))
        self.assertIn("", self.refuse("sort", "a", "-o", "no/where"))
        self.succeed("sort", "a", "--column", 1, "--skip-bad-records", 1, "-o", "out")
        self.assertEqual((self.folder / "out").read_text(), "1\n2\n")

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_disk(self):
        self.write("a", "1\n")
        self.assertIn("/dev/full", self.refuse("sort", "a", "-o", "/dev/full", status=1))

    def test_a_file_that_must_not_grow_so_large(self):
        self.write("a", "some line\n" * 10_000)
        for machine in MACHINES:
            # Python ignores the signal, which programs that it starts inherit.
            done = self.run_tool("sort", "a", "-o", "out", *machine, restore_signals=False,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                       (4096, 4096)))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("out: cannot write: File too large", done.stderr)
            self.assertFalse((self.folder / "out").exists())


class KMeans(ToolTest):
    def points(self):
        chance = random.Random(9)
        return [[chance.gauss(6 * (i % 3), 1), chance.gauss(6 * (i % 2), 1)] for i in range(900)]

    def outputs(self, *arguments):
        report = self.json_of("kmeans", *arguments, "--labels", "labels", "--centers", "centers")
        labels = [int(line) for line in (self.folder / "labels").read_text().split()]
        centers = [[float(x) for x in line.split("\t")]
                   for line in (self.folder / "centers").read_text().splitlines()]
        return report["result"], labels, centers

    def check(self, points, result, labels, centers):
        """Labels are those of the nearest centers, and the inertia is their distances'."""
        inertia = 0
        for point, label in zip(points, labels, strict=True):
            distances = [sum((a - b) ** 2 for a, b in zip(point, center)) for center in centers]
            self.assertLessEqual(distances[label], min(distances) + 1e-9)
            inertia += distances[label]
        self.assertAlmostEqual(result["inertia"] / inertia, 1, places=9)

    def test_labels_and_inertia(self):
        points = self.points()
        self.write("p.csv", "x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in points))
        first = None
        for machine in MACHINES:
            for start in ("k-means++", "random"):
                found = self.outputs("p.csv", "-k", 6, "--seed", 3, "--start", start, *machine)
                self.check(points, *found)
            first = first or found
            self.assertEqual(found[1], first[1])
            self.assertAlmostEqual(found[0]["inertia"] / first[0]["inertia"], 1, places=9)

    def test_several_files(self):
        points = self.points()
        for name, some in (("all.csv", points), ("a.csv", points[:300]), ("b.csv", points[300:])):
            self.write(name, "x,y\n" + "".join(f"{x!r},{y!r}\n" for x, y in some))
        self.write("b.csv.gz", gzip.compress((self.folder / "b.csv").read_bytes()))
        for machine in MACHINES[:2]:
            expected = self.outputs("all.csv", "-k", 4, *machine)
            self.assertEqual(self.outputs("a.csv", "b.csv", "-k", 4, *machine)[1], expected[1])
        self.check(points, *self.outputs("a.csv", "b.csv.gz", "-k", 4, "--cores", 1))
        for name, some in (("a.bin", points[:300]), ("b.bin", points[300:])):
            self.write(name, struct.pack(f"={2 * len(some)}d", *[x for point in some for x in point]))
        for machine in MACHINES:
            self.check(points, *self.outputs("a.bin", "b.bin", "--columns", 2, "-k", 4, *machine))
        self.write("c.csv", "x,y,z\n1,2,3\n")
        self.assertIn("c.csv:2: 3 columns, 2 expected", self.refuse("kmeans", "a.csv", "c.csv", "-k", 2))

    def test_starts_from_a_file(self):
        """Where the centers of a run stand, another has nothing to do."""
        self.write("p.csv", "".join(f"{x!r},{y!r}\n" for x, y in self.points()))
        expected = self.outputs("p.csv", "-k", 6, "--tolerance", 0)
        os.rename(self.folder / "centers", self.folder / "begin")
        result, labels, centers = self.outputs("p.csv", "-k", 6, "--tolerance", 0, "--start", "begin")
        self.assertEqual((result["iterations"], labels), (1, expected[1]))
        self.write("begin", "0 0\n5 5\n")
        self.assertIn("begin: has 2 centers, 6 expected", self.refuse("kmeans", "p.csv", "-k", 6, "--start", "begin"))
        self.write("begin", "0 0 0\n5 5 5\n")
        self.assertIn("2 centers of 2 coordinates", self.refuse("kmeans", "p.csv", "-k", 2, "--start", "begin"))
        self.assertIn("there is no file 'kmeans++'", self.refuse("kmeans", "p.csv", "-k", 2, "--start", "kmeans++"))

    def test_the_same_in_every_format(self):
        points = self.points()
        self.write("p.csv", "".join(f"{x!r},{y!r}\n" for x, y in points))
        self.write("p.tsv", "".join(f"{x!r}\t{y!r}\n" for x, y in points))
        values = struct.pack(f"={2 * len(points)}d", *[x for point in points for x in point])
        self.write("p.bin", values)
        header = str({"descr": "<f8", "fortran_order": False, "shape": (len(points), 2)})
        header = header.ljust(117) + "\n"
        self.write("p.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
                   + header.encode() + values)
        self.assertIn("--columns has no effect",
                      self.run_tool("kmeans", "p.npy", "-k", 4, "--columns", 2).stderr)
        # On one core sums are added up in the order of the rows.
        expected = self.outputs("p.csv", "-k", 4, "--cores", 1)
        for name, *more in (("p.tsv",), ("p.npy",), ("p.bin", "--columns", 2)):
            self.assertEqual(self.outputs(name, "-k", 4, "--cores", 1, *more), expected)

    def test_refusals(self):
        def refuse(text, *arguments):
            self.write("p.csv", text)
            return self.refuse("kmeans", "p.csv", "-k", 2, "--labels", "labels", "-q", *arguments)
        self.assertIn("p.csv:2: 1 column, 2 expected", refuse("1,2\n3\n"))
        self.assertIn("p.csv:2: 'nan' is not finite", refuse("1,2\n3,nan\n"))
        self.assertIn("p.csv:2: expected a number", refuse("1,2\n3,+-1\n"))
        self.assertIn("too large", refuse("1e300,0\n-1e300,1\n0,0\n"))
        self.assertIn("too small", refuse("1e-200,0\n-1e-200,1e-210\n0,0\n"))
        self.assertIn("both write to labels", refuse("1,2\n3,4\n", "--json", "labels"))
        self.assertIn("only one of them", refuse("1,2\n3,4\n", "--centers", "-", "--json", "-"))
        self.assertIn("2 centers asked, but there are 1 points", refuse("1,2\n"))
        self.assertIn("p.csv: ", refuse(""))
        self.assertIn("-k", self.refuse("kmeans", "p.csv"))
        self.assertIn("-k: 3 is given, and 4", self.refuse("kmeans", "p.csv", "-k", 3, "-k", 4))
        self.assertIn("nowhere.csv: ", self.refuse("kmeans", "nowhere.csv", "-k", 2))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_disk(self):
        self.write("p.csv", "1,2\n3,4\n")
        for option in ("--labels", "--centers"):
            self.assertIn("/dev/full", self.refuse("kmeans", "p.csv", "-k", 2, option, "/dev/full", "-q", status=1))


class WhatCannotBeRead(ToolTest):
    COMMANDS = ("wordcount",), ("sort", "-o", "out"), ("sort", "-o", "out", "--records"), ("kmeans", "-k", 1)

    def test_folders(self):
        os.mkdir(self.folder / "folder")
        for command in self.COMMANDS:
            self.assertRegex(self.refuse(*command, "folder"), "folder: .*directory")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_without_permission(self):
        self.write("secret", "1 2\n")
        os.chmod(self.folder / "secret", 0)
        for command in self.COMMANDS:
            self.assertRegex(self.refuse(*command, "secret"), "secret: .*[Pp]ermission")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
