"""What the Python package takes, beside what people use instead of it.

    python_package.py networkx [--scale N | --graph FILE] [--trials N]
                                                            NetworkX's functions by the backend
    python_package.py arrays [--elements N] [--updates N]   random reads and updates beside NumPy
    python_package.py building [--scale N] [--trials N]     graphs from arrays and from SciPy
    python_package.py calls                                 importing, a call, an idle session

Prints a line for each figure, "LABEL: FIGURE" in seconds, unless the label says otherwise; the lines
of a peer have its name behind that of the function. Each answer is compared with that of every peer before
a time is told, and another one is an error. The package is the one that PYTHONPATH or the environment
has.
"""

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np

SOURCES = 16  # of betweenness
SEED = 1      # of their choice
NX_TOLERANCE = 1e-6  # NetworkX's default, for each vertex


def timed(call, trials=1):
    """The median of the seconds, and the last answer."""
    seconds = []
    for _ in range(trials):
        answer = None  # freeing the last one is not of this call
        start = time.perf_counter()
        answer = call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), answer


def tell(label, figure):
    print(f"{label}: {figure:.6g}", flush=True)


def require(right, label):
    if not right:
        raise SystemExit(f"python_package.py: {label}: another answer than the peer's")


# ---- NetworkX's functions


def bench_networkx(options):
    import grappa as gp
    import networkx as nx

    graph = matrix_of(gp.read(options.graph) if options.graph else gp.kron(options.scale, seed=1))
    nxg = nx.from_scipy_sparse_array(graph, edge_attribute="of")
    for _, _, data in nxg.edges(data=True):
        data.clear()
    n = nxg.number_of_nodes()
    source = int(np.argmax(np.diff(graph.indptr)))
    sources = random.Random(SEED).sample(range(n), SOURCES)  # those that NetworkX takes
    tell("conversion from NetworkX, seconds a million edges",
         timed(lambda: gp.from_networkx(nxg))[0] * 1e6 / nxg.number_of_edges())

    functions = {
        "pagerank": lambda b: nx.pagerank(nxg, backend=b),
        "components": lambda b: list(nx.connected_components(nxg, backend=b)),
        "triangles": lambda b: nx.triangles(nxg, backend=b),
        "clustering": lambda b: nx.clustering(nxg, backend=b),
        "core numbers": lambda b: nx.core_number(nxg, backend=b),
        "shortest paths": lambda b: nx.single_source_dijkstra_path_length(nxg, source, backend=b),
        "betweenness": lambda b: nx.betweenness_centrality(nxg, k=SOURCES, seed=SEED, backend=b),
    }
    ours = {}
    for name, function in functions.items():
        function("grappa")  # converts
        seconds, answer = timed(lambda: function("grappa"), options.trials)
        ours[name] = by_vertex(name, answer, n)
        theirs, answer = timed(lambda: function("networkx"))
        require_same(name, ours[name], by_vertex(name, answer, n), name)
        tell(name, seconds)
        tell(f"{name} NetworkX", theirs)
    ours["betweenness"] *= halved_sums(sources, n)
    for peer, calls in (("igraph", igraph_calls), ("NetworKit", networkit_calls),
                        ("GraphBLAS", graphblas_calls)):
        for name, call, values in calls(Rows(graph), source, sources):
            seconds, answer = timed(call, options.trials)
            require_same(name, ours[name], np.asarray(values(answer), float), f"{name} {peer}")
            tell(f"{name} {peer}", seconds)


def matrix_of(graph):
    """Where the graph has edges: undirected, each once, without self-loops."""
    matrix = graph.to_scipy()
    matrix = (matrix + matrix.T).tocsr()
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    matrix.data[:] = 1
    return matrix


def by_vertex(name, answer, n):
    """What NetworkX answers, as an array; of components the least vertex."""
    values = np.full(n, np.inf if name == "shortest paths" else np.nan)
    if name == "components":
        for component in answer:
            values[list(component)] = min(component)
    else:
        values[list(answer)] = list(answer.values())
    return values


def least_vertices(labels):
    """Of each vertex the least one that has the same label."""
    _, first, component = np.unique(labels, return_index=True, return_inverse=True)
    return first[component]


def halved_sums(sources, n):
    """What NetworkX's scores by samples are to be multiplied with, for half of the sum over all."""
    factors = np.full(n, SOURCES / (n - 1))
    factors[sources] = (SOURCES - 1) / (n - 1)
    return factors * (n - 1) * (n - 2) / 2


def require_same(name, ours, theirs, label):
    if name == "triangles" and len(theirs) == 1:  # of all vertices
        ours = np.array([ours.sum() / 3])
    if name == "pagerank":  # both stop when an iteration changes less than that
        is_same = np.abs(ours - theirs).sum() <= 2 * len(ours) * NX_TOLERANCE
    else:
        is_same = np.allclose(ours, theirs)
    require(is_same, label)


class Rows:
    """An undirected graph as the modules of the peers take it (graph_arrays.py)."""

    def __init__(self, matrix):
        from graph_arrays import Graph

        matrix.sort_indices()
        self.vertices = matrix.shape[0]
        self.offsets = matrix.indptr.astype(np.uint64)
        self.targets = matrix.indices.astype(np.uint32)
        self.weights = None
        for method in ("degrees", "rows", "edges"):
            setattr(self, method, getattr(Graph, method).__get__(self))


# Of each peer: functions, calls, and what makes values of the vertices of their answers.


def igraph_calls(rows, source, sources):
    import igraph_system

    graph = igraph_system.System(rows).graph
    yield "pagerank", lambda: graph.pagerank(damping=0.85), as_they_are
    yield "components", graph.connected_components, lambda found: least_vertices(found.membership)
    yield "clustering", lambda: graph.transitivity_local_undirected(mode="zero"), as_they_are
    yield "core numbers", graph.coreness, as_they_are
    yield "shortest paths", lambda: graph.distances(source=source), lambda found: found[0]
    yield "betweenness", lambda: graph.betweenness(sources=sources), as_they_are


def as_they_are(values):
    return values


def networkit_calls(rows, source, _):
    import networkit as nk
    import networkit_system

    nk.setNumberOfThreads(len(os.sched_getaffinity(0)))
    system = networkit_system.System(rows)
    plain = system.graph
    pairs = rows.degrees() * (rows.degrees() - 1) // 2

    def coefficients(ran):
        return np.where(pairs > 0, ran.scores(asarray=True), 0)

    system.prepare("pagerank", 0)
    yield "pagerank", *system.ranks(rows.vertices * NX_TOLERANCE, 100)
    yield ("components", nk.components.ConnectedComponents(plain).run,
           lambda ran: least_vertices(ran.getPartition().getVector()))
    local = nk.centrality.LocalClusteringCoefficient(plain, True)
    yield "triangles", local.run, lambda ran: np.rint(coefficients(ran) * pairs)
    yield "clustering", local.run, coefficients
    yield ("core numbers", nk.centrality.CoreDecomposition(plain).run,
           lambda ran: ran.scores(asarray=True))
    system.prepare("sssp", 0)
    yield "shortest paths", *system.sssp(source)


def graphblas_calls(rows, source, sources):
    os.environ.setdefault("OMP_NUM_THREADS", str(len(os.sched_getaffinity(0))))
    import graphblas_system

    def sum_of_scores(vectors):
        return sum(graphblas_system.dense(score, 0) for score in vectors) / 2

    system = graphblas_system.System(rows)
    yield ("pagerank", lambda: system.ranks(rows.vertices * NX_TOLERANCE, 100),
           lambda rank: graphblas_system.dense(rank, 0))
    yield "components", system.components, least_vertices
    yield "triangles", *system.triangles(0)
    system.prepare("sssp", 0)
    yield "shortest paths", *system.sssp(source)
    yield "betweenness", lambda: [system.dependencies(each) for each in sources], sum_of_scores


# ---- arrays


def bench_arrays(options):
    import grappa as gp

    indices = np.random.default_rng(1).integers(0, options.elements, options.updates)
    theirs = np.zeros(options.elements, np.int64)
    theirs[:] = 1  # its memory is there
    ours = gp.zeros(options.elements, "int64")
    ours[:] = 1

    def update():
        ours[indices] += 1

    for label, mine, peer in (
            ("update", update, lambda: np.add.at(theirs, indices, 1)),
            ("take", lambda: ours[indices].to_numpy(), lambda: theirs.take(indices))):
        pairs = [(timed(mine)[0], timed(peer)[0]) for _ in range(options.trials)]
        tell(label, statistics.median(pair[0] for pair in pairs))
        tell(f"{label} NumPy", statistics.median(pair[1] for pair in pairs))
        if label == "update":
            tell("updates, millions a second",
                 options.updates / statistics.median(pair[0] for pair in pairs) / 1e6)
    require(np.array_equal(ours[indices].to_numpy(), theirs.take(indices)), "take")
    require(np.array_equal(ours.to_numpy(), theirs), "update")


# ---- graphs from arrays


def bench_building(options):
    import grappa as gp

    graph = gp.kron(options.scale)
    sources, targets = graph.edge_arrays()[:2]
    rows = graph.to_scipy()
    vertices, edges = graph.vertices, graph.info()["edges"]
    del graph

    def build(make):
        made = make()
        made.degrees()  # which has it built
        return made

    for label, make in (
            ("from_edges",
             lambda: gp.from_edges(sources, targets, vertices=vertices, directed=False)),
            ("from_scipy", lambda: gp.from_scipy(rows, directed=False))):
        seconds, made = timed(lambda: build(make), options.trials)
        tell(label, seconds)
        require(made.vertices == vertices and made.info()["edges"] == edges, label)


# ---- calls


def bench_calls(_):
    def seconds_of(program):
        return timed(lambda: subprocess.run([sys.executable, "-c", program], check=True), 7)[0]

    # Without NumPy, which it needs, as nearly every program has that already.
    tell("import", seconds_of("import grappa") - seconds_of("import numpy"))
    import grappa as gp
    from grappa import sessions

    session = sessions.current()
    nothing = session._made.nothing
    nothing()
    calls = 20_000
    tell("a call, microseconds",
         timed(lambda: [nothing() for _ in range(calls)], 5)[0] / calls * 1e6)
    gp.kron(4).degrees()
    before = resource.getrusage(resource.RUSAGE_SELF)
    time.sleep(3)
    after = resource.getrusage(resource.RUSAGE_SELF)
    tell("processor time of an idle session, milliseconds a second",
         (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 3 * 1e3)
    tell("memory of an idle session, MiB", sessions._resident_bytes() / 2**20)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_subparsers(required=True)
    for name, bench, defaults in (
            ("networkx", bench_networkx, {"scale": 16, "trials": 5}),
            ("arrays", bench_arrays, {"elements": 1 << 27, "updates": 1 << 24, "trials": 5}),
            ("building", bench_building, {"scale": 20, "trials": 5}),
            ("calls", bench_calls, {})):
        one = what.add_parser(name)
        one.set_defaults(bench=bench)
        for option, default in defaults.items():
            one.add_argument(f"--{option}", type=int, default=default)
        if bench is bench_networkx:
            one.add_argument("--graph", metavar="FILE", help="instead of a Kronecker graph")
    warnings.simplefilter("ignore")
    options = parser.parse_args()
    options.bench(options)


if __name__ == "__main__":
    main()
