"""The benchmarks measure something, and say that they have checked it."""

import re
import unittest
from pathlib import Path

from cli_tool import ToolTest


def usable_memory():
    """Bytes, as the kernel has it."""
    meminfo = Path("/proc/meminfo").read_text()
    return int(re.search(r"MemAvailable: *(\d+) kB", meminfo)[1]) * 1024


class Benchmarks(ToolTest):
    def run_benchmark(self, name, *options):
        facts = self.json_of("bench", name, *options)
        self.assertEqual(facts["kernel"], name)
        return facts

    # In the original a single worker yielded to itself.
    def test_context_switch_counts_the_turns_of_many_workers(self):
        facts = self.run_benchmark("context-switch", "--workers", 2, 100, "--switches", 2000,
                                   "--trials", 1, "--baseline", "bare")
        rows = facts["result"]["rows"]
        self.assertEqual([row["workers"] for row in rows], [2, 100])
        for row in rows:
            self.assertIs(row["checked"], True)
            self.assertGreater(row["nanoseconds"], 0)

    # In the original a demo with an empty loop reported two billion updates a second.
    def test_gups_checks_the_table_it_updated(self):
        facts = self.run_benchmark("gups", "--table", "1MiB", "--updates", 20000, "--trials", 1)
        self.assertIs(facts["result"]["checked"], True)

    def test_delegates_check_their_sums(self):
        facts = self.run_benchmark("delegate", "--table", "1MiB", "--operations", 2000,
                                   "--trials", 1)
        self.assertIs(facts["result"]["checked"], True)

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

    def test_what_cannot_be_measured_is_refused(self):
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
                (("uts", "--baseline", "independent", "--locales", 2), "needs one locale")):
            self.assertIn(said, self.refuse("bench", *command))


if __name__ == "__main__":
    unittest.main()
