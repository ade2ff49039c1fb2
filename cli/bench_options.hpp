#pragma once

// The options of a benchmark on a command line.
//
//   BenchOptions options(line);
//   benchmark.add_options(options);

#include "bench/options.hpp"
#include "cli/command_line.hpp"

namespace grappa::cli {

class BenchOptions final : public bench::Options {
 public:
  explicit BenchOptions(CommandLine& line) : app_(line.app()) {}

  void add(const std::string& flag, int& target, const std::string& help) override;
  void add(const std::string& flag, std::int64_t& target, const std::string& help) override;
  void add(const std::string& flag, double& target, const std::string& help) override;
  void add(const std::string& flag, std::vector<std::int64_t>& target,
           const std::string& help) override;
  void add(const std::string& flag, std::string& target, const std::string& help) override;
  void add(const std::string& flag, std::vector<std::string>& target,
           const std::string& help) override;
  void add_switch(const std::string& flag, bool& target, const std::string& help) override;
  void add_choice(const std::string& flag, std::string& target,
                  const std::vector<std::string>& words, const std::string& help) override;
  void add_words(const std::string& flag, std::vector<std::string>& target,
                 const std::vector<std::string>& words, const std::string& help) override;

 private:
  template <class T>
  void add_value(const std::string& flag, T& target, const std::string& help);

  CLI::App& app_;
};

}  // namespace grappa::cli
