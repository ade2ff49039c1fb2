#pragma once

// For tests: what combines has to work on all machines, combining and not.
//
//   test::on_machines_either_way([] { … });

#include "grappa/parallel/test_machines.hpp"

namespace grappa::test {

template <class F>
void on_machines_either_way(const F& body) {
  for (const Machine& machine : machines()) {
    for (const bool combining : {true, false}) {
      SCOPED_TRACE(machine.name + (combining ? "" : " without combining"));
      Config config = machine.config;
      config.combining = combining;
      run(config, body);
    }
  }
}

}  // namespace grappa::test
