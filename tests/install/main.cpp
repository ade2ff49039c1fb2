// Counts, through the installed package, the iterations of a parallel loop, the vertices that a
// search in a cycle reaches, and what a dataset and a table have.

#include <grappa/graph.hpp>
#include <grappa/grappa.hpp>
#include <grappa/mapreduce.hpp>
#include <grappa/query.hpp>

#include <cstdint>
#include <cstdio>

namespace {

constexpr std::int64_t kIterations = 10'000;

std::int64_t reached_in_a_cycle(std::int64_t length) {
  grappa::graph::EdgeList list;
  list.vertex_count = length;
  for (std::int64_t v = 0; v < length; ++v) {
    list.edges.push_back({static_cast<grappa::graph::VertexId>(v),
                          static_cast<grappa::graph::VertexId>((v + 1) % length)});
  }
  const grappa::Owned<grappa::graph::Graph> graph = grappa::graph::build_graph(list);
  return grappa::graph::bfs(*graph, 0).reached;
}

std::int64_t values_of_a_dataset() {
  return grappa::mapreduce::generate(7, [](std::int64_t i) { return i; }).count();
}

std::int64_t rows_of_a_table() {
  grappa::query::Database database;
  std::int64_t rows = 0;
  database.execute("SELECT * FROM (VALUES (1), (2), (3)) AS t(number)",
                   [&rows](grappa::query::Answer& answer) {
                     answer.for_each_batch([&rows](const grappa::query::Batch& batch) {
                       batch.for_each([&rows](std::size_t) { ++rows; });
                     });
                   });
  return rows;
}

}  // namespace

int main() {
  std::int64_t counted = kIterations;  // in the other processes of a job
  grappa::run([&counted] {
    const auto total = grappa::global_alloc<std::int64_t>(1);
    grappa::delegate::write(total, std::int64_t{0});
    grappa::forall(0, kIterations, [total](std::int64_t) {
      grappa::delegate::async::increment(total, std::int64_t{1});
    });
    counted = grappa::delegate::read(total);
    grappa::global_free(total);
    if (reached_in_a_cycle(1000) != 1000 || values_of_a_dataset() != 7 || rows_of_a_table() != 3)
      counted = 0;
    std::printf("counted %lld of %lld on %d locales\n", static_cast<long long>(counted),
                static_cast<long long>(kIterations), grappa::locale_count());
  });
  return counted == kIterations ? 0 : 1;
}
