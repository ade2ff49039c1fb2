"""The MapReduce commands of the tool: words, sorted files, and k-means."""

import operator
import os

import numpy as np

from grappa import notebooks, sessions
from grappa.given import array_of
from grappa.tables import Answer


def wordcount(*paths, lower=False, letters=False, ngrams=1, top=None, session=None):
    """How often each word of some files occurs: an Answer with columns `word` and `count`.

    The most frequent is first, equally frequent ones in the order of their bytes. A word is a run
    of what is no white space; with letters=True, of letters. lower: capital letters count as small
    ones. ngrams: so many words that follow one another in a line. top: only the first ones. Files
    are UTF-8, plain, .gz or .zst. FileNotFoundError.

        gp.wordcount("moby.txt", lower=True, letters=True, top=10).fetchall()
    """
    session = session or sessions.current()
    if not paths:
        raise TypeError("wordcount() takes at least one file")
    if ngrams < 1 or (top is not None and top < 0):
        raise ValueError("ngrams from 1 on, and top from 0 on, were expected")
    words, counts = session._compiled.count_words(
        session._made, [os.fspath(path) for path in paths], lower, letters, ngrams,
        -1 if top is None else top)
    return Answer([("word", "text", words, None), ("count", "bigint", counts, None)])


def sort(*paths, out, column=None, separator=" ", records=False, reverse=False, skip_bad_records=0,
         session=None):
    """Sorts the lines of files into the file `out`, by their bytes, as `LC_ALL=C sort`.

    column: by the number in this column, from 1; columns stand between blanks and tabs, or what
    `separator` is. records: records of 100 bytes instead of lines. skip_bad_records: leaves out so
    many lines without a number. Returns a dict: records, bytes, skipped, seconds (of sorting).
    ValueError with file and line. `out` is whole or not there; compressed if it is .gz or .zst.

        gp.sort("a.txt", "b.txt.gz", out="sorted.txt")
    """
    session = session or sessions.current()
    if not paths:
        raise TypeError("sort() takes at least one file")
    if records and column is not None:
        raise ValueError("records and column: one of them was expected")
    by = "records" if records else "bytes" if column is None else "number"
    if column is not None and column < 1:
        raise ValueError(f"column {column}: columns are counted from 1")
    return session._compiled.sort_files(
        session._made, [os.fspath(path) for path in paths], os.fspath(out), by, column or 1, separator,
        reverse, skip_bad_records)


def read_points(path, *, format="auto", columns=None, skip_bad_records=0, session=None):
    """The points in a file, for KMeans: an array of shape (rows, columns), of float64.

    format: "csv" is any text, a point a line, its coordinates between commas, semicolons, tabs or
    blanks, perhaps below a header; "npy" an array of NumPy; "bin" doubles, `columns` of them a point;
    "auto": as the name says. skip_bad_records: leaves out so many lines that are no points. ValueError
    with file and line; FileNotFoundError.

        gp.KMeans(3).fit(gp.read_points("points.csv"))
    """
    session = session or sessions.current()
    path = os.fspath(path)
    session.require_room(2 * session.file_size(path))
    values, width, _ = session._compiled.read_points(session._made, path, format, columns or 0,
                                                     skip_bad_records)
    return values.reshape(-1, width) if width else values.reshape(0, 0)


class KMeans:
    """k-means by Lloyd's algorithm on all cores, with the names of scikit-learn's.

    n_clusters: how many. init: "k-means++", "random", or an array of shape (n_clusters, columns).
    n_init: how many starts, of which the best is kept; "auto" is one, or 10 with "random".
    max_iter: rounds at most. tol: the rounds end when the squares of the ways of the centers add up
    to no more than that times the mean variance of the columns. random_state: a number from 0 on.

    After fit: cluster_centers_ of shape (n_clusters, columns), labels_ (int32, a row's cluster),
    inertia_ (the sum of the squared distances to the nearest centers), n_iter_, n_features_in_.
    From equal centers it finds what scikit-learn finds, but that a center which loses all its
    points stays where it is.

        found = gp.KMeans(3, random_state=1).fit(points)
        found.labels_, found.predict(other_points)
    """

    def __init__(self, n_clusters=8, *, init="k-means++", n_init="auto", max_iter=300, tol=1e-4,
                 random_state=None, session=None):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.session = session

    def fit(self, X, y=None):
        """Finds centers of the rows of X: of shape (rows, columns), finite numbers.

        y is not looked at. Returns the object itself. ValueError for fewer rows than clusters.
        """
        points = _points(X)
        start, centers, starts = self._start()
        seed = operator.index(self.random_state or 0)
        if seed < 0:
            raise ValueError(f"random_state {seed}: a number from 0 on was expected")
        found = (self._run(points, start, centers, seed + i, self.max_iter) for i in range(starts))
        centers, labels, self.inertia_, self.n_iter_, _ = min(found, key=lambda of: of[2])
        self.cluster_centers_ = centers.reshape(self.n_clusters, -1)
        self.labels_ = labels.astype(np.int32)
        self.n_features_in_ = points.shape[1]
        return self

    def predict(self, X):
        """The cluster whose center is nearest, of each row of X."""
        if not hasattr(self, "cluster_centers_"):
            raise ValueError("this KMeans is not fitted yet: call fit first")
        points = _points(X)
        if points.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {points.shape[1]} columns; {self.n_features_in_} were expected")
        rows = len(points)
        if rows == 0:
            return np.zeros(0, np.int32)
        if rows < self.n_clusters:  # the compiled part wants as many
            points = np.concatenate([points, points[:1].repeat(self.n_clusters - rows, axis=0)])
        _, labels, *_ = self._run(points, "", self.cluster_centers_, 0, 0)
        return labels[:rows].astype(np.int32)

    def fit_predict(self, X, y=None):
        """fit(X).labels_"""
        return self.fit(X).labels_

    def get_params(self, deep=True):
        """The arguments it was made with, by their names."""
        return {name: getattr(self, name) for name in ("n_clusters", "init", "n_init", "max_iter",
                                                       "tol", "random_state", "session")}

    def set_params(self, **params):
        """Changes such arguments."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"{name}: there is no such parameter of KMeans")
            setattr(self, name, value)
        return self

    def _start(self):
        """How to begin, from which centers, and how often."""
        if isinstance(self.init, str):
            if self.init not in ("k-means++", "random"):
                raise ValueError(f"init {self.init!r}: 'k-means++', 'random' or an array was expected")
            starts = {"k-means++": 1, "random": 10}[self.init] if self.n_init == "auto" else self.n_init
            if operator.index(starts) < 1:
                raise ValueError(f"n_init {starts}: at least 1 was expected")
            return self.init, None, starts
        return "", _points(self.init), 1

    def _run(self, points, start, centers, seed, iterations):
        session = self.session or sessions.current()
        session.require_room(2 * points.nbytes)
        return session._compiled.kmeans(session._made, points, operator.index(self.n_clusters), start,
                                        centers, seed, iterations, self.tol)

    def __repr__(self):
        return f"KMeans(n_clusters={self.n_clusters})"

    def _repr_html_(self):
        rows = {"clusters": self.n_clusters, "init": self.init if isinstance(self.init, str) else
                "centers that were given"}
        if not hasattr(self, "labels_"):
            return notebooks.facts_table({**rows, "fitted": "not yet"})
        sizes = np.bincount(self.labels_, minlength=self.n_clusters).tolist()
        return notebooks.facts_table({
            **rows, "points": f"{len(self.labels_):,} of {self.n_features_in_} columns",
            "sizes": ", ".join(map(str, sizes[:20])) + (", …" if len(sizes) > 20 else ""),
            "inertia": f"{self.inertia_:.6g}", "iterations": self.n_iter_})


def _points(values):
    points = np.ascontiguousarray(array_of(values), dtype=np.float64)
    if points.ndim != 2 or points.shape[1] == 0:
        raise ValueError(f"points of shape {points.shape}: rows of at least one column were expected")
    if not np.isfinite(points).all():
        row = int(np.argmin(np.isfinite(points).all(axis=1)))
        raise ValueError(f"row {row} has a number that is not finite")
    return points
