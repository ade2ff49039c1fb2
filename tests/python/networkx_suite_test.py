"""NetworkX's own tests of the functions that the backend has, by the backend."""

import os
import subprocess
import sys
import unittest
from importlib.util import find_spec

MODULES = ["centrality.tests.test_betweenness_centrality",
           "centrality.tests.test_degree_centrality", "components.tests.test_connected",
           "components.tests.test_weakly_connected", "link_analysis.tests.test_pagerank",
           "shortest_paths.tests.test_generic", "shortest_paths.tests.test_unweighted",
           "shortest_paths.tests.test_weighted", "tests.test_cluster", "tests.test_core",
           "tree.tests.test_mst"]


@unittest.skipUnless(find_spec("networkx") and find_spec("pytest"), "needs networkx and pytest")
class Suite(unittest.TestCase):
    def run_suite(self, **environment):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs",
             *(f"networkx.algorithms.{module}" for module in MODULES)],
            env={**os.environ, "NETWORKX_TEST_BACKEND": "grappa", **environment},
            capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-5000:] + done.stderr[-2000:])
        self.assertIn(" passed", done.stdout)

    def test_with_what_falls_back(self):
        self.run_suite(NETWORKX_FALLBACK_TO_NX="1")

    def test_of_what_the_backend_has_alone(self):
        self.run_suite()


if __name__ == "__main__":
    unittest.main()
