"""Python under the launchers of Open MPI and MPICH, for tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import grappa

SOURCE = Path(os.environ.get("GRAPPA_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "tests"))
from cli_tool import clean_environment  # noqa: E402
from mpi_launch import ENVIRONMENT, LAUNCHERS, end_with_parent  # noqa: E402

PACKAGE = Path(grappa.__file__).parent
PLUGINS = [PACKAGE / "lib/grappa", PACKAGE.parents[1] / "plugins"]  # installed, or of a build
LIBRARIES = [name for name, (program, _) in LAUNCHERS.items()
             if shutil.which(program)
             and any((folder / f"libgrappa_mpi_{name}.so").exists() for folder in PLUGINS)]


def start(folder, library, ranks, *words, **environment):
    """A job of so many processes of Python."""
    program, flags = LAUNCHERS[library]
    path = os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [program, *flags, "-n", str(ranks), sys.executable, *map(str, words)],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**clean_environment(), **ENVIRONMENT, "GRAPPA_CORES": "1", "PYTHONPATH": path,
             **environment}, preexec_fn=end_with_parent)


def rank_of(launcher, rank):
    """The process of this number, among those that the launcher and its helpers have started."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            is_python = b"-m\0grappa" in (entry / "cmdline").read_bytes()
        except OSError:
            continue
        names = {b"OMPI_COMM_WORLD_RANK=%d" % rank, b"PMI_RANK=%d" % rank}
        if is_python and names & set(environment) and is_below(int(entry.name), launcher):
            found.add(int(entry.name))
    (process,) = found
    return process


def is_below(process, ancestor):
    while process > 1:
        if process == ancestor:
            return True
        text = Path(f"/proc/{process}/stat").read_text()
        process = int(text[text.rindex(")") + 2:].split()[1])
    return False
