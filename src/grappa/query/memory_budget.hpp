#pragma once

// How much memory a locale's queries may have, and who has it.
//
//   MemoryBudget budget(std::size_t{1} << 30);
//   MemoryCharge charge(&budget);
//   charge.add(bytes);                                // QueryError where not as much is left
//
// What is charged is given back when its charge goes. It is asked for in large pieces, before they
// are allocated. A charge without a budget does nothing. Any core.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace grappa::query {

/// What memory is for: tables stay from query to query.
enum class MemoryUse : std::uint8_t { kQuery, kTables };

class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}
  /// What is taken of it is taken of `whole`, which lives longer; it knows how much that is.
  explicit MemoryBudget(MemoryBudget& whole) : limit_(whole.limit_), whole_(&whole) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  std::size_t limit() const { return limit_; }
  std::size_t left() const {
    if (whole_ != nullptr) return whole_->left();
    const std::size_t used = used_.load(std::memory_order_relaxed);
    return used < limit_ ? limit_ - used : 0;
  }
  /// QueryError, which says how much is missing, where not so much is left.
  void take(std::size_t bytes, MemoryUse use = MemoryUse::kQuery);
  /// False in its place.
  bool try_take(std::size_t bytes, MemoryUse use = MemoryUse::kQuery) {
    return missing_for(bytes, use) == 0;
  }
  void give_back(std::size_t bytes, MemoryUse use = MemoryUse::kQuery);
  /// The same error where not so much is left, for what will be taken piece by piece.
  void require(std::size_t bytes) const;
  /// The most that was taken at a time, of a part of another one.
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }

 private:
  /// Takes as much, or says how much is missing.
  std::size_t missing_for(std::size_t bytes, MemoryUse use);
  std::size_t missing_in_whole(std::size_t bytes, MemoryUse use);
  [[noreturn]] void refuse(std::size_t missing, std::size_t bytes, MemoryUse use) const;

  std::size_t limit_;
  MemoryBudget* whole_ = nullptr;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> of_tables_{0};  // of those that are used
  std::atomic<std::size_t> peak_{0};
};

/// Memory that is had as long as this lives.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  explicit MemoryCharge(MemoryBudget* budget, MemoryUse use = MemoryUse::kQuery)
      : budget_(budget), use_(use) {}
  MemoryCharge(MemoryCharge&& other) noexcept
      : budget_(other.budget_), use_(other.use_), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    if (this == &other) return *this;
    clear();
    budget_ = other.budget_;
    use_ = other.use_;
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~MemoryCharge() { clear(); }

  MemoryBudget* budget() const { return budget_; }
  void add(std::size_t bytes) {
    if (budget_ == nullptr) return;
    budget_->take(bytes, use_);
    bytes_ += bytes;
  }
  /// False where not so much is left.
  bool try_add(std::size_t bytes) {
    if (budget_ == nullptr) return true;
    if (!budget_->try_take(bytes, use_)) return false;
    bytes_ += bytes;
    return true;
  }
  /// Gives all of it back.
  void clear() {
    if (bytes_ > 0) budget_->give_back(std::exchange(bytes_, 0), use_);
  }

 private:
  MemoryBudget* budget_ = nullptr;
  MemoryUse use_ = MemoryUse::kQuery;
  std::size_t bytes_ = 0;
};

}  // namespace grappa::query
