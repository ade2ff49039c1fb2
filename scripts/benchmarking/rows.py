"""What is measured: a Row for each line of the tables in docs/benchmarks.md.

Commands are shown as they are written here. `grappa` is the tool, to which `--json - --quiet` is
added. `package/LEVEL/grappa` is the one that scripts/package has made for a level of processors.
`gap/NAME` is a program of the GAP benchmark suite. Files are made when they are wanted (INPUTS). A
row's peer is another command, run in turn with ours, or a figure of ours that the benchmark
measured in turn by itself (`--baseline`).
"""

import re
from dataclasses import dataclass

# A file that commands name, and how it is made.
INPUTS = {
    **{f"{name}.{ending}": f"grappa convert {graph} {name}.{ending}"
       for name, graph in (("kron20", "kron:20"), ("urand20", "urand:20"),
                           ("grid1500", "grid:1500x1500"))
       for ending in ("sg", "wsg")},
    "kron20.el": "grappa convert kron:20 kron20.el",
    "kron20.grappa": "grappa convert kron:20 kron20.grappa",
    **{name: f"baseline/tables.py make {name} {size}"
       for name, size in (("words.txt", 200), ("words1.txt", 1), ("words1000.txt", 1000),
                          ("lines.txt", 1000), ("records.bin", 1000), ("points.npy", 5000),
                          ("tpch", 100), ("sp2bench", 5000))},
    "rules": "baseline/rules.py make rules 2",
}

# What --quick replaces in commands, and in paths to figures.
QUICK = [
    (r"\b(kron|urand):\d+", r"\1:9"),
    (r"grid:\d+x\d+", "grid:20x20"),
    (r"--scale \d+", "--scale 9"),
    (r"(--set \w+) --scale 9", r"\1 --scale 0.01"),
    (r"--(source|sources) \d{3,}", r"--\1 100"),
    (r" -r \d+", " -r 100"),
    (r"--table \w+", "--table 1MiB"),
    (r"--memory \w+iB", "--memory 1MiB"),
    (r"--updates \d+", "--updates 20000"),
    (r"--operations \d+", "--operations 1000"),
    (r"--switches \d+", "--switches 20000"),
    (r"\b(\d+)00000\b", r"\g<1>100"),  # workers, elements
    (r"--references \d+", "--references 20000"),
    (r"--tree \w+", "--tree tiny"),
    (r"--keys \d+", "--keys 4"),
    (r"--trials \d+", "--trials 1"),
    (r"--lists( \d+)+", "--lists 8 256"),
    (r"--limit \d+", "--limit 60"),
    (r"(\w+\.py make \S+) \d+", r"\1 1"),
    (r"--numbers \d+", "--numbers 10000"),
    (r"( -k| points.npy) 10000 ", r"\1 100 "),
]


@dataclass(frozen=True)
class Row:
    area: str  # the table
    name: str  # of the record
    what: str
    ours: str  # the command
    figure: str  # see figures.py
    unit: str  # "s" is shown in what fits
    more: bool = False  # more is better; the ratio is above one where we are better
    peer: str = ""
    peer_command: str = ""  # none: the peer's figure comes from our command
    peer_figure: str = ""  # none: the same as ours
    target: str = ""  # "ratio >= 0.9", or of our figure, "<= 5"
    runs: int = 5
    headline: str = ""  # how README's table calls it


# ---- updates and delegates ----------------------------------------------------------------------

UPDATES = "result.updates / trials.seconds / 1e6"
BASE_UPDATES = "result.updates / baseline.trials.seconds / 1e6"
GUPS = "grappa bench gups --table 1GiB --trials 5"
DELEGATE = "grappa bench delegate --table 1GiB --operations 2000000 --trials 3"


def delegate_row(name, what, figure, unit="M/s", more=True, **fields):
    return Row("updates", name, what, DELEGATE, "result." + figure, unit, more, runs=3, **fields)


def blocking_row(name, what, operation, **fields):
    return delegate_row(name, what, f"blocking_million_per_second_per_core.{operation}",
                        "M/s a core", **fields)


ROWS = [
    Row("updates", "gups", "random increments of a 1 GiB table", f"{GUPS} --baseline openmp",
        UPDATES, "M/s", True, "OpenMP loop with prefetch", "", BASE_UPDATES, "ratio >= 0.55", 1),
    Row("updates", "gups-binned", "random increments of a 1 GiB table, binned by address",
        f"{GUPS} --binned --baseline openmp", UPDATES, "M/s", True, "OpenMP loop with prefetch", "",
        BASE_UPDATES, "ratio >= 0.8", 1,
        headline="random increments of a 1 GiB table, beside an OpenMP loop with prefetch"),
    delegate_row("increment-cached", "asynchronous increments, 10,000 words a core",
                 "async_million_per_second.increment", target=">= 130"),
    delegate_row("gather", "bulk gather from a 1 GiB table", "gather_million_per_second",
                 target=">= 60"),
    blocking_row("read", "blocking reads of both cores' words, 1,000 tasks a core", "read",
                 target=">= 10"),
    blocking_row("read-co", "blocking reads of both cores' words, 1,000 coroutines a core",
                 "co read"),
    blocking_row("read-remote", "blocking reads of the other core's words, tasks", "read remote",
                 target=">= 15"),
    blocking_row("read-remote-co", "blocking reads of the other core's words, coroutines",
                 "co remote", target=">= 25"),
    blocking_row("fetch-add", "blocking fetch-and-adds of both cores' words, tasks", "fetch_add"),
    delegate_row("closures", "asynchronous calls with a std::string of 16 bytes",
                 "closure_million_per_second.string", peer="with 16 plain bytes",
                 peer_figure="result.closure_million_per_second.plain", target="ratio >= 0.4"),
    delegate_row("read-latency", "one blocking read of an idle core's word", "latency_ns.read",
                 "ns", more=False, target="<= 1000"),
]

# ---- tasks and switching ------------------------------------------------------------------------

SWITCH = ("grappa bench context-switch --workers 2 10 32 100 1000 10000 100000 --switches 3000000 "
          "--trials 5 --baseline bare --baseline boost-fiber")
MANY = ("grappa bench context-switch --workers 500000 --order round random --switches 1000000 "
        "--trials 3 --baseline bare")


def switch_row(workers, peer, series, target, command=SWITCH, order="round", **fields):
    rows = f"result.rows[workers={workers}][order={order}].series"
    what = f"context switch, {workers:,} workers" + (", random order" if order == "random" else "")
    name = f"switch-{workers}-{re.sub('[^a-z]', '-', series.lower())}"
    name += "-random" if order == "random" else ""
    return Row("tasks", name, what, command, f"{rows}[name=Grappa].trials", "ns",
               peer=peer, peer_figure=f"{rows}[name={series}].trials", target=target, runs=1,
               **fields)


def tasks_row(name, what, command, figure, unit="ns", target="", more=False):
    return Row("tasks", name, what, f"grappa bench {command} --trials 5", figure, unit, more,
               target=target, runs=3)


RING, PREFETCHED = "bare ring of the same switch", "bare ring with prefetch"
ROWS += [
    *(switch_row(workers, RING, "bare", "ratio >= 0.77") for workers in (2, 10, 32, 100, 1000)),
    *(switch_row(workers, PREFETCHED, "bare+prefetch", "ratio >= 0.77")
      for workers in (10000, 100000)),
    switch_row(500000, PREFETCHED, "bare+prefetch", "ratio >= 0.77", MANY),
    switch_row(500000, PREFETCHED, "bare+prefetch", "ratio >= 0.83", MANY, "random"),
    switch_row(1000, "Boost.Fiber", "Boost.Fiber", "ratio >= 5",
               headline="context switch among 1,000 tasks, beside Boost.Fiber"),
    *(tasks_row(f"spawn-{kind}", f"spawn and run an empty task, {kind}, 1,000 at a time",
                "spawn --bursts 100 1000", f"result.rows[burst=1000][kind={kind}].nanoseconds",
                target=target)
      for kind, target in (("private", "<= 15"), ("public", "<= 25"), ("coroutine", "<= 25"))),
    tasks_row("steal-half", "steal half of 1,000 tasks", "steal",
              "result.halves[length=1000].nanoseconds", target="<= 5000"),
    tasks_row("one-producer", "20,000 tasks of 1 µs from one producer, of an even split", "steal",
              "result.one_producer.efficiency", "", more=True),
    tasks_row("empty-loop", "empty `forall`, 2 cores", "runtime", "result.Empty loop.value", "µs",
              "<= 5"),
    tasks_row("barrier", "barrier, 2 cores", "runtime", "result.Barrier.value", "µs"),
    tasks_row("all-reduce", "all-reduce, 2 cores", "runtime", "result.All-reduce.value", "µs"),
    tasks_row("start-stop", "start and stop of an empty `run`", "runtime",
              "result.Start and stop.value", "ms", "<= 50"),
    tasks_row("resident", "resident memory of an idle runtime", "runtime",
              "result.Resident memory.value", "MiB", "<= 50"),
    tasks_row("parked", "processor time of a parked runtime in a second", "runtime",
              "result.Parked.value", "ms", "<= 1"),
    *(tasks_row(name, what, "sync", f"result.rows[operation={operation}].nanoseconds")
      for name, what, operation in (
          ("full-empty", "full/empty word, there and back", "full/empty, there and back"),
          ("mutex", "free mutex, lock and unlock", "mutex, lock and unlock"),
          ("mutex-hand-over", "mutex handed over, 16 tasks", "mutex, hand-over, 16 tasks"),
          ("event", "completion event, spawn and wait", "completion event, spawn and wait"))),
]

# ---- latency tolerance --------------------------------------------------------------------------

CHASE = ("grappa bench pointer-chase --figure 4 --memory 1GiB --references 4000000 "
         "--lists 16 20 24 28 32 40 48 --trials 3")
DELAY = ("grappa bench pointer-chase --figure 6 --memory 1GiB --references 2000000 "
         "--lists 64 128 192 256 384 --trials 3")
BEST = "result.verdict.best[name={}].million_references_per_second.max"
DELAYED = "result.rows[lists=256].series[name={}].trials"
TABLE = "grappa bench gups --locales 2 --cores 1 --table 256MiB --updates 33554432 --trials 3"


def chase_row(name, what, ours, peer, theirs, target):
    return Row("latency", name, what, CHASE, BEST.format(ours), "M/s", True, peer, "",
               BEST.format(theirs), target, 3)


ROWS += [
    chase_row("chase-tasks", "pointer chase, one reference a task", "tasks", PREFETCHED, "bare",
              "ratio >= 0.9"),
    chase_row("chase-tasks-hand", "pointer chase, one reference a task", "tasks",
              "interleaved by hand", "hand-interleaved", "ratio >= 0.6"),
    chase_row("chase-weaving", "pointer chase, several references a task", "weaving*",
              "interleaved by hand", "hand-interleaved", "ratio >= 0.85"),
    chase_row("chase-coroutines", "pointer chase, coroutines", "coroutines", "interleaved by hand",
              "hand-interleaved", ""),
    Row("latency", "chase-delay", "pointer chase, 256 tasks a core, each reference delayed by 3 µs",
        DELAY, DELAYED.format("3 us"), "M/s", True, "no delay", "", DELAYED.format("0 us"),
        "ratio >= 0.95", 1, headline="pointer chase over a network of 3 µs, beside one of 0"),
    *(Row("latency", f"gups-{delay}", f"random increments between two locales {text} apart",
          f"{TABLE} --latency {delay}", UPDATES, "M/s", True, "no latency",
          f"{TABLE} --latency 0", "", "ratio >= 0.9", 5)
      for delay, text in (("50us", "50 µs"), ("1ms", "1 ms"))),
]

# ---- unbalanced trees ---------------------------------------------------------------------------

NODES = "result.nodes / trials.seconds / 1e6"
BASE_NODES = "result.nodes / baseline.trials.seconds / 1e6"
ROWS += [
    Row("uts", f"uts-{tree}", f"unbalanced tree search, {tree}",
        f"grappa bench uts --tree {tree} --baseline independent --trials {trials}", NODES,
        "M nodes/s", True, "a tree for each core, no stealing", "", BASE_NODES + " * cores",
        "ratio >= 0.97", 1, headline=headline)
    for tree, trials, headline in (
        ("T1", 5, ""), ("T1L", 3, "unbalanced tree search, beside cores that need not steal"))
]
ROWS += [
    Row("uts", "uts-memory", "T1 in global memory",
        "grappa bench uts --tree T1 --memory --baseline search --trials 5", NODES, "M nodes/s",
        True, "the search that computes the tree", "", BASE_NODES, "ratio >= 0.5", 1),
]

# ---- graph kernels ------------------------------------------------------------------------------

# The graph, a source in its largest component, and the width of GAP's buckets that is its best.
GRAPHS = (("kron20", 100, 1), ("urand20", 489685, 4), ("grid1500", 489685, 128))


def kernels(graph, source, delta):
    """(name, what, ours, GAP's) of each kernel."""
    return (
        ("bfs", "BFS", f"bfs {graph}.sg --source {source} --trials 9",
         f"bfs -f {graph}.sg -r {source} -n 9"),
        ("sssp", "SSSP", f"sssp {graph}.wsg --source {source} --trials 3",
         f"sssp -f {graph}.wsg -r {source} -d {delta} -n 3"),
        ("pagerank", "PageRank, 20 iterations",
         f"pagerank {graph}.sg --iterations 20 --tolerance 0 --trials 3",
         f"pr_spmv -f {graph}.sg -i 20 -t 0 -n 3"),
        ("cc", "CC", f"cc {graph}.sg --trials 9", f"cc -f {graph}.sg -n 9"),
        ("bc", "BC, one source", f"bc {graph}.sg --sources {source} --trials 3",
         f"bc -f {graph}.sg -r {source} -n 3"),
        ("tc", "triangles, the total", f"triangles {graph}.sg --total --trials 3",
         f"tc -f {graph}.sg -n 1"),
    )


HEADLINES = {"bfs-kron20": "BFS, Kronecker graph of scale 20, beside GAP",
             "pagerank-kron20": "20 iterations of PageRank, the same graph, beside GAP",
             "tc-kron20": "triangles, the same graph, beside GAP"}
ROWS += [
    Row("gap", f"{name}-{graph}", f"{what}, {graph}", f"grappa {ours}", "trials.seconds", "s",
        peer="GAP", peer_command=f"gap/{theirs}", peer_figure="text:Trial Time",
        target="ratio >= 1", headline=HEADLINES.get(f"{name}-{graph}", ""))
    for graph, source, delta in GRAPHS
    for name, what, ours, theirs in kernels(graph, source, delta)
]

KERNEL_NAMES = (("bfs", "BFS"), ("sssp", "SSSP"), ("pagerank20", "PageRank, 20 iterations"),
                ("cc", "CC"), ("bc", "BC, one source"), ("triangles", "triangles"))
SYSTEMS = (("graphblas", "SuiteSparse:GraphBLAS"), ("networkit", "NetworKit"), ("igraph", "igraph"))


def system_row(area, key, kernel, what, command, graph, system, peer, target=""):
    found = f"result.kernels[kernel={kernel}]"
    return Row(area, f"{key}-{kernel}-{graph.replace(':', '')}", f"{what}, {graph}", command,
               f"{found}.trials.seconds", "s", peer=peer,
               peer_figure=f"{found}.baselines[name={system}].trials.seconds", target=target,
               runs=1)


ROWS += [
    system_row("packages", system, kernel, what,
               "grappa bench kernels --graph kron:17 --trials 3 --sources 2 "
               "--kernels bfs sssp pagerank20 cc bc triangles --limit 60 "
               "--baseline graphblas,networkit,igraph", "kron:17", system, peer)
    for system, peer in SYSTEMS for kernel, what in KERNEL_NAMES
    if (system, kernel) not in (("networkit", "bc"), ("igraph", "pagerank20"))
]
ROWS += [
    system_row("packages", "pbgl", kernel, what,
               f"mpirun.openmpi -n 2 grappa bench kernels --graph {graph} --trials 3 --sources 2 "
               "--cores 1 --kernels bfs sssp pagerank20 cc bc --limit 60 --baseline pbgl",
               graph, "pbgl", "Parallel BGL, two processes", "ratio >= 3")
    for graph in ("kron:17", "grid:500x500") for kernel, what in KERNEL_NAMES
    if kernel != "triangles"
]

# ---- frameworks ---------------------------------------------------------------------------------

PROGRAMS = (
    ("pagerank20", "PageRank, 20 iterations: `edge_map`", "algorithm=PageRank, 20*", "edge_map"),
    ("pagerank", "PageRank to 1e-4: vertex program in rounds", "algorithm=PageRank, tol*", "sync"),
    ("bfs-map", "BFS, top-down: `edge_map`", "algorithm=BFS*", "edge_map"),
    ("bfs", "BFS, top-down: vertex program in rounds", "algorithm=BFS*", "sync"),
    ("sssp", "SSSP: asynchronous vertex program", "algorithm=SSSP*", "async"),
    ("sssp-rounds", "SSSP: vertex program in rounds", "algorithm=SSSP*", "sync"),
    ("cc", "components: vertex program in rounds", "algorithm=Label*", "sync"),
    ("cc-async", "components: asynchronous vertex program", "algorithm=Label*", "async"),
)
ROWS += [
    Row("frameworks", f"program-{name}-{graph.split(':')[0]}", f"{what}, {graph}",
        f"grappa bench vertex-programs --graph {graph} --trials 3",
        f"result.programs[{algorithm}][program={program}].seconds", "s",
        peer="label propagation in OpenMP" if name.startswith("cc") else "kernel by hand",
        peer_figure=f"result.programs[{algorithm}][program={program}].by_hand_seconds",
        target="ratio >= 0.5", runs=3)
    for graph in ("kron:18", "urand:18", "grid:500x500")
    for name, what, algorithm, program in PROGRAMS
]

# ---- containers and caches ---------------------------------------------------------------------

CONTAINERS = "grappa bench containers --operations 1000000 --elements 50000000 --trials 5"
CACHES = "grappa bench caches --operations 1000000 --trials 3"
ROWS += [
    *(Row("containers", f"containers-{name.replace('_', '-')}", what, CONTAINERS,
          f"result.{name}.on", "M/s", True, "without combining", "", f"result.{name}.off", target,
          1)
      for name, what, target in (
          ("stack", "stack, half pushes, half pops, 1,000 tasks a core", "ratio >= 10"),
          ("queue", "queue, half puts, half takes, 1,000 tasks a core", "ratio >= 10"),
          ("map_even", "hash map, half look-ups, half insertions, keys drawn evenly", ""),
          ("map_zipf", "hash map, the same, keys by Zipf's law", "ratio >= 3"),
          ("counts_zipf", "counting map, additions, keys by Zipf's law", ">= 60"),
          ("vector", "vector, pushes that nobody waits for", ">= 130"))),
    Row("containers", "containers-sort", "sort of 50 million random integers", CONTAINERS,
        "result.sort_seconds", "s", target="<= 1", runs=1),
    *(Row("caches", f"caches-{elements}-{uses}", what, CACHES,
          f"result.rows[elements={elements}][uses={uses}].cache_million_per_second", "M/s", True,
          "blocking reads by delegates", "",
          f"result.rows[elements={elements}][uses={uses}].delegates_million_per_second", "", 1)
      for elements, uses, what in (
          (1, 1, "one word, used once"), (1, 16, "one word, used 16 times"),
          (8, 8, "8 words, used 8 times"), (64, 64, "64 words, used 64 times"),
          (512, 256, "512 words, used 256 times"))),
    *(Row("caches", f"caches-from-{elements}", f"uses from which on a cache of {elements} words "
          "is better", CACHES, f"result.better_from[elements={elements}].uses", "uses", runs=1)
      for elements in (1, 8, 64, 512)),
]

# ---- MapReduce ----------------------------------------------------------------------------------

# The most frequent words; what is sorted is written.
WORDS = "grappa wordcount words.txt"
SORT = "grappa sort {} -o sorted.ours"
SORT_SECONDS = "load_seconds + trials.seconds + result.write_seconds"
KMEANS = ("grappa kmeans points.npy -k {k} --start random --tolerance 0 --iterations {iterations}")
ROWS += [
    *(Row("mapreduce", f"words-{peer.lower()}", "count the words of 200 MB", WORDS,
          "trials.seconds", "s", peer=peer,
          peer_command=f"baseline/tables.py words {peer.lower()} words.txt",
          peer_figure="text:Seconds", target="ratio >= 2",
          headline="count the words of 200 MB, beside DuckDB" if peer == "DuckDB" else "")
      for peer in ("DuckDB", "Polars")),
    Row("mapreduce", "words-1000", "count the words of 1 GB", "grappa wordcount words1000.txt",
        "trials.seconds", "s", target="<= 3.2", runs=3),
    Row("mapreduce", "words-1", "count the words of 1 MB, from start to exit",
        "grappa wordcount words1.txt", "elapsed", "s", target="<= 0.1"),
    *(Row("mapreduce", f"{name}-processes", f"{what}, as two processes of one core",
          f"mpirun.openmpi -n 2 {command} --cores 1", figure, "s",
          peer="one process of two cores", peer_command=command, target="ratio >= 0.67", runs=3)
      for name, what, command, figure in (
          ("words", "count the words of 200 MB", WORDS, "trials.seconds"),
          ("kmeans", "k-means, an iteration, K = 10", KMEANS.format(k=10, iterations=20),
           "trials.iteration_seconds / result.iterations"),
          ("sort", "sort 1 GB of lines", SORT.format("lines.txt"), SORT_SECONDS))),
    *(Row("mapreduce", f"kmeans-{k}", f"k-means, an iteration, 5 M points of six columns, K = {k:,}",
          KMEANS.format(k=k, iterations=iterations),
          "trials.iteration_seconds / result.iterations", "s", peer=f"scikit-learn, {algorithm}",
          peer_command=f"baseline/tables.py kmeans {algorithm.lower()} points.npy {k} {iterations}",
          peer_figure="text:Seconds", target="ratio >= 1", runs=runs)
      for k, algorithm, iterations, runs in ((10, "Elkan", 20, 5), (100, "Lloyd", 10, 5),
                                             (10000, "Lloyd", 1, 1))),
    Row("mapreduce", "sort-lines-gnu", "sort 1 GB of lines", SORT.format("lines.txt"), "elapsed",
        "s", peer="GNU sort",
        peer_command="env LC_ALL=C sort --parallel=2 -S 8G lines.txt -o sorted.peer",
        target="ratio >= 1.5"),
    Row("mapreduce", "sort-lines-polars", "sort 1 GB of lines", SORT.format("lines.txt"),
        SORT_SECONDS, "s", peer="Polars", peer_command="baseline/tables.py sort polars lines.txt",
        peer_figure="text:Seconds", target="ratio >= 1.5"),
    Row("mapreduce", "sort-records", "sort 10 M records of 100 bytes",
        SORT.format("--records records.bin"), SORT_SECONDS, "s"),
    Row("mapreduce", "sort-numbers", "sort 50 M random numbers, in memory",
        "grappa bench mapreduce --numbers 50000000 --trials 3 --baseline std",
        "result.sort_seconds", "s",
        peer="std::sort, one core", peer_figure="baseline.sort_seconds", target="<= 1", runs=1),
]

# ---- the Python package -------------------------------------------------------------------------

PACKAGE = "baseline/python_package.py"
NETWORKX = "networkx --scale 16 --trials 5"
ARRAYS = "arrays --elements 134000000 --updates 16000000 --trials 5"
BUILDING = "building --scale 20 --trials 5"
FUNCTIONS = (("pagerank", "pagerank"), ("components", "connected_components"),
             ("triangles", "triangles"), ("clustering", "clustering"),
             ("core numbers", "core_number"),
             ("shortest paths", "single_source_dijkstra_path_length"),
             ("betweenness", "betweenness_centrality, k = 16"))
# Which of them peers have not.
LACKED = {"NetworkX": (), "igraph": ("triangles",), "NetworKit": ("betweenness",),
          "GraphBLAS": ("clustering", "core numbers")}


def package_row(name, what, command, label, **fields):
    return Row("python", f"python-{name}", what, f"{PACKAGE} {command}", f"text:{label}",
               **{"unit": "s", "runs": 1, **fields})


ROWS += [
    *(package_row(f"{label.replace(' ', '-')}-{peer.lower()}", f"{function}, kron:16", NETWORKX,
                  label, peer=peer, peer_figure=f"text:{label} {peer}", target=target)
      for peer, target in (("NetworkX", "ratio >= 50"), ("igraph", "ratio >= 2"),
                           ("NetworKit", "ratio >= 2"), ("GraphBLAS", "ratio >= 1"))
      for label, function in FUNCTIONS if label not in LACKED[peer]),
    package_row("conversion", "conversion of a graph of NetworkX, each million edges", NETWORKX,
                "conversion from NetworkX, seconds a million edges", target="<= 1.5"),
    package_row("update", "`a[indices] += 1`, 16 M random indices of 1 GiB", ARRAYS, "update",
                peer="numpy.add.at", peer_figure="text:update NumPy", target="ratio >= 5"),
    package_row("update-gups", "the same, beside `bench gups`", ARRAYS,
                "updates, millions a second", unit="M/s", more=True, peer="in C++",
                peer_command="grappa bench gups --table 1GiB --trials 5", peer_figure=UPDATES,
                target="ratio >= 0.8"),
    package_row("take", "`a[indices]`, 16 M random indices of 1 GiB", ARRAYS, "take",
                peer="NumPy's take", peer_figure="text:take NumPy", target="ratio >= 3"),
    *(package_row(name.replace("_", "-"), f"{name} of 16 M edges, and building", BUILDING, name,
                  peer="generating and building by the tool", peer_command="grappa degrees kron:20",
                  peer_figure="build_seconds", target="ratio >= 0.83")
      for name in ("from_edges", "from_scipy")),
    package_row("import", "import grappa, where NumPy is there", "calls", "import",
                target="<= 0.2"),
    package_row("call", "a call that does nothing", "calls", "a call, microseconds", unit="us",
                target="<= 20"),
    package_row("idle-time", "processor time of an idle session, a second", "calls",
                "processor time of an idle session, milliseconds a second", unit="ms"),
    package_row("idle-memory", "memory of a process with an idle session", "calls",
                "memory of an idle session, MiB", unit="MiB", target="<= 60"),
]

# ---- queries ------------------------------------------------------------------------------------

def query_row(name, what, query, peer="DuckDB", **fields):
    """Of a set of queries, which the first word of the name says."""
    return Row("queries", name, what,
               f"grappa bench queries --data {name.split('-')[0]} --trials 5 --baseline {peer.lower()}",
               f"result.queries[query={query}].trials.seconds", "s", peer=peer,
               peer_figure=f"result.queries[query={query}].baseline_trials.seconds", runs=1,
               **fields)


SP2BENCH = ("1", "2", "3a", "3b", "3c", "4", "5a", "5b", "6", "7", "8", "9", "10", "11", "12a", "12b",
            "12c")
ROWS += [
    query_row("tpch", "TPC-H, scale 1, in memory: all 22 queries", "all", target="ratio >= 1",
             headline="all 22 queries of TPC-H, scale 1, beside DuckDB"),
    *(query_row(f"tpch-{query}", f"of these, query {query}", query, target="ratio >= 0.33")
      for query in range(1, 23)),
    query_row("tpch-polars", "TPC-H, scale 1, in memory: all 22 queries", "all", "Polars"),
    query_row("sp2bench", "SP²Bench, 5 M triples of integers: all 17 queries", "all"),
    *(query_row(f"sp2bench-{query}", f"of these, query {query}", query,
                target="ratio >= 4" if query == "4" else "")
      for query in SP2BENCH),
    query_row("sp2bench-spark", "SP²Bench, 5 M triples of integers: all 17 queries", "all", "Spark",
              target="ratio >= 12.5"),
    *(query_row(f"sp2bench-spark-{query}", f"of these, query {query}", query, "Spark",
                target="ratio >= 12.5")
      for query in SP2BENCH),
    *(Row("queries", f"pipelines-{query}", f"SP²Bench, query {query}, beside pipelines for it alone",
          "grappa bench queries --data sp2bench --trials 5 --baseline pipelines",
          f"result.queries[query={query}].trials.seconds", "s", peer="hand-written pipelines",
          peer_figure=f"result.queries[query={query}].baseline_trials.seconds", runs=1)
      for query in ("2", "4", "9")),
    *(Row("queries", key, what, f"grappa bench queries --set {key} --scale {scale} --trials 5 "
          "--baseline duckdb", "result.queries[query=all].trials.seconds", "s", peer="DuckDB",
          peer_figure="result.queries[query=all].baseline_trials.seconds", target=target, runs=1)
      for key, scale, what, target in (
          ("tpcds", 1, "TPC-DS, scale 1: all 99 queries", ""),
          ("ssb", 1, "Star Schema Benchmark, scale 1: all 13 queries", "ratio >= 1"),
          ("clickbench", 5, "ClickBench, 5 M hits: all 43 queries", "ratio >= 0.67"),
          ("sp2bench-texts", 5, "SP²Bench, 5 M triples of texts: all 17 queries", "ratio >= 2"),
          ("job", 1, "films, scale 1: 27 joins of 4 to 17 relations", "ratio >= 0.67"))),
    *(Row("queries", f"rules-{name}", f"by rules: {what}",
          f"grappa datalog rules/{name}.dl -F rules -D rules", "trials.seconds", "s", peer="DuckDB",
          peer_command=f"baseline/rules.py duckdb {name} rules", peer_figure="text:Seconds",
          target="ratio >= 1")
      for name, what in (("closure", "transitive closure"), ("generation", "same generation"),
                         ("points", "analysis of pointers"), ("components", "components"),
                         ("distances", "shortest paths"))),
    Row("queries", "tpch-memory", "TPC-H, scale 3, within 1 GiB: all 22 queries",
        "grappa bench queries --scale 3 --memory 1GiB --trials 3 --baseline duckdb",
        "result.queries[query=all].trials.seconds", "s", peer="DuckDB, of the same files",
        peer_figure="result.queries[query=all].baseline_trials.seconds", target="ratio >= 0.5",
        runs=1),
    Row("queries", "tpch-processes", "TPC-H, all 22 queries, as two processes of one core",
        "mpirun.openmpi -n 2 grappa bench queries --data tpch --trials 5 --cores 1",
        "result.queries[query=all].trials.seconds", "s", peer="one process of two cores",
        peer_command="grappa bench queries --data tpch --trials 5", target="ratio >= 0.67",
        runs=3),
    *(Row("queries", f"load-{ending}", f"load TPC-H's lineitem, {size} MB of {kind}",
          f"grappa sql \"select * from 'tpch/lineitem.{ending}' limit 0\"", "load_seconds", "s",
          peer="DuckDB", peer_command=f"baseline/tables.py load duckdb tpch/lineitem.{ending}",
          peer_figure="text:Seconds", target=target, runs=3)
      for ending, kind, size, target in (("csv", "CSV", 737, "ratio >= 1"),
                                         ("parquet", "Parquet", 202, "ratio >= 0.83"))),
    Row("queries", "sql-start", "start to exit of select 1", "grappa sql \"select 1\"", "elapsed",
        "s", target="<= 0.05"),
    Row("queries", "sql-count", "start to exit of a count over a CSV of 1 MB",
        "grappa sql \"select count(*) from read_csv('words1.txt')\"", "elapsed", "s",
        target="<= 0.1"),
]

# ---- loading ------------------------------------------------------------------------------------

LOAD = "grappa bench load --scale 20 --trials 5 --baseline serial"
ROWS += [
    Row("loading", "read-text", "read a text edge list, 15.7 M edges", LOAD, "trials.read_seconds",
        "s", peer="one core with a stream", peer_figure="baseline.trials.read_seconds",
        target="ratio >= 4", runs=1),
    Row("loading", "load-memory", "peak memory, of the finished graph", LOAD, "result.peak_ratio",
        "×", target="<= 1.5", runs=1),
    Row("loading", "load-gap", "read a text edge list of 15.7 M edges and build the graph",
        "grappa bfs kron20.el --undirected --source 100", "load_seconds + build_seconds", "s",
        peer="GAP", peer_command="gap/bfs -f kron20.el -s -r 100 -n 1",
        peer_figure="text:Read Time + text:Build Time",
        headline="load a text edge list of 15.7 M edges, beside GAP"),
    Row("loading", "load-grappa", "load the same graph from our own format",
        "grappa bfs kron20.grappa --source 100", "load_seconds + build_seconds", "s"),
]

# ---- Graph500 -----------------------------------------------------------------------------------

def graph500_row(name, what, figure, command, unit="MTEPS", more=True):
    return Row("graph500", name, what, command, figure, unit, more, runs=1)


for command, key, place in (
        ("grappa bench graph500 --scale 20 --keys 64", "", ""),
        ("mpirun.openmpi -n 2 grappa bench graph500 --scale 20 --keys 16 --cores 1", "-mpi",
         ", two processes of one core, 16 keys")):
    ROWS += [
        graph500_row(f"graph500-bfs{key}", f"kernel 2, BFS, harmonic mean{place}",
                     "result.bfs.harmonic_mean_TEPS / 1e6", command),
        graph500_row(f"graph500-sssp{key}", f"kernel 3, SSSP, harmonic mean{place}",
                     "result.sssp.harmonic_mean_TEPS / 1e6", command),
        graph500_row(f"graph500-build{key}", f"kernel 1, construction{place}",
                     "result.construction_time", command, "s", False),
    ]

# ---- several processes --------------------------------------------------------------------------

LIBRARIES = (("openmpi", "Open MPI"), ("mpich", "MPICH"))
ONE = "one process of two cores"
PROCESS_KERNELS = ("bfs", "sssp", "pagerank", "cc", "bc", "tc")
ROWS += [
    Row("processes", f"{name}-{graph}-{library}", f"{what}, {graph}, {title}",
        f"mpirun.{library} -n 2 grappa {ours} --cores 1", "trials.seconds", "s", peer=ONE,
        peer_command=f"grappa {ours}", target="ratio >= 0.67")
    for library, title in LIBRARIES
    for graph, source, delta in (GRAPHS[::2] if library == "openmpi" else GRAPHS[:1])
    for name, what, ours, _ in kernels(graph, source, delta)
]
for library, title in LIBRARIES:
    launch = f"mpirun.{library} -n 2 grappa bench"
    ROWS += [
        Row("processes", f"gups-{library}", f"random increments of a 1 GiB table, {title}",
            f"{launch} gups --table 1GiB --trials 5 --cores 1 --baseline mpi-alltoallv", UPDATES,
            "M/s", True, "a bulk exchange by hand", "", BASE_UPDATES, "ratio >= 0.9", 1),
        Row("processes", f"gups-rma-{library}", f"random increments of a 256 MiB table, {title}",
            f"{launch} gups --table 256MiB --updates 4000000 --trials 3 --cores 1 "
            "--baseline mpi-rma", UPDATES, "M/s", True, "MPI_Accumulate", "", BASE_UPDATES, "", 1),
        Row("processes", f"read-{library}",
            f"one blocking read of an idle process's word, {title}",
            f"{launch} delegate --cores 1 --table 1MiB --operations 20000 --trials 5 "
            "--baseline mpi-send", "result.latency_ns.read", "ns", False,
            "MPI_Send, there and back", "", "baseline.latency_ns.read", "ratio >= 0.67", 3),
    ]

# ---- packages and timelines ---------------------------------------------------------------------

PAGERANK = "pagerank kron20.sg --iterations 20 --tolerance 0 --trials 3"
ROWS += [
    Row("costs", f"package-{level}-{name}", f"{what}, package, {level}",
        f"package/{level}/grappa {command}", figure, unit, more, "compiled for this machine",
        f"grappa {command}", target="ratio >= 0.95", runs=7)
    for level in ("x86-64-v3", "x86-64-v4")
    for name, what, command, figure, unit, more in (
        ("bfs", "BFS, kron20", "bfs kron20.sg --source 100 --trials 24", "trials.seconds", "s",
         False),
        ("pagerank", "PageRank, 20 iterations, kron20", PAGERANK, "trials.seconds", "s", False),
        ("gups", "random increments of a 1 GiB table", GUPS.removeprefix("grappa "), UPDATES,
         "M/s", True))
]
ROWS.append(Row("costs", "trace", "BFS, kron20, with a timeline",
                "grappa bfs kron20.sg --source 100 --trials 24 --trace trace.json",
                "trials.seconds", "s", peer="without",
                peer_command="grappa bfs kron20.sg --source 100 --trials 24",
                target="ratio >= 0.97", runs=9))

# ---- building -----------------------------------------------------------------------------------

ROWS += [
    Row("building", "build-answer", "from clone to answer, no cache",
        "rm -rf fresh && git clone --quiet $REPOSITORY fresh && fresh/grappa pagerank kron:12",
        "elapsed", "s", target="<= 150", runs=1),
    Row("building", "build-rest", "the rest of release without tests: MPI, benchmarks, examples",
        "cd fresh && cmake --build build/release", "elapsed", "s", runs=1),
    Row("building", "build-file", "one file changed",
        "touch fresh/src/grappa/graph/algorithms/bfs/bfs.cpp && "
        "cmake --build fresh/build/release --target grappa_tool", "elapsed", "s",
        target="<= 10", runs=3),
]
