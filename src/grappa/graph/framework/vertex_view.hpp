#pragma once

// Direct access to an array of Graph::make_vertex_array, by vertex, on the locale of the vertex:
// what the functions of edge_map, vertex_map and vertex programs use.
//
//   auto rank = graph.make_vertex_array<double>();
//   vertex_map(frontiers.all(), [rank = VertexView(rank)](VertexId v) { rank[v] = 1; });
//
// A handle: trivially copyable, and the same on every locale until it is bound. bind() looks up
// where this locale's part lies, once instead of at each access. It is called on the locale: the
// engines call a program's `void bind()` there. A bound view must not travel.
//
// Elements that other cores may write at the same time are accessed through shared_values.hpp. A
// view of an array that is not live is refused: UsageError.

#include <cstdint>

#include "grappa/container/global_array.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"

namespace grappa::graph {

template <class T>
class VertexView {
 public:
  VertexView() = default;
  explicit VertexView(const GlobalArray<T>& array)
      : start_(static_cast<std::uint64_t>(
            reinterpret_cast<const std::byte*>(array.frozen().span().data()) -
            internal::here().memory_base)),
        per_locale_(array.block() * internal::here().locale.cores_each) {}

  /// v is a vertex of this locale.
  T& operator[](std::int64_t v) const { return (bound_ != nullptr ? bound_ : shifted())[v]; }
  void bind() { bound_ = shifted(); }

 private:
  T* shifted() const {
    const internal::Core& me = internal::here();
    return reinterpret_cast<T*>(me.memory_base + start_) - me.locale.id * per_locale_;
  }

  std::uint64_t start_ = 0;  // in the global memory of each locale
  std::int64_t per_locale_ = 0;
  T* bound_ = nullptr;
};

template <class T>
VertexView(const GlobalArray<T>&) -> VertexView<T>;

namespace detail {

/// Makes a program or function object that of this locale; a copy of one.
template <class F>
void bind_here(F& f) {
  if constexpr (requires { f.bind(); }) f.bind();
}
template <class F>
F bound(F f) {
  bind_here(f);
  return f;
}

}  // namespace detail

}  // namespace grappa::graph
