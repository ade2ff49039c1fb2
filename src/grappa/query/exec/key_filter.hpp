#pragma once

// Leaves out rows that will find no partner in a join further up, where they come from: what is
// kept, joined or multiplied on the way is less.
//
//   pipeline.stages.push_back(key_filter_stage(join, pipeline.layout.place(column)));
//
// The join has its table by then, and a bit for each integer that is a key in it (hash_join.hpp).

#include <cstddef>
#include <memory>

#include "grappa/query/exec/hash_join.hpp"

namespace grappa::query {

/// Whether the condition costs less than to look for a key, so that it is asked first.
bool compares_no_texts(const Expression& condition);

/// Rows whose value at the place is a key of the join, which knows its key_bits(); and others, once
/// it turns out that it leaves out few.
MakeStage key_filter_stage(std::shared_ptr<const HashJoin> join, std::size_t place);

}  // namespace grappa::query
