"""The benchmarks measure something, and say that they have checked it."""

import unittest

from cli_tool import ToolTest


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


if __name__ == "__main__":
    unittest.main()
