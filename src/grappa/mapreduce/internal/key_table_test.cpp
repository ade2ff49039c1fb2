#include "grappa/mapreduce/internal/key_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/mapreduce/internal/pending_adds.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa::mapreduce::detail {
namespace {

constexpr auto add = [](std::int64_t& sum, std::int64_t n) noexcept { sum += n; };

template <class K>
std::map<K, std::int64_t> content(KeyTable<K, std::int64_t>& table) {
  std::map<K, std::int64_t> all;
  table.for_each([&](const auto& entry) { all.emplace(entry.key(), entry.value()); });
  EXPECT_EQ(all.size(), table.size());
  return all;
}

// Of all lengths, many of which differ in one byte only.
std::vector<std::string> random_words(std::size_t n) {
  std::mt19937_64 random(2);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < n; ++i) {
    std::string word(random() % 40, 'a');
    for (std::size_t k = 0; k < 2 && !word.empty(); ++k)
      word[random() % word.size()] = static_cast<char>('a' + random() % 4);
    words.push_back(word);
  }
  return words;
}

TEST(KeyTable, CombinesTexts) {
  run(test::threads(1), [] {
    KeyTable<std::string, std::int64_t> table;
    std::map<std::string, std::int64_t> expected;
    for (const std::string& word : random_words(20'000)) {
      table.add(marked_key<std::string>(word), 1, add);
      ++expected[word];
    }
    EXPECT_EQ(content(table), expected);
    for (const auto& [word, count] : expected)
      EXPECT_EQ(*table.find(marked_key<std::string>(word)), count);
    EXPECT_EQ(table.find(marked_key<std::string>("none")), nullptr);
  });
}

// Texts that differ only in zeros at their ends, on both sides of what lies in a slot.
TEST(KeyTable, TellsLengthsApart) {
  run(test::threads(1), [] {
    KeyTable<std::string, std::int64_t> table;
    for (std::size_t size = 0; size < 40; ++size)
      table.add(marked_key<std::string>(std::string(size, '\0')), std::int64_t(size), add);
    EXPECT_EQ(table.size(), 40u);
    for (std::size_t size = 0; size < 40; ++size)
      EXPECT_EQ(*table.find(marked_key<std::string>(std::string(size, '\0'))), std::int64_t(size));
  });
}

TEST(PendingAdds, AreAllAddedInTheEnd) {
  run(test::threads(1), [] {
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 20'000u}) {
      KeyTable<std::string, std::int64_t> table;
      PendingAdds<std::string, std::int64_t> pending;
      std::map<std::string, std::int64_t> expected;
      for (const std::string& word : random_words(n)) {
        pending.add(table, marked_key<std::string>(word), 1, add);
        ++expected[word];
      }
      pending.flush(table, add);
      EXPECT_EQ(content(table), expected);
    }
  });
}

TEST(PendingAdds, OfNumbers) {
  run(test::threads(1), [] {
    KeyTable<std::int64_t, std::int64_t> table;
    PendingAdds<std::int64_t, std::int64_t> pending;
    std::map<std::int64_t, std::int64_t> expected;
    for (std::int64_t i = 0; i < 5000; ++i) {
      pending.add(table, marked_key<std::int64_t>(i % 700), i, add);
      expected[i % 700] += i;
    }
    pending.flush(table, add);
    EXPECT_EQ(content(table), expected);
  });
}

}  // namespace
}  // namespace grappa::mapreduce::detail
