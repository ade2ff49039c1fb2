#pragma once

// Many consecutive elements of a GlobalArray, and whole arrays side by side.
//
//   std::vector<double> part(1000);
//   read_span(ranks, 5'000, std::span(part));             // ranks[5000 …]
//   write_span(ranks, 0, std::span<const double>(part));
//
//   fill(ranks, 1.0);
//   copy(ranks, other);                                   // other[i] = ranks[i]
//   transform(counts, ranks, [](int64_t m) { return 1.0 / m; });        // ranks[i] = f(counts[i])
//   zip(ranks, counts, [](int64_t i, double& x, int64_t m) { x += i * m; });
//
// read_span and write_span are called by any task. A Block array's elements travel as pieces of
// their cores' parts; those of other distributions one by one. The others are called by one task;
// the cores work on their own parts of the array that is written. What they read of the other array
// is fetched in pieces where it lies elsewhere: between arrays of the same distribution and size of
// element nothing travels. All switch tasks.
//
// UsageError for elements that are not there, for arrays of different sizes and for handles that
// are not live.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/send_span.hpp"

namespace grappa {

namespace internal {

/// UsageError unless the array is live and has elements [first, first + count).
template <class T>
void require_span(const GlobalArray<T>& array, std::int64_t first, std::size_t count,
                  const char* what, const CallSite& where) {
  array.require_live(what, &where);
  if (count == 0) return;
  array.require_index(first, &where);
  array.require_index(first + static_cast<std::int64_t>(count) - 1, &where);
}

[[noreturn]] void refuse_sizes(const CallSite& where, const char* what);

/// use(core, local index, offset in the span, count) for each core's piece of a Block array.
template <class T, class Use>
void for_each_piece(const GlobalArray<T>& array, std::int64_t first, std::size_t count,
                    const Use& use) {
  for (std::size_t done = 0; done < count;) {
    const auto [core, local] = array.position_in_blocks(first + static_cast<std::int64_t>(done));
    const std::size_t piece =
        std::min(count - done, static_cast<std::size_t>(array.block()) - local);
    use(core, local, done, piece);
    done += piece;
  }
}

}  // namespace internal

/// array[first + k] = values[k]; all are written when it returns.
template <class T>
void write_span(GlobalArray<T> array, std::int64_t first,
                std::span<const std::type_identity_t<T>> values,
                internal::CallSite where = internal::CallSite::current()) {
  internal::require_span(array, first, values.size(), "write_span", where);
  CompletionEvent done;
  if (array.distribution() != Distribution::kBlock) {
    for (std::size_t k = 0; k < values.size(); ++k)
      delegate::async::write(done, array[first + static_cast<std::int64_t>(k)], values[k]);
    return done.wait();
  }
  internal::for_each_piece(
      array, first, values.size(),
      [&](int core, std::size_t local, std::size_t offset, std::size_t count) {
        const std::span<const T> piece = values.subspan(offset, count);
        if (core == this_core()) {
          std::copy(piece.begin(), piece.end(), array.local().begin() + local);
        } else {
          internal::send_span_joining(
              &done.share(), core, piece, [array, local](std::span<const T> some, std::size_t at) {
                std::copy(some.begin(), some.end(), array.local().data() + local + at);
              });
        }
      });
  done.wait();
}

/// out[k] = array[first + k].
template <class T>
void read_span(GlobalArray<T> array, std::int64_t first, std::span<std::type_identity_t<T>> out,
               internal::CallSite where = internal::CallSite::current()) {
  internal::require_span(array, first, out.size(), "read_span", where);
  if (array.distribution() != Distribution::kBlock) {
    return internal::gather_places<T>(
        static_cast<std::int64_t>(out.size()),
        [&](std::int64_t k) { return GlobalAddress<T>(array[first + k]).place(); }, out.data());
  }
  CompletionEvent done;
  internal::for_each_piece(
      array, first, out.size(),
      [&](int core, std::size_t local, std::size_t offset, std::size_t count) {
        if (core == this_core()) {
          std::copy_n(array.local().data() + local, count, out.data() + offset);
          return;
        }
        const auto to = GlobalAddress<T>::of_local(out.data() + offset);
        delegate::async::call(done, core, [array, local, count, to] {
          send_span(to.core(), std::span<const T>(array.local()).subspan(local, count),
                    [to](std::span<const T> some, std::size_t at) {
                      std::copy(some.begin(), some.end(), to.pointer() + at);
                    });
        });
      });
  done.wait();
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
