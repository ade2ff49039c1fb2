#include "grappa/graph/load/internal/bytes.hpp"

#include <gtest/gtest.h>

#include <array>

#include "grappa/base/error.hpp"
#include "grappa/graph/load/internal/ask_locales.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

struct Inner {
  std::string name;
  std::optional<std::int64_t> line;
  static constexpr auto kMembers = std::tuple(&Inner::name, &Inner::line);
  friend bool operator==(const Inner&, const Inner&) = default;
};

struct Outer {
  std::uint8_t small = 0;
  std::vector<std::uint64_t> numbers;
  std::vector<Inner> list;
  std::variant<Inner, double> either;
  std::optional<std::string> nothing;
  static constexpr auto kMembers =
      std::tuple(&Outer::small, &Outer::numbers, &Outer::list, &Outer::either, &Outer::nothing);
  friend bool operator==(const Outer&, const Outer&) = default;
};

Outer some_value() { return {7, {1, 2, 3}, {{"a", 5}, {"", {}}}, 0.5, {}}; }

TEST(Bytes, WhatIsReadIsWhatWasWritten) {
  EXPECT_EQ(from_bytes<Outer>(to_bytes(some_value())), some_value());
  EXPECT_EQ(from_bytes<Outer>(to_bytes(Outer())), Outer());
}

TEST(Bytes, StringsAndVectorsFollowTheirLength) {
  const std::vector<std::byte> bytes = to_bytes(std::string("ab"));
  ASSERT_EQ(bytes.size(), 10u);
  EXPECT_EQ(bytes[0], std::byte{2});
  EXPECT_EQ(bytes[9], std::byte{'b'});
  EXPECT_EQ(to_bytes(std::vector<std::int32_t>{1, 2}).size(), 16u);
}

TEST(Bytes, WhatIsNoSuchValueIsRefused) {
  std::vector<std::byte> bytes = to_bytes(some_value());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(from_bytes<Outer>(std::span(bytes).first(size)), Error) << size;
  bytes.push_back({});
  EXPECT_THROW(from_bytes<Outer>(bytes), Error);
  // More elements than there are bytes, and an alternative that there is not.
  EXPECT_THROW(from_bytes<std::vector<std::uint64_t>>(to_bytes(~std::uint64_t{0})), Error);
  EXPECT_THROW(from_bytes<std::vector<Inner>>(to_bytes(std::uint64_t{1} << 60)), Error);
  EXPECT_THROW((from_bytes<std::variant<bool, char>>(to_bytes(std::array<char, 2>{2, 0}))), Error);
}

TEST(AskLocales, AnswersByLocaleOrTheFirstError) {
  for (const Config& config : test::all_shapes()) {
    run(config, [&] {
      const Owned<Exchange> exchange = Exchange::create();
      tell_locales(*exchange, std::string("told"));
      const auto answers = ask_locales(*exchange, [exchange = *exchange] {
        return told<std::string>(exchange) + std::to_string(this_locale());
      });
      ASSERT_EQ(static_cast<int>(answers.size()), locale_count());
      EXPECT_EQ(answers.back(), "told" + std::to_string(locale_count() - 1));
      // Of all lines the first, which the last locale has.
      expect_input_error(
          [&] {
            ask_locales(*exchange, [] {
              if (this_locale() == 0 && locale_count() > 1) throw Error("without a line");
              throw InputError("a.txt", 100 - this_locale(), "bad");
            });
          },
          101 - locale_count(), "bad");
    });
  }
}

}  // namespace
}  // namespace grappa::graph
