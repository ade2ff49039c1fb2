#pragma once

// An object that the first of some cores to need it makes for all.
//
//   MadeOnce<SortedRuns> runs;
//   runs.get([&] { return std::make_unique<SortedRuns>(memory, layout, cores); }).add(core, rows);
//
// By a mutex and not by std::call_once, which needs what a module of Python may not have: see
// GRAPPA_PYTHON_MODULE in cmake/GrappaOptions.cmake. make() must not switch tasks.

#include <memory>
#include <mutex>
#include <utility>

namespace grappa::query {

template <class T>
class MadeOnce {
 public:
  template <class Make>
  T& get(const Make& make) {
    const std::lock_guard lock(mutex_);
    if (!object_) object_ = make();
    return *object_;
  }
  /// Nothing, if nobody needed it.
  T* made() const {
    const std::lock_guard lock(mutex_);
    return object_.get();
  }
  std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    return std::move(object_);
  }

 private:
  mutable std::mutex mutex_;
  std::unique_ptr<T> object_;
};

}  // namespace grappa::query
