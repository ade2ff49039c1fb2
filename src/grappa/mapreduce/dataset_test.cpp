#include "grappa/mapreduce/dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/mapreduce/words.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/parallel/test_memory_limit.hpp"
#include "tests/support/files.hpp"

namespace grappa::mapreduce {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class DatasetTest : public test::OnMachines {};

using Word = std::pair<std::string_view, std::int64_t>;

constexpr auto words = [](std::string_view line, auto emit) {
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    if (blank > 0) emit(Word(line.substr(0, blank), 1));
    line.remove_prefix(std::min(blank + 1, line.size()));
  }
};

TEST_P(DatasetTest, StepsFollowOneAnother) {
  run(config(), [] {
    const auto even = generate(1000, [](std::int64_t i) { return 3 * i; }).filter([](auto i) {
      return i % 2 == 0;
    });
    EXPECT_EQ(even.count(), 500);
    EXPECT_EQ(even.map([](auto i) { return i / 6; }).reduce(std::int64_t{0}, std::plus<>()),
              499 * 500 / 2);
    EXPECT_EQ(even.flat_map([](auto i) { return std::vector(2, i); }).count(), 1000);
    std::vector<std::int64_t> all = even.collect();
    EXPECT_THAT(all, testing::SizeIs(500));
    EXPECT_TRUE(std::ranges::is_sorted(all));
  });
}

TEST_P(DatasetTest, ReadsAnArrayAtItsHomes) {
  run(config(), [] {
    const Owned<GlobalArray<std::int64_t>> array = GlobalArray<std::int64_t>::create(777);
    array->forall([](std::int64_t i, std::int64_t& x) { x = i; });
    EXPECT_EQ(from(*array).reduce(std::int64_t{0}, std::plus<>()), 776 * 777 / 2);
  });
}

TEST_P(DatasetTest, CombinesByKey) {
  run(config(), [] {
    const auto sums = generate(10'000, [](std::int64_t i) {
                        return std::pair(i % 100, i);
                      }).reduce_by_key(std::plus<>());
    EXPECT_EQ(sums.count(), 100);
    for (const auto& [key, sum] : sums.collect()) EXPECT_EQ(sum, 100 * key + 495'000);
    const auto largest =
        sums.top(2, [](const auto& a, const auto& b) { return a.second > b.second; });
    EXPECT_THAT(largest, ElementsAre(std::pair(99, 504'900), std::pair(98, 504'800)));
  });
}

TEST_P(DatasetTest, KeepsWithTheUsersPartitioner) {
  run(config(), [] {
    const auto owners =
        generate(1000, [](std::int64_t i) { return std::pair(i % 50, std::int64_t{1}); })
            .reduce_by_key(std::plus<>(), [](std::int64_t key) { return key; })
            .map([](const auto& pair) { return std::pair(pair.first, std::int64_t{this_core()}); })
            .collect();
    EXPECT_EQ(owners.size(), 50u);
    for (const auto& [key, core] : owners) EXPECT_EQ(core, key % core_count());
  });
}

TEST_P(DatasetTest, CountsWordsOfFiles) {
  const io::TemporaryFolder folder;
  std::string text;
  std::map<std::string, std::int64_t> expected;
  for (int i = 0; i < 2000; ++i) {
    const std::string word = "word" + std::to_string(i * i % 97);
    text += word + (i % 7 == 0 ? "\r\n" : " ");
    ++expected[word];
  }
  const std::string first = folder.write("a.txt", text);
  const std::string second = folder.write("b.txt", "word0 last");
  const std::string empty = folder.write("c.txt", "");
  expected["word0"] += 1;
  expected["last"] = 1;
  run(config(), [&] {
    const auto counts = read_lines({first, empty, second})
                            .flat_map<Word>(words)
                            .reduce_by_key(std::plus<>())
                            .collect();
    const std::map<std::string, std::int64_t> found(counts.begin(), counts.end());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(counts.size(), expected.size());
    const auto in_pieces =
        read_text({first, empty, second})
            .flat_map<Word>([](std::string_view piece, auto emit) {
              for_each_word(piece, {}, [&](std::string_view word) { emit(Word(word, 1)); });
            })
            .reduce_by_key(std::plus<>());
    EXPECT_EQ(in_pieces.to_map(), expected);
  });
}

TEST_P(DatasetTest, SortsOverTheCores) {
  run(config(), [] {
    const auto scrambled =
        generate(20'000, [](std::int64_t i) { return i * 7'919 % 20'011 - 10'000; });
    std::vector<std::int64_t> expected = scrambled.collect();
    std::ranges::sort(expected);
    EXPECT_EQ(scrambled.sort().collect(), expected);
    std::ranges::reverse(expected);
    EXPECT_EQ(scrambled.sort(std::greater<>()).collect(), expected);
  });
}

TEST_P(DatasetTest, SortsText) {
  run(config(), [] {
    const auto texts = generate(300, [](std::int64_t i) { return std::to_string(i * 7 % 300); });
    std::vector<std::string> expected = texts.collect();
    std::ranges::sort(expected);
    EXPECT_EQ(texts.sort().collect(), expected);
  });
}

TEST_P(DatasetTest, WhatIsCachedStaysAsItIsWhenItIsSorted) {
  run(config(), [] {
    const auto numbers =
        generate(70'000, [](std::int64_t i) { return i * 7'919 % 70'001; }).cache();
    const std::vector<std::int64_t> before = numbers.collect();
    std::vector<std::int64_t> expected = before;
    std::ranges::sort(expected);
    EXPECT_EQ(numbers.sort().collect(), expected);
    EXPECT_EQ(numbers.collect(), before);
    const auto texts = numbers.map([](std::int64_t x) { return std::to_string(x); }).cache();
    const std::vector<std::string> texts_before = texts.collect();
    std::vector<std::string> texts_expected = texts_before;
    std::ranges::sort(texts_expected);
    EXPECT_EQ(texts.sort().collect(), texts_expected);
    EXPECT_EQ(texts.collect(), texts_before);
  });
}

// More of them than travel in one piece from one locale to another.
TEST_P(DatasetTest, SortsLongTexts) {
  run(config(), [] {
    const auto texts = generate(100, [](std::int64_t i) {
      return std::to_string(i * 7919 % 100 + 100) + std::string(300'000, 'x');
    });
    std::vector<std::string> expected = texts.collect();
    std::ranges::sort(expected);
    EXPECT_TRUE(texts.sort().collect() == expected);  // which are too long to be printed
  });
}

TEST_P(DatasetTest, CachedValuesAreComputedOnce) {
  run(config(), [] {
    const auto cached = generate(100, [](std::int64_t i) { return std::to_string(i); }).cache();
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(cached.map([](const std::string& s) { return std::ssize(s); })
                    .reduce(std::int64_t{0}, std::plus<>()),
                190);
    }
  });
}

TEST_P(DatasetTest, TheFirstBadLineComesOut) {
  const io::TemporaryFolder folder;
  std::string text;
  for (int i = 1; i <= 5000; ++i) text += i % 100 == 63 ? "x\n" : "7\n";
  const std::string path = folder.write("numbers.txt", text);
  run(config(), [&] {
    const auto sum = [](const auto& lines) {
      return lines
          .map([](std::string_view line) { return std::int64_t{std::stoi(std::string(line))}; })
          .reduce(std::int64_t{0}, std::plus<>());
    };
    io::expect_input_error([&] { sum(read_lines({path})); }, 63, "stoi");
    io::expect_input_error([&] { sum(read_lines({path}, {.skip_bad_records = 49})); }, 63,
                           "of 50 bad records");
    const auto lines = read_lines({path}, {.skip_bad_records = 50});
    EXPECT_EQ(sum(lines), 7 * 4950);
    EXPECT_EQ(lines.skipped(), 50);
  });
}

template <class F>
void expect_no_memory_for(const char* what, const F& use) {
  EXPECT_THAT(test::usage_error_of(use), AllOf(HasSubstr(what), HasSubstr("GiB asked")));
  on_all_cores([] { test::free_up_memory(); });
}

TEST_P(DatasetTest, MemoryThatRunsOutIsAUsageErrorByName) {
  run(config(), [] {
    // Used up by the first value, when all that a stage begins with is there.
    const auto pairs = generate(1000, [](std::int64_t i) {
      test::use_up_memory();
      return std::pair(i, i);
    });
    expect_no_memory_for("the keys of a Dataset", [&] { pairs.reduce_by_key(std::plus<>()); });
    expect_no_memory_for("the values of a Dataset", [&] { pairs.cache(); });
  });
}

TEST(DatasetMemory, RunsOutForTextsAndGroups) {
  run(test::threads(1), [] {
    const auto texts = generate(200, [](std::int64_t i) {
      if (i == 100) test::use_up_memory();
      return std::pair(std::string(10'000, 'a') + std::to_string(i), i);
    });
    expect_no_memory_for("the texts of a Dataset", [&] { texts.reduce_by_key(std::plus<>()); });
    const auto pairs = generate(200, [](std::int64_t i) {
      if (i == 100) test::use_up_memory();
      return std::pair(7, i);
    });
    expect_no_memory_for("the values of a Dataset", [&] { pairs.group_by_key(); });
  });
}

GRAPPA_ON_MACHINES(DatasetTest);

}  // namespace
}  // namespace grappa::mapreduce
