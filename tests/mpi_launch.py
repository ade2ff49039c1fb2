"""Starting jobs of several processes under the launchers of Open MPI and MPICH."""

import atexit
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from cli_tool import SECONDS, TOOL, clean_environment

BINARIES = Path(os.environ.get("GRAPPA_BINARY_DIR", TOOL.parent.parent))

# The launcher of each library, with what more processes than processors ask for.
LAUNCHERS = {"openmpi": ("mpirun.openmpi", ["--oversubscribe"]), "mpich": ("mpirun.mpich", [])}
# Open MPI keeps files of each job, ten megabytes a host, and leaves them where it is killed.
OPENMPI_FILES = tempfile.mkdtemp(prefix="grappa-ompi-")
atexit.register(shutil.rmtree, OPENMPI_FILES, ignore_errors=True)
# What a busy machine and the user root ask for; and no name server is asked, since MPICH's launcher
# waits ten seconds for one that is silent, for the name of its own host, which it does not need.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1", "RES_OPTIONS": "attempts:0",
               "OMPI_MCA_orte_tmpdir_base": OPENMPI_FILES}
# Where each tells a process its number.
RANK_VARIABLES = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}

LIBRARIES = [name for name, (program, _) in LAUNCHERS.items()
             if shutil.which(program)
             and (BINARIES / f"plugins/libgrappa_mpi_{name}.so").exists()]


PR_SET_PDEATHSIG = 1


def die_with_parent():
    """For preexec_fn: a test that is killed takes what it started with it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_with_parent():
    """The same for a launcher, which ends its whole job then."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def launch(folder, library, ranks, *command, env=None, flags=(), seconds=SECONDS):
    """The finished job, whatever its status."""
    program, own_flags = LAUNCHERS[library]
    return subprocess.run(
        [program, *own_flags, *flags, "-n", str(ranks), *map(str, command)], cwd=folder,
        env=clean_environment() | ENVIRONMENT | (env or {}), capture_output=True, text=True,
        timeout=seconds, preexec_fn=end_with_parent)
