"""A Python for GRAPPA_BASELINE_PYTHON: runs the worker of `grappa bench kernels` with a system made of
SciPy in place of the one that is asked for.

GRAPPA_TEST_BASELINE is what goes wrong: "wrong KERNEL", "crash", "exit", "raise", "hang", "garbage",
"lack KERNEL"; GRAPPA_TEST_PROCESS is a file for the number of the process.
"""

import os
import runpy
import signal
import sys
import time
import types
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, csgraph, tril

FAULT, _, OF_KERNEL = os.environ.get("GRAPPA_TEST_BASELINE", "").partition(" ")


class System:
    NAME = "Stand-in 1.0"
    LACKS = {OF_KERNEL: "left out"} if FAULT == "lack" else {}

    def __init__(self, graph):
        self.n = graph.vertices
        rows = (graph.targets.astype(np.int64), graph.offsets.astype(np.int64))
        shape = (self.n, self.n)
        self.ones = csr_matrix((np.ones(len(graph.targets)), *rows), shape)
        weights = np.ones(len(graph.targets)) if graph.weights is None else graph.weights
        self.weights = csr_matrix((weights.astype(np.float64), *rows), shape)
        self.degrees = graph.degrees()
        self.prepared = None

    def prepare(self, kernel, _):
        self.prepared = kernel

    def forget(self):
        self.prepared = None

    def timed(self, kernel, call):
        """The call, unless it is this one that goes wrong; and what hands its values over."""
        if self.prepared != kernel:
            raise RuntimeError(f"{kernel} without being prepared")

        def faulty():
            if FAULT == "crash":
                os.kill(os.getpid(), signal.SIGSEGV)
            if FAULT == "exit":
                print("first line\nout of luck", file=sys.stderr, flush=True)
                os._exit(3)
            if FAULT == "raise":
                raise ValueError("two\nlines")
            if FAULT == "hang":
                time.sleep(1000)
            return call()

        def values_of(result):
            values = np.array(result, dtype=np.float64)
            if FAULT == "wrong" and OF_KERNEL == kernel:
                values[-1] += 1
            return values

        print("what libraries print")  # is not an answer
        return faulty, values_of

    def bfs(self, source):
        return self.timed("bfs", lambda: csgraph.dijkstra(self.ones, indices=source,
                                                          unweighted=True))

    def sssp(self, source):
        return self.timed("sssp", lambda: csgraph.dijkstra(self.weights, indices=source))

    def ranks(self, tolerance, iterations):
        rank = np.full(self.n, 1 / self.n)
        idle = self.degrees == 0
        for _ in range(iterations):
            before = rank
            given = before / np.maximum(self.degrees, 1)
            rank = (0.15 + 0.85 * before[idle].sum()) / self.n + 0.85 * (self.ones @ given)
            if np.abs(rank - before).sum() < tolerance:
                break
        return rank

    def pagerank20(self, _):
        return self.timed("pagerank20", lambda: self.ranks(0, 20))

    def pagerank(self, _):
        return self.timed("pagerank", lambda: self.ranks(1e-4, 1000))

    def cc(self, _):
        return self.timed("cc", lambda: csgraph.connected_components(self.ones)[1] + 1000)

    def dependencies(self, source):
        depth = csgraph.dijkstra(self.ones, indices=source, unweighted=True)
        deepest = int(depth[np.isfinite(depth)].max())
        paths = (depth == 0).astype(np.float64)
        for level in range(1, deepest + 1):
            paths[depth == level] = (self.ones @ np.where(depth == level - 1, paths, 0))[depth == level]
        score = np.zeros(self.n)
        for level in range(deepest - 1, 0, -1):
            share = np.where(depth == level + 1, (1 + score) / np.maximum(paths, 1), 0)
            score = np.where(depth == level, paths * (self.ones @ share), score)
        return score / 2

    def bc(self, source):
        return self.timed("bc", lambda: self.dependencies(source))

    def triangles(self, _):
        def count():
            lower = tril(self.ones, -1).tocsr()
            return [(lower @ lower).multiply(lower).sum()]

        return self.timed("triangles", count)


def main():
    worker, system, *_ = sys.argv[1:]
    if path := os.environ.get("GRAPPA_TEST_PROCESS"):
        Path(path).write_text(f"{os.getpid()}\n", encoding="utf-8")
    if FAULT == "garbage":
        print("Welcome to Stand-in!", flush=True)
    module = types.ModuleType(f"{system}_system")
    module.System = System
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(Path(worker).parent))
    sys.argv = sys.argv[1:]
    runpy.run_path(worker, run_name="__main__")


if __name__ == "__main__":
    main()
