#include "python/module/datalog.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grappa/query/datalog/engine.hpp"
#include "python/module/session.hpp"

namespace grappa::python {
namespace {

namespace datalog = query::datalog;

constexpr const char* kName = "program";  // in what is said of errors

nb::list relations_of(const std::string& text) {
  nb::list all;
  for (const datalog::Relation& of : datalog::read_program(kName, text).relations)
    all.append(nb::make_tuple(of.name, of.input.has_value(), !of.outputs.empty()));
  return all;
}

struct Found {
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string csv;
};

nb::list run_datalog(const std::shared_ptr<PySession>& session, const std::string& text,
                     const std::string& folder, const std::vector<std::size_t>& wanted) {
  std::vector<Found> found(wanted.size());
  session->call([&] {
    datalog::Engine engine;
    engine.run({kName, text, folder}, [&](const datalog::Answer& answer) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        for (const datalog::Attribute& of : answer.program.relations.at(wanted[i]).attributes)
          found[i].attributes.emplace_back(of.name, std::string(datalog::name_of(of.kind)));
        answer.write(wanted[i], {.is_rfc4180 = true},
                     [&](std::string_view csv) { found[i].csv += csv; });
      }
    });
  });
  nb::list all;
  for (const Found& of : found)
    all.append(nb::make_tuple(of.attributes, nb::bytes(of.csv.data(), of.csv.size())));
  return all;
}

}  // namespace

void add_datalog(nb::module_& module) {
  module.def("datalog_relations", &relations_of);
  module.def("run_datalog", &run_datalog);
}

}  // namespace grappa::python
