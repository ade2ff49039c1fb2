"""Benchmarks across processes, beside MPI itself: both sides check what they computed."""

import itertools
import json
import sys
import unittest

from cli_tool import TOOL, ToolTest, skip_all
from mpi_launch import LIBRARIES, launch

if not LIBRARIES:
    skip_all("neither Open MPI nor MPICH is here with its plug-in")


class Benchmarks(ToolTest):
    def launch(self, library, ranks, *command):
        return launch(self.folder, library, ranks, *command)

    def each(self, ranks=(2,)):
        return itertools.product(LIBRARIES, ranks)

    def facts_of(self, library, ranks, name, *options):
        result = self.launch(library, ranks, TOOL, "bench", name, "--cores", 1, "--json",
                             "facts.json", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Checked:", result.stdout)
        facts = json.loads((self.folder / "facts.json").read_text())
        self.assertEqual(facts["cores"], ranks)
        self.assertEqual(facts["locales"], ranks)
        self.assertIs(facts["result"]["checked"], True)
        return facts

    def trial_of(self, library, ranks, name, *options):
        return self.facts_of(library, ranks, name, "--trials", 1, *options)

    def check_baseline(self, facts, name):
        self.assertEqual(facts["baseline"]["name"], name)
        self.assertGreater(facts["ratio"], 0)

    # Three processes have parts of unequal length.
    def test_gups_beside_a_bulk_exchange(self):
        for library, ranks in self.each(ranks=(2, 3)):
            facts = self.trial_of(library, ranks, "gups", "--table", "1MiB", "--updates", 50001,
                                  "--baseline", "mpi-alltoallv")
            self.check_baseline(facts, "mpi-alltoallv")
            self.assertGreater(facts["baseline"]["million_updates_per_second"], 0)
            self.assertGreater(facts["baseline"]["updates_a_round"], 0)

    def test_gups_beside_remote_memory_access(self):
        for library, ranks in self.each(ranks=(2, 3)):
            facts = self.trial_of(library, ranks, "gups", "--table", "1MiB", "--updates", 5001,
                                  "--baseline", "mpi-rma")
            self.check_baseline(facts, "mpi-rma")
            self.assertGreater(facts["baseline"]["million_updates_per_second"], 0)

    def test_delegates_beside_remote_memory_access(self):
        for library, ranks in self.each():
            facts = self.trial_of(library, ranks, "delegate", "--table", "1MiB", "--small", 1000,
                                  "--operations", 500, "--baseline", "mpi-rma")
            self.check_baseline(facts, "mpi-rma")
            for figures in ("latency_ns", "blocking_million_per_second_per_core",
                            "async_million_per_second"):
                self.assertEqual(facts["result"][figures].keys(),
                                 facts["baseline"][figures].keys())
            self.assertGreater(facts["baseline"]["gather_million_per_second"], 0)

    def test_delegates_beside_messages(self):
        for library, ranks in self.each():
            facts = self.trial_of(library, ranks, "delegate", "--table", "1MiB", "--small", 1000,
                                  "--operations", 500, "--baseline", "mpi-send")
            self.check_baseline(facts, "mpi-send")
            self.assertEqual(facts["result"]["latency_ns"].keys(),
                             facts["baseline"]["latency_ns"].keys())

    def test_pingpong_beside_mpi(self):
        # Messages of each kind: within a closure, behind one, larger than chunks and packets.
        sizes = (8, 24, 1024, 65536, 4 << 20)
        for library, ranks in self.each(ranks=(2, 3)):
            facts = self.trial_of(library, ranks, "pingpong", "--rounds", 50, "--sizes", *sizes)
            self.check_baseline(facts, "mpi")
            rows = facts["result"]["rows"]
            self.assertEqual([row["bytes"] for row in rows], list(sizes))
            for row in rows:
                for figure in ("round_trip_us", "megabytes_per_second"):
                    self.assertGreater(row[figure], 0)
                    self.assertGreater(row[f"mpi_{figure}"], 0)

    def test_graph500_searches_a_graph_that_all_made(self):
        edges = set()
        for library, ranks in self.each(ranks=(2, 3)):
            facts = self.facts_of(library, ranks, "graph500", "--scale", 10, "--keys", 3)
            self.assertEqual(facts["result"]["num_mpi_processes"], ranks)
            edges.add(tuple((trial["key"], trial["edges"]) for trial in facts["trials"]))
        self.assertEqual(len(edges), 1)

    def test_a_shared_memory_baseline_is_for_one_locale(self):
        for library, ranks in self.each():
            result = self.launch(library, ranks, TOOL, "bench", "gups", "--table", "1MiB",
                                 "--baseline", "openmp", "--cores", 1)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("needs one locale", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
