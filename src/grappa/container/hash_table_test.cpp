#include "grappa/container/hash_table.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {

/// Keys that nearly all start from a few slots at the end of the table, so that probes are long and
/// wrap around.
struct Crowded {
  std::uint32_t id;
  friend bool operator==(Crowded, Crowded) = default;
};
template <>
struct KeyHash<Crowded> {
  std::uint64_t operator()(Crowded key) const { return ~std::uint64_t{key.id % 5}; }
};

namespace internal {
namespace {

template <class K>
K make_key(std::uint64_t number);
template <>
std::uint64_t make_key(std::uint64_t number) {
  return number * 0x10000001;  // regular, as ids are
}
template <>
Crowded make_key(std::uint64_t number) {
  return {static_cast<std::uint32_t>(number)};
}
template <>
std::string make_key(std::uint64_t number) {
  return std::string(number % 40, 'k') + std::to_string(number);
}
template <>
std::pair<std::int32_t, std::int32_t> make_key(std::uint64_t number) {
  return {static_cast<std::int32_t>(number % 17), -static_cast<std::int32_t>(number / 17)};
}

template <class K>
class HashTableOf : public testing::Test {
 protected:
  using Table = HashTable<K, std::int64_t>;
  Table table;
  std::unordered_map<std::uint64_t, std::int64_t> model;  // by the number of the key

  bool insert(std::uint64_t number, std::int64_t value) {
    const K key = make_key<K>(number);
    auto [stored, is_new] = table.insert(key, Table::hash_of(key), value);
    EXPECT_EQ(is_new, model.try_emplace(number, value).second);
    EXPECT_EQ(stored, model.at(number));
    return is_new;
  }
  void erase(std::uint64_t number) {
    const K key = make_key<K>(number);
    EXPECT_EQ(table.erase(key, Table::hash_of(key)), model.erase(number) == 1);
  }
  void expect_equal(std::uint64_t numbers) {
    ASSERT_EQ(table.size(), static_cast<std::int64_t>(model.size()));
    for (std::uint64_t number = 0; number < numbers; ++number) {
      const K key = make_key<K>(number);
      const std::int64_t* found = table.find(key, Table::hash_of(key));
      const auto expected = model.find(number);
      ASSERT_EQ(found != nullptr, expected != model.end()) << number;
      if (found != nullptr) {
        ASSERT_EQ(*found, expected->second) << number;
      }
    }
    std::int64_t seen = 0;
    const auto count = [&seen](const K&, std::int64_t&) { ++seen; };
    table.for_each(0, table.capacity(), count);
    EXPECT_EQ(seen, table.size());
  }
};

using KeyTypes =
    testing::Types<std::uint64_t, Crowded, std::string, std::pair<std::int32_t, std::int32_t>>;
TYPED_TEST_SUITE(HashTableOf, KeyTypes);

TYPED_TEST(HashTableOf, IsEmptyAtFirst) {
  run(test::threads(1), [&] {
    this->expect_equal(10);
    this->erase(3);
    EXPECT_EQ(this->table.capacity(), 0);
    this->table.clear();
  });
}

TYPED_TEST(HashTableOf, DoesWhatAnUnorderedMapDoes) {
  run(test::threads(1), [&] {
    std::minstd_rand random(7);
    for (const std::uint64_t numbers : {10u, 60u, 400u}) {
      for (int step = 0; step < 3000; ++step) {
        const std::uint64_t number = random() % numbers;
        if (random() % 5 < 3) {
          this->insert(number, step);
        } else {
          this->erase(number);
        }
        if (step % 500 == 0) this->expect_equal(numbers);
      }
      this->expect_equal(numbers);
      this->table.clear();
      this->model.clear();
      this->expect_equal(numbers);
    }
  });
}

TYPED_TEST(HashTableOf, GrowsBelowTwoThirds) {
  run(test::threads(1), [&] {
    for (std::uint64_t number = 0; number < 1000; ++number) {
      this->insert(number, static_cast<std::int64_t>(number));
      ASSERT_LE(this->table.size() * 3, this->table.capacity() * 2);
    }
    EXPECT_EQ(this->table.capacity(), 2048);
    this->expect_equal(1100);
  });
}

TYPED_TEST(HashTableOf, ReservesRoom) {
  run(test::threads(1), [&] {
    this->table.reserve(1000);
    const std::int64_t capacity = this->table.capacity();
    for (std::uint64_t number = 0; number < 1000; ++number) this->insert(number, 1);
    EXPECT_EQ(this->table.capacity(), capacity);
    this->table.reserve(10);  // never shrinks
    EXPECT_EQ(this->table.capacity(), capacity);
    this->expect_equal(1000);
  });
}

TYPED_TEST(HashTableOf, KeepsItsKeysWhileVisited) {
  run(test::threads(1), [&] {
    using Checked = typename TestFixture::Table;
    this->insert(1, 10);
    {
      const typename Checked::Visit visit(this->table);
      const TypeParam known = make_key<TypeParam>(1);
      const TypeParam other = make_key<TypeParam>(2);
      EXPECT_FALSE(this->table.insert(known, Checked::hash_of(known), 5).second);
      EXPECT_THROW(this->table.insert(other, Checked::hash_of(other), 5), UsageError);
      EXPECT_THROW(this->table.erase(known, Checked::hash_of(known)), UsageError);
      EXPECT_FALSE(this->table.erase(other, Checked::hash_of(other)));
      EXPECT_THROW(this->table.clear(), UsageError);
    }
    this->expect_equal(3);
    this->insert(2, 5);
  });
}

TEST(HashTable, RefusesMoreThanThereIs) {
  run(test::threads(1), [&] {
    HashTable<std::uint64_t, std::int64_t> table;
    EXPECT_THROW(table.reserve(std::int64_t{1} << 44), UsageError);
    EXPECT_EQ(table.capacity(), 0);
  });
}

// ---- hashes

TEST(KeyHash, SpreadsRegularKeysOverHighAndLowBits) {
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1} << 32}) {
    std::vector<int> high(16);
    std::vector<int> low(16);
    for (std::uint64_t i = 0; i < 16000; ++i) {
      const std::uint64_t hash = KeyHash<std::uint64_t>{}(i * step);
      ++high[hash >> 60];
      ++low[hash & 15];
    }
    for (int bucket = 0; bucket < 16; ++bucket) {
      EXPECT_NEAR(high[static_cast<std::size_t>(bucket)], 1000, 150) << step;
      EXPECT_NEAR(low[static_cast<std::size_t>(bucket)], 1000, 150) << step;
    }
  }
}

TEST(KeyHash, OfBytesChangesHalfItsBitsWithEachBit) {
  std::string text(29, '\0');
  const std::uint64_t before = hash_bytes(text.data(), text.size());
  int flipped = 0;
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(1 << bit % 8);
    flipped += std::popcount(before ^ hash_bytes(other.data(), other.size()));
  }
  EXPECT_NEAR(flipped / (8.0 * 29), 32, 2);
}

TEST(KeyHash, TellsTextsOfAllLengthsApart) {
  std::set<std::uint64_t> hashes;
  for (std::size_t length = 0; length <= 64; ++length) {
    for (const char c : {'\0', 'a', 'b'}) {
      if (length == 0 && c != 'a') continue;
      const std::string text(length, c);
      EXPECT_TRUE(hashes.insert(KeyHash<std::string_view>{}(text)).second) << length;
      if (length == 0 || length > 32) continue;
      EXPECT_TRUE(hashes.insert(KeyHash<ShortString<32>>{}(std::string_view(text))).second);
    }
  }
}

TEST(KeyHash, TakesThePartsOfAPairInOrder) {
  const KeyHash<std::pair<int, int>> hash;
  EXPECT_NE(hash({1, 2}), hash({2, 1}));
  EXPECT_NE(hash({0, 0}), hash({1, 1}));
}

}  // namespace
}  // namespace internal
}  // namespace grappa
