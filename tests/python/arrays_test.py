"""Arrays over all cores, beside NumPy's."""

import gc
import subprocess
import sys
import unittest

import numpy as np

import grappa as gp

TYPES = ("int32", "uint32", "int64", "uint64", "float32", "float64")


class Arrays(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def both(self, n=1000, dtype="int64"):
        values = self.random.integers(0, 100, n).astype(dtype)
        return gp.array(values), values.copy()

    def same(self, ours, numpys):
        np.testing.assert_array_equal(ours.to_numpy(), numpys)

    def test_values_come_back(self):
        for dtype in TYPES:
            for n in (0, 1, 7, 1000):
                a, values = self.both(n, dtype)
                self.assertEqual((a.dtype, len(a), a.shape, a.nbytes),
                                 (values.dtype, n, (n,), values.nbytes))
                self.same(a, values)
        self.same(gp.array([1.5, 2]), np.array([1.5, 2]))
        self.same(gp.zeros(5), np.zeros(5))

    def test_made_by_rule(self):
        self.same(gp.arange(10), np.arange(10))
        self.same(gp.arange(3, 20, 4, "float32"), np.arange(3, 20, 4, "float32"))
        self.same(gp.arange(10, 0, -3), np.arange(10, 0, -3))
        self.same(gp.arange(5, 2), np.arange(5, 2))
        a = gp.random(100_000, seed=3)
        self.same(gp.random(100_000, seed=3), a.to_numpy())
        self.assertTrue(0 <= a.min() and a.max() < 1)
        self.assertLess(abs(a.mean() - 0.5), 0.01)
        self.assertGreater(len(a.unique()), 99_990)
        dice = gp.random(60_000, 1, 7, "int32")
        self.assertEqual(dice.unique().tolist(), [1, 2, 3, 4, 5, 6])
        self.assertGreater(dice.unique(return_counts=True)[1].min(), 9_500)

    def test_numbers_and_slices(self):
        for dtype in TYPES:
            a, values = self.both(1001, dtype)
            self.assertEqual((a[0], a[-1], a[500]), (values[0], values[-1], values[500]))
            for part in (slice(None), slice(10, 20), slice(3, 900, 7), slice(None, None, -1),
                         slice(-5, 2, -13), slice(5, 5), slice(2000, 3000)):
                np.testing.assert_array_equal(a[part], values[part])
                new = self.random.integers(0, 9, len(values[part])).astype(dtype)
                a[part], values[part] = new, new
                a[part] += 1
                values[part] += 1
            a[7], values[7] = 3, 3
            a[-7] += 2
            values[-7] += 2
            self.same(a, values)

    def test_selections_read(self):
        a, values = self.both()
        at = self.random.integers(-1000, 1000, 5000)
        np.testing.assert_array_equal(a[at], values[at])
        np.testing.assert_array_equal(a[at.tolist()] + 1, values[at] + 1)
        np.testing.assert_array_equal(a[values > 50], values[values > 50])
        self.assertEqual(a[at].sum(), values[at].sum())
        self.assertEqual(len(a[[]]), 0)

    def test_a_selection_is_what_it_was_when_it_was_chosen(self):
        a = gp.arange(10)
        chosen, other = a[[1, 2]], a[[2, 3]]
        a[[1, 2]] = 0
        self.assertEqual(chosen.tolist(), [1, 2])
        other += 5
        self.assertEqual(a[:5].tolist(), [0, 0, 5, 8, 4])
        self.assertEqual(other.tolist(), [5, 8])

    def test_indices_that_change_later_choose_nothing_else(self):
        a = gp.arange(10)
        at = np.array([1, 2])
        chosen = a[at]
        at[:] = 7
        self.assertEqual(chosen.tolist(), [1, 2])

    def test_updates_count_every_index(self):
        for dtype in TYPES:
            a, values = self.both(100, dtype)
            at = self.random.integers(0, 100, 10_000)
            by = self.random.integers(0, 3, len(at)).astype(dtype)
            for ours, numpys in (("__iadd__", np.add), ("__isub__", np.subtract),
                                 ("__imul__", np.multiply)):
                few = slice(0, 20 if numpys is np.multiply else None)
                getattr(a[at[few]], ours)(by[few])
                with np.errstate(over="ignore"):
                    numpys.at(values, at[few], by[few])
                self.same(a, values)
            a.minimum_at(at, by)
            np.minimum.at(values, at, by)
            self.same(a, values)
            a.maximum_at(at, by + 5)
            np.maximum.at(values, at, by + dtype_one(dtype) * 5)
            self.same(a, values)
            a[at] += 1
            np.add.at(values, at, 1)
            self.same(a, values)

    def test_many_updates_of_a_large_array(self):
        for dtype in ("int64", "float32"):
            a, values = self.both((40 << 20) // np.dtype(dtype).itemsize, dtype)
            at = self.random.integers(-len(values), len(values), 1_500_000)
            at[::3] = at[0]  # some very often
            by = self.random.integers(0, 3, len(at)).astype(dtype)
            a[at] += by
            np.add.at(values, at, by)
            a[at] += 1
            np.add.at(values, at, 1)
            self.same(a, values)
            a.maximum_at(at, by * 1000)
            np.maximum.at(values, at, by * 1000)
            self.same(a, values)
            once = np.unique(at % len(values))
            a[once] = by[:len(once)]
            values[once] = by[:len(once)]
            self.same(a, values)
            with self.assertRaises(IndexError):
                a[np.append(at, len(values))] += 1
            self.same(a, values)

    def test_bits(self):
        a, values = self.both(64)
        at = self.random.integers(0, 64, 500)
        by = self.random.integers(0, 2**40, 500)
        a[at] |= by
        np.bitwise_or.at(values, at, by)
        a[at] ^= by
        np.bitwise_xor.at(values, at, by)
        a[at] &= by | 15
        np.bitwise_and.at(values, at, by | 15)
        self.same(a, values)
        with self.assertRaises(TypeError):
            gp.zeros(3)[[1]] |= 1

    def test_the_whole_array_in_place(self):
        a, values = self.both(1000, "float64")
        a += 1
        a *= values
        a -= values + 1
        self.same(a, (values + 1) * values - (values + 1))
        np.testing.assert_array_equal(a + values, a.to_numpy() + values)

    def test_integers_wrap(self):
        a = gp.array(np.array([2**63 - 1, 2**62], np.int64))
        a[[0, 1]] += 1
        a *= 2
        self.assertEqual(a[:].tolist(), [0, -2**63 + 2])

    def test_of_all_elements(self):
        for dtype in TYPES:
            a, values = self.both(1000, dtype)
            self.assertEqual((a.sum(), a.min(), a.max()), (values.sum(), values.min(), values.max()))
            self.assertAlmostEqual(a.mean(), values.mean(), 3)
            found, counts = a.unique(return_counts=True)
            expected, expected_counts = np.unique(values, return_counts=True)
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(counts, expected_counts)
            a.sort()
            self.same(a, np.sort(values))
        self.assertEqual(gp.zeros(0).sum(), 0)
        with self.assertRaisesRegex(ValueError, "no minimum"):
            gp.zeros(0).min()

    def test_nan(self):
        values = np.array([3, np.nan, -np.inf, 1, np.nan, np.inf, -0.0])
        a = gp.array(values)
        self.assertTrue(np.isnan(a.min()) and np.isnan(a.max()) and np.isnan(a.sum()))
        np.testing.assert_array_equal(a.unique(), np.unique(values))
        a.sort()
        self.same(a, np.sort(values))

    def test_histograms(self):
        values = self.random.normal(size=100_000)
        a = gp.array(values)
        for options in ({}, {"bins": 7}, {"bins": 50, "range": (-1, 2)}, {"bins": [-1, 0, 0.5, 9]}):
            counts, edges = a.histogram(**options)
            expected, expected_edges = np.histogram(values, **options)
            np.testing.assert_array_equal(counts, expected)
            np.testing.assert_array_equal(edges, expected_edges)

    def test_what_is_wrong(self):
        a = gp.arange(10)
        for key in (10, -11, [0, 10], [-11], np.array([0.5]), (1, 2), "x", [[1]], [True]):
            with self.assertRaises(IndexError):
                a[key] += 1
            with self.assertRaises(IndexError):
                a[key]  # though nobody reads it
        self.same(a, np.arange(10))
        many = np.zeros(100_000, int)
        many[-7] = 10
        with self.assertRaisesRegex(IndexError, "index 10 is"):
            a[many]
        with self.assertRaisesRegex(IndexError, "index 18446744073709551615 is"):
            a[np.array([2**64 - 1], np.uint64)]
        with self.assertRaisesRegex(ValueError, "3 values for 2"):
            a[[1, 2]] = [1, 2, 3]
        with self.assertRaises(TypeError):
            a[[1]] += 0.5
        with self.assertRaises(OverflowError):
            gp.zeros(3, "uint32")[[1]] += 2**40
        for dtype in ("int8", "bool", "complex128", ">i8", "O"):
            with self.assertRaisesRegex(ValueError, "float64 was expected"):
                gp.zeros(3, dtype)
        with self.assertRaises(ValueError):
            gp.zeros(-1)
        with self.assertRaisesRegex(ValueError, "one dimension"):
            gp.array([[1]])
        with self.assertRaisesRegex(ValueError, "ascending"):
            a.histogram([3, 1])
        with self.assertRaises(ValueError):
            gp.random(3, 1, 1)
        for count in (2**45, 2**60):
            with self.assertRaisesRegex(MemoryError, "^GlobalArray: "):
                gp.zeros(count)

    def test_memory_comes_back(self):
        with gp.session(cores=1, memory="4GiB") as session:
            with self.assertRaises(MemoryError):
                gp.zeros(2**40, session=session)
            for _ in range(200):  # 25 GB in all
                gp.zeros(2**24, session=session)
            gc.collect()
            a = gp.zeros(10, session=session)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            a.sum()


class Shown(unittest.TestCase):
    def test_in_notebooks(self):
        shown = gp.arange(1 << 18)._repr_html_()
        self.assertIn("<tr><th>elements</th><td>262,144</td></tr>", shown)
        self.assertIn("<td>2 MiB</td>", shown)
        self.assertIn("0, 1, 2, …, 262141, 262142, 262143", shown)


class DLPack(unittest.TestCase):
    def test_has_the_elements_themselves(self):
        for dtype in ("int32", "uint32", "int64", "uint64", "float32", "float64"):
            a = gp.arange(0, 100_000, dtype=dtype)
            view = np.from_dlpack(a)
            self.assertEqual((view.dtype, len(view)), (a.dtype, len(a)))
            self.assertEqual(view[99_999], 99_999)
            view[5] = 77
            self.assertEqual(a[5], 77)
            a[6] = 78
            self.assertEqual(view[6], 78)

    def test_of_no_elements(self):
        self.assertEqual(len(np.from_dlpack(gp.zeros(0))), 0)

    def test_what_has_nothing_else_is_taken(self):
        class Given:
            def __init__(self, *values):
                self.values = np.array(values)

            def __dlpack__(self, **wishes):
                return self.values.__dlpack__(**wishes)

            def __dlpack_device__(self):
                return self.values.__dlpack_device__()

        a = gp.array(Given(5, 6, 7))
        self.assertEqual(a[Given(0, 2)].tolist(), [5, 7])
        a[Given(1)] += Given(4)
        self.assertEqual(a[:].tolist(), [5, 10, 7])
        g = gp.from_edges(Given(0, 1), Given(1, 2), Given(0.5, 2.0))
        self.assertEqual(g.sssp(source=0).distance.tolist(), [0, 0.5, 2.5])
        self.assertEqual(gp.sql("select sum(x) from t", t={"x": Given(1, 2)}).fetchall(), [(3,)])
        self.assertEqual(gp.KMeans(1).fit(Given([0, 1], [2, 3])).cluster_centers_.tolist(), [[1, 2]])

    def test_outlives_array_and_session(self):
        with gp.session(cores=2) as session:
            view = np.from_dlpack(gp.arange(1 << 20, session=session))
        gc.collect()
        self.assertEqual(view.sum(), (1 << 20) * ((1 << 20) - 1) // 2)
        view[:] = 1
        del view
        gc.collect()

    def test_memory_comes_back(self):
        with gp.session(cores=1, memory="4GiB") as session:
            for _ in range(100):
                np.from_dlpack(gp.zeros(2**24, session=session))[0] = 1

    def test_stays_to_the_end_of_the_interpreter(self):
        code = "import grappa as gp, numpy as np\nview = np.from_dlpack(gp.zeros(1000))\nview[3] = 1\n"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


def dtype_one(dtype):
    return np.ones(1, dtype)[0]


if __name__ == "__main__":
    unittest.main()
