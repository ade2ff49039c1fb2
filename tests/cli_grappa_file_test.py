"""The format of our own: the same answers as from text, with nothing to build, and what is damaged
is refused."""

import random
import unittest

from cli_tool import LOCALES, ToolTest, kernels

PAGE = 4096


class GrappaFile(ToolTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        edges = [(draw.randrange(300) ** 2 + 7, draw.randrange(300) ** 2 + 7) for _ in range(2000)]
        self.edges = edges + [(7, 7), (7, 8), (7, 8)]

    def write_graph(self, name):
        return self.write(name, "".join(f"{u} {v} {(u + v) % 90}\n" for u, v in self.edges))

    def source(self):
        return self.edges[0][0]

    def kernels(self):
        options = {"bfs": ("--source", self.source()), "sssp": ("--source", self.source()),
                   "pagerank": ("--iterations", 7, "--tolerance", 0)}
        return [(kernel, *options.get(kernel, ())) for kernel in kernels()]

    def check_same_answers(self, text, stored, *flags):
        for kernel, *options in self.kernels():
            expected = self.succeed(kernel, text, *options, *flags, "-o", "-")
            for locales in LOCALES:
                with self.subTest(kernel=kernel, stored=stored, locales=locales):
                    self.assert_same_values(self.succeed(kernel, stored, *options, "--locales",
                                                         locales, "-o", "-"), expected)

    def test_the_same_answers_of_a_directed_graph(self):
        self.write_graph("g.wel")
        self.succeed("convert", "g.wel", "g.grappa")
        self.check_same_answers("g.wel", "g.grappa")

    def test_the_same_answers_of_an_undirected_graph(self):
        self.write_graph("g.wel")
        self.succeed("convert", "g.wel", "g.grappa", "--undirected")
        self.succeed("convert", "g.grappa", "packed.grappa.gz")
        self.check_same_answers("g.wel", "g.grappa", "--undirected")
        self.check_same_answers("g.wel", "packed.grappa.gz", "--undirected")

    def test_nothing_is_built_unless_another_graph_is_wanted(self):
        self.write_graph("g.wel")
        self.succeed("convert", "g.wel", "g.grappa")
        self.succeed("convert", "g.wel", "u.grappa", "--undirected", "--simplify")

        def is_built(*arguments):
            return self.json_of(*arguments)["build_seconds"] > 0

        self.assertFalse(is_built("pagerank", "g.grappa"))
        self.assertFalse(is_built("triangles", "u.grappa"))
        self.assertTrue(is_built("triangles", "g.grappa"))
        self.assertTrue(is_built("pagerank", "g.grappa", "--undirected"))

    def test_info_and_what_comes_back(self):
        self.write_graph("g.wel")
        self.succeed("convert", "g.wel", "g.grappa")
        text, stored = (self.json_of("info", name)["result"] for name in ("g.wel", "g.grappa"))
        self.assertEqual(stored.pop("format"), "grappa")
        text.pop("format")
        self.assertEqual(stored, text)
        self.succeed("convert", "g.grappa", "back.wel")
        lines = [sorted((self.folder / name).read_text().splitlines())
                 for name in ("g.wel", "back.wel")]
        self.assertEqual([line for line in lines[1] if not line.startswith("#")], lines[0])

    def test_names_that_are_strings(self):
        self.write("g.csv", "bob,alice\nalice,carol\ndave,erin\n")
        self.succeed("convert", "g.csv", "g.grappa")
        for locales in LOCALES:
            self.assertEqual(self.values_of("bfs", "g.grappa", "--source", "bob", "--locales",
                                            locales),
                             {"alice": "1", "bob": "0", "carol": "2", "dave": "inf", "erin": "inf"})

    def test_the_loading_benchmark_takes_it(self):
        self.succeed("generate", "kron:8", "g.grappa")
        for locales in (1, 2):
            found = self.json_of("bench", "load", "--file", "g.grappa", "--trials", 2, "--locales",
                                 locales)
            self.assertEqual(found["result"]["build_seconds"], 0)
            self.assertTrue(found["result"]["checked"])

    def convert_and_change(self, text, place, value):
        self.write("d.txt", text)
        self.succeed("convert", "d.txt", "d.grappa")
        content = bytearray((self.folder / "d.grappa").read_bytes())
        content[place] = value
        self.write("d.grappa", bytes(content))

    def test_damage_that_is_well_formed(self):
        self.convert_and_change("0 1\n5 900\n", 5 * PAGE + 8, 3)  # a name
        for arguments in (("cc",), ("info",), ("cc", "--locales", 2), ("triangles",)):
            self.assertIn("checksum of the names", self.refuse(*arguments, "d.grappa"))
        self.convert_and_change("0 1 1\n1 2 2\n0 2 9\n", 3 * PAGE + 2, 5)  # a weight
        for locales in (1, 2):
            self.assertIn("d.grappa: damaged", self.refuse("sssp", "d.grappa", "--locales", locales))

    def test_files_of_the_first_version(self):
        self.write_graph("g.wel")
        self.succeed("convert", "g.wel", "g.grappa")
        older = bytearray((self.folder / "g.grappa").read_bytes()[:-PAGE])
        older[12:16] = (1).to_bytes(4, "little")
        checksum = 0xcbf29ce484222325
        for byte in older[:72]:
            checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
        older[72:80] = checksum.to_bytes(8, "little")
        self.write("older.grappa", bytes(older))
        for command in (("sssp", "--source", self.source()), ("triangles",)):
            result = self.run_tool(*command, "older.grappa", "-o", "-")
            self.assertEqual(result.stdout, self.succeed(*command, "g.grappa", "-o", "-"))
            self.assertIn("older.grappa: an older file without checksums", result.stderr)

    def test_damaged_files(self):
        self.write_graph("g.wel")
        self.succeed("convert", "g.wel", "g.grappa")
        whole = (self.folder / "g.grappa").read_bytes()
        bad = {f"cut_{size}": whole[:size] for size in range(7, len(whole), PAGE - 1)}
        bad["long"] = whole + bytes(PAGE)
        draw = random.Random(6)
        for page in range(len(whole) // PAGE):
            place = page * PAGE + draw.randrange(8, 40)
            damaged = bytearray(whole)
            damaged[place] ^= 0x55
            bad[f"page_{page}"] = bytes(damaged)
        command = ("sssp", "--source", self.source(), "-o", "-")
        expected = self.succeed(*command, "g.grappa")
        refused = 0
        for name, content in bad.items():
            self.write(f"{name}.grappa", content)
            for locales in (1, 3):
                with self.subTest(name=name, locales=locales):
                    result = self.run_tool(*command, f"{name}.grappa", "--locales", locales)
                    self.assertIn(result.returncode, (0, 2), result.stderr)
                    if result.returncode == 2:
                        refused += 1
                        self.assertIn(f"{name}.grappa", result.stderr)
                        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                    else:  # the in-edges, which are not read, or padding
                        self.assertEqual(result.stdout, expected)
        self.assertGreater(refused, len(bad))


if __name__ == "__main__":
    unittest.main()
