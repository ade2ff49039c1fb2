#include "grappa/graph/structure/vertex_id.hpp"

namespace grappa::graph::vertex_id_detail {

template <>
const char LibraryWithVertexBits<kVertexBits>::linked = 0;

}  // namespace grappa::graph::vertex_id_detail
