#include "grappa/graph/distributed/edge_parts.hpp"

#include "grappa/graph/locales.hpp"

namespace grappa::graph {

EdgeParts EdgeParts::create() {
  EdgeParts parts;
  parts.part = Replica<EdgeList*>::create(1);
  on_each_locale([part = parts.part] { *part.data() = new EdgeList; });
  return parts;
}

void EdgeParts::destroy() {
  on_each_locale([part = part] { delete *part.data(); });
  part.destroy();
}

}  // namespace grappa::graph
