#include "grappa/graph/halo.hpp"

#include <gtest/gtest.h>

#include <set>

#include "grappa/graph/locales.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

using test::for_all_graphs;
using test::TestGraph;

TEST(Halo, ABandIsMostlyLocalAndARandomGraphIsNot) {
  for (const auto& [locales, expected] : {std::pair(1, false), std::pair(4, true)}) {
    run(grappa::test::cluster(locales, 1), [is_local = expected] {
      for (const auto& [name, of_this] :
           {std::pair("grid:60x60", true), std::pair("urand:11:8", false)}) {
        Graph graph = test::generated(name).build();
        EXPECT_EQ(is_mostly_local(graph), is_local && of_this) << name;
        graph.destroy();
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
    Graph graph = test.build({.in_edges = true});
    Halo halo = Halo::of_in_edges(graph);
    auto values = Replica<std::int64_t>::create(graph.vertex_count());
    on_all_locales([graph, values] {
      for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v)
        values.data()[v] = 1000 + v;
    });
    halo.exchange(values);
    for (const std::int64_t wrong :
         gather_locales([graph, values] { return wrong_here(graph, values); }))
      EXPECT_EQ(wrong, 0);
    values.destroy();
    halo.destroy();
    graph.destroy();
  });
}

}  // namespace
}  // namespace grappa::graph
