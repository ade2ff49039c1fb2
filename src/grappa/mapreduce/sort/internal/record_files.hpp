#pragma once

// Files of records of 100 bytes.
//
//   const auto files = read_record_files(paths, false, records);  // as long as they are used
//
// Called by one task; switches tasks.

#include <string>
#include <vector>

#include "grappa/io/input.hpp"
#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/sort/internal/text_record.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::mapreduce::detail {

inline constexpr std::size_t kRecordBytes = 100;

using RecordFiles = LocaleState<std::vector<io::Input>>;

/// Each core has its part of each file. InputError for what is no whole number of records.
Owned<RecordFiles> read_record_files(const std::vector<std::string>& paths, bool reverse,
                                     const CoreState<Bulk<TextRecord>>& records);

}  // namespace grappa::mapreduce::detail
