#pragma once

// What a dataset refers to, shared by all datasets that are made of it.
//
//   Resources resources(most_skipped);
//   const CoreState<int> state = resources.own(CoreState<int>::create());
//   const RecordErrors errors = resources.errors();
//
// For one task; the last copy destroys what it owns, which switches tasks.

#include <cstdint>
#include <memory>
#include <vector>

#include "grappa/mapreduce/internal/record_errors.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::mapreduce::detail {

class Resources {
 public:
  explicit Resources(std::int64_t most_skipped)
      : most_skipped_(most_skipped), errors_(own(RecordErrors::create(most_skipped))) {}

  /// Keeps what the handle refers to.
  template <class H>
  H own(const H& handle) {
    owned_.push_back(std::make_shared<const Owned<H>>(handle));
    return handle;
  }
  /// Of the source.
  const RecordErrors& errors() const { return errors_; }

  /// Keeps what the others keep, too.
  void add(const Resources& others) {
    owned_.insert(owned_.end(), others.owned_.begin(), others.owned_.end());
  }

  /// For values that are kept apart from these, with the same count of skipped records.
  Resources successor() const {
    Resources next(most_skipped_);
    next.skipped_ = skipped_;
    return next;
  }

  void add_skipped(std::int64_t records) const { *skipped_ += records; }
  std::int64_t skipped() const { return *skipped_; }

 private:
  std::vector<std::shared_ptr<const void>> owned_;
  std::int64_t most_skipped_;
  RecordErrors errors_;
  std::shared_ptr<std::int64_t> skipped_ = std::make_shared<std::int64_t>(0);
};

}  // namespace grappa::mapreduce::detail
