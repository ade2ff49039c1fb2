#include "container_programs.hpp"

#include <exception>
#include <string>
#include <vector>

namespace soak {
namespace {

std::vector<ContainerProgram> all_programs() {
  std::vector<ContainerProgram> all;
  for (const auto some : {keyed_programs(), list_programs(), other_programs()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

void run(const ContainerProgram& program, const Draw& draw) {
  try {
    program.run(draw);
  } catch (const std::exception& error) {
    fail(std::string(program.name) + ": " + error.what());
  }
}

}  // namespace

void run_container_programs(const Draw& draw) {
  std::uint64_t number = 0;
  for (const ContainerProgram& program : all_programs()) run(program, Draw{draw(number++)});
}

void run_container_program(const Draw& draw) {
  const std::vector<ContainerProgram> all = all_programs();
  run(all[static_cast<std::size_t>(draw.below(std::ssize(all), 0))], Draw{draw(0, 1)});
}

}  // namespace soak
