// grappa._grappa: what Python's package is made on.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "grappa/base/version.hpp"
#include "python/module/arrow.hpp"
#include "python/module/by_node.hpp"
#include "python/module/datalog.hpp"
#include "python/module/errors.hpp"
#include "python/module/global_arrays.hpp"
#include "python/module/graph.hpp"
#include "python/module/job.hpp"
#include "python/module/kernels.hpp"
#include "python/module/mapreduce.hpp"
#include "python/module/query.hpp"
#include "python/module/session.hpp"
#include "python/module/stop.hpp"

NB_MODULE(_grappa, module) {
  module.doc() = "The compiled part of Grappa.";
  module.def("version", [] { return grappa::version(); });
  module.def("kernel_table", &grappa::python::kernel_table);
  grappa::python::add_errors(module);
  grappa::python::add_arrow(module);
  grappa::python::add_session(module);
  grappa::python::add_stop(module);
  grappa::python::add_job(module);
  grappa::python::add_global_arrays(module);
  grappa::python::add_graph(module);
  grappa::python::add_by_node(module);
  grappa::python::add_query(module);
  grappa::python::add_datalog(module);
  grappa::python::add_mapreduce(module);
}
