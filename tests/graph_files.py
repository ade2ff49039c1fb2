"""Graphs of all formats, good and bad, for the tests of loading by several locales."""

import gzip
import random

from cli_tool import ToolTest


def sparse_edges():
    """Ids with gaps, above 32 bits, self-loops and equal edges."""
    draw = random.Random(3)
    edges = [(draw.randrange(400) * 5 + 3, draw.randrange(400) ** 2) for _ in range(3000)]
    return edges + [(2**40 + 7 * i, draw.randrange(400)) for i in range(20)] + [(3, 3), (3, 3)]


class GraphFiles(ToolTest):
    def pack(self, name):
        """Its name with .gz behind."""
        content = (self.folder / name).read_bytes()
        return self.write(f"{name}.gz", gzip.compress(content))

    def write_all_formats(self):
        """Names of files, one a format, and of generators."""
        edges = sparse_edges()
        draw = random.Random(4)
        lines = "".join(f"{u}\t{v}\n" for u, v in edges)
        names = [self.write("plain.txt", "# a comment\n# another\n" + lines),
                 self.write("dense.el", "".join(f"{u % 500} {u % 500 + 1}\n" for u, _ in edges)),
                 self.write("undirected.txt", "# Undirected graph\r\n" + lines.replace("\n", "\r\n")),
                 self.write("no_feed.txt", lines.rstrip("\n")),
                 self.write("weights.wel", "".join(f"{u} {v} {u % 7}.5\n" for u, v in edges)),
                 self.write("strings.tsv", "".join(f"person {u}\tcity {v}\n" for u, v in edges)),
                 self.write("plain.csv", "".join(f"{u},{v},{u % 9}\n" for u, v in edges)),
                 self.write("quoted.csv", "weight,target,source\n" + "".join(
                     f'{u % 9},"o""{v}, x",{u}\n' for u, v in edges)),
                 self.write("ldbc.e", lines), self.write("alone.e", lines)]
        vertices = sorted({v for edge in edges for v in edge} | {999_999, 2**41})
        draw.shuffle(vertices)
        self.write("ldbc.v", "".join(f"{v}\n" for v in vertices))
        for name in ("made.mtx", "made.graph", "made.gr", "made.sg", "made.wsg",
                     "made.grappa"):
            self.succeed("convert", "undirected.txt" if name == "made.graph" else "dense.el", name,
                         *(["--simplify"] if name == "made.graph" else []))
            names.append(name)
        self.succeed("convert", "undirected.txt", "symmetric.mtx", "--simplify")
        self.succeed("convert", "undirected.txt", "undirected.sg", "--simplify")
        self.succeed("convert", "undirected.txt", "undirected.grappa", "--undirected")
        for name in ("plain.txt", "quoted.csv", "made.mtx", "made.graph", "made.gr", "made.sg",
                     "made.grappa"):
            self.pack(name)
        self.write("packed.v", (self.folder / "ldbc.v").read_bytes())
        self.write("packed.e", lines)
        self.pack("packed.v")
        self.pack("packed.e")
        for name in ("packed.v", "packed.e"):
            (self.folder / name).unlink()
        packed = [path.name for path in self.folder.iterdir()
                  if path.suffix == ".gz" and path.name != "packed.v.gz"]
        return names + sorted(packed) + ["symmetric.mtx", "undirected.sg", "undirected.grappa", "kron:9", "urand:9:3",
                        "grid:20x31"]

    def bad_files(self):
        good = "".join(f"{i} {i + 1}\n" for i in range(1000))
        yield self.write("late.txt", good + "1 2\nfrog 7\n3 4\n")
        yield self.write("early.txt", "1 2\n1\n" + good)
        yield self.write("twice.txt", good + "1\n" + good + "frog 2\n")
        yield self.write("late.csv", good.replace(" ", ",") + "7;8\n")
        yield self.write("strings.tsv", good.replace(" ", "\tx") + "alone\n")
        yield self.write("name.tsv", good.replace(" ", "\tx") + "\ty\n")
        yield self.write("comments.txt", "# nothing\n\n# else\n")
        yield self.write("header.csv", "source,target\n")
        yield self.write("short.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                         "2000 2000 1001\n" + good.replace("0 1\n", "1 1\n", 1))
        yield self.write("large.mtx", "%%MatrixMarket matrix coordinate pattern general\n"
                         "2000 2000 1000\n" + good.replace("0 1\n", "1 1\n", 1).replace(
                             "999 1000", "999 2001"))
        yield self.write("late.gr", "p sp 1001 999\n" + "".join(
            f"a {i} {i + 1} 1\n" for i in range(1, 999)) + "a 999 0 1\n")
        self.write("unlisted.v", "".join(f"{i}\n" for i in range(1000)))
        yield self.write("unlisted.e", good)
        yield self.write("late.graph", "3 2\n2\n1 3\n4\n")
        yield self.write("one_way.graph", "3 2\n2\n1\n2\n")
        yield self.write("edges.graph", "3 3\n2\n1 3\n2\n")
        yield self.write("rows.graph", "4 2\n2\n1 3\n2")
        for name in ("late.txt", "twice.txt", "strings.tsv", "comments.txt", "short.mtx",
                     "large.mtx", "late.gr", "unlisted.e", "late.graph"):
            yield self.pack(name)
        damaged = gzip.compress(good.encode())
        yield self.write("cut.txt.gz", damaged[:-9])
        graph = bytes([1]) + (4).to_bytes(8, "little") + (4).to_bytes(8, "little")
        graph += b"".join(i.to_bytes(8, "little") for i in (0, 1, 2, 3, 4))
        graph += b"".join(i.to_bytes(4, "little") for i in (1, 2, 3, 9))
        yield self.write("neighbor.sg", graph + graph[17:])
