#include "cli/bench_options.hpp"

#include <CLI/CLI.hpp>

namespace grappa::cli {
namespace {

constexpr const char* kGroup = "Benchmark";

}  // namespace

template <class T>
void BenchOptions::add_value(const std::string& flag, T& target, const std::string& help) {
  CLI::Option* option = app_.add_option(flag, target, help)->group(kGroup);
  // An empty list or word stands for what the help says.
  if constexpr (requires { target.empty(); }) {
    if (target.empty()) return;
  }
  option->capture_default_str();
}

void BenchOptions::add(const std::string& flag, int& target, const std::string& help) {
  add_value(flag, target, help);
}

void BenchOptions::add(const std::string& flag, std::int64_t& target, const std::string& help) {
  add_value(flag, target, help);
}

void BenchOptions::add(const std::string& flag, double& target, const std::string& help) {
  add_value(flag, target, help);
}

void BenchOptions::add(const std::string& flag, std::vector<std::int64_t>& target,
                       const std::string& help) {
  add_value(flag, target, help);
}

void BenchOptions::add(const std::string& flag, std::string& target, const std::string& help) {
  add_value(flag, target, help);
}

void BenchOptions::add(const std::string& flag, std::vector<std::string>& target,
                       const std::string& help) {
  add_value(flag, target, help);
}

void BenchOptions::add_switch(const std::string& flag, bool& target, const std::string& help) {
  app_.add_flag(flag, target, help)->group(kGroup);
}

void BenchOptions::add_choice(const std::string& flag, std::string& target,
                              const std::vector<std::string>& words, const std::string& help) {
  app_.add_option(flag, target, help)
      ->group(kGroup)
      ->check(CLI::IsMember(words))
      ->capture_default_str();
}

void BenchOptions::add_words(const std::string& flag, std::vector<std::string>& target,
                             const std::vector<std::string>& words, const std::string& help) {
  CLI::Option* option = app_.add_option(flag, target, help)->group(kGroup);
  option->check(CLI::IsMember(words))->delimiter(',');
  if (!target.empty()) option->capture_default_str();
}

}  // namespace grappa::cli
