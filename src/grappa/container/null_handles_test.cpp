// A handle that was never created is refused, by the name of the container that the program has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "grappa/container/counting_map.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/container/global_bag.hpp"
#include "grappa/container/global_counter.hpp"
#include "grappa/container/global_hash_map.hpp"
#include "grappa/container/global_hash_set.hpp"
#include "grappa/container/global_multi_map.hpp"
#include "grappa/container/global_queue.hpp"
#include "grappa/container/global_stack.hpp"
#include "grappa/container/global_vector.hpp"
#include "grappa/container/union_find.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

using testing::HasSubstr;

void expect_named(const std::string& name, const std::vector<std::function<void()>>& uses) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    try {
      uses[i]();
      ADD_FAILURE() << name << ", use " << i << ": nothing was thrown";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(name)) << "use " << i;
      EXPECT_THAT(error.what(), HasSubstr("was never created")) << "use " << i;
    }
  }
}

TEST(NullHandles, AreRefusedByTheNameOfTheirContainer) {
  run(test::threads(2), [] {
    GlobalArray<int> array;
    expect_named("GlobalArray", {[&] { array.destroy(); }, [&] { array.forall([](int&) {}); }});
    GlobalVector<int> vector;
    expect_named("GlobalVector", {[&] { vector.push(1); }, [&] { vector.size(); },
                                  [&] { vector.clear(); }, [&] { vector.resize(3); },
                                  [&] { vector.pop(); }, [&] { vector.forall([](int&) {}); },
                                  [&] { vector.save("never"); }, [&] { vector.destroy(); }});
    GlobalQueue<int> queue;
    expect_named("GlobalQueue",
                 {[&] { queue.enqueue(1); }, [&] { queue.dequeue(); }, [&] { queue.size(); },
                  [&] { queue.close(); }, [&] { queue.save("never"); }, [&] { queue.destroy(); }});
    GlobalStack<int> stack;
    expect_named("GlobalStack",
                 {[&] { stack.push(1); }, [&] { stack.size(); }, [&] { stack.destroy(); }});
    GlobalBag<int> bag;
    expect_named("GlobalBag", {[&] { bag.local_add(1); }, [&] { bag.take(); }, [&] { bag.size(); },
                               [&] { bag.save("never"); }, [&] { bag.destroy(); }});
    GlobalHashSet<int> set;
    expect_named("GlobalHashSet",
                 {[&] { set.insert(1); }, [&] { set.contains(1); }, [&] { set.size(); },
                  [&] { set.clear(); }, [&] { set.save("never"); }, [&] { set.destroy(); }});
    GlobalHashMap<int, int> map;
    expect_named("GlobalHashMap",
                 {[&] { map.insert(1, 2); }, [&] { map.find(1); }, [&] { map.size(); },
                  [&] { map.top_k(1); }, [&] { map.save("never"); }, [&] { map.destroy(); }});
    GlobalMultiMap<int, int> groups;
    expect_named("GlobalMultiMap",
                 {[&] { groups.insert(1, 2); }, [&] { groups.count(1); }, [&] { groups.size(); },
                  [&] { groups.save("never"); }, [&] { groups.destroy(); }});
    CountingMap<int> counts;
    expect_named(
        "CountingMap",
        {[&] { counts.add(1); }, [&] { counts.async_add(1); }, [&] { counts.count(1); },
         [&] { counts.total(); }, [&] { counts.top_k(1); }, [&] { counts.gather_keys(); },
         [&] { counts.clear(); }, [&] { counts.save("never"); }, [&] { counts.destroy(); }});
    UnionFind sets;
    expect_named("UnionFind",
                 {[&] { sets.unite(0, 1); }, [&] { sets.find(0); }, [&] { sets.compress(); },
                  [&] { sets.set_count(); }, [&] { sets.save("never"); }, [&] { sets.destroy(); }});
    GlobalCounter counter;
    expect_named("GlobalCounter", {[&] { counter.add(1); }, [&] { counter.value(); },
                                   [&] { counter.save("never"); }, [&] { counter.destroy(); }});
  });
}

}  // namespace
}  // namespace grappa
