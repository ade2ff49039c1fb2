"""SuiteSparse:GraphBLAS, through python-graphblas.

GraphBLAS is operations and no algorithms. These are the formulations of LAGraph, its library of
algorithms in C (G. Szarnyas et al., "LAGraph: Linear Algebra, Network Analysis Libraries, and the
Study of Graph Algorithms", GrAPL 2021), for the symmetric matrix of an undirected graph. Each
operation comes from Python and takes some 20 microseconds more for that: it shows where a graph has
many levels.
"""

import os

import graphblas

# Blocking: a call has done its work when it returns.
graphblas.init("suitesparse", blocking=True)

import numpy as np  # noqa: E402
from graphblas import Matrix, Vector, binary, monoid, select, semiring, unary  # noqa: E402

DAMPING = 0.85
TOLERANCE = 1e-4
MOST_ITERATIONS = 1000

# When a search goes bottom-up and back.
ALPHA = 8
GROWN = 8    # the frontier is more than a GROWN-th of the vertices
SHRUNK = 512


def dense(vector, missing):
    """The vector as an array, with `missing` where it has no value."""
    indices, values = vector.to_coo()
    array = np.full(vector.size, missing, dtype=np.float64)
    array[indices] = values
    return array


class System:
    NAME = (f"SuiteSparse:GraphBLAS {'.'.join(map(str, graphblas.ss.about['library_version']))}, "
            f"python-graphblas {graphblas.__version__}")
    LACKS = {}

    def __init__(self, graph):
        graphblas.ss.config["nthreads"] = int(os.environ["OMP_NUM_THREADS"])
        self.data = graph
        self.n = graph.vertices
        self.matrix = self.make(True, bool)
        self.degree = self.matrix.reduce_rowwise(monoid.plus[int]).new()
        self.light = self.heavy = None

    def make(self, values, dtype):
        return Matrix.from_csr(self.data.offsets, self.data.targets, values, dtype,
                               nrows=self.n, ncols=self.n)

    def prepare(self, kernel, delta):
        if kernel == "sssp":
            self.split_by_weight(delta)

    def forget(self):
        self.light = self.heavy = None

    # Breadth-first search: parents, direction-optimizing. The depths are told from the frontiers.

    def bfs(self, source):
        def depths(frontiers):
            depth = np.full(self.n, np.inf)
            for level, frontier in enumerate(frontiers):
                depth[frontier.to_coo(values=False)[0]] = level
            return depth

        return lambda: self.search(source)[1], depths

    def search(self, source):
        parent = self.dense_vector(np.int32)
        frontier = Vector(np.int32, self.n)
        parent[source] = frontier[source] = source
        frontiers = [frontier]
        size, last_size = 1, 0
        unexplored = self.matrix.nvals
        push, has_pulled = True, False
        while True:
            if not push:
                push = size <= last_size and size <= self.n / SHRUNK
            elif has_pulled:
                push = size <= last_size or size <= self.n / GROWN
            elif unexplored >= self.n:
                edges = binary.second(frontier & self.degree).new().reduce(monoid.plus).get(0)
                unexplored -= edges
                push = size <= last_size or edges <= unexplored / ALPHA
            has_pulled = has_pulled or not push
            frontier.ss.config["sparsity_control"] = "sparse" if push else "bitmap"
            product = frontier @ self.matrix if push else self.matrix @ frontier
            frontier = semiring.any_secondi(product).new(np.int32, mask=~parent.S)
            last_size, size = size, frontier.nvals
            if size == 0:
                return parent, frontiers
            frontiers.append(frontier)
            parent(frontier.S) << frontier

    def dense_vector(self, dtype):
        """An empty one that is going to be dense."""
        vector = Vector(dtype, self.n)
        vector.ss.config["sparsity_control"] = {"bitmap", "full"}
        return vector

    # Shortest paths: delta-stepping. The matrices of light and heavy edges are made beforehand.

    def split_by_weight(self, delta):
        """By default one bucket has all vertices: no width that was tried took less time."""
        if self.data.weights is None:
            greatest, is_integer = 1, True
        else:
            greatest = self.data.weights.max().item()
            is_integer = self.data.weights.dtype.kind == "u"
        self.beyond = greatest * self.n + 1  # no path is as long
        dtype = np.float64 if not is_integer else np.int32 if self.beyond < 2 ** 31 else np.int64
        weights = self.make(1 if self.data.weights is None else self.data.weights.astype(dtype),
                            dtype)
        width = delta or self.beyond
        self.delta = min(max(int(width), 1) if is_integer else width, self.beyond)
        self.light = weights.select("<=", self.delta).new()
        self.heavy = weights.select(">", self.delta).new()

    def sssp(self, source):
        return lambda: self.paths(source), lambda distance: dense(distance, np.inf)

    def paths(self, source):
        dtype = self.light.dtype
        distance = self.dense_vector(dtype)
        distance[source] = 0
        waiting = Vector(bool, self.n)  # reached, and with edges that are still to be relaxed
        waiting[source] = True
        while waiting.nvals > 0:
            near = Vector(dtype, self.n)
            near(waiting.S) << distance
            bucket = near.reduce(monoid.min).get(0) // self.delta
            end = min((bucket + 1) * self.delta, self.beyond)
            near << near.select("<", end)
            settled = Vector(bool, self.n)
            while near.nvals > 0:
                settled(near.S) << True
                nearer = self.relax(near, self.light, distance, waiting)
                near = nearer.select("<", end).new()
            near(settled.S, replace=True) << distance
            waiting(~settled.S, replace=True) << waiting
            self.relax(near, self.heavy, distance, waiting)
        return distance

    @staticmethod
    def relax(near, edges, distance, waiting):
        """Relaxes those edges; the vertices that are nearer now, with their distances."""
        reached = semiring.min_plus(near @ edges).new()
        known = binary.lt(reached & distance).new()
        # Nearer than they were, or reached for the first time.
        nearer = Vector(reached.dtype, reached.size)
        nearer(~distance.S) << reached
        nearer(known.V) << reached
        distance(nearer.S) << nearer
        waiting(nearer.S) << True
        return nearer

    # PageRank: from one iteration to the next.

    def pagerank20(self, _):
        return lambda: self.ranks(0, 20), lambda rank: dense(rank, 0)

    def pagerank(self, _):
        return lambda: self.ranks(TOLERANCE, MOST_ITERATIONS), lambda rank: dense(rank, 0)

    def ranks(self, tolerance, iterations):
        n = self.n
        divisor = Vector(np.float64, n)
        divisor << unary.identity[float](self.degree.apply(binary.times, right=1 / DAMPING))
        isolated = Vector(bool, n)
        isolated(~self.degree.S) << True
        rank = Vector(np.float64, n)
        rank << 1 / n
        for _ in range(iterations):
            before = rank
            given = binary.truediv(before & divisor).new()
            idle = Vector(np.float64, n)
            idle(isolated.S) << before
            everybody = ((1 - DAMPING) + DAMPING * idle.reduce(monoid.plus).get(0)) / n
            rank = Vector(np.float64, n)
            rank << everybody
            rank(binary.plus) << semiring.plus_second(self.matrix @ given)
            change = unary.abs(binary.minus(before & rank)).new().reduce(monoid.plus).get(0)
            if change < tolerance:
                break
        return rank

    # Connected components: FastSV (Y. Zhang, A. Azad, Z. Hu, "FastSV: A distributed-memory
    # connected component algorithm with fast convergence", SIAM PP 2020).

    def cc(self, _):
        return self.components, lambda parent: parent

    def components(self):
        n = self.n
        parent = np.arange(n, dtype=np.uint64)
        offsets = np.arange(n + 1, dtype=np.uint64)
        grandparent = Vector.from_dense(parent)
        while True:
            # The least grandparent of a neighbor: it goes to the parent, to oneself, to the former.
            least = Vector.from_dense(parent)
            least(binary.min) << semiring.min_second(self.matrix @ grandparent)
            to_parent = Matrix.from_csr(offsets, parent, True, bool, ncols=n)
            hooked = Vector.from_dense(parent)
            hooked(binary.min) << semiring.min_second(to_parent.T @ least)
            hooked << binary.min(hooked & least)
            hooked << binary.min(hooked & grandparent)
            parent = hooked.to_dense()
            last = grandparent
            grandparent = Vector.from_dense(parent[parent])
            if grandparent.isequal(last):
                return parent

    # Betweenness centrality: Brandes' algorithm.

    def bc(self, source):
        return lambda: self.dependencies(source), lambda score: dense(score, 0) / 2

    def dependencies(self, source):
        n = self.n
        paths = self.dense_vector(np.float64)
        frontier = Vector(np.float64, n)
        paths[source] = frontier[source] = 1
        levels = []
        while frontier.nvals > 0:
            levels.append(frontier)
            frontier = self.step(frontier, ~paths.S)
            paths(frontier.S) << frontier
        score = Vector(np.float64, n)
        score << 1
        for level in range(len(levels) - 1, 1, -1):
            shares = binary.truediv(score & paths).new(mask=levels[level].S)
            back = self.step(shares, levels[level - 1].S)
            score(binary.plus) << binary.times(back & paths)
        score(binary.minus) << 1.0
        score[source] = 0
        return score

    def step(self, vector, mask):
        """The sums over the neighbors where the mask is: pushed, or pulled by the others."""
        if vector.nvals < self.n / GROWN:
            return semiring.plus_first(vector @ self.matrix).new(mask=mask)
        return semiring.plus_second(self.matrix @ vector).new(mask=mask)

    # Triangles: pairs of edges to smaller vertices that a third joins, in order of degree where that
    # is uneven.

    def triangles(self, _):
        return self.count_triangles, lambda count: [count]

    def count_triangles(self):
        degrees = self.data.degrees()
        matrix = self.matrix
        if degrees.mean() > 4 * np.median(degrees[degrees > 0]):
            order = np.argsort(degrees, kind="stable")
            matrix = matrix[order, order].new()
        lower = select.tril(matrix, -1).new()
        upper = select.triu(matrix, 1).new()
        count = semiring.plus_pair[np.int64](lower @ upper.T).new(mask=lower.S)
        return count.reduce_scalar(monoid.plus).get(0)
