// Asynchronous and split-phase delegates on every machine.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class DelegateAsync : public test::OnMachines {};
GRAPPA_ON_MACHINES(DelegateAsync);

// ---- asynchronous

TEST_P(DelegateAsync, AsynchronousOnesAreDoneWhenTheirEventIs) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>(4);
    CompletionEvent done;
    test::for_each_core([&](int core) {
      const auto cell = cells.on(core);
      delegate::async::increment(done, cell);
      delegate::async::increment(done, cell, 5);
      delegate::async::write(done, cell + 1, 42);
      delegate::async::call(done, cell + 2, [](std::int64_t& x) { x = 7; });
      delegate::async::call(done, core, [cells] { cells.pointer()[3] = 9; });
    });
    done.wait();
    test::for_each_core([&](int core) {
      const auto cell = cells.on(core);
      EXPECT_EQ(delegate::read(cell), 6);
      EXPECT_EQ(delegate::read(cell + 1), 42);
      EXPECT_EQ(delegate::read(cell + 2), 7);
      EXPECT_EQ(delegate::read(cell + 3), 9);
    });
    symmetric_free(cells);
  });
}

TEST_P(DelegateAsync, AsynchronousOnesJoinTheEnclosingLoop) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>(4);
    forall(0, 500, [cells](std::int64_t i) {
      const int core = static_cast<int>(i % core_count());
      const auto cell = cells.on(core);
      delegate::async::increment(cell);
      delegate::async::increment(cell + 1, i);
      delegate::async::write(cell + 2, 42);
      delegate::async::call(cell + 3, [](std::int64_t& x) { ++x; });
      delegate::async::call(core, [cells] { ++cells.pointer()[3]; });
    });
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::int64_t calls = 0;
    test::for_each_core([&](int core) {
      count += delegate::read(cells.on(core));
      sum += delegate::read(cells.on(core) + 1);
      EXPECT_EQ(delegate::read(cells.on(core) + 2), 42);
      calls += delegate::read(cells.on(core) + 3);
    });
    EXPECT_EQ(count, 500);
    EXPECT_EQ(sum, 499 * 500 / 2);
    EXPECT_EQ(calls, 1000);
    symmetric_free(cells);
  });
}

TEST_P(DelegateAsync, AsynchronousOnesMayCauseMoreOfThem) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>();
    struct Hop {
      SymmetricAddress<std::int64_t> cells;
      int left;
      void operator()() const {
        ++cells.local();
        if (left > 0) {
          delegate::async::call((this_core() + 1) % core_count(), Hop{cells, left - 1});
          delegate::async::call((this_core() + 3) % core_count(), Hop{cells, left - 1});
        }
      }
    };
    CompletionEvent done;
    delegate::async::call(done, core_count() - 1, Hop{cells, 9});
    done.wait();
    EXPECT_EQ(reduce_cores([cells] { return cells.local(); }, std::int64_t{0}, std::plus<>{}),
              1023);
    symmetric_free(cells);
  });
}

// ---- split phase

TEST_P(DelegateAsync, SplitPhaseOperationsAreInFlightTogether) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>();
    on_all_cores([cells] { cells.local() = 100 + this_core(); });
    std::vector<Handle<std::int64_t>> handles;
    test::for_each_core([&](int core) { handles.push_back(delegate::issue_read(cells.on(core))); });
    for (int core = core_count() - 1; core >= 0; --core) {
      EXPECT_EQ(handles[static_cast<std::size_t>(core)].complete(), 100 + core);
      EXPECT_TRUE(handles[static_cast<std::size_t>(core)].ready());
    }
    // What is replaced is waited for.
    auto handle = delegate::issue(cells.on(0), [](std::int64_t& x) { return x += 7; });
    handle = delegate::issue_read(cells.on(core_count() - 1));
    EXPECT_EQ(delegate::read(cells.on(0)), 107);
    handle.complete();
    delegate::increment(cells.on(0), -7);
    test::for_each_core([&](int core) {
      auto text =
          delegate::issue(core, [core] { return std::string(5, static_cast<char>('a' + core)); });
      auto nothing = delegate::issue(cells.on(core), [](std::int64_t& x) { ++x; });
      nothing.complete();
      EXPECT_EQ(text.complete(), std::string(5, static_cast<char>('a' + core)));
      EXPECT_EQ(delegate::read(cells.on(core)), 101 + core);
    });
    symmetric_free(cells);
  });
}

TEST_P(DelegateAsync, AHandleThatIsDroppedWaitsForItsReply) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>();
    test::for_each_core([&](int core) {
      for (int i = 0; i < 20; ++i) {
        const auto dropped = delegate::issue(cells.on(core), [](std::int64_t& x) { return ++x; });
      }
      {
        const auto failed = delegate::issue(core, []() -> int { throw std::runtime_error("x"); });
      }
      EXPECT_EQ(delegate::read(cells.on(core)), 20);
    });
    symmetric_free(cells);
  });
}

constexpr std::uint64_t kMark = std::uint64_t{1} << 63;

TEST_P(DelegateAsync, AHandleThatWasMovedFromOrIsOfAnotherCoreIsRefused) {
  run(config(), [] {
    auto handle = delegate::issue(core_count() - 1, [] { return 7; });
    auto moved = std::move(handle);
    EXPECT_THROW(handle.complete(), UsageError);
    EXPECT_THROW(handle.ready(), UsageError);
    if (core_count() > 1) {
      // Marked, so that it does not look like a pointer: all cores of a test are in one process.
      const auto marked = reinterpret_cast<std::uint64_t>(&moved) | kMark;
      const auto use = [marked] {
        return reinterpret_cast<Handle<int>*>(marked & ~kMark)->ready();
      };
      EXPECT_THROW(delegate::call(1, use), RemoteError);
    }
    EXPECT_EQ(moved.complete(), 7);
    EXPECT_THROW(moved.complete(), UsageError);
  });
}

}  // namespace
}  // namespace grappa
