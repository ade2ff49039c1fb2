#include "grappa/query/datalog/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa::query::datalog {
namespace {

constexpr const char* kNearest = R"(
.decl distance(from: symbol, to: symbol, km: number)
.input distance(filename="absent")
.decl nearest(from: symbol, km: number)
nearest(a, d) :- distance(a, _, d), d = min e : { distance(a, _, e) }.
)";

TEST(Engine, TakesFactsOfMemoryAndGivesColumns) {
  const std::string texts = "OsloRomaOslo";
  const std::vector<std::int64_t> from = {0, 4, 8, 12};
  const std::vector<std::int64_t> to = {4, 8, 12, 12};
  const std::vector<std::int64_t> km = {2000, 2001, -3};
  const std::vector<MemoryFacts> facts = {
      {.relation = "distance",
       .rows = 3,
       .columns = {{.name = "a", .type = kText, .values = from.data(), .text_bytes = texts.data()},
                   {.name = "b", .type = kText, .values = to.data(), .text_bytes = texts.data()},
                   {.name = "km", .type = kInt64, .values = km.data()}}}};
  for (const Config& config : {grappa::test::threads(2), grappa::test::cluster(2, 2)}) {
    run(config, [&] {
      Engine engine;
      std::vector<TupleColumn> found;
      engine.run(
          {"program", kNearest, "."}, [&](const Answer& answer) { found = answer.columns(1); },
          facts);
      ASSERT_EQ(found.size(), 2u);
      EXPECT_EQ(std::string(found[0].bytes.begin(), found[0].bytes.end()), "OsloRoma");
      EXPECT_THAT(found[0].ends, testing::ElementsAre(0, 4, 8));
      EXPECT_THAT(found[1].words, testing::ElementsAre(static_cast<Word>(-3), 2001));
    });
  }
}

TEST(Engine, RefusesFactsThatAreNoTuplesOfTheRelation) {
  const std::vector<std::int64_t> numbers = {1, -1};
  const MemoryColumn column = {.name = "x", .type = kInt64, .values = numbers.data()};
  const auto refusal = [&](const std::string& declaration, std::vector<MemoryColumn> columns) {
    std::string said;
    run(grappa::test::cluster(2, 1), [&] {
      try {
        Engine engine;
        engine.run({"program", declaration, "."}, {},
                   {{.relation = "t", .rows = 2, .columns = std::move(columns)}});
      } catch (const UsageError& error) {
        said = error.what();
      }
    });
    return said;
  };
  EXPECT_EQ(refusal(".decl t(x: number)", {column}), "");
  EXPECT_EQ(refusal(".decl t(x: unsigned)", {column}),
            "facts of t: column x: expected an unsigned: -1");
  EXPECT_EQ(refusal(".decl t(x: symbol)", {column}),
            "facts of t: column x: expected a symbol: it is bigint");
  EXPECT_EQ(refusal(".decl t(x: number)", {column, column}),
            "facts of t: it has 1 attributes, here are 2 columns");
  EXPECT_EQ(refusal(".decl s(x: number)", {column}), "facts: the program has no relation t");
}

}  // namespace
}  // namespace grappa::query::datalog
