"""Sizes as people write them: "8GiB"."""

_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def byte_count(size):
    """Bytes of 4096, "500MiB" or "8GiB". ValueError for anything else."""
    if isinstance(size, int):
        return size
    text = str(size).strip()
    number = text.rstrip("BiKMGT").strip()
    unit = text[len(number):].strip()
    try:
        return int(float(number) * _UNITS[unit])
    except (KeyError, ValueError):
        raise ValueError(f"{size!r} is no size: bytes, or a number with KiB, MiB, GiB or TiB, were "
                         "expected") from None


def byte_text(count):
    """So many bytes in the unit in which they are a short number: "1.5 GiB"."""
    unit = max((unit for unit in _UNITS if unit and _UNITS[unit] <= max(count, 1)), key=_UNITS.get)
    return f"{count / _UNITS[unit]:.4g} {unit}"
