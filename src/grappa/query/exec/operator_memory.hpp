#pragma once

// What an operator may keep in memory, and where it writes what is more.
//
//   OperatorMemory memory(*team.memory, team.cores, nullptr, spilled_bytes);
//   if (store.bytes() > memory.of_core()) spill(store, memory);
//
// An operator may keep a third of what is left when it begins: the next one, which takes what this
// one gives, wants as much, and both have buffers beside. Its cores share that alike. Each decides
// for itself when it has too much, so nobody waits for anybody.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "grappa/query/exec/spill_file.hpp"
#include "grappa/query/memory_budget.hpp"

namespace grappa::query {

/// Of a locale: what bounds its queries.
struct QueryMemory {
  QueryMemory(std::size_t bytes, std::string folder)
      : budget(bytes), spill_folder(std::move(folder)) {}

  MemoryBudget budget;
  std::string spill_folder;
};

class OperatorMemory {
 public:
  /// Where `part` of the budget is given, what it has counts there, and what is written in
  /// `spilled`.
  OperatorMemory(QueryMemory& of, int cores, MemoryBudget* part,
                 std::shared_ptr<std::atomic<std::int64_t>> spilled)
      : query_(of),
        cores_(static_cast<std::size_t>(cores)),
        budget_(part != nullptr ? part : &of.budget),
        spilled_(std::move(spilled)) {}

  MemoryBudget* budget() const { return budget_; }
  /// Bytes that each of the cores may keep from now on.
  std::size_t of_core() const { return std::max(query_.budget.left() / 3 / cores_, kLeast); }
  std::unique_ptr<SpillFile> file() const {
    return std::make_unique<SpillFile>(query_.spill_folder);
  }
  void note_spilled(std::size_t bytes) const {
    if (spilled_) spilled_->fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }

 private:
  /// Less is not worth a partition.
  static constexpr std::size_t kLeast = std::size_t{256} << 10;

  QueryMemory& query_;
  std::size_t cores_;
  MemoryBudget* budget_;
  std::shared_ptr<std::atomic<std::int64_t>> spilled_;
};

/// No bound: nothing.
using OperatorMemoryPtr = std::shared_ptr<const OperatorMemory>;

inline MemoryBudget* budget_of(const OperatorMemoryPtr& memory) {
  return memory ? memory->budget() : nullptr;
}

}  // namespace grappa::query
