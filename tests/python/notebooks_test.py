"""The notebooks of examples/notebooks, and pictures."""

import os
import unittest
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import grappa as gp

NOTEBOOKS = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
needs_packages = unittest.skipUnless(
    all(map(find_spec, ("nbclient", "ipykernel", "matplotlib", "pandas"))),
    "needs nbclient, ipykernel, matplotlib and pandas")


@needs_packages
class Notebooks(unittest.TestCase):
    def run_notebook(self, name):
        """Executes it; the kinds of what its cells show."""
        import nbformat
        from nbclient import NotebookClient
        made = nbformat.read(NOTEBOOKS / name, as_version=4)
        self.assertTrue(all(not cell.outputs for cell in made.cells if cell.cell_type == "code"))
        # Bars come where something takes long, as it may on a busy machine.
        with mock.patch.dict(os.environ, TQDM_DISABLE="1"):
            NotebookClient(made, timeout=120, kernel_name="python3").execute()
        outputs = [each for cell in made.cells if cell.cell_type == "code" for each in cell.outputs]
        self.assertFalse([each for each in outputs if each.get("name") == "stderr"])
        return [kind for each in outputs for kind in each.get("data", {"stream": 0})]

    def test_graphs(self):
        shown = self.run_notebook("graphs.ipynb")
        self.assertEqual(shown.count("image/png"), 2)
        self.assertGreaterEqual(shown.count("text/html"), 3)

    def test_tables(self):
        self.assertGreaterEqual(self.run_notebook("tables.ipynb").count("text/html"), 2)

    def test_a_cluster(self):
        self.assertEqual(self.run_notebook("cluster.ipynb").count("text/html"), 3)


@needs_packages
class Plots(unittest.TestCase):
    def setUp(self):
        import matplotlib
        matplotlib.use("Agg")

    def test_ranks(self):
        ranks = gp.kron(8).pagerank()
        axes = ranks.plot(5)
        self.assertEqual([bar.get_width() for bar in axes.patches][::-1],
                         [value for _, value in ranks.top(5)])
        self.assertIs(ranks.plot(ax=axes), axes)

    def test_degrees(self):
        g = gp.from_edges([0, 0, 0], [1, 2, 3], directed=False)
        (line,) = g.plot_degrees().lines
        self.assertEqual(line.get_xydata().tolist(), [[1, 3], [3, 1]])


if __name__ == "__main__":
    unittest.main()
