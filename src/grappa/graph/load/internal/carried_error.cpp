#include "grappa/graph/load/internal/carried_error.hpp"

#include <fmt/format.h>

#include <new>

#include "grappa/base/error.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::graph {
namespace {

/// What was said behind file, line and column.
std::string message_of(const InputError& error) {
  const InputError empty(error.file(), error.line(), "", error.column());
  return std::string(error.what()).substr(std::string(empty.what()).size());
}

std::string at_this_locale(const std::string& message) {
  return this_locale() == 0 ? message : fmt::format("locale {}: {}", this_locale(), message);
}

}  // namespace

CarriedError::CarriedError(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError& input) {
    kind_ = Kind::kInput;
    file_ = input.file();
    line_ = input.line();
    column_ = input.column();
    message_ = message_of(input);
  } catch (const UsageError& usage) {
    kind_ = Kind::kUsage;
    message_ = usage.what();
  } catch (const Error& other) {
    message_ = at_this_locale(other.what());
  } catch (...) {
    message_ = at_this_locale(internal::describe_exception(error));
  }
}

void CarriedError::rethrow() const {
  switch (kind_) {
    case Kind::kInput:
      throw InputError(file_, line_, message_, column_);
    case Kind::kUsage:
      throw UsageError(message_);
    case Kind::kOther:
      break;
  }
  throw Error(message_);
}

}  // namespace grappa::graph
