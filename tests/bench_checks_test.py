"""The benchmarks measure something, and say that they have checked it."""

import re
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from cli_tool import ToolTest

SVG = "{http://www.w3.org/2000/svg}"


class Figure:
    """What an SVG file of --plot shows."""

    def __init__(self, text):
        root = ElementTree.fromstring(text)
        self.box = [float(number) for number in root.get("viewBox").split()]
        self.titles = [title.text for title in root.iter(SVG + "title")]
        self.panels = [group for group in root.iter(SVG + "g") if group.get("class") == "panel"]
        self.series = {}  # by panel: {name: [(x, y)]}
        for number, panel in enumerate(self.panels):
            for group in panel.iter(SVG + "g"):
                if group.get("class") == "series":
                    points = group.find(SVG + "polyline").get("points").split()
                    self.series[number, group.find(SVG + "title").text] = [
                        tuple(map(float, point.split(","))) for point in points]
        self.labels = [[(text.text, float(text.get("x")), float(text.get("y")))
                        for text in panel.iter(SVG + "text") if text.get("class") == "label"]
                       for panel in self.panels]
        self.places = [(float(text.get("x")), float(text.get("y")))
                       for text in root.iter(SVG + "text") if text.get("x") is not None]
        for path in root.iter(SVG + "path"):
            start = re.match(r"M([\d.-]+),([\d.-]+)", path.get("d"))
            self.places.append((float(start[1]), float(start[2])))


def usable_memory():
    """Bytes, as the kernel has it."""
    meminfo = Path("/proc/meminfo").read_text()
    return int(re.search(r"MemAvailable: *(\d+) kB", meminfo)[1]) * 1024


class Benchmarks(ToolTest):
    def run_benchmark(self, name, *options):
        facts = self.json_of("bench", name, *options)
        self.assertEqual(facts["kernel"], name)
        return facts

    def draw(self, name, *options, panels=1):
        """(facts, Figure) of a benchmark that draws; what every figure has to have is checked."""
        facts = self.run_benchmark(name, *options, "--plot", "figure.svg")
        text = (self.folder / "figure.svg").read_text(encoding="utf-8")
        figure = Figure(text)
        self.assertEqual(len(figure.panels), panels)
        _, _, width, height = figure.box
        for x, y in figure.places + [place for line in figure.series.values() for place in line]:
            self.assertTrue(0 <= x <= width and 0 <= y <= height, f"({x}, {y}) in {figure.box}")
        for number, labels in enumerate(figure.labels):
            self.assertEqual(sorted(label for label, _, _ in labels),
                             sorted(name for panel, name in figure.series if panel == number))
            heights = sorted(y for _, _, y in labels)
            for above, below in zip(heights, heights[1:]):
                self.assertGreaterEqual(below - above, 17, f"{labels} overlap")
        return facts, figure

    # In the original a single worker yielded to itself.
    def test_context_switch_counts_the_turns_of_many_workers(self):
        facts = self.run_benchmark("context-switch", "--workers", 2, 100, "--switches", 2000,
                                   "--trials", 1, "--baseline", "bare")
        rows = facts["result"]["rows"]
        self.assertEqual([row["workers"] for row in rows], [2, 100])
        for row in rows:
            self.assertIs(row["checked"], True)
            self.assertGreater(row["nanoseconds"], 0)
            self.assertEqual([each["name"] for each in row["series"]],
                             ["Grappa", "no prefetch", "bare", "bare+prefetch"])
            self.assertEqual(sorted(row["ratios"]), ["bare", "bare+prefetch", "no prefetch"])

    def test_context_switch_tells_the_memory_of_a_blocked_worker(self):
        facts = self.run_benchmark("context-switch", "--workers", 3000, "--switches", 1,
                                   "--trials", 1)
        memory = facts["result"]["rows"][0]["memory_a_worker"]
        # A stack cannot do with less than a page, nor a page without an entry in the tables.
        self.assertTrue(4096 <= memory["resident_bytes"] < 65536, memory)
        self.assertTrue(8 <= memory["page_table_bytes"] < 4096, memory)

    def test_context_switch_draws_both_orders_beside_threads(self):
        facts, figure = self.draw("context-switch", "--workers", 2, 50, "--switches", 500,
                                  "--trials", 1, "--order", "round,random", "--baseline", "bare",
                                  "pthreads", panels=2)
        names = ["Grappa", "no prefetch", "bare", "bare+prefetch", "pthreads"]
        self.assertEqual(list(figure.series), [(panel, name) for panel in (0, 1) for name in names])
        for line in figure.series.values():
            self.assertEqual(len(line), 2)
        self.assertEqual([(row["order"], row["workers"]) for row in facts["result"]["rows"]],
                         [("round", 2), ("round", 50), ("random", 2), ("random", 50)])
        self.assertGreater(facts["ratio"], 0)

    def test_context_switch_beside_fibers_or_says_that_there_are_none(self):
        command = ("context-switch", "--workers", 30, "--switches", 300, "--trials", 1,
                   "--baseline", "boost-fiber")
        result = self.run_tool("bench", *command)
        if result.returncode == 0:
            self.assertIn("Boost.Fiber", result.stdout)
        else:
            self.assertIn("libboost-fiber-dev", self.refuse("bench", *command))

    def test_context_switch_leaves_out_what_the_system_cannot_do(self):
        facts = self.run_benchmark("context-switch", "--workers", 8001, "--switches", 1,
                                   "--trials", 1, "--baseline", "pthreads")
        row = facts["result"]["rows"][0]
        self.assertIn("8000", row["skipped"]["pthreads"])
        self.assertNotIn("pthreads", row["ratios"])
        self.assertNotIn("ratio", facts)
        facts = self.run_benchmark("context-switch", "--workers", 1, "--switches", 1, "--trials", 1,
                                   "--baseline", "bare")
        self.assertIn("nobody", facts["result"]["rows"][0]["skipped"]["bare"])

    SMALL = ("--memory", "1MiB", "--references", 2000, "--trials", 1)

    def test_pointer_chase_by_hand(self):
        facts, figure = self.draw("pointer-chase", "--figure", 3, *self.SMALL)
        rows = facts["result"]["rows"]
        self.assertEqual([row["lists"] for row in rows], list(range(1, 49)))
        self.assertIs(facts["result"]["checked"], True)
        self.assertEqual(len(figure.series[0, "hand-interleaved"]), 48)

    def test_pointer_chase_with_tasks(self):
        facts, figure = self.draw("pointer-chase", "--figure", 4, "--lists", 1, 8, 20, 64,
                                  *self.SMALL)
        points = {name: len(line) for (_, name), line in figure.series.items()}
        self.assertEqual(points, {"tasks": 4, "bare": 3, "coroutines": 4, "hand-interleaved": 3, "weaving 2": 3,
                                  "weaving 4": 3, "weaving 8": 2})
        ratios = facts["result"]["verdict"]["ratios"]
        self.assertEqual(sorted(ratios), ["coroutines/hand", "tasks/bare", "tasks/hand",
                                          "weaving/hand"])
        self.assertEqual(facts["ratio"], ratios["tasks/bare"])

    def test_pointer_chase_with_working_sets(self):
        for figure_of_paper, tasks in (("5a", 8), ("5b", 48)):
            facts, figure = self.draw("pointer-chase", "--figure", figure_of_paper, "--sizes", 64,
                                      4096, "--updates", 0, 1, 5, *self.SMALL)
            self.assertEqual([(row["lists"], row["set_bytes"]) for row in facts["result"]["rows"]],
                             [(tasks, 64), (tasks, 4096)])
            self.assertEqual([name for _, name in figure.series],
                             ["0 updates", "1 update", "5 updates"])

    def test_pointer_chase_with_delay(self):
        facts, figure = self.draw("pointer-chase", "--figure", 6, "--lists", 1, 4, "--delay", "2us",
                                  "20us", *self.SMALL)
        names = ["not simulated", "0 us", "2 us", "20 us", "Little's law, 2 us",
                 "Little's law, 20 us"]
        self.assertEqual([name for _, name in figure.series], names)
        delays = facts["result"]["verdict"]["delays"]
        self.assertEqual([delay["delay_ns"] for delay in delays], [2000, 20000])
        # The delay is never shorter than asked for.
        for row in facts["result"]["rows"]:
            for point, delay in zip(row["series"][2:], (2000, 20000)):
                most = row["lists"] * facts["cores"] / delay * 1e3
                for rate in point["trials"]:
                    self.assertLessEqual(rate, most)

    def test_caches_are_measured_beside_delegates(self):
        shape = ("--lengths", 1, 40, "--uses", 1, 3, 30, "--operations", 300, "--tasks", 7)
        for machine in ((), ("--locales", 2, "--cores", 2)):
            facts = self.run_benchmark("caches", *shape, "--trials", 1, *machine)
            rows = facts["result"]["rows"]
            self.assertEqual([(row["elements"], row["uses"]) for row in rows],
                             [(length, uses) for length in (1, 40) for uses in (1, 3, 30)])
            for found in facts["result"]["better_from"]:
                ratios = {row["uses"]: row["ratio"] for row in rows
                          if row["elements"] == found["elements"]}
                # From there on a cache is better, and not from one before.
                better = [uses for uses in ratios
                          if all(ratios[more] >= 1 for more in ratios if more >= uses)]
                self.assertEqual(found["uses"], min(better, default=0))
        self.assertIn("ascending", self.refuse("bench", "caches", "--uses", 2, 1))

    def test_containers_are_measured_with_combining_and_without(self):
        facts = self.run_benchmark("containers", "--operations", 2000, "--tasks", 20, "--keys", 100,
                                   "--elements", 5000, "--trials", 1)
        for name in ("stack", "queue", "map_even", "map_zipf", "counts_zipf", "vector"):
            self.assertGreater(facts["result"][name]["ratio"], 0)

    def test_numbers_out_of_range_are_refused(self):
        for name, option, *values in (("context-switch", "--workers", 0, 10**10, 10**21),
                                      ("delegate", "--operations", -1, 0, "many"),
                                      ("delegate", "--tasks", 0, 10**10), ("delegate", "--small", 0),
                                      ("gups", "--updates", -1), ("spawn", "--tasks", 0),
                                      ("load", "--scale", 99), ("pingpong", "--sizes", 0),
                                      ("graph500", "--seed", -1), ("kernels", "--delta", -1)):
            for value in values:
                with self.subTest(name=name, option=option, value=value):
                    self.assertRegex(self.refuse("bench", name, f"{option}={value}"),
                                     f'{option}: "{value}" is not allowed; give a .*number from ')

    def test_figures_appear_whole_or_not_at_all(self):
        command = ("bench", "context-switch", "--workers", 2, "--switches", 10, "--trials", 1)
        self.assertIn("no/where.svg", self.refuse(*command, "--plot", "no/where.svg"))
        self.assertIn("only one of them", self.refuse(*command, "--plot", "-", "--json", "-"))
        Figure(self.succeed(*command, "--plot", "-"))
        self.assertIn("--plot", self.refuse("bench", "gups", "--plot", "gups.svg"))

    # In the original a demo with an empty loop reported two billion updates a second.
    def test_gups_checks_the_table_it_updated(self):
        facts = self.run_benchmark("gups", "--table", "1MiB", "--updates", 20000, "--trials", 1)
        self.assertIs(facts["result"]["checked"], True)

    def test_delegates_check_their_sums(self):
        facts = self.run_benchmark("delegate", "--table", "1MiB", "--operations", 2000,
                                   "--trials", 1)
        self.assertIs(facts["result"]["checked"], True)
        self.assertEqual(facts["result"]["closure_million_per_second"].keys(), {"plain", "string"})

    def test_uts_counts_the_nodes_of_the_tree(self):
        for options in ((), ("--locales", 2), ("--locales", 3, "--grain", 1), ("--memory",),
                        ("--memory", "--locales", 2)):
            with self.subTest(options=options):
                facts = self.run_benchmark("uts", "--tree", "tiny", "--trials", 1, *options)
                self.assertIs(facts["result"]["checked"], True)
                self.assertEqual(facts["result"]["nodes"], 28061)
                self.assertEqual(facts["result"]["memory"], "--memory" in options)
                self.assertNotIn("baseline", facts)

    def test_uts_has_something_to_compare_with(self):
        for options in (("--baseline", "independent"), ("--memory", "--baseline", "search")):
            facts = self.run_benchmark("uts", "--tree", "tiny", "--trials", 1, *options)
            self.assertEqual(facts["baseline"]["name"], options[-1])
            self.assertGreater(facts["ratio"], 0)

    # The seed alone decides who gets which part of the tree.
    def test_uts_loses_no_node_in_any_order(self):
        for seed in range(1, 6):
            self.succeed("bench", "uts", "--tree", "tiny", "--trials", 1, "--grain", 10,
                         "--locales", 2, "--cores", 2, "--simulation-mode", "deterministic",
                         "--simulation-seed", seed, "--reorder", 0.3)

    def test_uts_is_searched_by_all_locales(self):
        result = self.run_tool("bench", "uts", "--tree", "T1", "--trials", 1, "--locales", 2,
                               "--cores", 1, "--stats")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"steal.tasks +[1-9]")

    def test_a_tree_that_does_not_fit_is_refused(self):
        if usable_memory() > 30e9:
            self.skipTest("this machine has room for every tree")
        said = self.refuse("bench", "uts", "--tree", "T1XXL", "--memory")
        self.assertRegex(said, r"--memory: T1XXL takes 31\.\d+ GiB")

    def test_spawn_counts_the_tasks_of_each_kind(self):
        facts = self.run_benchmark("spawn", "--bursts", 3, 50, "--tasks", 200, "--trials", 1,
                                   "--cores", 2)
        rows = facts["result"]["rows"]
        self.assertEqual([(row["kind"], row["burst"]) for row in rows],
                         [(kind, burst) for burst in (3, 50)
                          for kind in ("private", "public", "coroutine", "to another core")])
        self.assertIs(facts["result"]["checked"], True)

    def test_steal_takes_half_and_loses_no_task(self):
        facts = self.run_benchmark("steal", "--lengths", 1, 2, 9, 1000, "--tasks", 500, "--work", 10,
                                   "--trials", 1, "--cores", 2)
        result = facts["result"]
        self.assertEqual([row["taken"] for row in result["halves"]], [1, 1, 5, 500])
        self.assertEqual(sum(result["one_producer"]["tasks_of_each_core"]), 500)
        self.assertIs(result["checked"], True)

    def test_pingpong_compares_what_arrives(self):
        for shape, between in ((("--locales", 2), "two simulated locales"),
                               (("--locales", 3), "core 0 and core 2 of 3")):
            said = self.succeed("bench", "pingpong", *shape, "--cores", 1, "--trials", 1,
                                "--rounds", 20, "--sizes", 8, 24, 1024, 300000)
            self.assertIn(between, said)
            self.assertIn("MPI needs a launcher", said)
            self.assertIn("Checked:", said)
        facts = self.run_benchmark("pingpong", "--locales", 2, "--cores", 1, "--trials", 1,
                                   "--rounds", 20, "--sizes", 8, 65536)
        self.assertIs(facts["result"]["checked"], True)
        self.assertEqual([row["bytes"] for row in facts["result"]["rows"]], [8, 65536])
        self.assertEqual(facts["locales"], 2)
        self.assertNotIn("baseline", facts)

    def test_sync_checks_what_was_handed_over(self):
        facts = self.run_benchmark("sync", "--rounds", 200, "--tasks", 3, "--trials", 1,
                                   "--locales", 2, "--cores", 2)
        rows = facts["result"]["rows"]
        self.assertEqual(facts["cores"], 4)
        for part in ("full/empty, there", "full/empty pointer", "mutex, lock", "mutex, hand-over, 3",
                     "semaphore,", "semaphores,", "condition variable", "barrier, a task, 3",
                     "event, enroll", "event, spawn", "event, a task", "full/empty, two cores",
                     "full/empty address, two cores", "barrier of 4 cores"):
            with self.subTest(part):
                found = [row for row in rows if part in row["operation"]]
                self.assertEqual(len(found), 1)
                self.assertIs(found[0]["checked"], True)
                self.assertGreater(found[0]["nanoseconds"], 0)
        self.assertEqual(len(rows), 14)
        alone = self.succeed("bench", "sync", "--rounds", 200, "--trials", 1, "--cores", 1)
        self.assertIn("there is one", alone)
        self.assertIn("Checked:", alone)

    GRAPH500 = ("graph500", "--scale", 10, "--keys", 7)

    def test_graph500_searches_from_every_key(self):
        for shape in (("--cores", 1), ("--cores", 2), ("--locales", 2, "--cores", 2)):
            facts = self.run_benchmark(*self.GRAPH500, *shape)
            result = facts["result"]
            self.assertIs(result["checked"], True)
            self.assertEqual([result[name] for name in ("SCALE", "edgefactor", "NBFS", "NSSSP",
                                                        "num_mpi_processes")], [10, 16, 7, 7, 1])
            self.assertGreater(result["construction_time"], 0)
            searches = {kernel: [trial for trial in facts["trials"] if trial["kernel"] == kernel]
                        for kernel in ("bfs", "sssp")}
            for kernel, trials in searches.items():
                self.assertEqual(len({trial["key"] for trial in trials}), 7)
                times = [trial["seconds"] for trial in trials]
                of_kernel = result[kernel]
                self.assertEqual(of_kernel["max_time"], max(times))
                self.assertAlmostEqual(of_kernel["mean_time"], sum(times) / 7, places=12)
                edges = [trial["edges"] for trial in trials]
                # More than the graph has, which has no duplicates; in every component.
                self.assertTrue(all(result["edges"] < count <= 16 << 10 for count in edges))
                seconds_an_edge = sum(time / count for time, count in zip(times, edges))
                self.assertAlmostEqual(of_kernel["harmonic_mean_TEPS"] * seconds_an_edge / 7, 1)
                for what in ("time", "nedge", "TEPS", "validate"):
                    order = [of_kernel[f"{name}_{what}"] for name in
                             ("min", "firstquartile", "median", "thirdquartile", "max")]
                    self.assertEqual(order, sorted(order))
            self.assertEqual([(trial["key"], trial["edges"]) for trial in searches["bfs"]],
                             [(trial["key"], trial["edges"]) for trial in searches["sssp"]])

    def test_graph500_does_one_kernel_and_says_what_it_checked(self):
        for kernel, other in (("bfs", "sssp"), ("sssp", "bfs")):
            said = self.succeed("bench", *self.GRAPH500, "--kernel", kernel, "--edge-factor", 5)
            self.assertIn(f"{kernel} from 7 keys", said)
            self.assertNotIn(other, said)
            self.assertIn("Checked:   every tree by the five rules, against all 5120 edges", said)
        small = self.run_benchmark("graph500", "--scale", 3, "--edge-factor", 1, "--seed", 4)
        self.assertLess(small["result"]["NBFS"], 9)

    def test_vertex_programs_are_compared_with_kernels(self):
        for shape in (("--cores", 1), ("--cores", 2), ("--locales", 2, "--cores", 1)):
            for graph in ("kron:9", "grid:20x30"):
                facts = self.run_benchmark("vertex-programs", "--graph", graph, "--trials", 1,
                                           *shape)
                result = facts["result"]
                self.assertEqual(result["graph"], graph)
                self.assertIs(result["checked"], True)
                pairs = {(row["by_hand"], row["program"]) for row in result["programs"]}
                expected = {("power", "edge_map"), ("power", "sync"), ("bfs", "edge_map"),
                            ("bfs", "sync"), ("sssp", "async"), ("sssp, one bucket", "sync")}
                if "--locales" not in shape:  # the baseline has one
                    expected |= {("OpenMP", "sync"), ("OpenMP", "async")}
                self.assertEqual(pairs, expected)
                for row in result["programs"]:
                    self.assertAlmostEqual(row["ratio"], row["seconds"] / row["by_hand_seconds"])

    FALSE_SHARING = ("false-sharing", "--graph", "kron:9", "--cores", 2, "--trials", 2,
                     "--updates", 1000)

    def test_false_sharing_compares_cuts_of_each_grain(self):
        for update in ("edge", "vertex"):
            facts = self.run_benchmark(*self.FALSE_SHARING, "--grains", 8, 32, 8, "--iterations", 3,
                                       "--update", update)
            result = facts["result"]
            self.assertIs(result["checked"], True)
            self.assertEqual(result["update"], update)
            cuts = (("aligned", 0), ("off the line", 0), ("one less", 1))
            self.assertEqual(
                [(row["algorithm"], row["aligned_grain"], row["cut"], row["grain"])
                 for row in result["rows"]],
                [(algorithm, grain, cut, grain - fewer) for algorithm in ("PageRank", "triangles")
                 for grain in (8, 32) for cut, fewer in cuts])
            aligned = None
            for row in result["rows"]:
                self.assertEqual(len(row["trials"]), 2)
                aligned = row["seconds"] if row["cut"] == "aligned" else aligned
                self.assertAlmostEqual(row["ratio"], row["seconds"] / aligned)
            self.assertEqual([row["cut"] for row in result["elements"]], ["apart", "one line"])
            for row in result["elements"]:
                self.assertAlmostEqual(row["nanoseconds"], row["seconds"] * 1e9 / 1000)
            self.assertIs(result["shows_false_sharing"], result["elements"][1]["ratio"] > 1.5)

    def test_false_sharing_counts_or_says_what_it_cannot_count(self):
        asked = ["LLC-stores", "cache-misses", "page-faults"]
        facts = self.run_benchmark(*self.FALSE_SHARING, "--events", ",".join(asked))
        missing = facts["result"]["missing_counters"]
        for row in facts["result"]["rows"] + facts["result"]["elements"]:
            self.assertEqual(sorted([*row["counters"], *missing]), sorted(asked))
        said = self.succeed("bench", *self.FALSE_SHARING, "--events", ",".join(asked))
        lines = [line for line in said.splitlines() if line.startswith("Counters:")]
        self.assertEqual(len(lines), 1 if missing else 0)
        for name, reason in missing.items():
            self.assertIn(name, lines[0])
            self.assertIn(f"({reason})", lines[0])

    def test_false_sharing_takes_the_loops_default_and_any_graph(self):
        self.succeed("generate", "grid:30x40", "grid.mtx")
        facts = self.run_benchmark("false-sharing", "--graph", "grid.mtx", "--cores", 2,
                                   "--trials", 1, "--grains", 0, "--updates", 10)
        self.assertEqual(facts["result"]["vertices"], 1200)
        # 1200 vertices in some 512 grains would be 2 each; grains of long loops are 64 or more.
        self.assertEqual({row["aligned_grain"] for row in facts["result"]["rows"]}, {64})

    def test_false_sharing_draws_the_cuts_of_both_algorithms(self):
        _, figure = self.draw(*self.FALSE_SHARING, "--grains", 8, 64, panels=2)
        self.assertEqual(list(figure.series), [(panel, cut) for panel in (0, 1) for cut in
                                               ("aligned", "off the line", "one less")])
        for line in figure.series.values():
            self.assertEqual(len(line), 2)

    def test_load_reads_what_was_written(self):
        edges = self.json_of("info", "kron:16")["graph"]["edges"]
        for shape in (("--cores", 1), ("--cores", 2, "--baseline", "serial"),
                      ("--locales", 2, "--cores", 1)):
            facts = self.run_benchmark("load", "--scale", 16, "--trials", 2, *shape)
            result = facts["result"]
            self.assertIs(result["checked"], True)
            self.assertEqual(result["edges"], edges)
            self.assertGreater(result["graph_bytes"], 8 * edges)
            # The system counts a thread's pages some dozens late.
            self.assertGreater(result["peak_ratio"], 0.8)
            for trial in facts["trials"]:
                self.assertAlmostEqual(trial["seconds"],
                                       trial["read_seconds"] + trial["build_seconds"])
            if "--baseline" in shape:
                self.assertEqual(facts["baseline"]["name"], "serial")
                self.assertGreater(facts["ratio"], 0)

    def test_load_takes_a_file_of_any_format(self):
        for name in ("graph.el", "graph.mtx.gz", "graph.sg"):
            self.succeed("generate", "grid:30x40", name)
            facts = self.run_benchmark("load", "--file", name, "--trials", 1)
            self.assertEqual(facts["result"]["vertices"], 1200)
            undirected = self.run_benchmark("load", "--file", name, "--trials", 1, "--undirected")
            # The rows of an undirected graph have its edges twice; .el does not say that it is one.
            doubled = undirected["result"]["graph_bytes"] > facts["result"]["graph_bytes"]
            self.assertEqual(doubled, name == "graph.el")
            self.assertEqual(facts["result"]["file_bytes"], (self.folder / name).stat().st_size)

    def test_load_compares_what_it_reads_with_the_baseline(self):
        # To the baseline a third column is the beginning of an edge.
        (self.folder / "three.txt").write_text("1 2 3\n2 3 1\n")
        result = self.run_tool("bench", "load", "--file", "three.txt", "--baseline", "serial")
        self.assertEqual(result.returncode, 1)
        self.assertIn("the list that the baseline read has 3 arcs", result.stderr)

    def test_what_cannot_be_measured_is_refused(self):
        (self.folder / "graph.csv").write_text("1,2\n")
        for command, said in (
                (("gups", "--baseline", "mpi-rma"), "mpirun -n 2 grappa bench gups"),
                (("gups", "--baseline", "mpi-alltoallv"), "mpirun -n 2 grappa bench gups"),
                (("gups", "--baseline", "openmp", "--locales", 2), "needs one locale"),
                (("delegate", "--baseline", "mpi-send"), "mpirun -n 2 grappa bench delegate"),
                (("pingpong", "--cores", 1), "two cores or two locales"),
                (("pingpong", "--rounds", 0), "--rounds"),
                (("sync", "--rounds", 0), "--rounds"),
                (("sync", "--tasks", 0), "--tasks"),
                (("pingpong", "--sizes", 8, 12), "--sizes 12"),
                (("uts", "--tree", "T9"), "--tree: T9"),
                (("uts", "--trials", 0), "--trials"),
                (("uts", "--grain", 0), "--grain"),
                (("uts", "--baseline", "search"), "--baseline search"),
                (("uts", "--memory", "--baseline", "independent"), "--baseline independent"),
                (("uts", "--baseline", "independent", "--locales", 2), "needs one locale"),
                (("spawn", "--bursts", 0), "--bursts"),
                (("spawn", "--trials", 0), "--trials"),
                (("steal", "--lengths", 0), "--lengths"),
                (("steal", "--trials", 0), "--trials"),
                (("steal", "--tasks", 0), "--tasks"),
                (("steal", "--cores", 1), "two or more cores"),
                (("steal", "--locales", 2), "one locale"),
                (("vertex-programs", "--graph", "web.txt"), "web.txt"),
                (("vertex-programs", "--trials", 0), "--trials"),
                (("graph500", "--scale", 0), '--scale: "0"'),
                (("graph500", "--scale", 32), '--scale: "32"'),
                (("graph500", "--edge-factor", 0), '--edge-factor: "0"'),
                (("graph500", "--keys", 0), "--keys"),
                (("graph500", "--kernel", "cc"), "cc"),
                (("graph500", "--scale", 31, "--edge-factor", 8192), "--scale 31: takes"),
                (("false-sharing", "--grains", 8, 12), "--grains 12"),
                (("false-sharing", "--grains", -8), '--grains: "-8"'),
                (("false-sharing", "--update", "row"), "row"),
                (("false-sharing", "--iterations", 0), "--iterations"),
                (("false-sharing", "--updates", 0), "--updates"),
                (("false-sharing", "--trials", 0), "--trials"),
                (("false-sharing", "--events", "LLC-dreams"), "LLC-dreams"),
                (("false-sharing", "--cores", 1), "two or more cores"),
                (("false-sharing", "--locales", 2), "one locale"),
                (("load", "--file", "nowhere.el"), "nowhere.el"),
                (("load", "--scale", 0), "--scale"),
                (("load", "--trials", 0), "--trials"),
                (("load", "--baseline", "serial", "--locales", 2), "needs one locale"),
                (("load", "--file", "graph.csv", "--baseline", "serial"), "two numbers a line"),
                (("context-switch", "--workers", 0), "--workers"),
                (("context-switch", "--trials", 0), "--trials"),
                (("context-switch", "--order", "round", "sorted"), "sorted"),
                (("context-switch", "--baseline", "bare,go"), "go"),
                (("pointer-chase", "--figure", 7), "7"),
                (("pointer-chase", "--figure", 3, "--lists", 49), "--lists 49"),
                (("pointer-chase", "--figure", 3, "--delay", "3us"), "--figure 6"),
                (("pointer-chase", "--figure", 4, "--sizes", 64), "--figure 5a and 5b"),
                (("pointer-chase", "--figure", "5a", "--sizes", 96), "--sizes 96"),
                (("pointer-chase", "--figure", "5a", "--updates", -1), '--updates: "-1"'),
                (("pointer-chase", "--figure", "5b", "--lists", 8, 48), "one number"),
                (("pointer-chase", "--figure", 6, "--delay", "3"), "--delay 3"),
                (("pointer-chase", "--figure", 6, "--delay", "0"), "--delay"),
                (("pointer-chase", "--memory", "64TiB"), "--memory 64TiB"),
                (("pointer-chase", "--memory", "1KiB", "--lists", 1000), "too little"),
                (("pointer-chase", "--references", 0), "--references"),
                (("pointer-chase", "--trials", 0), "--trials"),
                (("pointer-chase", "--locales", 2), "one locale")):
            self.assertIn(said, self.refuse("bench", *command))


if __name__ == "__main__":
    unittest.main()
