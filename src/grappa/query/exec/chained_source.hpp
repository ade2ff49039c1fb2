#pragma once

// The rows of several pipelines, one after the other.
//
//   made.source = chained_source({first, second}, {{0, 1}, {1, 0}}, team.cores, Turns::kNone);

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/query/exec/pipeline.hpp"

namespace grappa::query {

enum class Turns : std::uint8_t {
  kNone,  // a core begins the next pipeline when the one before has nothing left for it
  kOne,   // when all cores are through with the one before: the last one there goes on alone
};

/// The columns in the given places of each; of a pipeline that is ordered by whichever core comes
/// first.
std::shared_ptr<Source> chained_source(std::vector<Pipeline> pipelines,
                                       std::vector<std::vector<std::size_t>> places, int cores,
                                       Turns turns);

}  // namespace grappa::query
