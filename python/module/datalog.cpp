#include "python/module/datalog.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grappa/query/datalog/engine.hpp"
#include "python/module/arrays.hpp"
#include "python/module/input_tables.hpp"
#include "python/module/session.hpp"

namespace grappa::python {
namespace {

namespace datalog = query::datalog;

constexpr const char* kName = "program";  // in what is said of errors

nb::list attributes_of(const datalog::Relation& relation) {
  nb::list all;
  for (const datalog::Attribute& of : relation.attributes)
    all.append(nb::make_tuple(of.name, std::string(datalog::name_of(of.kind))));
  return all;
}

/// Name, whether it has .input, whether it has .output, and its attributes with their kinds.
nb::list relations_of(const std::string& text) {
  nb::list all;
  for (const datalog::Relation& of : datalog::read_program(kName, text).relations)
    all.append(
        nb::make_tuple(of.name, of.input.has_value(), !of.outputs.empty(), attributes_of(of)));
  return all;
}

/// Of each of the relations its columns: 64 bits of each number, or ends and bytes of texts.
nb::list run_datalog(const std::shared_ptr<PySession>& session, const std::string& text,
                     const std::string& folder, const nb::list& tables,
                     const std::vector<std::size_t>& wanted) {
  const InputTables input = take_tables(tables);
  std::vector<datalog::MemoryFacts> facts;
  for (const InputTable& table : input.tables)
    facts.push_back({.relation = table.name, .rows = table.rows, .columns = table.columns});
  std::vector<std::vector<datalog::TupleColumn>> found(wanted.size());
  session->call([&] {
    datalog::Engine engine;
    engine.run(
        {kName, text, folder},
        [&](const datalog::Answer& answer) {
          for (std::size_t i = 0; i < wanted.size(); ++i) found[i] = answer.columns(wanted[i]);
        },
        facts);
  });
  nb::list all;
  for (std::vector<datalog::TupleColumn>& columns : found) {
    nb::list of;
    for (datalog::TupleColumn& column : columns) {
      if (column.are_symbols) {
        of.append(
            nb::make_tuple(to_numpy(std::move(column.ends)), to_numpy(std::move(column.bytes))));
      } else {
        of.append(to_numpy(std::move(column.words)));
      }
    }
    all.append(of);
  }
  return all;
}

}  // namespace

void add_datalog(nb::module_& module) {
  module.def("datalog_relations", &relations_of);
  module.def("run_datalog", &run_datalog);
}

}  // namespace grappa::python
