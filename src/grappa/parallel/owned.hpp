#pragma once

// Owned<H>: the scope that a handle's memory lives in.
//
//   const Owned<GlobalArray<double>> ranks = GlobalArray<double>::create(n);
//   ranks->forall([](std::int64_t, double& rank) { rank = 1; });
//   on_all_cores([ranks = *ranks] { … });          // closures take the handle
//                                                  // destroyed here, also when something throws
//
// Handles (GlobalArray, Replica, LocaleState, maps, Graph …) are trivially copyable, so that
// closures carry them, and own nothing. An Owned is moved, never copied, and calls destroy() when
// its scope ends, which switches tasks where the handle's destroy() does. One that outlives the run
// does nothing then: the run has released its memory.

#include <type_traits>
#include <utility>

#include "grappa/tasking/core.hpp"

namespace grappa {

template <class H>
class Owned {
  static_assert(std::is_trivially_copyable_v<H>, "grappa: an Owned owns what a handle refers to");

 public:
  Owned() = default;
  Owned(const H& handle) : handle_(handle), owns_(true) {}  // NOLINT: so that create() initializes
  Owned(Owned&& other) noexcept
      : handle_(other.handle_), owns_(std::exchange(other.owns_, false)) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = other.handle_;
      owns_ = std::exchange(other.owns_, false);
    }
    return *this;
  }
  ~Owned() { reset(); }

  const H& operator*() const { return handle_; }
  const H* operator->() const { return &handle_; }
  /// For changes of a handle that is still being made.
  H& handle() { return handle_; }
  /// Whether it has something to destroy.
  explicit operator bool() const { return owns_; }

  /// Gives the handle away; somebody else destroys it.
  H release() {
    owns_ = false;
    return handle_;
  }
  /// Destroys it now.
  void reset() noexcept {
    if (std::exchange(owns_, false) && internal::inside_runtime()) handle_.destroy();
  }

 private:
  H handle_{};
  bool owns_ = false;
};

}  // namespace grappa
