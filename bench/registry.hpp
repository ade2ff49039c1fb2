#pragma once

// The benchmarks of `grappa bench NAME`: how one describes itself to the tool.
//
// A benchmark is an object with static storage duration that registers itself when it is made:
//   class Gups final : public Benchmark { … };
//   const Gups gups;
//
// run() is called outside of grappa::run, with the configuration that flags and environment gave.
// It checks what it computed (a wrong result is an Error), and reports it: facts of the result, the
// times of its trials as /trials, with a baseline /baseline and /ratio. One that draws() gets the
// option --plot FILE from the tool, and makes the chart of the report.

#include <string>
#include <vector>

#include "bench/options.hpp"
#include "cli/report.hpp"
#include "grappa/base/config.hpp"

namespace grappa::bench {

using cli::fact;
using cli::Report;
using cli::Table;

class Benchmark {
 public:
  Benchmark(std::string name, std::string summary);
  virtual ~Benchmark() = default;
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }

  /// Adds its own options to `grappa bench NAME`.
  virtual void add_options(Options& options) = 0;

  virtual void run(const Config& config, Report& report) = 0;

  /// Whether there is a figure of it.
  virtual bool draws() const { return false; }

 private:
  std::string name_;
  std::string summary_;
};

/// All benchmarks, by name.
std::vector<Benchmark*> benchmarks();

}  // namespace grappa::bench
