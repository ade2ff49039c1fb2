#include "grappa/query/datalog/tuple_set.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace grappa::query::datalog {
namespace {

using Tuple = std::vector<Word>;

std::set<Tuple> live_rows(const TupleSet& set, std::size_t arity, std::size_t begin = 0) {
  std::set<Tuple> rows;
  for (std::size_t i = begin; i < set.rows(); ++i)
    if (set.is_live(i)) {
      EXPECT_TRUE(rows.emplace(set.row(i), set.row(i) + arity).second);
    }
  return rows;
}

TEST(TupleSet, SaysWhatIsNew) {
  for (const std::size_t arity : {0u, 1u, 2u, 5u}) {
    std::mt19937_64 random(arity);
    TupleSet set(arity);
    std::set<Tuple> expected;
    for (int round = 0; round < 20; ++round) {
      std::set<Tuple> fresh;
      std::vector<Word> tuples;
      const std::size_t count = random() % 1000;
      for (std::size_t i = 0; i < count; ++i) {
        Tuple tuple;
        for (std::size_t k = 0; k < arity; ++k) tuple.push_back(random() % (arity < 3 ? 300 : 5));
        tuples.insert(tuples.end(), tuple.begin(), tuple.end());
        if (!expected.contains(tuple)) fresh.insert(tuple);
      }
      set.insert(tuples.data(), count);
      EXPECT_EQ(set.added(), fresh.size());
      set.advance([](const Word*) { ADD_FAILURE(); });
      EXPECT_EQ(live_rows(set, arity, set.new_begin()), fresh);
      expected.insert(fresh.begin(), fresh.end());
      EXPECT_EQ(live_rows(set, arity), expected);
    }
  }
}

TEST(TupleSet, KeepsTheLeastOfThoseThatCompete) {
  std::mt19937_64 random(1);
  TupleSet set(3, {0, 2}, [](const Word* less, const Word* more) { return more[1] < less[1]; });
  std::map<Tuple, Word> expected;
  std::set<Tuple> shown;
  for (int round = 0; round < 60; ++round) {
    const std::size_t count = random() % 500;
    std::vector<Word> tuples;
    for (std::size_t i = 0; i < count; ++i) {
      const Word a = random() % 40;
      const Word b = random() % 40;
      const Word value = 100'000 - static_cast<Word>(round) * 1000 + random() % 2000;
      tuples.insert(tuples.end(), {a, value, b});
      const auto [place, is_new] = expected.emplace(Tuple{a, b}, value);
      if (!is_new) place->second = std::min(place->second, value);
    }
    set.insert(tuples.data(), count);
    set.advance([&](const Word* gone) { EXPECT_EQ(shown.erase(Tuple(gone, gone + 3)), 1u); });
    for (const Tuple& row : live_rows(set, 3, set.new_begin())) shown.insert(row);
    std::set<Tuple> all;
    for (const auto& [key, value] : expected) all.insert({key[0], value, key[1]});
    EXPECT_EQ(live_rows(set, 3), all);
    EXPECT_EQ(shown, all);
    EXPECT_EQ(set.live_rows(), all.size());
  }
}

TEST(TupleSet, KeepsAllThatDoNotDominateOneAnother) {
  // Smaller in both is better: what is left is no worse than others in one of them.
  std::mt19937_64 random(2);
  const auto is_less = [](const Word* less, const Word* more) {
    return more[0] <= less[0] && more[1] <= less[1];
  };
  TupleSet set(2, {}, is_less);
  std::set<Tuple> all;
  for (int round = 0; round < 30; ++round) {
    std::vector<Word> tuples;
    for (int i = 0; i < 100; ++i) {
      tuples.insert(tuples.end(), {random() % 1000, random() % 1000});
      all.emplace(tuples.end() - 2, tuples.end());
    }
    set.insert(tuples.data(), 100);
    set.advance([](const Word*) {});
    std::set<Tuple> expected;
    for (const Tuple& one : all) {
      bool is_best = true;
      for (const Tuple& other : all) is_best &= one == other || !is_less(one.data(), other.data());
      if (is_best) expected.insert(one);
    }
    EXPECT_EQ(live_rows(set, 2), expected);
  }
}

}  // namespace
}  // namespace grappa::query::datalog
