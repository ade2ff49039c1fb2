"""The graph that a baseline works on, as it comes from the benchmark: arrays in files."""

import numpy as np


class Graph:
    """Compressed sparse rows in the memory of their files; undirected, without self-loops and equal
    edges, and each edge in the rows of both its ends."""

    def __init__(self, files, vertices, arcs, weight_type):
        """`files`: paths of those of offsets, targets and weights."""
        offsets, targets, weights = files
        self.vertices = vertices
        self.offsets = mapped(offsets, np.uint64, vertices + 1)  # [vertices + 1]
        self.targets = mapped(targets, np.uint32, arcs)          # [arcs], ascending in each row
        self.weights = None if weight_type == "none" else mapped(weights, weight_type, arcs)

    def degrees(self):
        return np.diff(self.offsets).astype(np.int64)

    def rows(self):
        """Of each arc."""
        return np.repeat(np.arange(self.vertices, dtype=np.uint32), self.degrees())

    def edges(self):
        """(rows, columns, which arcs) of the arcs that go to a larger vertex: each edge once."""
        rows = self.rows()
        chosen = np.flatnonzero(rows < self.targets)
        return rows[chosen], self.targets[chosen], chosen


def mapped(path, dtype, length):
    return np.memmap(path, dtype, mode="r", shape=(length,))
