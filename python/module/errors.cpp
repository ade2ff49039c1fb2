#include "python/module/errors.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "grappa/base/error.hpp"

namespace grappa::python {
namespace {

namespace nb = nanobind;

bool says(const Error& error, std::string_view words) {
  return std::string_view(error.what()).find(words) != std::string_view::npos;
}

/// Python's kind; null: none of the special ones.
PyObject* special_kind(const Error& error) {
  if (says(error, std::strerror(ENOENT))) return PyExc_FileNotFoundError;
  if (says(error, std::strerror(EACCES))) return PyExc_PermissionError;
  for (const char* const why : {"enough memory", "GiB left", "locales can address"}) {
    if (says(error, why)) return PyExc_MemoryError;
  }
  return nullptr;
}

bool is_for_the_caller(const Error& error) {
  if (dynamic_cast<const UsageError*>(&error) != nullptr) return true;
  if (dynamic_cast<const InputError*>(&error) != nullptr) return true;
  const auto* remote = dynamic_cast<const RemoteError*>(&error);
  return remote != nullptr && internal::exit_status_of(std::make_exception_ptr(*remote)) == 2;
}

/// Without the place in this module that a message may begin with: to the caller it says nothing.
std::string without_place(const std::string& message) {
  const std::size_t end = message.starts_with("python/module/") ? message.find(": ") : message.npos;
  return end == message.npos ? message : message.substr(end + 2);
}

}  // namespace

void add_errors(nb::module_& module) {
  static PyObject* const failed = PyErr_NewExceptionWithDoc(
      "grappa.Error", "What Grappa was asked to do has failed.", PyExc_RuntimeError, nullptr);
  module.attr("Error") = nb::borrow(failed);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Cancelled&) {
      PyErr_SetString(PyExc_KeyboardInterrupt, "");
    } catch (const Error& error) {
      PyObject* kind = special_kind(error);
      if (kind == nullptr) kind = is_for_the_caller(error) ? PyExc_ValueError : failed;
      const auto* remote = dynamic_cast<const RemoteError*>(&error);
      const bool is_plain = remote != nullptr && kind != failed;  // it says all that is of use
      PyErr_SetString(kind, without_place(is_plain ? remote->message() : error.what()).c_str());
    }
  });
}

}  // namespace grappa::python
