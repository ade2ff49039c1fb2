#include "grappa/parallel/send_span.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

// None, one, more than a message holds.
constexpr std::size_t kLengths[] = {0, 1, 100'003};

TEST(SendSpan, EveryValueArrivesOnceAtItsPlace) {
  test::on_machines([] {
    const Owned<LocaleState<std::vector<std::uint32_t>>> came =
        LocaleState<std::vector<std::uint32_t>>::create();
    const int to = core_count() - 1;
    for (const std::size_t length : kLengths) {
      delegate::call(to, [came = *came, length] { came->assign(length, 0); });
      std::vector<std::uint32_t> values(length);
      std::iota(values.begin(), values.end(), 1U);
      CompletionEvent done;
      spawn(done, [&, came = *came] {
        send_span(to, std::span<const std::uint32_t>(values),
                  [came](std::span<const std::uint32_t> piece, std::size_t first) {
                    for (const std::uint32_t value : piece) (*came)[first++] += value;
                  });
      });
      done.wait();
      spawn_on(done, to, [came = *came, length] {
        ASSERT_EQ(came->size(), length);
        for (std::size_t i = 0; i < length; ++i) ASSERT_EQ((*came)[i], i + 1);
      });
      done.wait();
    }
  });
}

TEST(SendSpan, ACoreThatDoesNotExistIsRefused) {
  run(test::cluster(2, 1), [] {
    const int values[] = {1};
    EXPECT_THROW(
        send_span(2, std::span<const int>(values), [](std::span<const int>, std::size_t) {}),
        UsageError);
  });
}

}  // namespace
}  // namespace grappa
