// Loads a graph, ranks its vertices, and writes the ranks: graph_file [GRAPH [FILE]].

#include <grappa/graph.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace grappa;
using namespace grappa::graph;

// What is wrong with a file or an option is said in one line.
int main(int argc, char** argv) try {
  bool right = true;
  run([&] {
    EdgeList list = load_edge_list({.path = argc > 1 ? argv[1] : "kron:12"});
    Graph graph = build_graph(list, {.in_edges = true});
    PageRankResult result = pagerank(graph, {.tolerance = 1e-9});
    const std::vector<double> rank = collect(*result.rank, graph);

    OutputFile out(argc > 2 ? argv[2] : "ranks.tsv.gz");
    double sum = 0;
    for (std::size_t v = 0; v < rank.size(); ++v) {
      std::array<char, 32> digits;
      std::snprintf(digits.data(), digits.size(), "%.17g", rank[v]);
      // The name is what the file calls the vertex.
      out.write(list.names.name(static_cast<VertexId>(v)) + "\t" + digits.data() + "\n");
      sum += rank[v];
    }
    out.commit();  // nothing is there until everything is
    right = std::abs(sum - 1) < 1e-9;
    std::printf("%zu ranks, after %lld iterations\n", rank.size(),
                static_cast<long long>(result.iterations));
    graph.destroy();
  });
  return right ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "graph_file: %s\n", error.what());
  return 2;
}
