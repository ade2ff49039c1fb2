"""The process of one baseline of `grappa bench kernels`.

    worker.py SYSTEM OFFSETS TARGETS WEIGHTS RESULT

SYSTEM names a module of this folder, SYSTEM_system.py. The others are paths of files: those of the
graph (graph_arrays.py), and that of the array which goes back. Requests and answers (serving.py):

    (at the start)               {"system": "NetworKit 11.3", "lacks": {"bc": "a reason"}}
    load VERTICES ARCS WEIGHT    {}
    prepare KERNEL DELTA         {}
    run KERNEL SOURCE            {"seconds": 0.25, "values": 1024}
    forget                       {}

WEIGHT is the type of the weights as numpy calls it, or "none". What a kernel computes comes back in
RESULT as doubles, one a vertex: the depth and the distance (infinite where there is no path), the
rank, a number that the vertices of a component have in common, the dependency of the source halved;
of triangles one number, how many.

`prepare` makes what the kernel needs besides the graph, `run` times the system's own call and nothing
else, `forget` gives back what was prepared. The process ends with its input.

A module has a class System with NAME and LACKS, made of a Graph, with the methods prepare(kernel,
delta), forget() and one for each kernel that it does not lack. That takes the source and returns what
to time, a function without arguments, and a function that makes the array of what the first returned.
"""

import importlib
import sys
import time

from serving import serve


class Worker:
    def __init__(self, make_graph, make_system, files, result):
        self.make_graph = make_graph
        self.make_system = make_system
        self.files = files
        self.result = result
        self.system = None

    def answer(self, request):
        word, *arguments = request.split()
        return {"load": self.load, "prepare": self.prepare, "run": self.run,
                "forget": self.forget}[word](*arguments)

    def load(self, vertices, arcs, weight_type):
        self.system = self.make_system(
            self.make_graph(self.files, int(vertices), int(arcs), weight_type))
        return {}

    def prepare(self, kernel, delta):
        self.system.prepare(kernel, float(delta))
        return {}

    def run(self, kernel, source):
        call, values_of = getattr(self.system, kernel)(int(source))
        start = time.perf_counter()
        returned = call()
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "values": self.write(values_of(returned))}

    def write(self, values):
        """To the beginning of the file; how many there are."""
        import numpy as np

        array = np.ascontiguousarray(values, dtype=np.float64)
        with open(self.result, "r+b") as file:
            file.write(array)
        return len(array)

    def forget(self):
        self.system.forget()
        return {}


def main():
    system, *files, result = sys.argv[1:]
    worker = None

    def greet():
        nonlocal worker
        make_graph = importlib.import_module("graph_arrays").Graph
        make_system = importlib.import_module(f"{system}_system").System
        worker = Worker(make_graph, make_system, files, result)
        return {"system": make_system.NAME, "lacks": make_system.LACKS}

    serve(greet, lambda request: worker.answer(request))


if __name__ == "__main__":
    main()
