#pragma once

// How a rule is evaluated: which atom drives it, in which order the others are looked up, by which
// of their attributes.
//
//   const RulePlan plan = plan_rule(rule, driver, places);
//
// The next atom is that of which the fewest matches are expected, n^(u/a) of a relation with n
// tuples and a attributes of which u are not known yet; what can be checked is checked at once.
// Relations that grow are taken to be large.
// Makes the indexes that are needed. For one core.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/steps.hpp"
#include "grappa/query/datalog/store.hpp"

namespace grappa::query::datalog {

struct PlanningPlaces {
  std::vector<std::unique_ptr<Store>>& stores;  // by relation
  Symbols& symbols;
  const ForEach& for_each;              // for making indexes
  const std::vector<bool>& is_growing;  // by relation: it will have more tuples than now
};

/// `driver`: the literal whose new tuples drive it; nothing where all of some atom do.
RulePlan plan_rule(const Rule& rule, std::optional<std::size_t> driver,
                   const PlanningPlaces& places);

}  // namespace grappa::query::datalog
