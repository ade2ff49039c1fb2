#include "grappa/graph/distributed/mail.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "grappa/graph/test_graphs.hpp"

namespace grappa::graph {
namespace {

/// What `from` sends to `to`: of a length that differs for each pair, some longer than a chunk.
std::vector<std::uint64_t> letter(int from, int to) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>((from * 7 + to * 13) % 5) * 9001);
  std::iota(values.begin(), values.end(), static_cast<std::uint64_t>(from * 1000 + to));
  return values;
}

TEST(Mail, EverybodyToEverybody) {
  for (const Config& config : test::all_shapes()) {
    SCOPED_TRACE(grappa::test::describe(config));
    run(config, [] {
      Mail mail = Mail::create();
      for (int round = 0; round < 2; ++round) {
        on_all_locales([mail] {
          for (int to = 0; to < locale_count(); ++to)
            mail.send<std::uint64_t>(to, letter(this_locale(), to));
        });
        on_all_locales([mail] {
          for (int from = 0; from < locale_count(); ++from) {
            EXPECT_EQ(mail.take<std::uint64_t>(from), letter(from, this_locale()));
            EXPECT_TRUE(mail.take_bytes(from).empty());
          }
        });
      }
      mail.destroy();
    });
  }
}

TEST(Mail, OddNumbersOfBytesAndBroadcast) {
  for (const Config& config : test::all_shapes()) {
    run(config, [] {
      Mail mail = Mail::create();
      const std::vector<std::byte> bytes(100'003, std::byte{7});
      mail.broadcast(bytes);
      on_all_locales(
          [mail] { EXPECT_EQ(mail.take_bytes(0), std::vector<std::byte>(100'003, std::byte{7})); });
      mail.destroy();
    });
  }
}

}  // namespace
}  // namespace grappa::graph
