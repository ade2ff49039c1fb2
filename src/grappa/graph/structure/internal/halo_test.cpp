#include "grappa/graph/structure/internal/halo.hpp"

#include <gtest/gtest.h>

#include <set>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "grappa/parallel/test_allocations.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

TEST(Halo, ABandIsMostlyLocalAndARandomGraphIsNot) {
  for (const auto& [locales, expected] : {std::pair(1, false), std::pair(4, true)}) {
    run(grappa::test::cluster(locales, 1), [is_local = expected] {
      for (const auto& [name, of_this] :
           {std::pair("grid:60x60", true), std::pair("urand:11:8", false)}) {
        const Owned<Graph> graph = test::generated(name).build();
        EXPECT_EQ(is_mostly_local(*graph), is_local && of_this) << name;
      }
    });
  }
}

/// How many elements of this locale's copy are not as they should be: what in-edges come from has
/// the value of its home, all else is 0.
std::int64_t wrong_here(const Graph& graph, Replica<std::int64_t> values) {
  std::set<VertexId> known;
  for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v) {
    known.insert(static_cast<VertexId>(v));
    for (const VertexId u : graph.in().neighbors(v)) known.insert(u);
  }
  std::int64_t wrong = 0;
  for (std::int64_t v = 0; v < graph.vertex_count(); ++v) {
    const bool is_known = known.contains(static_cast<VertexId>(v));
    wrong += values.data()[v] != (is_known ? 1000 + v : 0);
  }
  return wrong;
}

TEST(Halo, WhatIsReadComesFromItsHomeAndNothingElse) {
  for_all_graphs([](const TestGraph& test) {
    const Owned<Graph> graph = test.build({.in_edges = true});
    const Owned<Halo> halo = Halo::of_edges(*graph, Edges::kIn);
    const Owned<Replica<std::int64_t>> values =
        Replica<std::int64_t>::create(graph->vertex_count());
    on_all_locales([graph = *graph, values = *values] {
      for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v)
        values.data()[v] = 1000 + v;
    });
    halo->exchange(*values);
    for (const std::int64_t wrong :
         gather_locales([graph = *graph, values = *values] { return wrong_here(graph, values); }))
      EXPECT_EQ(wrong, 0);
  });
}

TEST(Halo, WhatFailsLeavesNothingBehind) {
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(4, 1)}) {
    run(config, [] {
      const Owned<Graph> graph = test::generated("grid:20x20").build();
      grappa::test::expect_nothing_left_behind(
          [&] { const Owned<Halo> halo = Halo::of_edges(*graph, Edges::kIn); });
    });
  }
}

}  // namespace
}  // namespace grappa::graph
