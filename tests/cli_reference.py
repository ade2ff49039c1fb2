"""The kernels' definitions once more, by NetworkX and SciPy, for the tests to compare with.

A graph is a list of (source, target) pairs with the vertices' names, and whether it is directed.
"""

import collections
import functools
import gzip
import heapq
import itertools
import warnings
from pathlib import Path

import networkx
import numpy
import scipy.sparse
import scipy.sparse.csgraph

warnings.filterwarnings("ignore", category=DeprecationWarning, module="networkx")


def simple(matrix):
    """Its entries once each, and none on the diagonal."""
    matrix = matrix.sign()
    matrix = (matrix - scipy.sparse.diags(matrix.diagonal())).tocsr()
    matrix.eliminate_zeros()
    return matrix


class Reference:
    def __init__(self, edges, directed, vertices=(), weights=None):
        """Vertices without edges are named separately; every edge weighs 1 unless said."""
        self.weights = weights or [1] * len(edges)
        self.names = sorted({v for edge in edges for v in edge} | set(vertices))
        self.index = {name: i for i, name in enumerate(self.names)}
        self.directed = directed
        self.edges = list(edges)
        rows = [self.index[u] for u, _ in edges]
        columns = [self.index[v] for _, v in edges]
        n = len(self.names)
        matrix = scipy.sparse.coo_matrix((numpy.ones(len(rows)), (rows, columns)), (n, n)).tocsr()
        if not directed:
            # A self-loop is one arc, not two.
            matrix = matrix + matrix.T - scipy.sparse.diags(matrix.diagonal())
        self.matrix = matrix  # entry (u, v): how many arcs go from u to v

    def bfs(self, source):
        """{name: depth}, numpy's inf where unreachable."""
        simple = self.matrix.sign()
        depth = scipy.sparse.csgraph.shortest_path(simple, method="D", unweighted=True,
                                                   indices=self.index[source])
        return dict(zip(self.names, depth))

    def networkx_bfs(self, source):
        """{name: depth} of the vertices that are reached."""
        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.edges)
        return networkx.single_source_shortest_path_length(graph, source)

    def cdlp(self, iterations):
        """{name: label} after so many rounds, as LDBC Graphalytics defines them."""
        arcs = list(self.edges)
        arcs += [(v, u) for u, v in self.edges if self.directed or u != v]
        around = {v: [] for v in self.names}
        for u, v in arcs:
            around[u].append(v)
        label = {v: v for v in self.names}
        for _ in range(iterations):
            rounds = {}
            for v, neighbors in around.items():
                counts = collections.Counter(label[w] for w in neighbors)
                rounds[v] = min(counts, key=lambda l: (-counts[l], l)) if counts else label[v]
            label = rounds
        return label

    def distances(self, source):
        """{name: distance} of the vertices that are reached."""
        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from(self.names)
        for (u, v), weight in zip(self.edges, self.weights):
            if not graph.has_edge(u, v) or graph[u][v]["weight"] > weight:
                graph.add_edge(u, v, weight=weight)
        return networkx.single_source_dijkstra_path_length(graph, source)

    def betweenness(self, sources):
        """{name: score} of the simple graph, from the sources only; undirected ones are halved."""
        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.edges)
        score = networkx.betweenness_centrality_subset(graph, sources, self.names)
        return {name: score[name] for name in self.names}

    def components(self):
        """{name: smallest name in its component}."""
        _, label = scipy.sparse.csgraph.connected_components(self.matrix, directed=True,
                                                             connection="weak")
        smallest = {}
        for name in self.names:
            smallest.setdefault(label[self.index[name]], name)
        return {name: smallest[label[self.index[name]]] for name in self.names}

    @functools.cached_property
    def neighborhoods(self):
        """Joined by an edge in either direction, each once, by index; no self-loops."""
        return simple(self.matrix + self.matrix.T)

    def triangles(self):
        """{name: how many it is part of}; directions do not count."""
        near = self.neighborhoods
        paths = (near @ near).multiply(near).sum(axis=1)
        return {name: round(paths[i, 0]) // 2 for i, name in enumerate(self.names)}

    def networkx_triangles(self):
        graph = networkx.from_scipy_sparse_array(self.neighborhoods)
        return {self.names[i]: count for i, count in networkx.triangles(graph).items()}

    def networkx_clustering(self):
        """(global, average)"""
        graph = networkx.from_scipy_sparse_array(self.neighborhoods)
        return networkx.transitivity(graph), networkx.average_clustering(graph)

    def core_numbers(self):
        """{name: core number}; directions do not count. Who has fewest neighbors left goes next."""
        near = self.neighborhoods
        left = numpy.diff(near.indptr)
        queue = [(degree, v) for v, degree in enumerate(left.tolist())]
        heapq.heapify(queue)
        core = {}
        most = 0
        while queue:
            degree, v = heapq.heappop(queue)
            if v in core:
                continue
            core[v] = most = max(most, degree)
            for w in near.indices[near.indptr[v]:near.indptr[v + 1]].tolist():
                if w not in core:
                    left[w] -= 1
                    heapq.heappush(queue, (int(left[w]), w))
        return {name: core[i] for i, name in enumerate(self.names)}

    def networkx_core_numbers(self):
        graph = networkx.from_scipy_sparse_array(self.neighborhoods)
        return {self.names[i]: k for i, k in networkx.core_number(graph).items()}

    def trusses(self):
        """({name: truss number}, {k: edges of the k-truss}); directions do not count."""
        graph = networkx.from_scipy_sparse_array(self.neighborhoods)
        truss = dict.fromkeys(self.names, 0)
        edges = {}
        for k in itertools.count(2):
            graph = networkx.k_truss(graph, k)
            if graph.number_of_edges() == 0:
                return truss, edges
            edges[k] = graph.number_of_edges()
            truss.update((self.names[i], k) for i, degree in graph.degree() if degree > 0)

    def spanning_forest(self):
        """[(u, v, weight)], u < v, in ascending order; directions do not count. Where weights are
        equal, edges with the smaller ends are preferred."""
        lightest = {}
        for (u, v), weight in zip(self.edges, self.weights):
            if u != v:
                edge = (min(u, v), max(u, v))
                lightest[edge] = min(weight, lightest.get(edge, weight))
        order = sorted((weight, *edge) for edge, weight in lightest.items())
        graph = networkx.Graph()
        # NetworkX sorts edges by their weight only: here, by their place in the order.
        graph.add_weighted_edges_from((u, v, i) for i, (_, u, v) in enumerate(order))
        forest = networkx.minimum_spanning_edges(graph, algorithm="kruskal", data=False)
        edges = ((min(u, v), max(u, v)) for u, v in forest)
        return sorted((*edge, lightest[edge]) for edge in edges)

    def degrees(self):
        """({name: out-degree}, {name: in-degree}), which of undirected graphs are the same."""
        out = numpy.asarray(self.matrix.sum(axis=1)).ravel().astype(int).tolist()
        into = numpy.asarray(self.matrix.sum(axis=0)).ravel().astype(int).tolist()
        return dict(zip(self.names, out)), dict(zip(self.names, into))

    def lcc(self):
        """{name: coefficient}, by LDBC Graphalytics' definition."""
        near = self.neighborhoods
        between = (near @ simple(self.matrix)).multiply(near).sum(axis=1)
        size = numpy.asarray(near.sum(axis=1)).ravel()
        return {name: between[i, 0] / (size[i] * (size[i] - 1)) if size[i] > 1 else 0.0
                for i, name in enumerate(self.names)}

    def pagerank(self, iterations, damping=0.85):
        """{name: rank} after exactly so many iterations from 1/n."""
        n = len(self.names)
        degree = numpy.asarray(self.matrix.sum(axis=1)).ravel()
        scale = numpy.divide(1.0, degree, out=numpy.zeros(n), where=degree > 0)
        transposed = (scipy.sparse.diags(scale) @ self.matrix).T.tocsr()
        rank = numpy.full(n, 1.0 / n)
        for _ in range(iterations):
            dangling = rank[degree == 0].sum()
            rank = (1 - damping) / n + damping * (transposed @ rank + dangling / n)
        return dict(zip(self.names, rank))

    def networkx_pagerank(self, damping=0.85):
        """{name: rank}, converged; equal edges count as often as they stand."""
        graph = networkx.from_scipy_sparse_array(self.matrix, create_using=networkx.DiGraph)
        rank = networkx.pagerank(graph, alpha=damping, tol=1e-12, max_iter=1000)
        return {self.names[i]: value for i, value in rank.items()}


def read_edges(path, separator=None):
    """The edges of a text file, as pairs of integers; comments and further columns are left out."""
    path = Path(path)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as lines:
        return [tuple(map(int, line.split(separator)[:2]))
                for line in lines if not line.startswith(("#", "%"))]


def read_weights(path):
    """The third column of a text file."""
    with open(path) as lines:
        return [float(line.split()[2]) for line in lines if not line.startswith(("#", "%"))]


def read_metis(path):
    """Edges (each once) and vertices of an unweighted METIS file."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt") as lines:
        rows = [line.split() for line in lines if not line.startswith("%")]
    count = int(rows[0][0])
    edges = [(u, int(v)) for u, row in enumerate(rows[1:], 1) for v in row if u <= int(v)]
    return edges, range(1, count + 1)
