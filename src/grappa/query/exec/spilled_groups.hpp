#pragma once

// Groups that did not fit into memory: parts of them in partitions of a file, by their hashes.
//
//   auto spilled = std::make_unique<SpilledGroups>(*groups, cores);
//   spilled->add(core, *table);                        // the rows of a table, which is cleared
//   spilled->finish(core);
//   auto source = spilled_groups_source(groups, std::move(spilled), is_shown);
//
// A key has a row for each time that its group was written. Those of a partition are merged by one
// core; a partition that does not fit is divided by other bits of the hashes.

#include <cstddef>
#include <functional>
#include <memory>

#include "grappa/query/exec/groups.hpp"
#include "grappa/query/exec/spilled_rows.hpp"

namespace grappa::query {

class SpilledGroups {
 public:
  SpilledGroups(const Groups& groups, int cores, int level = 0);

  void add(int core, const std::byte* row);
  void add(int core, GroupTable& table);
  void finish(int core) { rows_.finish(core); }

  int level() const { return level_; }
  const SpilledRows& rows() const { return rows_; }
  /// f(row) for all rows, which are gone behind it. By one core, after all have finished.
  void for_each(const std::function<void(std::byte*)>& f) const;

 private:
  const Groups& groups_;
  int level_;
  SpilledRows rows_;
};

/// The groups of the rows for which is_shown(row) holds.
std::shared_ptr<Source> spilled_groups_source(std::shared_ptr<const Groups> groups,
                                              std::unique_ptr<SpilledGroups> spilled,
                                              std::function<bool(const std::byte*)> is_shown);

}  // namespace grappa::query
