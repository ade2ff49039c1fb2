#pragma once

// What a benchmark tells the tool about its options.
//   void add_options(Options& options) override {
//     options.add_trials(trials_);
//   }

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace grappa::bench {

class Options {
 public:
  explicit Options(cli::CommandLine& line) : line_(line) {}

  /// For counts with no other limit than somebody's patience.
  static constexpr std::int64_t kMany = 1'000'000'000'000;

  /// An option with a text, or several, as its value; what `target` holds beforehand is the
  /// default, and shown in the help.
  template <class T>
  void add(const std::string& flag, T& target, const std::string& help) {
    line_.add_value(kGroup, flag, target, help);
  }

  /// A whole number from `least` to `most`. T: int or std::int64_t, which holds both.
  template <class T>
  void add_count(const std::string& flag, T& target, std::int64_t least, std::int64_t most,
                 const std::string& help) {
    line_.add_count(kGroup, flag, "N", target, least, most, help);
  }

  /// Several of them, with blanks between them.
  void add_counts(const std::string& flag, std::vector<std::int64_t>& target, std::int64_t least,
                  std::int64_t most, const std::string& help) {
    line_.add_counts(kGroup, flag, target, least, most, help);
  }

  /// A number from `least` to `most`.
  void add_number(const std::string& flag, double& target, double least, double most,
                  const std::string& help) {
    line_.add_number(kGroup, flag, "X", target, least, most, help);
  }

  void add_trials(int& trials) {
    add_count("--trials", trials, 1, kMaxTrials, "trials; the median counts");
  }

  /// Without a value: given or not.
  void add_switch(const std::string& flag, bool& target, const std::string& help) {
    line_.add_switch(kGroup, flag, target, help);
  }

  /// One of `words`, or nothing.
  void add_choice(const std::string& flag, std::string& target,
                  const std::vector<std::string>& words, const std::string& help) {
    line_.add_choice(kGroup, flag, target, words, help);
  }

  /// Some of `words`, with blanks or commas between them.
  void add_words(const std::string& flag, std::vector<std::string>& target,
                 const std::vector<std::string>& words, const std::string& help) {
    line_.add_words(kGroup, flag, target, words, help);
  }

 private:
  static constexpr const char* kGroup = "Benchmark";
  static constexpr std::int64_t kMaxTrials = 1'000'000;

  cli::CommandLine& line_;
};

}  // namespace grappa::bench
