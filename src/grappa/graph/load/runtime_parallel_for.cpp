#include "grappa/graph/load/runtime_parallel_for.hpp"

#include <memory>

#include "grappa/graph/load/load.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

CoreTeam CoreTeam::create() {
  CoreTeam team;
  team.body_ = Replica<const Body*>::create(1);
  return team;
}

void CoreTeam::destroy() { body_.destroy(); }

ParallelFor CoreTeam::parallel_for() const {
  return [slot = body_](std::int64_t n, const Body& body) {
    *slot.data() = &body;
    forall_here(0, n, {.grain = 1}, [slot](std::int64_t i) { (**slot.data())(i); });
  };
}

ParallelFor runtime_parallel_for() {
  const auto team = std::make_shared<const Owned<CoreTeam>>(CoreTeam::create());
  return [team, parallel = (*team)->parallel_for()](std::int64_t n, const auto& body) {
    parallel(n, body);
  };
}

EdgeList load_edge_list(const LoadOptions& options) {
  return load_edge_list(options, runtime_parallel_for());
}

}  // namespace grappa::graph
