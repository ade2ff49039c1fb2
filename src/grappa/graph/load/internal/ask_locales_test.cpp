#include "grappa/graph/load/internal/ask_locales.hpp"

#include <gtest/gtest.h>

#include "grappa/base/error.hpp"
#include "grappa/graph/test_graphs.hpp"
#include "tests/support/graph_files.hpp"

namespace grappa::graph {
namespace {

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
