#pragma once

// What user's functions throw, and the records at which they did.
//
//   const Owned<RecordErrors> errors = RecordErrors::create(0);   // so many may be skipped
//   on_all_cores([errors = *errors] {
//     try {
//       …
//     } catch (...) {
//       errors.take({.order = 17, .file = "web.txt", .line = 18});
//     }
//   });
//   errors->finish();                         // at the end of the stage, by one task
//
// Of all records at which something was thrown it is the first one that comes out, as InputError
// with its file and line, whichever core was faster: a core that has failed lets the others finish
// what comes before it. What is not the record's fault (no memory, a UsageError) comes out as it
// is.
//
// A handle, trivially copyable. create(), destroy() and finish() are called by one task and switch
// tasks; the others by any core, take() within a catch block.

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "grappa/parallel/locale_state.hpp"

namespace grappa::mapreduce::detail {

/// A record of a source.
struct RecordPlace {
  std::int64_t order = 0;       // among all records of the source
  std::string file = "record";  // what errors call the source
  std::int64_t line = 0;        // in it, or of the record where it has no lines; 0: has no number
  static constexpr auto kMembers =
      std::tuple(&RecordPlace::order, &RecordPlace::file, &RecordPlace::line);
};

class RecordErrors {
 public:
  /// At most so many records are skipped, over all locales.
  [[nodiscard("create returns the handle")]] static RecordErrors create(std::int64_t most_skipped);
  void destroy() { state_.destroy(); }

  /// Notes the exception in flight, or throws it again where no record is to blame.
  void take(const RecordPlace& place) const;
  /// Whether records from this one on need not be read, because the stage has failed before.
  bool ends_before(std::int64_t order) const {
    return state_->end.load(std::memory_order_relaxed) < order;
  }

  /// Throws what the first record has thrown, if more have than may be skipped; else returns how
  /// many there were. Then all begins anew.
  std::int64_t finish() const;

 private:
  /// Of a locale.
  struct Found {
    std::int64_t count = 0;
    RecordPlace first;
    std::string message;
    static constexpr auto kMembers = std::tuple(&Found::count, &Found::first, &Found::message);
  };
  struct State {
    std::mutex mutex;  // of the cores of the locale
    Found found;
    std::atomic<std::int64_t> end = kNever;
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  LocaleState<State> state_;
  std::int64_t most_skipped_ = 0;
};

}  // namespace grappa::mapreduce::detail
