#include "python/module/job.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/process.hpp"
#include "grappa/base/error.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/transport/mpi/launcher.hpp"

namespace grappa::python {
namespace {

namespace nb = nanobind;

bool is_joined = false;  // with the GIL

bool join_job() {
  setenv("HWLOC_HIDE_ERRORS", "2", 0);  // that of the MPI libraries, in containers without /sys
  const bool follows = is_follower();
  is_joined = true;
  return follows;
}

int serve_job() {
  const nb::gil_scoped_release released;
  // Nothing of Python runs here any more.
  cli::prepare_process();
  cli::end_without_a_word();
  const int status = serve();
  cli::end_with(status);
  return status;
}

void leave_job(int status) {
  if (!is_joined) return;
  const nb::gil_scoped_release released;
  end_job(status);
}

}  // namespace

void require_served(const Config& config) {
  const auto launch = internal::find_launch(config.mpi);
  if (is_joined || !launch) return;
  throw UsageError(
      fmt::format("an MPI launcher has started this process ({} is set), and nobody serves it: "
                  "mpirun -n K python -m grappa SCRIPT does; with GRAPPA_MPI=none each process has "
                  "a session of its own",
                  launch->clue));
}

void add_job(nb::module_& module) {
  module.def(
      "join_job", &join_job,
      "Joins that of the launcher that has started this process, if one has. Whether another "
      "process has the script.");
  module.def("serve_job", &serve_job, "Takes part in all runs. The status to end with.");
  module.def("leave_job", &leave_job, nb::arg("status"),
             "In the process that has the script: lets the others end with this status.");
}

}  // namespace grappa::python
