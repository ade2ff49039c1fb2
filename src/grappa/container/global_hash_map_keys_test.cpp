// Keys of all kinds: short strings, strings of any length, structs and pairs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/container/global_hash_map.hpp"
#include "grappa/container/short_string.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

constexpr std::string_view kText =
    "the quick brown fox jumps over the lazy dog and the dog barks at the fox while the brown bear "
    "sleeps under the old tree";

std::vector<std::string> words() {
  std::vector<std::string> list;
  std::string word;
  for (const char c : kText) {
    if (c != ' ') {
      word += c;
    } else {
      list.push_back(word);
      word.clear();
    }
  }
  list.push_back(word);
  return list;
}

TEST(GlobalHashMapKeys, CountsWordsAsShortStrings) {
  using Word = ShortString<15>;
  test::on_machines([] {
    auto counts = GlobalHashMap<Word, std::int64_t>::create();
    std::map<std::string, std::int64_t> expected;
    CompletionEvent done;
    for (const std::string& word : words()) {
      ++expected[word];
      counts.async_upsert(done, std::string_view(word), 1, std::plus<>{});
    }
    done.wait();
    EXPECT_EQ(counts.size(), static_cast<std::int64_t>(expected.size()));
    for (const auto& [word, count] : expected) {
      EXPECT_EQ(counts.find(std::string_view(word)), count) << word;
    }
    EXPECT_EQ(counts.find("cat"), std::nullopt);
    counts.destroy();
  });
}

TEST(GlobalHashMapKeys, CountsWordsOfAnyLengthAsStrings) {
  test::on_machines([] {
    auto counts = GlobalHashMap<std::string, std::int64_t>::create();
    std::map<std::string, std::int64_t> expected;
    CompletionEvent done;
    for (const std::string& word : words()) {
      ++expected[word];
      counts.async_upsert(done, word, 1, std::plus<>{});
    }
    done.wait();
    for (const std::size_t length : {0u, 1u, 22u, 23u, 24u, 55u, 56u, 247u, 248u, 2046u}) {
      const std::string word(length, 'w');
      ++expected[word];
      EXPECT_EQ(counts.upsert(word, 1, std::plus<>{}), 1);
      EXPECT_TRUE(counts.contains(word)) << length;
      EXPECT_FALSE(counts.insert(word, 5)) << length;
      EXPECT_TRUE(counts.erase(word)) << length;
      EXPECT_FALSE(counts.contains(word)) << length;
      EXPECT_TRUE(counts.insert(word, 1)) << length;
    }
    EXPECT_EQ(counts.size(), static_cast<std::int64_t>(expected.size()));
    for (const auto& [word, count] : expected) EXPECT_EQ(counts.find(word), count) << word;
    auto letters = symmetric_alloc<std::int64_t>();
    counts.forall([=](const std::string& word, std::int64_t& count) {
      letters.local() += static_cast<std::int64_t>(word.size()) * count;
    });
    std::int64_t expected_letters = 0;
    for (const auto& [word, count] : expected) {
      expected_letters += static_cast<std::int64_t>(word.size()) * count;
    }
    EXPECT_EQ(reduce_cores([=] { return letters.local(); }, std::int64_t{0}, std::plus<>{}),
              expected_letters);
    symmetric_free(letters);
    counts.destroy();
  });
}

TEST(GlobalHashMapKeys, TooLongIsTooLongOnEveryCore) {
  test::on_machines([] {
    auto counts = GlobalHashMap<std::string, std::int64_t>::create();
    for (char letter = 'a'; letter <= 'h'; ++letter) {
      const std::string word(2047, letter);
      EXPECT_THROW(counts.insert(word, 1), UsageError);
      EXPECT_THROW((void)counts.contains(word), UsageError);
      EXPECT_THROW(counts.async_upsert(word, 1, std::plus<>{}), UsageError);
    }
    EXPECT_EQ(counts.size(), 0);
    counts.destroy();
  });
}

TEST(GlobalHashMapKeys, TakesStructsAndPairsAsKeys) {
  struct Edge {
    std::int32_t from;
    std::int32_t to;
    bool operator==(const Edge&) const = default;
  };
  struct Range {
    double low;
    double high;
  };
  test::on_machines([] {
    auto by_edge = GlobalHashMap<Edge, Range>::create();
    auto by_pair = GlobalHashMap<std::pair<std::int64_t, std::int32_t>, std::int8_t>::create();
    forall(0, 500, [=](std::int64_t i) {
      const auto n = static_cast<std::int32_t>(i % 50);
      const auto x = static_cast<double>(i);
      by_edge.async_upsert({n, -n}, {x, x}, [](Range& range, const Range& given) {
        range.low = std::min(range.low, given.low);
        range.high = std::max(range.high, given.high);
      });
      by_pair.async_upsert(
          {n, n}, 1, [](std::int8_t a, std::int8_t b) { return static_cast<std::int8_t>(a + b); });
    });
    EXPECT_EQ(by_edge.size(), 50);
    EXPECT_EQ(by_pair.size(), 50);
    for (std::int32_t n = 0; n < 50; ++n) {
      const Range range = by_edge.find({n, -n}).value();
      EXPECT_EQ(range.low, n);
      EXPECT_EQ(range.high, 450 + n);
      EXPECT_EQ(by_pair.find({n, n}), 10);
    }
    by_edge.destroy();
    by_pair.destroy();
  });
}

}  // namespace
}  // namespace grappa
