#pragma once

// A ParallelFor (parallel_for.hpp) over the cores of the calling locale.
//
//   for_parts(runtime_parallel_for(), n, [](std::int64_t part) { use(part); });
//
// Bodies run as iterations of a loop: their stacks are small, and one that takes long keeps its
// core from other work. Usable inside the run that made it, by one task of a locale at a time;
// calling it, and destroying the last copy, switch tasks.

#include <cstdint>
#include <functional>

#include "grappa/container/replica.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::io {

ParallelFor runtime_parallel_for();

/// What it is made of, for those who need one on every locale. A handle: trivially copyable. The
/// address of the body is in a replica, where all cores of a locale find it.
class CoreTeam {
 public:
  /// create() and destroy() are called by one task and switch tasks.
  static CoreTeam create();
  void destroy();

  /// Over the cores of the locale that calls it.
  ParallelFor parallel_for() const;

 private:
  using Body = std::function<void(std::int64_t)>;
  Replica<const Body*> body_;
};

}  // namespace grappa::io
