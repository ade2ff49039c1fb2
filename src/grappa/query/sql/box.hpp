#pragma once

// One value or none, somewhere else: what a type that contains itself is made of.
//
//   struct Tree {
//     int label;
//     Box<Tree> left, right;
//     bool operator==(const Tree&) const = default;
//   };
//   Box<Tree> box = Tree{1, Tree{2, {}, {}}, {}};
//   Box<Tree> copy = box;     // with all that is below
//   bool same = copy == box;  // by what is below, not by where it lies
//
// Thread and task safety: that of T.

#include <memory>
#include <utility>

namespace grappa::query::sql {

template <class T>
class Box {
 public:
  Box() = default;
  // Not explicit: a node is made of its parts as if they were members.
  Box(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT
  Box(const Box& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(Box other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Box() = default;

  explicit operator bool() const noexcept { return value_ != nullptr; }
  T& operator*() noexcept { return *value_; }
  const T& operator*() const noexcept { return *value_; }
  T* operator->() noexcept { return value_.get(); }
  const T* operator->() const noexcept { return value_.get(); }

  friend bool operator==(const Box& a, const Box& b) {
    return a && b ? *a == *b : a.value_ == b.value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace grappa::query::sql
