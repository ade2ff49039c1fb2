#pragma once

// Arrays of Python as spans, and vectors as arrays of Python.
//
//   visit_integers(array, [&](const auto* values, std::size_t count) { … });
//   nb::object owner = to_numpy(std::move(vector));       // which keeps it, without a copy

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"

namespace grappa::python {

namespace nb = nanobind;

/// One row of numbers of any type, side by side.
using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Calls f(first, count) with the integers' type.
template <class F>
void visit_integers(const AnyArray& array, const char* what, const F& f) {
  const auto is = [&array]<class T>() { return array.dtype() == nb::dtype<T>(); };
  const auto with = [&]<class T>() { f(static_cast<const T*>(array.data()), array.shape(0)); };
  if (is.template operator()<std::int32_t>()) return with.template operator()<std::int32_t>();
  if (is.template operator()<std::uint32_t>()) return with.template operator()<std::uint32_t>();
  if (is.template operator()<std::int64_t>()) return with.template operator()<std::int64_t>();
  if (is.template operator()<std::uint64_t>()) return with.template operator()<std::uint64_t>();
  throw UsageError(std::string(what) + ": integers of 32 or 64 bits were expected");
}

template <class T>
nb::object to_numpy(std::vector<T> values) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace grappa::python
