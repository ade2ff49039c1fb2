#include <array>

#include "cli/command.hpp"

namespace grappa::cli {
namespace {

constexpr std::string_view kKernels = "Kernels: grappa KERNEL GRAPH [options]";
constexpr std::string_view kGraphs = "Graphs";
constexpr std::string_view kRest = "Other";

constexpr std::array kCommands = {
    Command{"bfs", kKernels, "hops from a source along out-edges", run_bfs},
    Command{"sssp", kKernels, "shortest paths from a source, by the weights of edges", run_sssp},
    Command{"pagerank", kKernels, "how often a random surfer visits each vertex", run_pagerank},
    Command{"cc", kKernels, "weakly connected components and their sizes", run_cc},
    Command{"triangles", kKernels, "how many triangles there are, and of which vertices",
            run_triangles},
    Command{"lcc", kKernels, "how close each vertex's neighbors are to knowing each other",
            run_lcc},
    Command{"bc", kKernels, "how many shortest paths pass through each vertex", run_bc},
    Command{"cdlp", kKernels, "communities, by the most frequent label among neighbors", run_cdlp},
    Command{"mis", kKernels, "a maximal set of vertices, no two of them neighbors", run_mis},
    Command{"coloring", kKernels, "colors such that neighbors differ", run_coloring},
    Command{"kcore", kKernels, "core numbers: how deep in the dense part each vertex is",
            run_kcore},
    Command{"msf", kKernels, "the spanning forest of least weight", run_msf},
    Command{"degrees", kKernels, "how many edges vertices have, and how unequally", run_degrees},
    Command{"info", kGraphs, "what a graph is like: size, degrees, weights, memory", run_info},
    Command{"generate", kGraphs, "make a graph and write it to a file", run_generate},
    Command{"convert", kGraphs, "write a graph in another format", run_convert},
    Command{"bench", kRest, "run a benchmark of the runtime, or list them", run_bench},
    Command{"completion", kRest, "what bash or zsh needs to complete commands and options",
            run_completion},
    Command{"help", kRest, "list the commands, or describe one: grappa help COMMAND", run_help},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace grappa::cli
