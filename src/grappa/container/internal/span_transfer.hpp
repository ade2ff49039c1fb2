#pragma once

// How ranges of elements travel: as the pieces that cores have of them, all at the same time.
//
//   CompletionEvent done;
//   start_read(done, range, out);               // out[k] = element k of the range
//   start_write(&done.share(), range, values);  // element k = values[k]; values may go at once
//   done.wait();
//
// A piece of several runs is packed where it is sent and spread where it is taken. Tasks only: all
// may switch tasks.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "grappa/container/internal/element_range.hpp"
#include "grappa/delegate/bulk.hpp"
#include "grappa/memory/live_handles.hpp"
#include "grappa/parallel/send_span.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::internal {

template <class T>
void copy_elements(T* to, const T* from, std::int64_t count) {
  std::memcpy(static_cast<void*>(to), static_cast<const void*>(from),
              static_cast<std::size_t>(count) * sizeof(T));
}

/// Copies between elements side by side and elements of a larger stride.
template <class T>
void pack_elements(T* to, const std::byte* from, std::int64_t count, std::int64_t stride) {
  if (stride == sizeof(T)) return copy_elements(to, reinterpret_cast<const T*>(from), count);
  for (std::int64_t i = 0; i < count; ++i)
    copy_elements(to + i, reinterpret_cast<const T*>(from + i * stride), 1);
}
template <class T>
void unpack_elements(std::byte* to, const T* from, std::int64_t count, std::int64_t stride) {
  if (stride == sizeof(T)) return copy_elements(reinterpret_cast<T*>(to), from, count);
  for (std::int64_t i = 0; i < count; ++i)
    copy_elements(reinterpret_cast<T*>(to + i * stride), from + i, 1);
}

/// Elements that have no value yet.
template <class T>
class RawElements {
 public:
  explicit RawElements(std::int64_t count)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(count) *
                                                           sizeof(T))) {}
  RawElements() = default;
  T* data() const { return reinterpret_cast<T*>(bytes_.get()); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

template <class T>
void spread_elements(T* out, const T* some, std::int64_t first, std::int64_t count,
                     const PieceOrder& order) {
  order.for_each_run(first, count, [&](std::int64_t n, std::int64_t k, std::int64_t length) {
    copy_elements(out + k, some + n, length);
  });
}

template <class T>
void start_read(CompletionEvent& done, const ElementRange<T>& range, T* out) {
  if (!range.is_in_pieces()) {
    return spawn(done, [range, out] {
      gather_places<T>(range.size(), [&](std::int64_t k) { return range.address(k).place(); }, out);
    });
  }
  range.for_each_piece([&](const Piece& piece) {
    const auto [core, at, count, order] = piece;
    const std::int64_t stride = range.stride();
    if (core == here().id) {
      const std::byte* from = at.resolve(here());
      order.for_each_run(0, count, [&](std::int64_t n, std::int64_t k, std::int64_t length) {
        pack_elements(out + k, from + n * stride, length, stride);
      });
      return;
    }
    const auto to = GlobalAddress<T>::of_local(out);
    delegate::async::call(done, core, [at, count, order, stride, to] {
      const auto send = [&](const T* from) {
        send_span(to.core(), std::span(from, static_cast<std::size_t>(count)),
                  [to, order](std::span<const T> some, std::size_t first) {
                    spread_elements(to.pointer(), some.data(), static_cast<std::int64_t>(first),
                                    static_cast<std::int64_t>(some.size()), order);
                  });
      };
      const std::byte* from = at.resolve(here());
      if (stride == sizeof(T)) return send(reinterpret_cast<const T*>(from));
      const RawElements<T> packed(count);
      pack_elements(packed.data(), from, count, stride);
      send(packed.data());
    });
  });
}

/// `writer`: a cache that is told of in debug builds (cache_writers.hpp).
template <class T>
void start_write(CompletionShare* scope, const ElementRange<T>& range, const T* values,
                 CacheWriterId writer = {}) {
  if (!range.is_in_pieces()) {
    for (std::int64_t k = 0; k < range.size(); ++k) {
      delegate::async::detail::call_at_in(scope, range.address(k),
                                          [value = values[k], writer](T& element) {
                                            copy_elements(&element, &value, 1);
                                            note_written(writer, 1);
                                          });
    }
    return;
  }
  range.for_each_piece([&](const Piece& piece) {
    const auto [core, at, count, order] = piece;
    const std::int64_t stride = range.stride();
    if (core == here().id) {
      std::byte* to = at.resolve(here());
      order.for_each_run(0, count, [&](std::int64_t n, std::int64_t k, std::int64_t length) {
        unpack_elements(to + n * stride, values + k, length, stride);
      });
      return note_written(writer, count);
    }
    const auto send = [&](const T* from) {
      send_span_joining(scope, core, std::span(from, static_cast<std::size_t>(count)),
                        [at, stride, writer](std::span<const T> some, std::size_t first) {
                          const auto length = static_cast<std::int64_t>(some.size());
                          unpack_elements(
                              at.resolve(here()) + static_cast<std::int64_t>(first) * stride,
                              some.data(), length, stride);
                          note_written(writer, length);
                        });
    };
    if (piece.is_one_run()) return send(values + order.start + order.position);
    const RawElements<T> packed(count);
    order.for_each_run(0, count, [&](std::int64_t n, std::int64_t k, std::int64_t length) {
      copy_elements(packed.data() + n, values + k, length);
    });
    send(packed.data());
  });
}

}  // namespace grappa::internal
