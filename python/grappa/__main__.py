"""A script as the program of a cluster.

    mpirun -n 4 python -m grappa script.py ARGUMENT...
    mpirun -n 4 python -m grappa -m package.module ARGUMENT...
    mpirun -n 4 python -m grappa serve --listen HOST:PORT

It runs once, in the first process. What it asks of Grappa is done by all: the others serve. Without
a launcher it runs as `python script.py` does. `serve` keeps a session open for programs elsewhere,
which connect to the first process; --help says more.

    cmake -DGrappa_DIR="$(python -m grappa --cmake-dir)" …

--cmake-dir is where CMake finds the library that is in the package, for programs in C++.
"""

import glob
import os
import runpy
import sys
import zipfile

from grappa import _grappa, sessions

_USAGE = ("usage: python -m grappa SCRIPT [ARGUMENT...], or -m MODULE [ARGUMENT...], or serve [--help], "
          "or --cmake-dir")
_BEFORE_THE_SCRIPT = (__file__, runpy.run_path.__code__.co_filename)


def main(arguments):
    """Ends with the status of the program, in all processes."""
    try:
        if _grappa.join_job():
            sys.exit(_grappa.serve_job())
    except ValueError as error:
        sys.exit(_refuse(str(error)))
    sessions.script_status = _run(arguments)
    sys.exit(sessions.script_status)


def _run(arguments):
    """What `python ARGUMENT...` would do, and its status."""
    if arguments == ["--cmake-dir"]:
        return _print_cmake_folder()
    try:
        if arguments[:1] == ["serve"]:
            from grappa.serving import command
            return command.run(arguments[1:])
        if arguments[:1] == ["-m"] and len(arguments) > 1:
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        elif arguments and not arguments[0].startswith("-"):
            if not os.path.exists(arguments[0]):
                return _refuse(f"there is no file {arguments[0]}")
            sys.argv = arguments
            _find_modules_beside(arguments[0])
            runpy.run_path(os.path.abspath(arguments[0]), run_name="__main__")
        else:
            return _refuse(_USAGE)
    except SystemExit as ended:
        return _status_of(ended)
    except BaseException as error:
        _show(error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _refuse(line):
    print(line if line is _USAGE else f"grappa: {line}", file=sys.stderr)
    return 2


def _print_cmake_folder():
    here = os.path.dirname(os.path.abspath(__file__))
    found = glob.glob(os.path.join(glob.escape(here), "lib*", "cmake", "Grappa", "GrappaConfig.cmake"))
    if not found:
        return _refuse(f"the package in {here} is not installed: pip install brings what CMake wants")
    print(os.path.dirname(found[0]))
    return 0


def _find_modules_beside(script):
    """Its folder is where modules are first looked for; a folder or archive is so by itself."""
    if getattr(sys.flags, "safe_path", False):
        return
    if os.path.isdir(script) or zipfile.is_zipfile(script):
        del sys.path[0]
    else:
        sys.path[0] = os.path.dirname(os.path.realpath(script))


def _status_of(ended):
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    print(ended.code, file=sys.stderr)
    return 1


def _show(error):
    """As Python does, without what is between it and the script."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in _BEFORE_THE_SCRIPT:
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)


if __name__ == "__main__":
    main(sys.argv[1:])
