"""NetworkX's functions by Grappa's kernels, as a backend that NetworkX finds by itself.

    nx.pagerank(G, backend="grappa")
    nx.config.backend_priority = ["grappa"]        # wherever it can

Each function has the name, the arguments and the result of NetworkX's own; what it cannot do is said
before, by can_run. Graphs are converted once and kept (nx.config.cache_converted_graphs).
"""

import math
import re
import sys

import networkx as nx
import numpy as np

from grappa import _grappa
from grappa.graphs import from_networkx


class BackendGraph:
    """A NetworkX graph with the graphs that Grappa has of it: without weights, and with those that
    a function asks for."""

    __networkx_backend__ = "grappa"

    def __init__(self, graph):
        self.nodes = list(graph)
        self.original = graph
        self._made = {}
        self._like = dict.fromkeys(self.nodes)  # what is made of it
        self._array = None
        self._reversed = None

    @property
    def graph(self):
        return self.weighted(None)

    def weighted(self, weight):
        """With the weights that an attribute of the edges has."""
        if weight not in self._made:
            self._made[weight] = from_networkx(self.original, weight)
        return self._made[weight]

    def reversed(self):
        """With the edges turned round."""
        if not self.is_directed():
            return self
        if self._reversed is None:
            self._reversed = BackendGraph(self.original.reverse(copy=False))
        return self._reversed

    def is_directed(self):
        return self.original.is_directed()

    def is_multigraph(self):
        return self.original.is_multigraph()

    def by_node(self, values):
        """A dict of the nodes and these values of theirs."""
        return _grappa.dict_by_node(self._like, self.nodes, values)

    def nodes_of(self, numbers):
        """The nodes with these numbers, a list."""
        if self._array is None:
            self._array = np.fromiter(self.nodes, dtype=object, count=len(self.nodes))
        return self._array[numbers].tolist()


_FUNCTIONS = {}


def _function(can_run=lambda graph, *args, **kwargs: True, notes=None,
              should_run=lambda graph, *args, **kwargs: True):
    """A function of the backend. can_run(graph, arguments…): True, or why not; should_run: of a graph
    that is large enough, whether it is faster."""
    def add(function):
        function.can_run = can_run
        function.should_run = should_run
        _FUNCTIONS[function.__name__] = {"additional_docs": notes} if notes else {}
        setattr(Backend, function.__name__, staticmethod(function))
        return function
    return add


class Backend:
    """What NetworkX asks for conversions and functions."""

    @staticmethod
    def convert_from_nx(graph, *, edge_attrs=None, node_attrs=None, preserve_edge_attrs=False,
                        preserve_node_attrs=False, preserve_graph_attrs=False, preserve_all_attrs=False,
                        name=None, graph_name=None):
        return BackendGraph(graph)

    @staticmethod
    def convert_to_nx(result, *, name=None):
        return result.original if isinstance(result, BackendGraph) else result

    @staticmethod
    def can_run(name, args, kwargs):
        """True, or the reason why not."""
        return getattr(Backend, name).can_run(*args, **kwargs)

    @staticmethod
    def should_run(name, args, kwargs):
        """Whether it is worth the conversion."""
        graph = _original(args[0] if args else kwargs["G"])
        missing = _WORTH if graph.is_directed() else 2 * _WORTH  # ends of edges
        for _, neighbors in graph.adjacency():
            missing -= len(neighbors)
            if missing <= 0:
                return getattr(Backend, name).should_run(*args, **kwargs)
        return f"fewer than {_WORTH} edges"


_NETWORKX = tuple(map(int, re.findall(r"\d+", nx.__version__)[:2]))
_WORTH = 1_000  # edges; below, NetworkX is done before a graph is converted


def get_info():
    """For NetworkX."""
    return {"backend_name": "grappa", "project": "grappa", "package": "grappa",
            "short_summary": "Graph kernels on all cores, on one machine", "functions": _FUNCTIONS}


# ---- what graphs and arguments must be like


def _original(graph):
    return graph.original if isinstance(graph, BackendGraph) else graph


def _simple(graph, *args, **kwargs):
    return not graph.is_multigraph() or "of a multigraph it is not defined here"


def _undirected(graph, *args, **kwargs):
    if graph.is_directed():
        return "of a directed graph NetworkX counts otherwise"
    return _simple(graph)


def _known(graph, name, find):
    """find(graph), which looks at all edges; kept until NetworkX sees the graph change, as converted
    graphs are."""
    graph = _original(graph)
    cache = getattr(graph, "__networkx_cache__", None)
    if cache is None or not nx.config.cache_converted_graphs:
        return find(graph)
    known = cache.setdefault("grappa", {})
    if name not in known:
        known[name] = find(graph)
    return known[name]


def _has_weights(graph, weight):
    """Whether an edge has a weight that is not 1."""
    return weight is not None and _known(graph, ("has weights", weight), lambda graph: any(
        data.get(weight, 1) != 1 for _, _, data in graph.edges(data=True)))


def _are_ones(graph, weight):
    """Whether each edge weighs the integer 1, as one does that has no weight: then a path is as long
    as it has edges."""
    def is_one(value):
        return type(value) is int and value == 1
    return weight is None or _known(graph, ("are ones", weight), lambda graph: all(
        is_one(data.get(weight, 1)) for _, _, data in graph.edges(data=True)))


def _has_self_loops(graph):
    return _known(graph, "has self-loops", lambda graph: nx.number_of_selfloops(graph) > 0)


def _number_weights(graph, weight, least):
    """Whether all weights are numbers from `least` on, and finite; or why not."""
    if callable(weight) or isinstance(weight, nx.Graph):
        return "weights that are computed are not known"

    def are_numbers(graph):
        values = (data.get(weight, 1) for _, _, data in graph.edges(data=True))
        return all(isinstance(value, (int, float, np.number)) and least <= value < math.inf
                   for value in values)
    if _known(graph, ("number weights", weight, least), are_numbers):
        return True
    return "weights that are not numbers" + (" from 0 on" if least == 0 else "")


def _require_node(graph, node, end="Source"):
    if node not in _original(graph):
        raise nx.NodeNotFound(f"{end} {node} is not in G")


# ---- ranks and centrality


def _pagerank_can_run(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None,
                      weight="weight", dangling=None):
    if personalization is not None or nstart is not None or dangling is not None:
        return "personalization, nstart and dangling are not known"
    if not 0 <= alpha <= 1 or max_iter < 1:
        return "an alpha that is no probability"
    if _has_weights(G, weight):
        return "weights are not taken into account"
    return _simple(G)


@_function(_pagerank_can_run, "Without personalization, and where no edge has a weight.")
def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None,
             weight="weight", dangling=None):
    if len(G.nodes) == 0:
        return {}
    found = G.graph.pagerank(damping=alpha, iterations=max_iter,
                             tolerance=min(2.0, len(G.nodes) * tol))
    if not found.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(found.values)


def _betweenness_can_run(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    if weight is not None or endpoints:
        return "weights and endpoints are not taken into account"
    if k == 0:
        return "a sample of no nodes"
    if k is not None and _NETWORKX < (3, 5):
        return "NetworkX scaled samples otherwise before 3.5"
    if _has_self_loops(G):
        return "self-loops"
    return _simple(G)


@_function(_betweenness_can_run, "Without weights and endpoints.")
def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    nodes = G.nodes
    is_exact = k is None or k == len(nodes)
    sampled = nodes if is_exact else seed.sample(list(nodes), k)
    if not nodes:
        return {}
    found = G.graph.bc(exact=True) if is_exact else G.graph.bc(sources=sampled)
    # Scores are halved where edges have no direction, and NetworkX's scaling begins with the sums.
    sums = found.values * (1 if G.is_directed() else 2)
    return _scaled(G.by_node(sums), sampled, normalized, G.is_directed())


def _scaled(scores, sampled, normalized, directed):
    """As NetworkX scales sums over the paths from some sources."""
    n, k = len(scores), len(sampled)
    if n < 3:
        return scores
    if normalized:
        of_source, of_other = 1 / ((n - 1) * (n - 2)), 1 / ((n - 1) * (n - 2))
    else:
        of_source = of_other = 1 if directed else 1 / 2
    if k < n:
        # A node that is a source is on paths from one source fewer than the others.
        of_source *= (n - 1) / (k - 1) if k > 1 else math.nan
        of_other *= (n - 1) / k
    sources = set(sampled)
    return {node: score * (of_source if node in sources else of_other)
            for node, score in scores.items()}


# ---- components


def _components(G):
    """Sets of nodes, in the order of their first ones."""
    return iter(_grappa.sets_by_label(G.nodes, G.graph.cc().numbers("component")))


@_function(lambda G: not G.is_directed() or "a directed graph has weak and strong ones")
def connected_components(G):
    return _components(G)


@_function(lambda G, n: not G.is_directed() or "a directed graph has weak and strong ones",
           should_run=lambda G, n: "a search from one node needs no others")
def node_connected_component(G, n):
    _require_node(G, n)
    component = G.graph.cc().numbers("component")
    return set(G.nodes_of(np.flatnonzero(component == component[G.nodes.index(n)])))


@_function(lambda G: not G.is_directed() or "a directed graph has weak and strong ones")
def number_connected_components(G):
    return int(G.graph.cc().components) if G.nodes else 0


@_function(lambda G: G.is_directed() or "an undirected graph has no weak components")
def weakly_connected_components(G):
    return _components(G)


@_function(lambda G: G.is_directed() or "an undirected graph has no weak components")
def number_weakly_connected_components(G):
    return int(G.graph.cc().components) if G.nodes else 0


def _is_connected(G):
    if not G.nodes:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return G.graph.cc().components == 1


@_function(lambda G: not G.is_directed() or "a directed graph is weakly or strongly connected")
def is_connected(G):
    return _is_connected(G)


@_function(lambda G: G.is_directed() or "an undirected graph is not weakly connected")
def is_weakly_connected(G):
    return _is_connected(G)


# ---- paths


def _distances(G, source, weight=None):
    """Of all nodes from the source, and which of them it leads to."""
    _require_node(G, source)
    if _are_ones(G, weight):
        depth = G.graph.bfs(source=source).depth
        return depth, depth >= 0
    distance = G.weighted(weight).sssp(source=source).distance
    return distance, np.isfinite(distance)


def _lengths(G, source, weight=None, cutoff=None):
    """The nodes that the source leads to and their distances, the nearest first."""
    distances, is_reached = _distances(G, source, weight)
    if cutoff is not None:
        is_reached = is_reached & (distances <= cutoff)
    reached = np.flatnonzero(is_reached)
    reached = reached[np.argsort(distances[reached], kind="stable")]
    return dict(zip(G.nodes_of(reached), distances[reached].tolist()))


def _length(G, source, target, weight):
    _require_node(G, source)
    if source == target:
        return 0
    found = _lengths(G, source, weight)
    if target not in found:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[target]


@_function()
def single_source_shortest_path_length(G, source, cutoff=None):
    return _lengths(G, source, cutoff=cutoff)


@_function()
def single_target_shortest_path_length(G, target, cutoff=None):
    _require_node(G, target, "Target")
    return _lengths(G.reversed(), target, cutoff=cutoff)


@_function()
def all_pairs_shortest_path_length(G, cutoff=None):
    for node in G.nodes:
        yield node, _lengths(G, node, cutoff=cutoff)


@_function()
def descendants_at_distance(G, source, distance):
    if source not in G.original:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    depth = G.graph.bfs(source=source).depth
    return set(G.nodes_of(np.flatnonzero(depth == distance))) if distance >= 0 else set()


_FROM_ZERO = "Weights are numbers from 0 on."


def _from_source_can_run(G, source, cutoff=None, weight="weight"):
    return _number_weights(G, weight, 0)


def _to_target_can_run(G, source, target, weight="weight"):
    return _number_weights(G, weight, 0)


@_function(_from_source_can_run, _FROM_ZERO)
def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    return _lengths(G, source, weight, cutoff)


@_function(_to_target_can_run, _FROM_ZERO)
def dijkstra_path_length(G, source, target, weight="weight"):
    return _length(G, source, target, weight)


@_function(lambda G, cutoff=None, weight="weight": _number_weights(G, weight, 0), _FROM_ZERO)
def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
    for node in G.nodes:
        yield node, _lengths(G, node, weight, cutoff)


@_function(lambda G, source, weight="weight": _number_weights(G, weight, 0), _FROM_ZERO)
def single_source_bellman_ford_path_length(G, source, weight="weight"):
    return _lengths(G, source, weight)


@_function(_to_target_can_run, _FROM_ZERO)
def bellman_ford_path_length(G, source, target, weight="weight"):
    return _length(G, source, target, weight)


@_function(lambda G, weight="weight": _number_weights(G, weight, 0), _FROM_ZERO)
def all_pairs_bellman_ford_path_length(G, weight="weight"):
    for node in G.nodes:
        yield node, _lengths(G, node, weight)


def _lengths_can_run(G, source=None, target=None, weight=None, method="dijkstra"):
    if method not in ("dijkstra", "bellman-ford"):
        return "the method is not known"
    return weight is None or _number_weights(G, weight, 0)


def _lengths_should_run(G, source=None, target=None, weight=None, method="dijkstra"):
    if source is not None and target is not None and weight is None:
        return "a search from both ends looks at few nodes"
    return True


@_function(_lengths_can_run, _FROM_ZERO, _lengths_should_run)
def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    if source is not None and target is not None:
        if weight is None:
            _require_node(G, target, "Target")
        return _length(G, source, target, weight)
    if source is not None:
        return _lengths(G, source, weight)
    if target is not None:
        return _lengths(G.reversed(), target, weight)
    return ((node, _lengths(G, node, weight)) for node in G.nodes)


def _average_can_run(G, weight=None, method=None):
    if method not in (None, "unweighted", "dijkstra", "bellman-ford"):
        return "the method is not known"
    return weight is None or _number_weights(G, weight, 0)


@_function(_average_can_run, _FROM_ZERO)
def average_shortest_path_length(G, weight=None, method=None):
    n = len(G.nodes)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, and so no average of them")
    if n == 1:
        return 0
    total = 0
    for node in G.nodes:
        distances, is_reached = _distances(G, node, None if method == "unweighted" else weight)
        if not is_reached.all():
            raise nx.NetworkXError(
                f"Graph is not {'strongly ' if G.is_directed() else ''}connected.")
        total += distances.sum().item()
    return total / (n * (n - 1))


# ---- triangles and cores


def _chosen(G, by_node, nodes):
    """As NetworkX has it: of one node, of some, or of all."""
    if nodes is None:
        return by_node
    if nodes in G.original:
        return by_node[nodes]
    return {node: by_node[node] for node in G.original.nbunch_iter(nodes)}


@_function(_undirected)
def triangles(G, nodes=None):
    return _chosen(G, G.by_node(G.graph.triangles().values), nodes)


def _clustering_can_run(G, nodes=None, weight=None, count_zeros=True):
    return "weights are not taken into account" if weight is not None else _undirected(G)


@_function(_clustering_can_run, "Of undirected graphs, without weights.")
def clustering(G, nodes=None, weight=None):
    values = G.graph.lcc().values
    # NetworkX has the integer 0 where there is no triangle.
    return _chosen(G, {node: value or 0 for node, value in zip(G.nodes, values.tolist())}, nodes)


@_function(_clustering_can_run, "Of undirected graphs, without weights.")
def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    values = clustering(G, nodes).values()
    if not count_zeros:
        values = [value for value in values if abs(value) > 0]
    return sum(values) / len(values)


@_function(_undirected)
def transitivity(G):
    found = G.graph.triangles(total=True)
    return found.global_clustering if found.triangles else 0


def _core_can_run(G):
    if _has_self_loops(G):
        return "self-loops"
    return _undirected(G)


@_function(_core_can_run)
def core_number(G):
    return G.by_node(G.graph.kcore().values)


# ---- degrees


def _degrees_can_run(G):
    return "self-loops" if _has_self_loops(G) else _simple(G)


def _centrality(G, degrees):
    if len(G.nodes) <= 1:
        return dict.fromkeys(G.nodes, 1)
    return G.by_node(degrees * (1 / (len(G.nodes) - 1)))


@_function(_degrees_can_run)
def degree_centrality(G):
    found = G.graph.degrees()
    return _centrality(G, sum(found.columns.values()))


@_function(_degrees_can_run)
def in_degree_centrality(G):
    return _centrality(G, G.graph.degrees().in_degree)


@_function(_degrees_can_run)
def out_degree_centrality(G):
    return _centrality(G, G.graph.degrees().out_degree)


# ---- spanning edges


def _spanning_can_run(G, algorithm="kruskal", weight="weight", keys=True, data=True,
                      ignore_nan=False):
    if algorithm not in ("kruskal", "prim", "boruvka"):
        return "the algorithm is not known"
    numbers = _number_weights(G, weight, -sys.float_info.max)
    return _undirected(G) if numbers is True else numbers


@_function(_spanning_can_run, "Where edges weigh the same, it may choose others than NetworkX.")
def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True,
                           ignore_nan=False):
    found = G.weighted(weight).msf()
    order = np.argsort(found.weight, kind="stable")
    for u, v in zip(found.u[order].tolist(), found.v[order].tolist()):
        yield (u, v, G.original[u][v]) if data else (u, v)


backend = Backend
