// Addresses and handles that name nothing: null, never created, destroyed, of an earlier run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "grappa/graph/algorithms/betweenness/betweenness.hpp"
#include "grappa/graph/algorithms/bfs/bfs.hpp"
#include "grappa/graph/algorithms/coloring/coloring.hpp"
#include "grappa/graph/algorithms/connected_components/connected_components.hpp"
#include "grappa/graph/algorithms/core_numbers/core_numbers.hpp"
#include "grappa/graph/algorithms/degree_statistics/degree_statistics.hpp"
#include "grappa/graph/algorithms/independent_set/independent_set.hpp"
#include "grappa/graph/algorithms/label_propagation/label_propagation.hpp"
#include "grappa/graph/algorithms/local_clustering/local_clustering.hpp"
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"
#include "grappa/graph/algorithms/spanning_forest/spanning_forest.hpp"
#include "grappa/graph/algorithms/sssp/shortest_path_tree.hpp"
#include "grappa/graph/algorithms/sssp/sssp.hpp"
#include "grappa/graph/algorithms/triangles/triangles.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/framework/frontier.hpp"
#include "grappa/graph/structure/collect.hpp"
#include "grappa/grappa.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

using Array = GlobalArray<std::int64_t>;
using Map = GlobalHashMap<std::int64_t, std::int64_t>;
using graph::Graph;

Graph make_graph() {
  graph::EdgeList list;
  list.vertex_count = 3;
  list.directed = false;
  list.edges.push_back({0, 1});
  return build_graph(list);
}

struct Use {
  const char* name;
  std::function<void()> make;
};

std::vector<Use> uses_of(Array array) {
  return {{"GlobalArray::forall", [=] { array.forall([](std::int64_t& x) { ++x; }); }},
          {"GlobalArray::gather",
           [=] {
             const std::vector<std::int64_t> indices{0};
             std::vector<std::int64_t> out{0};
             array.gather(indices, out);
           }},
          {"GlobalArray::scatter",
           [=] {
             const std::vector<std::int64_t> one{0};
             array.scatter(one, one);
           }},
          {"GlobalArray::frozen", [=] { array.frozen(); }},
          {"reduce", [=] { reduce(array, 0, std::plus<>{}); }},
          {"a prefix sum", [=] { exclusive_prefix_sum(array); }},
          {"a prefix sum", [=] { inclusive_prefix_sum(array); }},
          {"collect", [=] { graph::collect(array, 0); }},
          {"BinnedUpdates::create", [=] { BinnedIncrements<std::int64_t>::create(array); }},
          {"GlobalArray::destroy", [copy = array]() mutable { copy.destroy(); }}};
}

std::vector<Use> uses_of(Map map) {
  const char* operation = "an operation on a GlobalHashMap";
  return {{operation, [=] { map.insert(1, 2); }},
          {operation, [=] { map.find(1); }},
          {operation, [=] { map.async_upsert(1, 2, std::plus<>{}); }},
          {"GlobalHashMap::size", [=] { map.size(); }},
          {"GlobalHashMap::clear", [=] { map.clear(); }},
          {"GlobalHashMap::forall", [=] { map.forall([](const std::int64_t&, std::int64_t&) {}); }},
          {"GlobalHashMap::local_size", [=] { map.local_size(); }},
          {"GlobalHashMap::local_for_each",
           [=] { map.local_for_each([](const std::int64_t&, std::int64_t&) {}); }},
          {"GlobalHashMap::destroy", [copy = map]() mutable { copy.destroy(); }}};
}

std::vector<Use> uses_of(Graph graph) {
  return {{"Graph::out", [=] { graph.out(); }},
          {"Graph::in", [=] { graph.in(); }},
          {"Graph::make_vertex_array", [=] { graph.make_vertex_array<int>().destroy(); }},
          {"Graph::make_vertex_array_for_overwrite",
           [=] { graph.make_vertex_array_for_overwrite<int>().destroy(); }},
          {"Frontiers", [=] { graph::Frontiers frontiers(graph); }},
          {"collect", [=] { graph::collect(Array(), graph); }},
          {"bfs", [=] { graph::bfs(graph, 0); }},
          {"betweenness", [=] { graph::betweenness(graph, {}); }},
          {"coloring", [=] { graph::color(graph); }},
          {"connected_components", [=] { graph::connected_components(graph); }},
          {"core numbers", [=] { graph::core_numbers(graph); }},
          {"degree statistics", [=] { graph::degree_statistics(graph); }},
          {"label_propagation", [=] { graph::label_propagation(graph); }},
          {"lcc", [=] { graph::local_clustering(graph); }},
          {"maximal independent set", [=] { graph::maximal_independent_set(graph); }},
          {"pagerank", [=] { graph::pagerank(graph); }},
          {"shortest_path_tree", [=] { graph::shortest_path_tree(graph, 0, {}); }},
          {"spanning forest", [=] { graph::minimum_spanning_forest(graph); }},
          {"sssp", [=] { graph::sssp(graph, 0); }},
          {"triangles", [=] { graph::triangles(graph); }},
          {"Graph::destroy", [copy = graph]() mutable { copy.destroy(); }}};
}

template <class Handle>
void expect_refused(Handle handle, const std::string& why) {
  for (const Use& use : uses_of(handle)) {
    try {
      use.make();
      ADD_FAILURE() << use.name << " of a handle of which " << why;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), EndsWith(std::string(use.name) + ": " + why));
      const std::string name = use.name;
      if (name.ends_with("::forall") || name == "reduce" || name.ends_with("sum") ||
          name == "collect" || name == "BinnedUpdates::create") {
        EXPECT_THAT(error.what(), StartsWith("tests/dead_handles_test.cpp:"));
      }
    }
  }
}

class DeadHandles : public test::OnMachines {};
GRAPPA_ON_MACHINES(DeadHandles);

TEST_P(DeadHandles, NeverCreated) {
  run(config(), [] {
    const std::string why = "the handle was never created; create() returns the one to use";
    expect_refused(Array(), why);
    expect_refused(Map(), why);
    expect_refused(Graph(), why);
  });
}

TEST_P(DeadHandles, Destroyed) {
  run(config(), [] {
    auto array = Array::create(10);
    auto map = Map::create();
    Graph graph = make_graph();
    const Array array_copy = array;
    const Map map_copy = map;
    const Graph graph_copy = graph;
    array.destroy();
    map.destroy();
    graph.destroy();
    expect_refused(array, "the handle was destroyed");
    expect_refused(map, "the handle was destroyed");
    expect_refused(graph, "the handle was destroyed");
    // What comes after is at the same place.
    auto next = Array::create(10);
    auto next_map = Map::create();
    Graph next_graph = make_graph();
    expect_refused(array_copy, "the handle is a copy of one that was destroyed");
    expect_refused(map_copy, "the handle is a copy of one that was destroyed");
    expect_refused(graph_copy, "the handle is a copy of one that was destroyed");
    EXPECT_EQ(delegate::read(next[3]), 0);
    EXPECT_EQ(next_map.size(), 0);
    EXPECT_EQ(next_graph.edge_count(), 1);
    next.destroy();
    next_map.destroy();
    next_graph.destroy();
  });
}

TEST_P(DeadHandles, KnownOnEveryCore) {
  run(config(), [] {
    auto array = Array::create(10);
    const Array copy = array;
    const auto refusals = [&] {
      const std::vector<int> refused = gather_cores([copy] {
        try {
          copy.gather({}, {});
          return 0;
        } catch (const UsageError&) {
          return 1;
        }
      });
      return std::count(refused.begin(), refused.end(), 1);
    };
    EXPECT_EQ(refusals(), 0);
    array.destroy();
    EXPECT_EQ(refusals(), core_count());
  });
}

TEST_P(DeadHandles, OfAnEarlierRun) {
  Array array;
  Map map;
  Graph graph;
  run(config(), [&] {
    array = Array::create(10);
    map = Map::create();
    graph = make_graph();
  });
  for (const bool has_others : {false, true}) {
    run(config(), [&] {
      Array other;
      if (has_others) other = Array::create(10);
      expect_refused(array, "the handle is of an earlier run, which took its memory along");
      expect_refused(map, "the handle is of an earlier run, which took its memory along");
      expect_refused(graph, "the handle is of an earlier run, which took its memory along");
    });
  }
}

TEST_P(DeadHandles, OneOfSeveralTasksDestroysAnArray) {
  run(config(), [] {
    const Array array = Array::create(10);
    std::int64_t refused = 0;
    const auto count = GlobalAddress<std::int64_t>::of_local(&refused);
    on_all_cores([=] {
      Array copy = array;
      try {
        copy.destroy();
      } catch (const Error&) {
        delegate::async::increment(count);
      }
    });
    EXPECT_EQ(refused, core_count() - 1);
  });
}

TEST_P(DeadHandles, BinsOfADestroyedArrayOrDestroyedThemselves) {
  run(config(), [] {
    auto array = Array::create(10);
    auto bins = BinnedIncrements<std::int64_t>::create(array);
    auto copy = bins;
    {
      CompletionEvent done;
      spawn(done, [bins] { bins.increment(3); });
      done.wait();
    }
    EXPECT_EQ(delegate::read(array[3]), 1);
    array.destroy();
    EXPECT_THROW(bins.increment(3), UsageError);
    bins.destroy();
    EXPECT_THROW(bins.destroy(), UsageError);
    EXPECT_THROW(copy.destroy(), UsageError);
  });
}

// ---- addresses

// The release build knows by the fault, the debug build before.
#ifdef GRAPPA_DEBUG
constexpr bool kRefuses = true;
#else
constexpr bool kRefuses = false;
#endif

class NullAddressDeathTest : public test::OnMachines {
 protected:
  void SetUp() override {
#if defined(GRAPPA_TSAN)
    GTEST_SKIP() << "the sanitizer's own threads do not survive the fork";
#endif
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }

  /// The process ends with one line; what escapes from the run does so in the debug build.
  template <class Body>
  void expect_ends(const Body& body, const std::string& line) {
    const auto attempt = [&] {
      try {
        run(config(), body);
      } catch (const Error& error) {
        internal::fatal(error.what());
      }
    };
    EXPECT_EXIT(attempt(), testing::ExitedWithCode(1),
                "^grappa: fatal: [^\n]*" + line + "[^\n]*\n$");
  }
};
GRAPPA_ON_MACHINES(NullAddressDeathTest);

TEST_P(NullAddressDeathTest, Read) {
  expect_ends(
      [] {
        volatile std::int64_t value = delegate::read(GlobalAddress<std::int64_t>());
        static_cast<void>(value);
      },
      "a null GlobalAddress was used");
}

TEST_P(NullAddressDeathTest, ReadNearNullFromTheLastCore) {
  expect_ends(
      [] {
        delegate::call(core_count() - 1,
                       [] { delegate::async::increment(GlobalAddress<std::int64_t>() + 100); });
      },
      kRefuses ? "nothing is allocated" : "a null GlobalAddress was used");
}

TEST_P(NullAddressDeathTest, Symmetric) {
  expect_ends([] { ++SymmetricAddress<std::int64_t>().local(); },
              "a SymmetricAddress was used that no symmetric_alloc\\(\\) has returned");
}

TEST_P(NullAddressDeathTest, ReplicaThatWasDestroyed) {
  expect_ends(
      [] {
        auto replica = Replica<std::int64_t>::create(3);
        replica.destroy();
        ++*replica.data();
      },
      "an array or a Replica was used that was never created, or was destroyed");
}

#ifdef GRAPPA_DEBUG
TEST_P(DeadHandles, DebugBuildsRefuseFreedMemory) {
  run(config(), [] {
    const auto words = global_alloc<std::int64_t>(100);
    delegate::write(words + 99, 1);
    EXPECT_THROW(delegate::read(words + 10'000), UsageError);
    global_free(words);
    EXPECT_THROW(delegate::read(words), UsageError);
    EXPECT_THROW(forall(words, 100, [](std::int64_t& x) { ++x; }), UsageError);
    auto array = Array::create(10);
    const Array copy = array;
    array.destroy();
    EXPECT_THROW(copy[3], UsageError);
    EXPECT_THROW(copy.local(), UsageError);
    EXPECT_THROW(copy.locale_part(), UsageError);
  });
}

TEST_P(DeadHandles, DebugBuildsRefuseFreedCopies) {
  run(config(), [] {
    const auto counter = symmetric_alloc<std::int64_t>();
    symmetric_free(counter);
    EXPECT_THROW(counter.local(), UsageError);
    EXPECT_THROW(counter.on(core_count() - 1), UsageError);
    auto replica = Replica<std::int64_t>::create(3);
    const auto copy = replica;
    copy.fill(1);
    replica.destroy();
    EXPECT_THROW(copy.data(), UsageError);
    EXPECT_THROW(copy.fill(1), RemoteError);
  });
}

TEST_P(DeadHandles, DebugBuildsRefuseLoopsBeyondAnAllocation) {
  run(config(), [] {
    const auto add = [](std::int64_t& x) { ++x; };
    const auto words = global_alloc<std::int64_t>(100);
    const auto others = global_alloc<std::int64_t>(100'000);
    forall(words, 100, add);
    forall(others + 99'999, 1, add);
    EXPECT_THROW(forall(words, 100'000, add), UsageError);
    EXPECT_THROW(forall(others + 50'000, 100'000, add), UsageError);
    EXPECT_THROW(forall(words, others - words + 1, add), UsageError);
    global_free(words);
    global_free(others);
  });
}
#endif

}  // namespace
}  // namespace grappa
