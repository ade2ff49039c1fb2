#include "grappa/base/serialize.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <list>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unordered_map>

#include "grappa/base/error.hpp"

namespace grappa {
namespace {

struct Inner {
  std::string name;
  std::optional<std::int64_t> line;
  static constexpr auto kMembers = std::tuple(&Inner::name, &Inner::line);
  friend bool operator==(const Inner&, const Inner&) = default;
};

/// Contains itself.
struct Tree {
  int value = 0;
  std::vector<Tree> children;
  static constexpr auto kMembers = std::tuple(&Tree::value, &Tree::children);
  friend bool operator==(const Tree&, const Tree&) = default;
};

/// Has no default constructor.
struct Named {
  Named(std::string its_name, int its_age) : name(std::move(its_name)), age(its_age) {}
  std::string name;
  int age;
  static constexpr auto kMembers = std::tuple(&Named::name, &Named::age);
  friend bool operator==(const Named&, const Named&) = default;
};

struct Outer {
  std::uint8_t small = 0;
  bool flag = false;
  std::vector<std::uint64_t> numbers;
  std::vector<bool> bits;
  std::vector<Inner> list;
  std::variant<Inner, std::int64_t> either;
  std::optional<std::string> nothing;
  std::map<std::string, std::pair<int, std::string>> map;
  std::unordered_map<int, std::string> hashed;
  std::multiset<std::int16_t> set;
  std::tuple<int, std::string, std::tuple<>> tuple;
  std::array<std::string, 2> array;
  std::deque<std::u16string> deque;
  std::list<std::array<char, 3>> short_ones;
  Tree tree;
  static constexpr auto kMembers =
      std::tuple(&Outer::small, &Outer::flag, &Outer::numbers, &Outer::bits, &Outer::list,
                 &Outer::either, &Outer::nothing, &Outer::map, &Outer::hashed, &Outer::set,
                 &Outer::tuple, &Outer::array, &Outer::deque, &Outer::short_ones, &Outer::tree);
  friend bool operator==(const Outer&, const Outer&) = default;
};

Outer some_value() {
  return {7,
          true,
          {1, 2, 3},
          {true, false, true},
          {{"a", 5}, {"", {}}},
          std::int64_t{5},
          {},
          {{"one", {1, "uno"}}, {"two", {2, ""}}},
          {{1, "x"}, {2, "y"}},
          {3, 3, -4},
          {1, "t", {}},
          {"first", "second"},
          {u"wide", u""},
          {{'a', 'b', 'c'}},
          {1, {{2, {}}, {3, {{4, {}}}}}}};
}

struct Foreign {
  std::string text;
  int number;
};

}  // namespace

template <>
inline constexpr auto kMembersOf<Foreign> = std::tuple(&Foreign::text, &Foreign::number);

namespace {

TEST(Serialize, WhatIsReadIsWhatWasWritten) {
  EXPECT_EQ(from_bytes<Outer>(to_bytes(some_value())), some_value());
  EXPECT_EQ(from_bytes<Outer>(to_bytes(Outer())), Outer());
  EXPECT_EQ(byte_count(some_value()), to_bytes(some_value()).size());
  EXPECT_EQ(from_bytes<std::vector<Named>>(to_bytes(std::vector<Named>{{"n", 3}})),
            (std::vector<Named>{{"n", 3}}));
  const auto foreign = from_bytes<Foreign>(to_bytes(Foreign{"f", 9}));
  EXPECT_EQ(foreign.text, "f");
  EXPECT_EQ(foreign.number, 9);
}

TEST(Serialize, ClosuresAreValues) {
  const auto add = [n = 40](int x) { return n + x; };
  EXPECT_EQ(from_bytes<std::remove_const_t<decltype(add)>>(to_bytes(add))(2), 42);
}

TEST(Serialize, ContainersFollowTheirLength) {
  const std::vector<std::byte> bytes = to_bytes(std::string("ab"));
  ASSERT_EQ(bytes.size(), 10u);
  EXPECT_EQ(bytes[0], std::byte{2});
  EXPECT_EQ(bytes[9], std::byte{'b'});
  EXPECT_EQ(to_bytes(std::vector<std::int32_t>{1, 2}).size(), 16u);
  EXPECT_EQ(to_bytes(std::map<std::int32_t, std::int32_t>{{1, 2}}).size(), 16u);
}

TEST(Serialize, ValuesFollowOneAnother) {
  ByteWriter out;
  out.put(1);
  out.put(std::string("two"));
  out.put_span(std::span<const char>("rest", 4));
  ByteReader in(out.bytes());
  EXPECT_EQ(in.get<int>(), 1);
  EXPECT_EQ(in.get<std::string>(), "two");
  EXPECT_THROW(in.expect_end(), Error);
  std::array<char, 4> rest{};
  in.get_span(std::span(rest));
  EXPECT_EQ(rest, (std::array<char, 4>{'r', 'e', 's', 't'}));
  in.expect_end();
}

TEST(Serialize, WhatIsNoSuchValueIsRefused) {
  std::vector<std::byte> bytes = to_bytes(some_value());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(from_bytes<Outer>(std::span(bytes).first(size)), Error) << size;
  bytes.push_back({});
  EXPECT_THROW(from_bytes<Outer>(bytes), Error);
  // More elements than there are bytes, an alternative that there is not, a truth of neither kind
  // and a key that is there twice.
  EXPECT_THROW(from_bytes<std::vector<std::uint64_t>>(to_bytes(~std::uint64_t{0})), Error);
  EXPECT_THROW(from_bytes<std::vector<Inner>>(to_bytes(std::uint64_t{1} << 60)), Error);
  EXPECT_THROW((from_bytes<std::variant<bool, char>>(to_bytes(std::array<char, 2>{2, 0}))), Error);
  EXPECT_THROW(from_bytes<bool>(to_bytes('\2')), Error);
  EXPECT_THROW(from_bytes<std::optional<int>>(to_bytes('\2')), Error);
  EXPECT_THROW(from_bytes<std::set<int>>(to_bytes(std::vector<int>{1, 1})), Error);
}

// Whatever stands in the bytes, a value comes out whose bytes are read again, or an Error.
TEST(Serialize, ChangedBytesAreReadOrRefused) {
  const std::vector<std::byte> good = to_bytes(some_value());
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> bytes = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    try {
      const auto value = from_bytes<Outer>(bytes);
      EXPECT_EQ(from_bytes<Outer>(to_bytes(value)), value);
      ++read;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 20'000);
}

}  // namespace
}  // namespace grappa
