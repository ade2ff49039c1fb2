#pragma once

// What readers find out about columns, part by part.

#include <algorithm>
#include <optional>
#include <vector>

#include "grappa/query/distinct_sketch.hpp"
#include "grappa/query/table.hpp"

namespace grappa::query {

/// Of a column in some blocks.
struct PartialFacts {
  std::optional<Range> range;
  bool has_nulls = false;
  DistinctSketch sketch;

  void add(const ColumnBlock& block) {
    has_nulls |= block.valid != nullptr;
    if (block.range) add(*block.range);
  }
  void add(const PartialFacts& other) {
    has_nulls |= other.has_nulls;
    sketch.merge(other.sketch);
    if (other.range) add(*other.range);
  }
  ColumnFacts facts() const {
    return {.range = range, .has_nulls = has_nulls, .distinct = sketch.estimate()};
  }

 private:
  void add(const Range& other) {
    if (!range) range = other;
    range->least = std::min(range->least, other.least);
    range->greatest = std::max(range->greatest, other.greatest);
  }
};

}  // namespace grappa::query
