#pragma once

// Whether a history of concurrent operations on one object is linearizable: whether there is an
// order of them that agrees with real time and with what each operation returned.
//
//   bool apply(const Operation& op, Value& value);   // false: op could not have returned that
//   EXPECT_TRUE(test::linearizable(history, Value{}, apply));
//
// An operation has the times `called` and `returned`. The checker of J. Wing and C. Gong ("Testing
// and verifying concurrent objects", JPDC 1993) looks for a legal order by trying, at every point,
// each operation that was called before any other pending one returned. Objects are judged one by
// one, since linearizability is local (M. Herlihy and J. Wing, TOPLAS 1990).

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace grappa::test {

template <class Operation, class Value, class Apply>
class LinearizabilityChecker {
 public:
  LinearizabilityChecker(const std::vector<Operation>& history, Apply apply)
      : history_(history), apply_(apply) {}

  bool search(std::uint64_t done, const Value& value) {
    const std::uint64_t all =
        history_.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << history_.size()) - 1;
    if (done == all) return true;
    if (!tried_.insert({done, value}).second) return false;
    std::uint64_t first_return = ~std::uint64_t{0};
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if ((done >> i & 1) == 0) first_return = std::min(first_return, history_[i].returned);
    }
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if ((done >> i & 1) != 0 || history_[i].called > first_return) continue;
      Value next = value;
      if (apply_(history_[i], next) && search(done | std::uint64_t{1} << i, next)) return true;
    }
    return false;
  }

 private:
  const std::vector<Operation>& history_;
  Apply apply_;
  std::set<std::pair<std::uint64_t, Value>> tried_;
};

/// At most 64 operations on an object that starts as `initial`.
template <class Operation, class Value, class Apply>
bool linearizable(const std::vector<Operation>& history, const Value& initial, Apply apply) {
  return LinearizabilityChecker<Operation, Value, Apply>(history, apply).search(0, initial);
}

}  // namespace grappa::test
