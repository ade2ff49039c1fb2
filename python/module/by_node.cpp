#include "python/module/by_node.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "python/module/arrays.hpp"

namespace grappa::python {
namespace {

void require_one_each(const nb::list& nodes, std::size_t numbers) {
  if (nodes.size() != numbers)
    throw UsageError(fmt::format("{} numbers for {} nodes", numbers, nodes.size()));
}

void require(int status) {
  if (status != 0) throw nb::python_error();
}

/// The sets of nodes with the same label, which is a number below that of the nodes; those whose
/// first node comes first are first. The collector of garbage learns of them when all are there:
/// going through those that there are again and again took most of the time.
nb::list sets_by_label(const nb::list& nodes, const AnyArray& labels) {
  require_one_each(nodes, labels.shape(0));
  nb::list sets;
  std::vector<nb::handle> set_of(nodes.size());
  visit_integers(labels, "labels", [&](const auto* label, std::size_t count) {
    for (std::size_t v = 0; v < count; ++v) {
      if (std::cmp_less(label[v], 0) || std::cmp_greater_equal(label[v], count))
        throw UsageError(fmt::format("label {} for one of {} nodes", label[v], count));
      nb::handle& set = set_of[static_cast<std::size_t>(label[v])];
      if (!set.is_valid()) {
        const nb::object made = nb::steal(PySet_New(nullptr));
        if (!made.is_valid()) throw nb::python_error();
        PyObject_GC_UnTrack(made.ptr());
        sets.append(made);
        set = made;
      }
      require(PySet_Add(set.ptr(), nb::handle(nodes[v]).ptr()));
    }
  });
  for (const nb::handle set : sets) PyObject_GC_Track(set.ptr());
  return sets;
}

nb::object number(double x) { return nb::steal(PyFloat_FromDouble(x)); }
template <std::signed_integral T>
nb::object number(T x) {
  return nb::steal(PyLong_FromLongLong(x));
}
template <std::unsigned_integral T>
nb::object number(T x) {
  return nb::steal(PyLong_FromUnsignedLongLong(x));
}

/// A dict of the nodes and their numbers, made of one of the same nodes: its table is copied, which
/// takes less time than to make one.
nb::object dict_by_node(const nb::dict& like, const nb::list& nodes, const AnyArray& values) {
  require_one_each(nodes, values.shape(0));
  nb::object dict = nb::steal(PyDict_Copy(like.ptr()));
  if (!dict.is_valid()) throw nb::python_error();
  const auto fill = [&](const auto* value, std::size_t count) {
    for (std::size_t v = 0; v < count; ++v) {
      const nb::object of = number(value[v]);
      if (!of.is_valid()) throw nb::python_error();
      require(PyDict_SetItem(dict.ptr(), nb::handle(nodes[v]).ptr(), of.ptr()));
    }
  };
  if (values.dtype() == nb::dtype<double>()) {
    fill(static_cast<const double*>(values.data()), values.shape(0));
  } else {
    visit_integers(values, "values", fill);
  }
  return dict;
}

}  // namespace

void add_by_node(nb::module_& module) {
  module.def("sets_by_label", &sets_by_label, nb::arg("nodes"), nb::arg("labels"));
  module.def("dict_by_node", &dict_by_node, nb::arg("like"), nb::arg("nodes"), nb::arg("values"));
}

}  // namespace grappa::python
