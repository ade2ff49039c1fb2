#include "grappa/query/datalog/tuple_index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace grappa::query::datalog {
namespace {

using Words = std::vector<Word>;

TEST(TupleIndex, FindsWhatHasAKey) {
  for (std::size_t key_words = 1; key_words <= 3; ++key_words) {
    std::vector<std::size_t> key;
    for (std::size_t i = 0; i < key_words; ++i) key.push_back(2 - i);
    std::mt19937_64 random(key_words);
    TupleIndex index(key, 3);
    std::map<Words, std::set<Words>> expected;
    const auto part_of = [&](const Words& item) -> IndexPart& {
      return index.part(TupleIndex::part_of(index.hash(item.data())));
    };
    for (int i = 0; i < 50'000; ++i) {
      const Words item = {random() % 30, random() % 30, random() % 30};
      const auto end_of_key = item.begin() + static_cast<std::ptrdiff_t>(key_words);
      std::set<Words>& rests = expected[Words(item.begin(), end_of_key)];
      const Words rest(end_of_key, item.end());
      if (rests.insert(rest).second) {
        part_of(item).add(item.data(), index.hash(item.data()));
      } else if (i % 2 == 0) {
        rests.erase(rest);
        part_of(item).remove(item.data(), index.hash(item.data()));
      }
    }
    for (const auto& [of, rests] : expected) {
      const Matches found = index.find(of.data());
      EXPECT_EQ(found.count, rests.size());
      std::set<Words> seen;
      const std::size_t words = 3 - key_words;
      for (std::size_t i = 0; i < found.count && words > 0; ++i)
        seen.emplace(found.first + i * words, found.first + (i + 1) * words);
      if (words > 0) {
        EXPECT_EQ(seen, rests);
      }
    }
    const Words absent(key_words, 1000);
    EXPECT_EQ(index.find(absent.data()).count, 0u);
  }
}

}  // namespace
}  // namespace grappa::query::datalog
