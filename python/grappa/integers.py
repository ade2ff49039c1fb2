"""Arrays of integers as the compiled part takes them."""

import numpy as np

_TYPES = (np.int32, np.uint32, np.int64, np.uint64)


def integers(values):
    """The array, of 32 or 64 bits and side by side."""
    return np.ascontiguousarray(values, None if values.dtype in _TYPES else np.int64)
