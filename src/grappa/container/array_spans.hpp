#pragma once

// Many consecutive elements of a GlobalArray or from an address on, and whole arrays side by side.
//
//   std::vector<double> part(1000);
//   read_span(ranks, 5'000, std::span(part));             // ranks[5000 …]
//   write_span(ranks, 0, std::span<const double>(part));
//   read_span(global_alloc<double>(2000) + 500, std::span(part));       // of the heap
//
//   fill(ranks, 1.0);
//   copy(ranks, other);                                   // other[i] = ranks[i]
//   transform(counts, ranks, [](int64_t m) { return 1.0 / m; });        // ranks[i] = f(counts[i])
//   zip(ranks, counts, [](int64_t i, double& x, int64_t m) { x += i * m; });
//
// read_span and write_span are called by any task. What a core has of the elements travels as one
// piece, those of a Permuted array one by one. The others are called by one task;
// the cores work on their own parts of the array that is written. What they read of the other array
// is fetched in pieces where it lies elsewhere: between arrays of the same distribution and size of
// element nothing travels. All switch tasks.
//
// UsageError for elements that are not there, for arrays of different sizes and for handles that
// are not live.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/container/internal/span_transfer.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa {

namespace internal {

[[noreturn]] void refuse_sizes(const CallSite& where, const char* what);

template <class T>
void write_range(const ElementRange<T>& range, std::span<const T> values) {
  CompletionEvent done;
  start_write(&done.share(), range, values.data());
  done.wait();
}
template <class T>
void read_range(const ElementRange<T>& range, std::span<T> out) {
  CompletionEvent done;
  start_read(done, range, out.data());
  done.wait();
}

}  // namespace internal

/// array[first + k] = values[k]; all are written when it returns.
template <class T>
void write_span(const GlobalArray<T>& array, std::int64_t first,
                std::span<const std::type_identity_t<T>> values,
                internal::CallSite where = internal::CallSite::current()) {
  internal::write_range(
      internal::ElementRange<T>::of(array, first, std::ssize(values), "write_span", where), values);
}
/// The elements from address `first` on.
template <class T>
void write_span(GlobalAddress<T> first, std::span<const std::type_identity_t<T>> values,
                internal::CallSite where = internal::CallSite::current()) {
  internal::write_range(
      internal::ElementRange<T>::of(first, std::ssize(values), "write_span", where), values);
}

/// out[k] = array[first + k].
template <class T>
void read_span(const GlobalArray<T>& array, std::int64_t first,
               std::span<std::type_identity_t<T>> out,
               internal::CallSite where = internal::CallSite::current()) {
  internal::read_range(
      internal::ElementRange<T>::of(array, first, std::ssize(out), "read_span", where), out);
}
template <class T>
void read_span(GlobalAddress<T> first, std::span<std::type_identity_t<T>> out,
               internal::CallSite where = internal::CallSite::current()) {
  internal::read_range(internal::ElementRange<T>::of(first, std::ssize(out), "read_span", where),
                       out);
}

/// Every element becomes `value`.
template <class T>
void fill(GlobalArray<T> array, std::type_identity_t<T> value,
          internal::CallSite where = internal::CallSite::current()) {
  array.require_live("fill", &where);
  on_all_cores([array, value] { std::ranges::fill(array.local(), value); }, where);
}

/// body(i, written[i], read[i]) or body(written[i], read[i]) for all i, at the home of written[i].
/// What of `read` lies elsewhere comes as a copy that was made some time after the call.
template <class A, class B, class F>
void zip(GlobalArray<A> written, GlobalArray<B> read, F body,
         internal::CallSite where = internal::CallSite::current()) {
  written.require_live("zip", &where);
  read.require_live("zip", &where);
  if (written.size() != read.size()) internal::refuse_sizes(where, "zip");
  internal::require_closure<F>();
  on_all_cores(
      [written, read, body]() mutable {
        constexpr std::int64_t kPiece = 8192;
        const std::span<A> mine = written.local();
        const auto on = [&](std::int64_t k, const B& other) {
          A& element = mine[static_cast<std::size_t>(k)];
          if constexpr (std::is_invocable_v<F&, std::int64_t, A&, const B&>) {
            body(written.global_index(k), element, other);
          } else {
            body(element, other);
          }
        };
        const auto size = static_cast<std::int64_t>(mine.size());
        const bool blocks = written.distribution() == Distribution::kBlock;
        if (written.distribution() == read.distribution() &&
            (!blocks || written.block() == read.block())) {
          const std::span<B> others = read.local();
          for (std::int64_t k = 0; k < size; ++k) on(k, others[static_cast<std::size_t>(k)]);
          return;
        }
        std::vector<B> fetched;
        std::vector<std::int64_t> indices;
        for (std::int64_t first = 0; first < size; first += kPiece) {
          const std::int64_t count = std::min(kPiece, size - first);
          fetched.resize(static_cast<std::size_t>(count));
          if (blocks) {
            read_span(read, written.global_index(first), std::span<B>(fetched));
          } else {
            indices.clear();
            for (std::int64_t k = 0; k < count; ++k)
              indices.push_back(written.global_index(first + k));
            read.gather(indices, fetched);
          }
          for (std::int64_t k = 0; k < count; ++k)
            on(first + k, fetched[static_cast<std::size_t>(k)]);
        }
      },
      where);
}

/// to[i] = from[i].
template <class T>
void copy(GlobalArray<T> from, GlobalArray<T> to,
          internal::CallSite where = internal::CallSite::current()) {
  zip(to, from, [](T& target, const T& source) { target = source; }, where);
}

/// to[i] = f(from[i]); the two may be the same array.
template <class A, class B, class F>
void transform(GlobalArray<A> from, GlobalArray<B> to, F f,
               internal::CallSite where = internal::CallSite::current()) {
  static_assert(std::is_invocable_r_v<B, F&, const A&>,
                "grappa: transform calls its closure with an element of the first array, and the "
                "result is one of the second: [](const A& x) { return B(…); }.");
  zip(to, from, [f](B& target, const A& source) mutable { target = f(source); }, where);
}

}  // namespace grappa
