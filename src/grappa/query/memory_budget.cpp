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
  const std::size_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (use == MemoryUse::kTables) of_tables_.fetch_add(bytes, std::memory_order_relaxed);
  if (now <= limit_) return;
  const std::size_t tables = of_tables_.load(std::memory_order_relaxed);
  give_back(bytes, use);
  const std::string missing = format_bytes(now - limit_);
  if (use == MemoryUse::kTables)
    throw QueryError(fmt::format(
        "the tables take {} of memory, {} more than the {} that may be used: allow more, or make "
        "smaller files of them",
        format_bytes(tables), missing, format_bytes(limit_)));
  throw QueryError(fmt::format(
      "the query needs {} of memory more than the {} that may be used{}: allow more", missing,
      format_bytes(limit_),
      tables > 0 ? fmt::format(", of which the tables take {}", format_bytes(tables)) : ""));
}

void MemoryBudget::give_back(std::size_t bytes, MemoryUse use) {
  if (use == MemoryUse::kTables) of_tables_.fetch_sub(bytes, std::memory_order_relaxed);
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace grappa::query
