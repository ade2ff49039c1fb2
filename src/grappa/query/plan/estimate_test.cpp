#include "grappa/query/plan/estimate.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/parallel/test_machines.hpp"
#include "grappa/query/memory_table.hpp"

namespace grappa::query {
namespace {

/// Calls body(team) on the first core of each locale, of one and of three.
void on_machines(const std::function<void(const Team&)>& body) {
  for (Config config : {grappa::test::threads(2), grappa::test::cluster(3)}) {
    config.scan_payloads = false;  // all locales are in this process, and share this stack
    run(config, [&] {
      const Owned<Exchange> exchange = Exchange::create();
      const Owned<io::CoreTeam> cores = io::CoreTeam::create();
      on_all_locales([&body, exchange = *exchange, cores = *cores] {
        const Team team{.parallel = cores.parallel_for(),
                        .cores = 1,
                        .locale = this_locale(),
                        .locales = locale_count(),
                        .exchange = exchange};
        body(team);
      });
    });
  }
}

/// A table of so many rows, a share of them on each locale: its kind, the letter of its kind, a
/// number of its own, and one of a thousand.
struct Kinds {
  Kinds(const Team& team, std::int64_t rows) {
    std::vector<std::int64_t> columns[4];
    const std::int64_t begin = rows * team.locale / team.locales;
    const std::int64_t end = rows * (team.locale + 1) / team.locales;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t values[] = {i % 20, i % 20 + 100, i, i % 1000};
      for (int c = 0; c < 4; ++c) columns[c].push_back(values[c]);
    }
    std::vector<MemoryColumn> named;
    for (int c = 0; c < 4; ++c)
      named.push_back({.name = std::to_string(c), .type = kInt64, .values = columns[c].data()});
    table = std::make_shared<const Table>(table_of_columns(team, named, end - begin));
    relation = scan(table, "kinds", numbers);
  }
  ExpressionPtr is(std::size_t column, std::int64_t value) const {
    return call("=", {relation->columns[column], constant(Value::counted(kInt64, value))});
  }
  ColumnId number_of(std::size_t column) const { return relation->columns[column]->column; }

  std::shared_ptr<const Table> table;
  ColumnNumbers numbers;
  RelationPtr relation;
};

TEST(Estimates, ConditionsThatDependOnOneAnotherAreSampled) {
  on_machines([](const Team& team) {
    const Kinds kinds(team, 400'000);
    Estimates estimates;
    const auto rows = [&](std::int64_t letter) {
      return estimates.of(filter(kinds.relation, all_of({kinds.is(0, 3), kinds.is(1, letter)})))
          .rows;
    };
    EXPECT_NEAR(rows(103), 20'000, 3'000);
    EXPECT_LE(rows(104), 1'000);  // never together
  });
}

TEST(Estimates, ValuesThatGoWithAConditionAreCounted) {
  on_machines([](const Team& team) {
    const Kinds kinds(team, 400'000);
    Estimates estimates;
    const Estimate& of = estimates.of(filter(kinds.relation, kinds.is(0, 3)));
    EXPECT_NEAR(of.distinct_of(kinds.number_of(3)), 50, 5);
    EXPECT_EQ(of.distinct_of(kinds.number_of(0)), 1);
    EXPECT_NEAR(of.distinct_of(kinds.number_of(2)), 20'000, 3'000);
  });
}

TEST(Estimates, OfASmallTableAreExact) {
  on_machines([](const Team& team) {
    const Kinds kinds(team, 2'000);
    EXPECT_EQ(kinds.table->sample.rows, 2'000U);
    Estimates estimates;
    const Estimate& of = estimates.of(filter(kinds.relation, kinds.is(0, 3)));
    EXPECT_EQ(of.rows, 100);
    EXPECT_EQ(of.distinct_of(kinds.number_of(3)), 50);
  });
}

TEST(Estimates, PairsOfEqualValuesAreThoseOfTheSamples) {
  on_machines([](const Team& team) {
    const Kinds kinds(team, 100'000);
    Estimates estimates;
    std::vector<std::shared_ptr<const SampledRows>> samples;
    const auto values = [&](const RelationPtr& relation) {
      samples.push_back(estimates.sample_of(relation));
      return samples.back()->values(kinds.number_of(3));
    };
    const SampledValues* const all = values(kinds.relation);
    const SampledValues* const some = values(filter(kinds.relation, kinds.is(0, 3)));
    const SampledValues* const others = values(filter(kinds.relation, kinds.is(0, 4)));
    EXPECT_NEAR(all->pairs(*all).rows, 1e7, 1e6);  // a hundred of each of a thousand
    EXPECT_NEAR(some->pairs(*all).rows, 5e5, 5e4);
    EXPECT_EQ(some->pairs(*all).rows, all->pairs(*some).rows);
    EXPECT_EQ(some->pairs(*others).rows, 0);
    EXPECT_GT(some->pairs(*others).one, 1);
    EXPECT_EQ(samples[0]->values(-1), nullptr);
  });
}

TEST(Estimates, AConditionThatFailsForARowIsGuessed) {
  on_machines([](const Team& team) {
    const Kinds kinds(team, 2'000);
    Estimates estimates;
    const ExpressionPtr one = constant(Value::counted(kInt64, 1));
    const ExpressionPtr failing = call("=", {call("/", {one, kinds.relation->columns[0]}), one});
    const Estimate all = estimates.of(kinds.relation);
    EXPECT_EQ(estimates.of(filter(kinds.relation, failing)).rows,
              all.rows * Estimates::selectivity(*failing, all));
  });
}

}  // namespace
}  // namespace grappa::query
