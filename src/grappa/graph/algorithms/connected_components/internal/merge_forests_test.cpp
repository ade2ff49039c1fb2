#include "grappa/graph/algorithms/connected_components/internal/merge_forests.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "grappa/graph/algorithms/connected_components/internal/label_forest.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

constexpr VertexId kVertices = 3000;

/// The edges that a locale knows of; those that come later than the first merge are fewer.
std::vector<Edge> edges_of(int locale, int round) {
  std::mt19937 random(static_cast<unsigned>(100 * round + locale));
  std::vector<Edge> edges(round == 0 ? kVertices / 4 : 40);
  std::uniform_int_distribution<VertexId> any(0, kVertices - 1);
  for (Edge& edge : edges) edge = {any(random), any(random)};
  return edges;
}

TEST(MergeForests, AllLocalesHaveTheTreesOfAllEdges) {
  // Not only powers of two: with others, the same joins come to a locale twice.
  for (const int locales : {2, 3, 5, 8}) {
    run(grappa::test::cluster(locales, 1), [] {
      Graph graph =
          test::TestGraph{.name = "", .list = test::make_list(kVertices, true, {})}.build();
      const Owned labels = Replica<VertexId>::create(kVertices);
      on_all_locales(
          [labels = *labels] { std::iota(labels.data(), labels.data() + kVertices, VertexId{0}); });
      std::vector<VertexId> expected(kVertices);
      std::iota(expected.begin(), expected.end(), VertexId{0});
      const Owned forests = ForestMerge::create(graph, *labels);
      for (const int round : {0, 1, 2}) {
        on_all_locales([labels = *labels, forests = *forests, round] {
          for (const Edge& edge : edges_of(this_locale(), round)) {
            const VertexId hooked = link(labels.data(), edge.source, edge.target);
            if (round > 0) forests.note(hooked);
          }
        });
        if (round == 0) {
          forests->merge_all();
        } else {
          forests->merge_noted();
        }
        for (int locale = 0; locale < locale_count(); ++locale) {
          for (const Edge& edge : edges_of(locale, round))
            link(expected.data(), edge.source, edge.target);
        }
        std::vector<VertexId> roots;
        for (VertexId v = 0; v < kVertices; ++v) roots.push_back(root_of(expected.data(), v));
        const auto base = GlobalAddress<const VertexId>::of_local(roots.data());
        for (const std::int64_t wrong : gather_locales([labels = *labels, graph, base] {
               std::int64_t bad = 0;
               for (VertexId v = 0; v < kVertices; ++v) {
                 const VertexId root = delegate::read(base + v);
                 bad += root_of(labels.data(), v) != root;
                 const bool is_mine = v >= graph.locale_begin() && v < graph.locale_end();
                 bad += is_mine && labels.data()[v] != root;
               }
               return bad;
             }))
          EXPECT_EQ(wrong, 0) << locale_count() << " locales, round " << round;
      }
      graph.destroy();
    });
  }
}

}  // namespace
}  // namespace grappa::graph
