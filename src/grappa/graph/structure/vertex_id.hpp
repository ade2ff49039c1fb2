#pragma once

// The numbers of vertices: of 32 bits, or of 64 in a library that was configured with
// -DGRAPPA_VERTEX_BITS=64. The narrower ones take half the memory and half the bandwidth, which is
// what most kernels run at; the wider ones are for graphs of 2^32 vertices and more, and signed as
// counts are, so that the two compare.
//
//   for (VertexId v = 0; v < graph.vertex_count(); ++v) use(v);
//
// The definition of GRAPPA_VERTEX_BITS comes with the CMake target Grappa::grappa. A program whose
// files were compiled for the other width than the library was does not link: what is undefined
// then is LibraryWithVertexBits<…>::linked.

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#if !defined(GRAPPA_VERTEX_BITS)
#error "GRAPPA_VERTEX_BITS is not defined; the CMake target Grappa::grappa defines it"
#endif

namespace grappa::graph {

inline constexpr int kVertexBits = GRAPPA_VERTEX_BITS;
static_assert(kVertexBits == 32 || kVertexBits == 64);

using VertexId = std::conditional_t<kVertexBits == 64, std::int64_t, std::uint32_t>;
inline constexpr VertexId kNoVertex = std::numeric_limits<VertexId>::max();

/// With 32 bits, one value is kNoVertex. With 64, few enough that no count of bytes overflows.
inline constexpr std::int64_t kMaxVertices =
    kVertexBits == 64 ? std::int64_t{1} << 48 : std::int64_t{0xffffffff};

/// How a message about too many vertices ends: how to have more, if there is a way.
inline constexpr std::string_view kMoreVerticesHint =
    kVertexBits == 64 ? "" : " (more in a build with -DGRAPPA_VERTEX_BITS=64)";

namespace vertex_id_detail {

template <int kBits>
struct LibraryWithVertexBits {
  static const char linked;
};
template <>
const char LibraryWithVertexBits<kVertexBits>::linked;  // defined in the library
[[gnu::used]] inline const char* const kLinkedLibrary = &LibraryWithVertexBits<kVertexBits>::linked;

}  // namespace vertex_id_detail
}  // namespace grappa::graph
