#pragma once

// Values that the tasks of a core put into an object together (combiner.hpp), and the requests that
// they belong to.
//
//   GatheredValues<std::int64_t, InBag> gathered;
//   gathered.add(values, &request, nullptr);   // CombinedRequest
//   use(gathered.all());
//   gathered.finish([](CombinedRequest&, std::size_t) {});
//
// Where all of them together are refused, each request asks for itself, and gets its own error, or
// the event that it belongs to does: put_apart. For the tasks of one core.

#include <cstddef>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "grappa/container/combiner.hpp"
#include "grappa/memory/checked_allocator.hpp"

namespace grappa::internal {

/// `Owner` names the container, as for CheckedAllocator.
template <class T, class Owner, class Request = CombinedRequest>
class GatheredValues {
 public:
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  std::span<const T> all() const { return values_; }

  /// Room for so many. UsageError when there is no memory for them.
  void reserve(std::size_t count) { values_.reserve(count); }
  /// For a request, or without one as work of `scope`. UsageError as above.
  void add(std::span<const T> some, Request* request, CompletionShare* scope) {
    const std::size_t first = values_.size();
    if (some.size() == 1) {
      values_.push_back(some.front());
    } else {
      values_.insert(values_.end(), some.begin(), some.end());
    }
    if (request != nullptr || parts_.empty() || parts_.back().scope != scope)
      parts_.push_back({request, scope, first});
  }

  /// Takes the last value, which finishes the request that has no others.
  T take_last() {
    T value = std::move(values_.back());
    values_.pop_back();
    if (const Part last = parts_.back(); last.first == values_.size()) {
      parts_.pop_back();
      if (last.request != nullptr) last.request->finish();
    }
    return value;
  }

  Request* first_waiting() const {
    for (const Part& part : parts_) {
      if (part.request != nullptr) return part.request;
    }
    return nullptr;
  }

  /// All have been put: tell(request, where its values begin).
  template <class Tell>
  void finish(const Tell& tell) {
    for (const Part& part : parts_) {
      if (part.request == nullptr) continue;
      tell(*part.request, part.first);
      part.request->finish();
    }
    clear();
  }
  void fail(const std::exception_ptr& error) {
    for (const Part& part : parts_) {
      if (part.request != nullptr) part.request->fail(error);
    }
  }

  /// put(values, request or nullptr) for each request: what it throws is the error of that request,
  /// or event.
  template <class Put>
  void put_apart(const Put& put) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const auto [request, scope, first] = parts_[k];
      const std::size_t end = k + 1 < parts_.size() ? parts_[k + 1].first : values_.size();
      try {
        put(all().subspan(first, end - first), request);
        if (request != nullptr) request->finish();
      } catch (const std::exception&) {
        if (request != nullptr) {
          request->fail(std::current_exception());
        } else {
          here().ledger->report(*scope, std::current_exception());
        }
      }
    }
    clear();
  }

  void clear() {
    values_.clear();
    parts_.clear();
  }

 private:
  struct Part {
    Request* request;        // or nullptr, and then
    CompletionShare* scope;  // what it belongs to
    std::size_t first;
  };

  std::vector<T, CheckedAllocator<T, Owner>> values_;
  std::vector<Part> parts_;
};

}  // namespace grappa::internal
