"""Arrays that are given, as NumPy's."""

import numpy as np

_INTEGERS = (np.int32, np.uint32, np.int64, np.uint64)


def array_of(values, dtype=None):
    """What NumPy makes of them; of what knows nothing but DLPack, without a copy, too."""
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        values = np.from_dlpack(values)
    return np.asarray(values, dtype)


def integers(values):
    """The array as the compiled part takes integers, of 32 or 64 bits and side by side."""
    return np.ascontiguousarray(values, None if values.dtype in _INTEGERS else np.int64)
