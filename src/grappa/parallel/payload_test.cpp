// Closures, arguments and results that are not plain bytes, on every machine.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "grappa/delegate/awaitable.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

class Payload : public test::OnMachines {};
GRAPPA_ON_MACHINES(Payload);

/// What the cores were told, by core; each touches its own.
std::vector<std::multiset<std::string>> told;

std::string long_text(std::size_t length) {
  std::string text(length, ' ');
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + i * i % 23);
  return text;
}

struct Note {
  std::string text;
  std::map<std::string, std::vector<int>> lines;
  static constexpr auto kMembers = std::tuple(&Note::text, &Note::lines);
  friend bool operator==(const Note&, const Note&) = default;
};

/// A closure that lists its members.
struct Tell {
  std::string text;
  int times;
  static constexpr auto kMembers = std::tuple(&Tell::text, &Tell::times);
  std::size_t operator()() {
    auto& mine = told[static_cast<std::size_t>(this_core())];
    for (int i = 0; i < times; ++i) mine.insert(text);
    return mine.size();
  }
};

TEST_P(Payload, AllCoresAndLocalesGetTheirOwnArguments) {
  run(config(), [] {
    const Note note{"note", {{"a", {1, 2}}}};
    for (const bool cores : {true, false}) {
      std::int64_t right = 0;
      const auto check = [to = GlobalAddress<std::int64_t>::of_local(&right)](Note& n, int seven) {
        const bool same = n == Note{"note", {{"a", {1, 2}}}} && seven == 7;
        n.text.clear();  // nobody else's
        if (same) delegate::async::increment(to);
      };
      if (cores) {
        on_all_cores(check, note, 7);
      } else {
        on_all_locales(check, note, 7);
      }
      EXPECT_EQ(right, cores ? core_count() : locale_count());
    }
  });
}

TEST_P(Payload, CallsTakeArgumentsAndReturnValuesOfAnyKind) {
  run(config(), [] {
    const std::string word = "abc";
    const Note note{"note", {{"a", {1, 2}}, {"b", {}}}};
    test::for_each_core([&](int core) {
      EXPECT_EQ(delegate::call(
                    core,
                    [](std::string& s, int n) {
                      s += std::to_string(n) + "@" + std::to_string(this_core());
                      return s;
                    },
                    word, 3),
                "abc3@" + std::to_string(core));
      EXPECT_EQ(delegate::call(core, [](const Note& n) { return std::optional(n); }, note), note);
      // Captures, too, if they are plain.
      EXPECT_EQ(delegate::call(
                    core, [core](const std::vector<std::string>& v) { return v.size() + core; },
                    std::vector<std::string>{"x", ""}),
                static_cast<std::size_t>(core) + 2);
      EXPECT_EQ(delegate::call(core, [](int n) { return n + 1; }, 4), 5);
    });
    EXPECT_EQ(word, "abc");
  });
}

TEST_P(Payload, CallsAtAnAddressGetTheObjectFirst) {
  run(config(), [] {
    const auto sums = symmetric_alloc<std::int64_t>();
    const std::vector<std::int64_t> numbers = {1, 2, 3};
    const auto add = [](std::int64_t& sum, const std::vector<std::int64_t>& terms) {
      for (const std::int64_t term : terms) sum += term;
      return sum;
    };
    CompletionEvent done;
    test::for_each_core([&](int core) {
      EXPECT_EQ(delegate::call(sums.on(core), add, numbers), 6);
      EXPECT_EQ(delegate::issue(sums.on(core), add, numbers).complete(), 12);
      delegate::async::call(done, sums.on(core), add, numbers);
    });
    done.wait();
    test::for_each_core([&](int core) { EXPECT_EQ(delegate::read(sums.on(core)), 18); });
    symmetric_free(sums);
  });
}

TEST_P(Payload, EveryAsynchronousOneArrivesOnce) {
  run(config(), [] {
    told.assign(static_cast<std::size_t>(core_count()), {});
    on_all_cores([] {
      for (int i = 0; i < 200; ++i) {
        test::for_each_core([&](int core) {
          const std::string word =
              std::to_string(this_core()) + ":" + long_text(static_cast<std::size_t>(i * i % 300));
          delegate::async::call(
              core,
              [](std::string& text) {
                told[static_cast<std::size_t>(this_core())].insert(std::move(text));
              },
              word);
          delegate::async::call(core, Tell{word, 1});
        });
      }
    });
    std::multiset<std::string> expected;
    for (int i = 0; i < 200; ++i) {
      test::for_each_core([&](int core) {
        for (int twice = 0; twice < 2; ++twice) {
          expected.insert(std::to_string(core) + ":" +
                          long_text(static_cast<std::size_t>(i * i % 300)));
        }
      });
    }
    for (const auto& mine : told) EXPECT_EQ(mine, expected);
  });
}

TEST_P(Payload, MessagesHaveAnyLength) {
  run(config(), [] {
    const int last = core_count() - 1;
    for (const std::size_t length :
         {0, 1, 15, 16, 200, 980, 1024, 5'000, 65'480, 65'536, 300'000, 3'000'000}) {
      const std::string text = long_text(length);
      EXPECT_EQ(delegate::call(last, [](std::string& s) { return std::move(s); }, text), text);
      const std::size_t there = delegate::call(
          last,
          [](const std::string& s, const std::string& behind) {
            return s == long_text(s.size()) && behind == "behind" ? s.size() : 0;
          },
          text, std::string("behind"));
      EXPECT_EQ(there, length);
    }
  });
}

TEST_P(Payload, AMessageBeyondTheLimitIsRefused) {
  run(config(), [] {
    struct Never {
      void operator()(internal::RunContext&) const {}
      std::int64_t unused = 0;
    };
    internal::Aggregator& messages = *internal::here().messages;
    EXPECT_THROW(
        messages.send_writing(
            core_count() - 1, Never(), std::size_t{3} << 30, [](std::byte*) { FAIL(); }, nullptr),
        UsageError);
    EXPECT_EQ(delegate::call(core_count() - 1, [] { return 1; }), 1);
  });
}

TEST_P(Payload, TasksTakeArgumentsAndWait) {
  run(config(), [] {
    told.assign(static_cast<std::size_t>(core_count()), {});
    const auto cells = symmetric_alloc<std::string*>();
    const auto tell = [](std::string& text, int core) {
      yield();
      if (this_core() != core) throw std::logic_error("on the wrong core");
      told[static_cast<std::size_t>(core)].insert(text);
    };
    CompletionEvent done;
    const std::string text = long_text(100);
    test::for_each_core([&](int core) {
      spawn_on(done, core, tell, text, core);
      spawn_on(done, core, Tell{text, 2});
      spawn_on(
          done, cells.on(core),
          [tell](std::string*& cell, std::string& word) {
            cell = &word;
            yield();
            if (cell != &word) throw std::logic_error("not the same object");
            tell(word, this_core());
          },
          text);
      spawn_on(done, cells.on(core), [core](std::string*&) {
        yield();
        if (this_core() != core) throw std::logic_error("on the wrong core");
      });
    });
    done.wait();
    for (const auto& mine : told) EXPECT_EQ(mine.count(text), 4u);
    symmetric_free(cells);
  });
}

TEST_P(Payload, PublicTasksTakeTheirArgumentsWhereTheyAreStolenTo) {
  run(config(), [] {
    const auto bytes = symmetric_alloc<std::int64_t>();
    std::int64_t expected = 0;
    CompletionEvent done;
    for (int i = 0; i < 200; ++i) {
      const std::string text = long_text(static_cast<std::size_t>(i));
      expected += i;
      spawn_public(
          done,
          [bytes](std::string& mine) {
            sleep_for(50'000);
            if (mine != long_text(mine.size())) throw std::logic_error("another text");
            delegate::increment(bytes.on(0), static_cast<std::int64_t>(mine.size()));
          },
          text);
    }
    done.wait();
    EXPECT_EQ(delegate::read(bytes.on(0)), expected);
    symmetric_free(bytes);
  });
}

TEST_P(Payload, TasksOfThisCoreNeedOnlyBeMovable) {
  run(config(), [] {
    CompletionEvent done;
    std::int64_t sum = 0;
    for (int i = 0; i < 20; ++i) {
      spawn(done, [number = std::make_unique<int>(i), &sum, text = long_text(100)] {
        yield();
        sum += *number + static_cast<std::int64_t>(text.size());
      });
    }
    done.wait();
    EXPECT_EQ(sum, 190 + 2000);
  });
}

Coroutine<> count_at(GlobalAddress<std::int64_t> counter, std::string text) {
  const int core = this_core();
  for (int i = 0; i < 3; ++i) {
    co_await co::call(
        counter,
        [](std::int64_t& n, const std::string& s) { n += static_cast<std::int64_t>(s.size()); },
        text);
    co_await co::yield();
  }
  if (this_core() != core) throw std::logic_error("a coroutine moved after it had begun");
}

TEST_P(Payload, CoroutinesBeginElsewhere) {
  run(config(), [] {
    const auto counters = symmetric_alloc<std::int64_t>();
    const auto counter = counters.on(core_count() - 1);
    CompletionEvent done;
    test::for_each_core([&](int core) {
      spawn_on(
          done, core,
          [counter](std::string& text, int wanted) -> Coroutine<> {
            co_await co::yield();
            // What was captured and given is still there.
            if (this_core() != wanted) throw std::logic_error("on the wrong core");
            co_await count_at(counter, text);
          },
          std::string("four"), core);
      spawn_on(done, core, [counter] { return count_at(counter, "seven.."); });
    });
    for (int i = 0; i < 100; ++i) {
      spawn_public(done, [counter] { return count_at(counter, "x"); });
      spawn_public(
          done, [counter](std::string& text) { return count_at(counter, text); },
          std::string("xy"));
    }
    done.wait();
    EXPECT_EQ(delegate::read(counter), 3 * (11 * core_count() + 300));
    symmetric_free(counters);
  });
}

TEST_P(Payload, ErrorsTravelBack) {
  run(config(), [] {
    const auto fail = [](const std::string& text) { throw std::range_error(text); };
    test::for_each_core([&](int core) {
      const auto expect_error = [&](const auto& work) {
        try {
          work();
          ADD_FAILURE() << "no error";
        } catch (const RemoteError& error) {
          EXPECT_EQ(error.type_name(), "std::range_error");
          EXPECT_EQ(error.message(), "why");
        }
      };
      expect_error([&] { delegate::call(core, fail, std::string("why")); });
      expect_error([&] {
        CompletionEvent done;
        delegate::async::call(done, core, fail, std::string("why"));
        done.wait();
      });
      expect_error([&] {
        CompletionEvent done;
        spawn_on(done, core, fail, std::string("why"));
        done.wait();
      });
    });
    EXPECT_THROW(delegate::call(core_count(), fail, std::string("why")), UsageError);
    EXPECT_THROW(spawn_on(-1, fail, std::string("why")), UsageError);
  });
}

TEST_P(Payload, AddsAndComparesWithALaterAnswer) {
  run(config(), [] {
    const auto cells = symmetric_alloc<std::int64_t>();
    std::vector<Handle<std::int64_t>> before;
    test::for_each_core([&](int core) {
      before.push_back(delegate::issue_fetch_add(cells.on(core), 5));
      before.push_back(delegate::issue_fetch_add(cells.on(core), 6));
    });
    std::int64_t sum = 0;
    for (auto& handle : before) sum += handle.complete();
    test::for_each_core([&](int core) {
      EXPECT_FALSE(delegate::issue_compare_exchange(cells.on(core), 5, 1).complete());
      EXPECT_TRUE(delegate::issue_compare_exchange(cells.on(core), 11, 1).complete());
      EXPECT_EQ(delegate::read(cells.on(core)), 1);
    });
    // The two of a core may have changed places.
    EXPECT_TRUE(sum >= 5 * core_count() && sum <= 6 * core_count()) << sum;
    symmetric_free(cells);
  });
}

class PayloadDeathTest : public test::OnMachines {
 protected:
  PayloadDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
GRAPPA_ON(PayloadDeathTest,
          testing::Values(test::Machine{"TwoCores", test::threads(2)},
                          test::Machine{"TwoLocales", test::cluster(2)},
                          test::Machine{"FourDeterministicLocales", test::deterministic(4)}));

TEST_P(PayloadDeathTest, BytesThatAreNoClosureEndTheJobByName) {
  EXPECT_EXIT(run(config(),
                  [] {
                    using Message =
                        internal::SerializedClosureMessage<internal::AsyncCallWay, Tell>;
                    std::vector<std::byte> bytes = to_bytes(Tell{"text", 1});
                    CompletionEvent done;
                    internal::here().messages->send_with_tail(
                        core_count() - 1, Message{}, bytes.data(), bytes.size() - 1, &done.share());
                    done.wait();
                  }),
              testing::ExitedWithCode(1),
              "fatal: core [0-9]+: what came from core 0 is no .*Tell.*ends too early");
}

}  // namespace
}  // namespace grappa
