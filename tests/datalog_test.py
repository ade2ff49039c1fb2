"""What `grappa datalog` promises: answers on any machine, folders of facts and of results, and errors."""

import gzip
import random
import sys
import unittest

from cli_tool import ToolTest

MACHINES = [("--cores", 1), ("--cores", 2), ("--locales", 2, "--cores", 1), ("--locales", 4, "--cores", 2)]

EDGES = ".decl edge(x: number, y: number)\n.input edge\n"

# program, relation, what it is by the edges; a set of tuples
PROGRAMS = [
    ("path(x, y) :- edge(x, y). path(x, z) :- path(x, y), edge(y, z).", 2, lambda edges: closure(edges)),
    ("path(x, y) :- edge(x, y). path(x, z) :- path(x, y), path(y, z).", 2, lambda edges: closure(edges)),
    (".decl reached(x: number) reached(1). reached(y) :- reached(x), edge(x, y).\n"
     ".decl vertex(x: number) vertex(x), vertex(y) :- edge(x, y). path(x) :- vertex(x), !reached(x).", 1,
     lambda edges: {(v,) for edge in edges for v in edge} - {(w,) for v, w in closure(edges) if v == 1} - {(1,)}),
    ("path(x, y) :- edge(p, x), edge(p, y). path(x, y) :- edge(p, x), path(p, q), edge(q, y).", 2,
     lambda edges: same_generation(edges)),
    ("path(x, x), path(y, y) :- edge(x, y). path(y, a) :- path(x, a), (edge(x, y) ; edge(y, x)).\n"
     "path(x, a) <= path(x, b) :- b < a.", 2, lambda edges: components(edges)),
    ("path(1, 0). path(y, d + 1) :- path(x, d), edge(x, y). path(x, d) <= path(x, e) :- e < d.", 2,
     lambda edges: distances(edges, 1)),
    (".decl out(x: number, n: number) out(x, n) :- edge(x, _), n = count : { edge(x, _) }.\n"
     "path(max n : { out(_, n) }, sum n : { out(_, n) }).", 2, lambda edges: degrees(edges)),
]


def closure(edges):
    after = {}
    for v, w in edges:
        after.setdefault(v, set()).add(w)
    found = set()
    for v in after:
        open_vertices = [v]
        while open_vertices:
            for w in after.get(open_vertices.pop(), ()):
                if (v, w) not in found:
                    found.add((v, w))
                    open_vertices.append(w)
    return found


def same_generation(edges):
    children = {}
    for v, w in edges:
        children.setdefault(v, set()).add(w)
    new = {(x, y) for below in children.values() for x in below for y in below}
    found = set(new)
    while new:
        new = {(x, y) for p, q in new for x in children.get(p, ()) for y in children.get(q, ())} - found
        found |= new
    return found


def components(edges):
    least = {v: v for edge in edges for v in edge}
    changed = True
    while changed:
        changed = False
        for v, w in edges:
            low = min(least[v], least[w])
            changed |= least[v] != least[w]
            least[v] = least[w] = low
    return set(least.items())


def distances(edges, source):
    found = {source: 0}
    front = {source}
    while front:
        front = {w for v, w in edges if v in front} - set(found)
        found |= {w: max(found.values()) + 1 for w in front}
    return set(found.items())


def degrees(edges):
    counts = {}
    for v, _ in edges:
        counts[v] = counts.get(v, 0) + 1
    return {(max(counts.values()), sum(counts.values()))}


class Datalog(ToolTest):
    def write_edges(self, seed, vertices, count):
        draw = random.Random(seed)
        edges = {(draw.randrange(1, vertices), draw.randrange(1, vertices)) for _ in range(count)}
        self.write("edge.facts", "".join(f"{v}\t{w}\n" for v, w in edges))
        return edges

    def test_answers_on_any_machine(self):
        """A dense small graph, and a sparse one that takes many rounds."""
        for seed, (vertices, count) in enumerate([(60, 150), (600, 620)]):
            edges = self.write_edges(seed, vertices, count)
            for number, (rules, attributes, meaning) in enumerate(PROGRAMS):
                declared = ", ".join(f"{name}: number" for name in "xy"[:attributes])
                self.write("p.dl", f"{EDGES}.decl path({declared})\n.output path\n{rules}\n")
                expected = "".join("\t".join(map(str, row)) + "\n" for row in sorted(meaning(edges)))
                for machine in MACHINES:
                    with self.subTest(program=number, vertices=vertices, machine=machine):
                        self.succeed("datalog", "p.dl", *machine)
                        self.assertEqual((self.folder / "path.csv").read_text(), expected)

    def test_symbols_travel(self):
        """Texts that rules make are known wherever they are needed."""
        self.write("word.facts", "".join(f"{chr(97 + i)}\n" for i in range(5)))
        self.write("p.dl", """
            .decl word(s: symbol) .input word
            .decl made(s: symbol, n: number) .output made
            made(s, 1) :- word(s).
            made(t, n + 1) :- made(s, n), word(w), t = cat(s, w), n < 4.
            .decl found(s: symbol) .output found
            found(to_string(strlen(s) + ord(s) - ord(s))) :- made(s, _), contains("cab", s), match("[a-c]+", s).
        """)
        for machine in MACHINES:
            with self.subTest(machine=machine):
                self.succeed("datalog", "p.dl", *machine)
                rows = (self.folder / "made.csv").read_text().splitlines()
                self.assertEqual(len(rows), 5 + 25 + 125 + 625)
                self.assertEqual(rows, sorted(rows))
                self.assertEqual((self.folder / "found.csv").read_text(), "3\n4\n")

    def test_folders(self):
        (self.folder / "in").mkdir()
        (self.folder / "out").mkdir()
        self.write("in/a.facts.gz", gzip.compress("1\ttext with blanks\t1.5\t18446744073709551615\r\n-2\t\t-0\t0".encode()))
        self.write("in/b.csv", "\"x,\"\"y\"\"\",3\n")
        self.write("in/c.facts", "")
        self.write("in/d.txt", "x|y\n1|2\n")
        self.write("p.dl", """
            .decl a(i: number, s: symbol, f: float, u: unsigned) .input a .output a
            .decl b(s: symbol, i: number) .input b .output b(filename="b.txt", delimiter=",", rfc4180=true, headers=true)
            .decl c(i: number) .input c .output c .printsize c, d
            .decl d(i: number, j: number) .input d(filename="d.txt", delimiter="|", headers=true) .output d(IO=stdout)
        """)
        found = self.succeed("datalog", "p.dl", "-F", "in", "-D", "out")
        self.assertEqual(found, "c\t0\nd\t1\n---------------\nd\n===============\n1\t2\n===============\n")
        self.assertEqual({path.name: path.read_text() for path in (self.folder / "out").iterdir()},
                         {"a.csv": "-2\t\t0\t0\n1\ttext with blanks\t1.5\t18446744073709551615\n",
                          "b.txt": "s,i\n\"x,\"\"y\"\"\",3\n", "c.csv": ""})
        found = self.succeed("datalog", "p.dl", "--fact-dir", "in", "-D", "-")
        self.assertIn("---------------\na\n===============\n-2\t\t0\t0\n", found)

    def test_json(self):
        self.write("p.dl", ".decl p(x: number) p(1). p(2). .output p")
        found = self.json_of("datalog", "p.dl", "--trials", 3)
        self.assertEqual(len(found["trials"]), 3)
        self.assertEqual(found["result"]["sizes"], {"p": 2})
        self.assertEqual((self.folder / "p.csv").read_text(), "1\n2\n")

    def refusal(self, program, *options):
        """The first line of the error with which a program is refused; nothing is left behind."""
        self.write("p.dl", program)
        before = sorted(self.folder.rglob("*"))
        result = self.run_tool("datalog", "p.dl", *options)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return result.stderr.splitlines()[0].removeprefix("grappa: ")

    def test_errors(self):
        self.write("bad.facts", "1\t2\n1\n")
        self.write("word.facts", "1\t2\n1\tx\n")
        decl = ".decl {0}(x: number, y: number) .input {0} .output {0}\n"
        for program, expected in [
                ("p(1).", "p.dl:1:1: p is not declared"),
                (".decl p(x: number)\np(x) :- p(y).", "p.dl:2:3: x is not grounded: no atom gives it a value"),
                (".decl p(x: number)\np(1 / 0). .output p", "p.dl:2:5: a division by zero"),
                (decl.format("none"), "none.facts: "), (decl.format("bad"), "bad.facts:2: "),
                (decl.format("word"), "word.facts:2: column 'y': 'x' is no number"),
                (".dcl p(x: number)", "p.dl:1:1: there is no .dcl; the nearest is .decl"),
                (".decl p(x: number) .output p(filename=\"p.dl\")", ".output p: p.dl is what is read"),
                (".decl p(x: number) .output p(filename=\"no/p.csv\")", "no/p.csv: "),
        ]:
            for machine in MACHINES:
                with self.subTest(program=program, machine=machine):
                    found = self.refusal(program, *machine)
                    self.assertEqual(found[:len(expected)], expected)
        self.assertIn("no.dl", self.refuse("datalog", "no.dl"))
        self.assertIn("PROGRAM", self.refuse("datalog"))

    def test_an_error_that_only_one_tuple_has(self):
        """Wherever its owner is."""
        self.write("edge.facts", "".join(f"{v}\t{v - 777}\n" for v in range(2000)))
        program = EDGES + ".decl p(x: number) p(x / y) :- edge(x, y).\n.output p\n"
        for machine in MACHINES:
            with self.subTest(machine=machine):
                self.assertEqual(self.refusal(program, *machine), "p.dl:3:24: a division by zero")

    def test_deep_and_long_programs(self):
        many = 100_000
        self.assertIn("nested more than 1000 levels deep",
                      self.refusal(f".decl p(x: number) p({'(' * many}1{')' * many})."))
        # A long chain of relations and of facts is none.
        self.write("p.dl", ".decl p0(x: number)\n" + "".join(f"p0({n})." for n in range(5000)) + "".join(
            f".decl p{n}(x: number) p{n}(x) :- p{n - 1}(x).\n" for n in range(1, 2000)) + ".printsize p1999")
        self.assertEqual(self.succeed("datalog", "p.dl", "--locales", 2), "p1999\t5000\n")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
