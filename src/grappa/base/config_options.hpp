#pragma once

// How one option becomes a field of Config, and why it may have no effect. For what presents
// options to people; programs use config.hpp.
//
//   config_detail::find_option("cores")->set(config, "--cores", "4");

#include <span>
#include <string_view>

#include "grappa/base/config.hpp"

namespace grappa::config_detail {

struct Option {
  OptionInfo info;
  // Parses `value` into its field. `who` is the flag or variable that a refusal names. Throws
  // UsageError and changes nothing when the value is not allowed.
  void (*set)(Config& config, std::string_view who, std::string_view value);
  bool (*same)(const Config& a, const Config& b);
  // Why it has no effect on a run with this configuration, whatever its value; empty where it has.
  // `processes` of the job that a launcher has started; 0: it was none. Null: it always has.
  std::string_view (*unused)(const Config& config, int processes) = nullptr;
};

std::span<const Option> options();

// Null if there is none.
const Option* find_option(std::string_view name);

}  // namespace grappa::config_detail
