"""What the tool has, the package has: each option of each command is a keyword, or is here with what
there is instead of it.
"""

import inspect
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import grappa as gp
from grappa import _grappa

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parents[2]))
TOOL = Path(os.environ.get("GRAPPA_TOOL", SOURCE / "build/release/cli/grappa"))
KERNELS = [kernel["name"] for kernel in _grappa.kernel_table()]

# What holds for each command that has the option: a function with a keyword, or words.
ANYWHERE = {
    "--help": "help() of Python", "--quiet": "nothing is printed", "--json": "the attributes of results",
    "--plot": "a session's trace has the timeline", "--stats-json": (gp.stats, None),
    "--trials": "a loop", "--stats": (gp.stats, None), "--top": (gp.Result.top, "k"),
    "-o": "results are arrays and tables"}
GRAPH = {"--format": (gp.read, "format"), "--directed": (gp.read, "directed"),
         "--undirected": (gp.read, "directed"), "--seed": (gp.kron, "seed"),
         "--order": (gp.Graph.arrange, "order"), "--split-hubs": (gp.Graph.arrange, "split_hubs"),
         "--verify": (gp.Graph.cc, "verify")}
WRITING = {"--to": (gp.Graph.write, "format"), "--simplify": (gp.Graph.write, "simplify"),
           "--no-weights": (gp.Graph.write, "weights"), "--weights": (gp.Graph.write, "weights")}
COMMANDS = {
    "info": (gp.Graph.info, {**GRAPH, "--top": (gp.Result.top, "k")}),
    "generate": (gp.Graph.write, {**GRAPH, **WRITING}),
    "convert": (gp.Graph.write, {**GRAPH, **WRITING}),
    "sql": (gp.sql, {"--file": "a text is read by Python", "--table": "FROM 'file', or a frame",
                     "--explain": "EXPLAIN SELECT …", "--analyze": "EXPLAIN ANALYZE SELECT …",
                     "--memory": (gp.session, "memory"), "--spill-folder": "$TMPDIR",
                     "--output": "COPY … TO 'file'"}),
    "datalog": (gp.datalog, {"--fact-dir": (gp.datalog, "facts"),
                             "--output-dir": "relations are answers"}),
    "wordcount": (gp.wordcount, {name: (gp.wordcount, name[2:])
                                 for name in ("--lower", "--letters", "--ngrams", "--top")}),
    "kmeans": (gp.KMeans, {
        "--format": (gp.read_points, "format"), "--columns": (gp.read_points, "columns"),
        "--skip-bad-records": (gp.read_points, "skip_bad_records"), "-k": (gp.KMeans, "n_clusters"),
        "--start": (gp.KMeans, "init"), "--seed": (gp.KMeans, "random_state"),
        "--iterations": (gp.KMeans, "max_iter"), "--tolerance": (gp.KMeans, "tol"),
        "--labels": "labels_", "--centers": "cluster_centers_"}),
    "sort": (gp.sort, {**{"--" + name.replace("_", "-"): (gp.sort, name) for name in
                          ("column", "separator", "records", "reverse", "skip_bad_records")},
                       "-o": (gp.sort, "out")})}
ALONE = {"bench", "completion", "help"}  # of the tool


@unittest.skipUnless(TOOL.exists(), "needs the tool")
class Options(unittest.TestCase):
    def help(self, *words):
        return subprocess.run([TOOL, "help", *words], capture_output=True, text=True, check=True).stdout

    def options(self, command):
        """The long names, or the short ones where there are no others."""
        found = re.findall(r"^  (?:(-\w), )?(--?[a-z][a-z-]*)(?: |$)", self.help(command), re.MULTILINE)
        return [long for _, long in found]

    def require(self, place, what):
        if isinstance(place, str):
            return
        function, keyword = place
        if keyword is not None:
            self.assertIn(keyword, inspect.signature(function).parameters, what)

    def test_of_all_commands(self):
        commands = re.findall(r"^  ([a-z]+)  ", self.help(), re.MULTILINE)
        self.assertGreater(len(commands), 20)
        self.assertEqual(set(commands), {*KERNELS, *COMMANDS, *ALONE})
        of_sessions = {f"--{name}" for name, *_ in _grappa.session_options()}
        for command in commands:
            if command in ALONE:
                continue
            known = {**ANYWHERE, **(GRAPH if command in KERNELS else COMMANDS[command][1])}
            given = self.options(command)
            self.assertIn("--help", given)
            for option in given:
                name = option.lstrip("-").replace("-", "_")
                with self.subTest(command=command, option=option):
                    if command in KERNELS and \
                            name in inspect.signature(getattr(gp.Graph, command)).parameters:
                        continue
                    if option not in of_sessions:
                        self.assertIn(option, known)
                        self.require(known[option], option)

    def test_of_kernels_types(self):
        stub = (Path(gp.__file__).parent / "__init__.pyi").read_text()
        for name in KERNELS:
            declared = re.search(rf"    def {name}\(self, \*, (.*?)\) -> Result", stub, re.DOTALL)[1]
            self.assertEqual(re.findall(r"(\w+):", declared),
                             [*inspect.signature(getattr(gp.Graph, name)).parameters][1:])

    def test_formats(self):
        formats = re.findall(r"^  ([a-z]+)  ", self.help("graphs").partition("Formats")[2], re.MULTILINE)
        self.assertIn("grappa", formats)
        g = gp.grid(3, 3)
        with tempfile.TemporaryDirectory() as folder:
            for name in formats:
                with self.subTest(format=name):
                    path = f"{folder}/graph.{name}"
                    g.write(path)
                    self.assertEqual(gp.read(path, directed=False).info()["edges"], g.edges)
        generators = re.findall(r"^  ([a-z]+):", self.help("graphs"), re.MULTILINE)
        self.assertTrue(all(hasattr(gp, name) for name in generators), generators)


if __name__ == "__main__":
    unittest.main()
