"""Addresses: "host:port", "host", "[::1]:port"."""

import re

DEFAULT_PORT = 4727


def parse(text):
    """Host and port. ValueError for anything else."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%\w]+)\]|([^:\[\]\s]+))(?::(\d{1,5}))?", text)
    port = int(found[3]) if found and found[3] else DEFAULT_PORT
    if not found or port > 65535:
        raise ValueError(f"{text!r} is no address: host:port was expected")
    return found[1] or found[2], port


def text_of(address):
    """And back."""
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
