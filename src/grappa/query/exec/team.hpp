#pragma once

// The cores that a query is computed on, as the task sees them that leads a locale.
//
//   team.on_cores([&](int core) { … });     // a body for each core of the locale, at the same time
//
// A query runs on every locale at the same time, led by one task there, which all plan the same and
// take the same steps in the same order; where data goes from one locale to another, all meet. What
// goes wrong on one of them ends the query on all: the others learn of it when they meet.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/expression/function.hpp"
#include "grappa/query/progress.hpp"

namespace grappa::query {

/// Another locale has failed; what it says itself is the error of the query.
class FailedElsewhere : public QueryError {
 public:
  FailedElsewhere() : QueryError("the query has failed on another locale") {}
};

struct Team {
  io::ParallelFor parallel{};
  int cores = 1;  // of the locale
  int locale = 0;
  int locales = 1;
  Exchange exchange{};  // where there are several locales
  Progress* progress = nullptr;
  QueryMemory* memory = nullptr;                    // no bound: nothing
  std::atomic<std::int64_t>* sent_bytes = nullptr;  // to other locales, where they are counted

  /// Rethrows what a body throws.
  void on_cores(const std::function<void(int core)>& body) const {
    io::for_parts(parallel, cores, [&](std::int64_t core) { body(static_cast<int>(core)); });
  }

  /// Waits for all others, and calls take(bytes) for what each has sent here (Exchange::add_all),
  /// in ascending order. FailedElsewhere where one has called fail(). By the leaders of all
  /// locales.
  void meet(const std::function<void(std::span<const std::byte>)>& take) const {
    if (locales == 1) return;
    if (end_step(false, take)) throw FailedElsewhere();
  }
  /// Tells the others, in the place of the next meeting.
  void fail() const {
    if (locales > 1) end_step(true, [](std::span<const std::byte>) {});
  }
  /// Rows and the like are on the way to another locale. Any core.
  void count_sent(std::size_t bytes) const {
    if (sent_bytes != nullptr)
      sent_bytes->fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
  /// What each locale gives, by locale. By the leaders of all locales.
  template <class T>
  std::vector<std::vector<T>> gather(std::vector<T> mine) const;
  /// The sum over all locales.
  std::int64_t sum(std::int64_t mine) const {
    std::int64_t all = 0;
    for (const auto& of_locale : gather(std::vector{mine})) all += of_locale[0];
    return all;
  }

 private:
  bool end_step(bool failed, const std::function<void(std::span<const std::byte>)>& take) const {
    return exchange.end_superstep<std::byte>(
               static_cast<std::int32_t>(failed ? 1 : 0), take,
               [](std::int32_t a, std::int32_t b) { return a | b; }) != 0;
  }
};

template <class T>
std::vector<std::vector<T>> Team::gather(std::vector<T> mine) const {
  const auto me = static_cast<std::int64_t>(locale);
  for (int other = 0; other < locales; ++other) {
    if (other == locale) continue;
    exchange.add(other, me);
    exchange.add_all(other, std::span<const T>(mine));
    count_sent(mine.size() * sizeof(T));
  }
  std::vector<std::vector<T>> all(static_cast<std::size_t>(locales));
  all[static_cast<std::size_t>(locale)] = std::move(mine);
  meet([&](std::span<const std::byte> bytes) {
    std::int64_t from = 0;
    std::memcpy(&from, bytes.data(), sizeof from);
    bytes = bytes.subspan(sizeof from);
    std::vector<T>& theirs = all[static_cast<std::size_t>(from)];
    theirs.resize(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(theirs.data(), bytes.data(), bytes.size());
  });
  return all;
}

}  // namespace grappa::query
