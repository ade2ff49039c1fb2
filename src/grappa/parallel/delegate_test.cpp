// Delegates on every machine: they run at the home core, their results and errors come back the
// same from everywhere.

#include "grappa/delegate/delegate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class Delegate : public test::OnMachines {};
GRAPPA_ON_MACHINES(Delegate);

// ---- results

TEST_P(Delegate, CallRunsAtTheCoreThatIsNamed) {
  run(config(), [] {
    test::for_each_core([](int core) {
      EXPECT_EQ(delegate::call(core, [] { return this_core(); }), core);
      EXPECT_EQ(delegate::call(core, [core] { return core * 2; }), core * 2);
    });
  });
}

struct Point {
  double x;
  std::int32_t y;
  friend bool operator==(const Point&, const Point&) = default;
};
struct NoDefault {
  explicit NoDefault(int v) : value(v) {}
  int value;
};
struct LooksOptional {
  int value;
  bool has_value() const { return false; }
};
struct alignas(64) WholeLine {
  std::int64_t value;
};
enum class Color : std::uint8_t { kRed = 3 };

TEST_P(Delegate, ResultsOfPlainTypesComeBack) {
  run(config(), [] {
    test::for_each_core([](int core) {
      delegate::call(core, [] {});
      EXPECT_TRUE(delegate::call(core, [] { return true; }));
      EXPECT_EQ(delegate::call(core, [] { return 'x'; }), 'x');
      EXPECT_EQ(delegate::call(core, [] { return Color::kRed; }), Color::kRed);
      EXPECT_EQ(delegate::call(core, [] { return Point{1.5, -7}; }), (Point{1.5, -7}));
      EXPECT_EQ(delegate::call(core, [] { return std::pair<int, long>(1, 2); }),
                (std::pair<int, long>(1, 2)));
      EXPECT_EQ(delegate::call(core, [] { return NoDefault(5); }).value, 5);
      EXPECT_EQ(delegate::call(core, [] { return LooksOptional{6}; }).value, 6);
      EXPECT_EQ(delegate::call(core, [] { return std::optional<int>(7); }), 7);
      EXPECT_EQ(delegate::call(core, [] { return std::optional<int>(); }), std::nullopt);
      EXPECT_EQ(delegate::call(core, [] { return WholeLine{8}; }).value, 8);
      const auto many = delegate::call(core, [] {
        std::array<std::int64_t, 200> a{};
        std::iota(a.begin(), a.end(), 1);
        return a;
      });
      EXPECT_EQ(std::accumulate(many.begin(), many.end(), std::int64_t{0}), 200 * 201 / 2);
    });
  });
}

TEST_P(Delegate, ResultsThatOwnMemoryComeBack) {
  run(config(), [] {
    test::for_each_core([](int core) {
      EXPECT_EQ(delegate::call(core, [] { return std::string("word"); }), "word");
      EXPECT_EQ(delegate::call(core, [] { return std::string(); }), "");
      const std::string large = delegate::call(core, [] {
        std::string s(1 << 20, '.');
        for (std::size_t i = 0; i < s.size(); ++i) s[i] = static_cast<char>(i * 31);
        return s;
      });
      ASSERT_EQ(large.size(), std::size_t{1} << 20);
      bool right = true;
      for (std::size_t i = 0; i < large.size(); ++i) right &= large[i] == static_cast<char>(i * 31);
      EXPECT_TRUE(right);
      EXPECT_EQ(delegate::call(core, [] { return std::vector<int>{1, 2, 3}; }),
                (std::vector<int>{1, 2, 3}));
      EXPECT_TRUE(delegate::call(core, [] { return std::vector<double>(); }).empty());
      EXPECT_EQ(delegate::call(core, [] { return std::vector<char>(1000, 'v'); }),
                std::vector<char>(1000, 'v'));
    });
  });
}

// ---- closures

template <std::size_t Alignment>
struct alignas(Alignment) Aligned {
  std::int64_t value;
};

template <std::size_t Alignment>
void send_over_aligned() {
  test::for_each_core([](int core) {
    const Aligned<Alignment> a{core + 1};
    const auto check = [a] {
      return reinterpret_cast<std::uintptr_t>(&a) % Alignment == 0 ? a.value : -1;
    };
    EXPECT_EQ(delegate::call(core, check), core + 1) << Alignment;
    std::int64_t seen = 0;
    const auto out = GlobalAddress<std::int64_t>::of_local(&seen);
    CompletionEvent done;
    delegate::async::call(done, core, [check, out] { delegate::async::increment(out, check()); });
    spawn_on(done, core, [check, out] { delegate::async::increment(out, check()); });
    done.wait();
    EXPECT_EQ(seen, 2 * (core + 1)) << Alignment;
  });
}

TEST_P(Delegate, OverAlignedClosuresArriveAligned) {
  run(config(), [] {
    send_over_aligned<16>();
    send_over_aligned<32>();
    send_over_aligned<64>();
    send_over_aligned<128>();
  });
}

template <std::size_t Bytes>
void send_large() {
  std::array<std::uint8_t, Bytes> data;
  std::int64_t expected = 0;
  for (std::size_t i = 0; i < Bytes; ++i) {
    data[i] = static_cast<std::uint8_t>(i * 13);
    expected += data[i];
  }
  const auto sum = [data] { return std::accumulate(data.begin(), data.end(), std::int64_t{0}); };
  test::for_each_core([&](int core) { EXPECT_EQ(delegate::call(core, sum), expected) << Bytes; });
}

TEST_P(Delegate, ClosuresOfAnySizeArrive) {
  Config roomy = config();
  roomy.stack_bytes = 4 << 20;
  run(roomy, [] {
    send_large<1>();
    send_large<7>();
    send_large<900>();
    send_large<950>();
    send_large<1000>();
    send_large<1024>();
    send_large<60'000>();
    send_large<65'536>();
    send_large<200'000>();
  });
}

TEST_P(Delegate, AClosureMayChangeItsOwnState) {
  run(config(), [] {
    test::for_each_core(
        [](int core) { EXPECT_EQ(delegate::call(core, [n = 1]() mutable { return ++n; }), 2); });
  });
}

// ---- memory operations

TEST_P(Delegate, AClosureAtAnAddressMayChangeItsOwnState) {
  run(config(), [] {
    const auto cells = symmetric_alloc<int>();
    test::for_each_core([cells](int core) {
      auto twice = [times = 0](int& x) mutable { return x += 3 * ++times; };
      EXPECT_EQ(delegate::call(cells.on(core), twice), 3);
      EXPECT_EQ(delegate::issue(cells.on(core), twice).complete(), 6);
      delegate::async::call(cells.on(core), twice);
    });
    symmetric_free(cells);
  });
}

struct Link {
  const int* to;
};
const int kTarget = 5;

TEST_P(Delegate, PointersInValuesAndResultsAreRefusedWhereAllIsScanned) {
  Config scanning = config();
  scanning.scan_payloads = true;
  run(scanning, [] {
    const auto links = symmetric_alloc<Link>();
    const Link link{&kTarget};
    test::for_each_core([links, link](int core) {
      EXPECT_THROW(delegate::write(links.on(core), link), UsageError);
      EXPECT_THROW(delegate::async::write(links.on(core), link), UsageError);
      delegate::write(links.on(core), Link{nullptr});
      if (core == this_core()) return;
      std::string type;
      try {
        delegate::call(core, [] { return Link{&kTarget}; });
      } catch (const RemoteError& error) {
        type = error.type_name();
      }
      EXPECT_EQ(type, "grappa::UsageError");
    });
    symmetric_free(links);
  });
}

TEST_P(Delegate, ReadWriteAndAtomicUpdates) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>(3);
    test::for_each_core([&](int core) {
      const GlobalAddress<std::int64_t> cell = cells.on(core) + 1;
      EXPECT_EQ(delegate::read(cell), 0);
      delegate::write(cell, 10);
      EXPECT_EQ(delegate::read(cell), 10);
      EXPECT_EQ(delegate::fetch_add(cell, 5), 10);
      EXPECT_EQ(delegate::fetch_add(cell, -1), 15);
      delegate::increment(cell);
      delegate::increment(cell, 100);
      EXPECT_EQ(delegate::read(cell), 115);
      EXPECT_FALSE(delegate::compare_exchange(cell, 7, 8));
      EXPECT_EQ(delegate::read(cell), 115);
      EXPECT_TRUE(delegate::compare_exchange(cell, 115, 8));
      EXPECT_EQ(delegate::read(cell), 8);
      EXPECT_EQ(delegate::call(cell, [core](std::int64_t& x) { return x += core; }), 8 + core);
      EXPECT_EQ(delegate::call(cell, [](std::int64_t&) { return this_core(); }), core);
      // The neighbors are as they were.
      EXPECT_EQ(delegate::read(cells.on(core)), 0);
      EXPECT_EQ(delegate::read(cells.on(core) + 2), 0);
    });
    symmetric_free(cells);
  });
}

TEST_P(Delegate, ElementsOfAnySizeAreReadAndWritten) {
  struct Odd {
    std::array<std::uint8_t, 24> a;
    bool operator==(const Odd&) const = default;
  };
  struct Large {
    std::array<std::int64_t, 300> a;
    bool operator==(const Large&) const = default;
  };
  run(config(), [] {
    const auto odd = global_alloc<Odd>(50);
    const auto large = global_alloc<Large>(5);
    for (std::uint8_t i = 0; i < 50; ++i) {
      Odd value{};
      value.a.fill(i);
      delegate::write(odd + i, value);
    }
    for (std::int64_t i = 0; i < 5; ++i) {
      Large value{};
      value.a.fill(i);
      delegate::write(large + i, value);
    }
    for (std::uint8_t i = 0; i < 50; ++i) {
      const Odd value = delegate::read(odd + i);
      EXPECT_EQ(value.a.front(), i);
      EXPECT_EQ(value.a.back(), i);
      EXPECT_TRUE(delegate::compare_exchange(odd + i, value, Odd{}));
    }
    for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(delegate::read(large + i).a[299], i);
    global_free(odd);
    global_free(large);
  });
}

TEST_P(Delegate, AnObjectOnATasksStackIsReachedByItsTwoDimensionalAddress) {
  run(config(), [] {
    std::int64_t mine = 0;
    const auto address = GlobalAddress<std::int64_t>::of_local(&mine);
    on_all_cores([address] {
      for (int i = 0; i < 10; ++i) delegate::increment(address);
    });
    EXPECT_EQ(mine, 10 * core_count());
  });
}

TEST_P(Delegate, BlockingDelegatesOfOneTaskAreInProgramOrder) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>();
    on_all_cores([cells] {
      const auto next = cells.on((this_core() + 1) % core_count());
      for (std::int64_t i = 1; i <= 100; ++i) {
        delegate::write(next, i);
        if (delegate::read(next) != i) throw std::logic_error("a read missed the write before it");
      }
    });
    symmetric_free(cells);
  });
}

// ---- errors

template <class F>
void expect_remote_error(const F& f, const std::string& type, const std::string& message) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const RemoteError& e) {
    EXPECT_EQ(e.type_name(), type);
    EXPECT_EQ(e.message(), message);
    EXPECT_EQ(e.others(), 0u);
  }
}

struct OwnError : std::out_of_range {
  using std::out_of_range::out_of_range;
};

TEST_P(Delegate, WhatAClosureThrowsReachesTheCallerTheSameFromEverywhere) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>();
    test::for_each_core([&](int core) {
      const std::string runtime_error = "std::runtime_error";
      expect_remote_error([core] { delegate::call(core, [] { throw std::runtime_error("a"); }); },
                          runtime_error, "a");
      expect_remote_error(
          [core] { delegate::call(core, []() -> int { throw std::runtime_error("b"); }); },
          runtime_error, "b");
      expect_remote_error(
          [core] { delegate::call(core, []() -> std::string { throw std::runtime_error("c"); }); },
          runtime_error, "c");
      expect_remote_error(
          [&] {
            delegate::call(cells.on(core),
                           [](std::int64_t&) -> std::int64_t { throw OwnError("own"); });
          },
          internal::demangled_type_name(typeid(OwnError)), "own");
      expect_remote_error([core] { delegate::call(core, [] { throw 5; }); }, "int", "");
      expect_remote_error(
          [core] { delegate::issue(core, [] { throw std::runtime_error("d"); }).complete(); },
          runtime_error, "d");
      // An error that has travelled once does not nest.
      expect_remote_error(
          [core] { delegate::call(core, [] { throw RemoteError("Somewhere", "else"); }); },
          "Somewhere", "else");
      // Long texts arrive whole.
      expect_remote_error(
          [core] {
            delegate::call(core, [] { throw std::runtime_error(std::string(100'000, 'e')); });
          },
          runtime_error, std::string(100'000, 'e'));
    });
    symmetric_free(cells);
  });
}

TEST_P(Delegate, ErrorsOfAsynchronousOnesReachTheWaiterOfTheirEventAndAreCounted) {
  run(config(), [] {
    CompletionEvent done;
    test::for_each_core([&](int core) {
      delegate::async::call(done, core, [] { throw std::runtime_error("lost"); });
      delegate::async::call(done, core, [] { throw std::runtime_error("lost"); });
    });
    try {
      done.wait();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const RemoteError& e) {
      EXPECT_EQ(e.type_name(), "std::runtime_error");
      EXPECT_EQ(e.message(), "lost");
      EXPECT_EQ(e.others(), static_cast<std::uint64_t>(2 * core_count() - 1));
    }
    // The event can be used again, and is clean.
    delegate::async::call(done, 0, [] {});
    done.wait();
  });
}

TEST_P(Delegate, ACoreThatDoesNotExistIsRefused) {
  run(config(), [] {
    const auto nothing = [] {};
    for (const int core : {-1, core_count(), 1 << 20}) {
      EXPECT_THROW(delegate::call(core, nothing), UsageError);
      EXPECT_THROW(delegate::issue(core, nothing), UsageError);
      EXPECT_THROW(delegate::async::call(core, nothing), UsageError);
      EXPECT_THROW(spawn_on(core, nothing), UsageError);
    }
    const int line = __LINE__ + 2;
    try {
      delegate::call(core_count(), nothing);
    } catch (const UsageError& e) {
      EXPECT_EQ(std::string(e.what()),
                "src/grappa/parallel/delegate_test.cpp:" + std::to_string(line) + ": core " +
                    std::to_string(core_count()) + " does not exist: this run has cores 0 to " +
                    std::to_string(core_count() - 1));
    }
  });
}

TEST_P(Delegate, PointerOfARemoteObjectIsRefused) {
  run(config(), [] {
    std::int64_t mine = 3;
    const auto address = GlobalAddress<std::int64_t>::of_local(&mine);
    EXPECT_EQ(*address.pointer(), 3);
    test::for_each_core([&](int core) {
      if (core == this_core()) return;
      expect_remote_error([&] { delegate::call(core, [address] { return *address.pointer(); }); },
                          "grappa::UsageError", delegate::call(core, [address] {
                            try {
                              address.pointer();
                            } catch (const UsageError& e) {
                              return std::string(e.what());
                            }
                            return std::string("not refused");
                          }));
    });
  });
}

// ---- how often, and how many at once

TEST_P(Delegate, ThousandsOfTasksReadAtTheSameTime) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>();
    std::int64_t sum = 0;
    const auto total = GlobalAddress<std::int64_t>::of_local(&sum);
    CompletionEvent done;
    for (int t = 0; t < 2000; ++t) {
      spawn(done, [cells, total, t] {
        const std::int64_t before = delegate::fetch_add(cells.on(t % core_count()), 1);
        delegate::async::increment(total, before);
      });
    }
    done.wait();
    std::int64_t expected = 0;
    test::for_each_core([&](int core) {
      const std::int64_t n = delegate::read(cells.on(core));
      expected += n * (n - 1) / 2;
    });
    EXPECT_EQ(sum, expected);
    symmetric_free(cells);
  });
}

}  // namespace
}  // namespace grappa
