"""NetworKit: of its algorithms for a kernel, the quickest. Those that search from one vertex, and that
for components, use one thread; the others all."""

import networkit as nk
import numpy as np

TOLERANCE = 1e-4
MOST_ITERATIONS = 1000


def distances_of(search):
    """What BFS and Dijkstra found: of the unreached they say the largest double."""
    distances = search.getDistances(asarray=True)
    return np.where(distances == np.finfo(np.float64).max, np.inf, distances)


class System:
    NAME = f"NetworKit {nk.__version__}"
    LACKS = {"bc": "no betweenness from a source of one's choice"}

    def __init__(self, graph):
        self.data = graph
        rows, columns, _ = graph.edges()
        self.graph = nk.GraphFromCoo((rows, columns), n=graph.vertices)
        self.for_kernel = None

    def prepare(self, kernel, _):
        if kernel == "sssp":
            rows, columns, chosen = self.data.edges()
            weights = (np.ones(len(chosen)) if self.data.weights is None else
                       self.data.weights[chosen].astype(np.float64))
            self.for_kernel = nk.GraphFromCoo((weights, (rows, columns)), n=self.data.vertices,
                                              weighted=True)
        elif kernel.startswith("pagerank"):
            # Only of directed graphs it spreads the ranks of vertices without edges.
            self.for_kernel = nk.GraphFromCoo((self.data.rows(), np.array(self.data.targets)),
                                              n=self.data.vertices, directed=True)

    def forget(self):
        self.for_kernel = None

    def bfs(self, source):
        return nk.distance.BFS(self.graph, source, False).run, distances_of

    def sssp(self, source):
        return nk.distance.Dijkstra(self.for_kernel, source, False).run, distances_of

    def ranks(self, tolerance, iterations):
        algorithm = nk.centrality.PageRank(
            self.for_kernel, damp=0.85, tol=tolerance,
            distributeSinks=nk.centrality.SinkHandling.DistributeSinks)
        algorithm.norm = nk.centrality.Norm.l1norm
        algorithm.maxIterations = iterations
        return algorithm.run, lambda ran: ran.scores(asarray=True)

    def pagerank20(self, _):
        return self.ranks(0, 20)

    def pagerank(self, _):
        return self.ranks(TOLERANCE, MOST_ITERATIONS)

    def cc(self, _):
        # ParallelConnectedComponents takes many times as long.
        return (nk.components.ConnectedComponents(self.graph).run,
                lambda ran: ran.getPartition().getVector())

    def triangles(self, _):
        """By the share of each vertex's pairs of neighbors that are joined."""
        degrees = self.data.degrees()

        def count(ran):
            pairs = degrees * (degrees - 1) / 2
            return [np.rint(ran.scores(asarray=True) * pairs).sum() / 3]

        return nk.centrality.LocalClusteringCoefficient(self.graph, True).run, count
