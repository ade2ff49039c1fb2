#include "grappa/io/runtime_parallel_for.hpp"

#include <memory>

#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::io {

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

}  // namespace grappa::io
