"""igraph, which uses one thread. Its calls take and return lists of Python, which counts."""

import igraph
import numpy as np


class System:
    NAME = f"igraph {igraph.__version__}"
    LACKS = {"pagerank20": "no limit of the iterations"}

    def __init__(self, graph):
        self.data = graph
        rows, columns, chosen = graph.edges()
        self.chosen = chosen
        ends = np.empty((len(rows), 2), dtype=np.int64)
        ends[:, 0] = rows
        ends[:, 1] = columns
        self.graph = igraph.Graph(n=graph.vertices, edges=memoryview(ends))
        self.weights = None

    def prepare(self, kernel, _):
        if kernel == "sssp" and self.data.weights is not None:
            self.weights = self.data.weights[self.chosen].tolist()

    def forget(self):
        self.weights = None

    def bfs(self, source):
        def depths(found):
            order, starts, parents = found
            depth = np.full(self.data.vertices, np.inf)
            for level, (first, last) in enumerate(zip(starts, starts[1:])):
                depth[order[first:last]] = level
            return depth

        return lambda: self.graph.bfs(source), depths

    def sssp(self, source):
        return (lambda: self.graph.distances(source=source, weights=self.weights,
                                             algorithm="dijkstra"),
                lambda distances: distances[0])

    def pagerank(self, _):
        # PRPACK goes on until the ranks are within 1e-10; it cannot be told to stop earlier.
        return lambda: self.graph.pagerank(damping=0.85), lambda ranks: ranks

    def cc(self, _):
        return self.graph.connected_components, lambda found: found.membership

    def bc(self, source):
        return lambda: self.graph.betweenness(sources=[source]), lambda scores: scores

    def triangles(self, _):
        """Transitivity is three times the triangles by the pairs of neighbors, which are known."""
        degrees = self.data.degrees()
        pairs = int((degrees * (degrees - 1) // 2).sum())
        return (lambda: self.graph.transitivity_undirected(mode="zero"),
                lambda transitivity: [round(transitivity * pairs / 3)])
