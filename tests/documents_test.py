"""What README.md and docs/ say is what is there.

- A code block under `<!-- PATH -->` is that file, or consecutive lines of it.
- A `console` block is what a person sees: its commands are run, and print what it shows. Programs
  are started as from the root of the repository after `cmake --preset release`. What differs from
  run to run is not compared: numbers with a decimal point, addresses, cores, widths of columns.
- Links to files of the repository lead somewhere.
- The tables of options and of examples are complete.
- No line outside tables has more than 120 characters, and each figure of benchmarks.md a command.
"""

import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parent.parent))
BINARY = Path(os.environ["GRAPPA_BINARY_DIR"])
REAL_GRAPHS = SOURCE.parent / "shared" / "graphs"
DOCUMENTS = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]
SECONDS = 300
COLUMNS = 120

BLOCK = re.compile(r"(?:^<!-- (?P<path>\S+) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#\s]*)(?:#(?P<part>[^)]*))?\)")
GRAPH_FILE = re.compile(r"[\w-]+\.(?:txt|graph)\.gz")


def blocks(document):
    """(line, path of the file it shows or None, language, text) of each fenced block."""
    content = document.read_text(encoding="utf-8")
    for match in BLOCK.finditer(content):
        line = content.count("\n", 0, match.start()) + 1
        yield line, match["path"], match["language"], match["text"]


def all_blocks():
    for document in DOCUMENTS:
        for line, path, language, text in blocks(document):
            yield f"{document.relative_to(SOURCE)}:{line}", path, language, text


def without_blocks(document):
    return BLOCK.sub("", document.read_text(encoding="utf-8"))


def anchors(document):
    """What links into a document may name: its headings, as they are written in addresses."""
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", without_blocks(document), re.MULTILINE)}


def without_margin(text):
    """Lines without the indentation that all of them share, and without trailing blanks."""
    lines = [line.rstrip() for line in text.strip("\n").split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return [line[margin:] for line in lines]


def shows_lines_of(text, file_text):
    """Whether `text` is a run of consecutive lines of `file_text`, however far indented."""
    shown = without_margin(text)
    there = [line.rstrip() for line in file_text.split("\n")]
    return any(without_margin("\n".join(there[at:at + len(shown)])) == shown
               for at in range(len(there) - len(shown) + 1)
               if there[at].strip() == shown[0].strip())


def comparable(output):
    """Output without what differs from run to run and from machine to machine."""
    output = output.replace(f"{SOURCE}/", "")
    output = re.sub(r"(\.\./)+examples/", "examples/", output)  # compiled through a cache
    output = re.sub(r"0x[0-9a-f]+", "0x…", output)
    output = re.sub(r"\d[\d,]*\.\d+", "#", output)
    output = re.sub(r"^(Cores:\s+)\d+", r"\1#", output, flags=re.MULTILINE)
    output = re.sub(r"(?:\b\d+|#) (?:ns|us|ms|s)\b", "# s", output)
    return [" ".join(line.split()) for line in output.strip().split("\n")]


def commands_of(text):
    """[(command, the output shown)] of a console block."""
    result = []
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            result.append((line[2:], []))
        elif result[-1][0].endswith("\\"):
            result[-1] = (result[-1][0][:-1] + line, [])
        else:
            result[-1][1].append(line)
    return [(command, "\n".join(output)) for command, output in result]


def reason_to_skip(command):
    """Why this command cannot run here, or None."""
    cores = re.search(r"\bGRAPPA_CORES=(\d+)|--cores (\d+)", command)
    simulated = "GRAPPA_LOCALES" in command or "--locales" in command
    if cores and not simulated and int(cores[1] or cores[2]) > len(os.sched_getaffinity(0)):
        return "this machine has fewer cores"
    for name in GRAPH_FILE.findall(command):
        if not (REAL_GRAPHS / name).exists():
            return f"the graph {name} is not here"
    for word in shlex.split(command):
        if word.startswith("build/release/") and not (BINARY / word[len("build/release/"):]).exists():
            return f"{word} is not built"
    if "./grappa" in command and not (BINARY / "cli" / "grappa").exists():
        return "the tool is not built"
    return None


class DocumentsTest(unittest.TestCase):
    def test_code_is_that_of_the_files(self):
        for where, path, language, text in all_blocks():
            with self.subTest(where):
                if language == "cpp":
                    self.assertIsNotNone(path, "no <!-- PATH --> above the block")
                if path is not None:
                    self.assertTrue((SOURCE / path).is_file(), f"{path} does not exist")
                    content = (SOURCE / path).read_text(encoding="utf-8")
                    self.assertTrue(shows_lines_of(text, content), f"not what {path} says:\n{text}")

    def test_commands_print_what_is_shown(self):
        cache = (BINARY / "CMakeCache.txt").read_text(encoding="utf-8")
        if re.search("^GRAPPA_SANITIZE:[A-Z]+=.", cache, re.MULTILINE):
            self.skipTest("the documents show what builds without sanitizers print")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "build").mkdir()
            (root / "build" / "release").symlink_to(BINARY)
            (root / "grappa").symlink_to(BINARY / "cli" / "grappa")
            if REAL_GRAPHS.is_dir():
                for graph in REAL_GRAPHS.iterdir():
                    (root / graph.name).symlink_to(graph)
            environment = {name: value for name, value in os.environ.items()
                           if not name.startswith("GRAPPA_")}
            for where, _, language, text in all_blocks():
                if language != "console":
                    continue
                for command, shown in commands_of(text):
                    with self.subTest(f"{where}: {command}"):
                        reason = reason_to_skip(command)
                        if reason is not None:
                            print(f"{where}: not run: {command}: {reason}")
                            continue
                        done = subprocess.run(command, shell=True, cwd=root, env=environment,
                                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                              text=True, timeout=SECONDS)
                        self.assertEqual(comparable(done.stdout), comparable(shown))

    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            for match in LINK.finditer(without_blocks(document)):
                with self.subTest(f"{document.name}: {match[0]}"):
                    target = document.parent / match["target"] if match["target"] else document
                    self.assertTrue(target.exists())
                    if match["part"]:
                        self.assertIn(match["part"], anchors(target))

    def test_lines_are_short(self):
        for document in DOCUMENTS:
            text = re.sub(r"^```console\n.*?^```$",  # what programs print stays as it is
                          lambda block: "\n" * block[0].count("\n"),
                          document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            lines = text.split("\n")
            long = [number for number, line in enumerate(lines, 1)
                    if len(line) > COLUMNS and not line.startswith("|")]
            self.assertEqual(long, [], document.name)

    def test_figures_have_commands(self):
        page = (SOURCE / "docs/benchmarks.md").read_text(encoding="utf-8")
        tables = re.findall(r"^\| what \| command \|.*\n((?:\|.*\n)*)", page, re.MULTILINE)
        self.assertTrue(tables)
        for table in tables:
            for row in table.splitlines()[1:]:
                with self.subTest(row):
                    self.assertRegex(row.split(" | ")[1], r"`(cd|touch|rm|grappa|mpirun|baseline)")

    def test_every_option_is_in_the_tutorial(self):
        source = (SOURCE / "src/grappa/base/config_options.cpp").read_text(encoding="utf-8")
        option = re.compile(r'\{\s*"([\w-]+)", "(GRAPPA_\w+)", "[^"]*",\s*"[^"]*",\s*"([^"]*)"\s*\}')
        options = option.findall(source)
        self.assertEqual(len(options), source.count('"GRAPPA_'))
        tutorial = (SOURCE / "docs/tutorial.md").read_text(encoding="utf-8")
        for name, variable, default in options:
            with self.subTest(name):
                self.assertRegex(tutorial, rf"\| `--{name}`, `{variable}` \|.*\| {re.escape(default)} \|")
        self.assertEqual(len(re.findall(r"^\| `--", tutorial, re.MULTILINE)), len(options))

    def test_every_example_is_in_a_document(self):
        shown = {path for _, path, _, _ in all_blocks()}
        for example in (SOURCE / "examples").glob("*.cpp"):
            with self.subTest(example.name):
                self.assertIn(f"examples/{example.name}", shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
