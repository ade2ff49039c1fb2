#pragma once

// Random programs over the containers, each beside a sequential model.
//
// A program goes in phases. What the tasks of all cores do in a phase commutes, or is told apart by
// who did it, so that there is one right result, or a property that every right one has: after each
// phase the whole container is compared with the model, as are the answers. A container that is new
// needs a model and a line in the table.

#include <cstdint>
#include <span>

#include "draw.hpp"

namespace soak {

struct ContainerProgram {
  const char* name;
  void (*run)(const Draw& draw);  // within a run of the runtime; throws what it finds
};

std::span<const ContainerProgram> keyed_programs();
std::span<const ContainerProgram> list_programs();
std::span<const ContainerProgram> other_programs();

/// All of them, one after the other, or one of them; what fails says which.
void run_container_programs(const Draw& draw);
void run_container_program(const Draw& draw);

}  // namespace soak
