#include "grappa/query/memory_budget.hpp"

#include <fmt/format.h>

#include <string>

#include "grappa/base/text_values.hpp"
#include "grappa/query/expression/function.hpp"

namespace grappa::query {
namespace {

using grappa::internal::format_bytes;

}  // namespace

void MemoryBudget::take(std::size_t bytes, MemoryUse use) {
  if (const std::size_t missing = missing_for(bytes, use))
    (whole_ != nullptr ? *whole_ : *this).refuse(missing, bytes, use);
}

void MemoryBudget::require(std::size_t bytes) const {
  if (bytes > left())
    (whole_ != nullptr ? *whole_ : *this).refuse(bytes - left(), bytes, MemoryUse::kQuery);
}

std::size_t MemoryBudget::missing_in_whole(std::size_t bytes, MemoryUse use) {
  if (const std::size_t missing = whole_->missing_for(bytes, use)) return missing;
  const std::size_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < used && !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
  }
  return 0;
}

std::size_t MemoryBudget::missing_for(std::size_t bytes, MemoryUse use) {
  if (whole_ != nullptr) return missing_in_whole(bytes, use);
  std::size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (used + bytes > limit_) return used + bytes - limit_;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  if (use == MemoryUse::kTables) of_tables_.fetch_add(bytes, std::memory_order_relaxed);
  return 0;
}

void MemoryBudget::refuse(std::size_t missing, std::size_t bytes, MemoryUse use) const {
  const std::size_t tables = of_tables_.load(std::memory_order_relaxed);
  if (use == MemoryUse::kTables)
    throw QueryError(fmt::format(
        "the tables take {} of memory, {} more than the {} that may be used: allow more, or make "
        "smaller files of them",
        format_bytes(tables + bytes), format_bytes(missing), format_bytes(limit_)));
  throw QueryError(fmt::format(
      "the query needs at least {} of memory more than the {} that may be used{}: allow more",
      format_bytes(missing), format_bytes(limit_),
      tables > 0 ? fmt::format(", of which the tables take {}", format_bytes(tables)) : ""));
}

void MemoryBudget::give_back(std::size_t bytes, MemoryUse use) {
  if (whole_ != nullptr) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return whole_->give_back(bytes, use);
  }
  if (use == MemoryUse::kTables) of_tables_.fetch_sub(bytes, std::memory_order_relaxed);
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace grappa::query
