#pragma once

// What a benchmark tells the tool about its options.
//
//   void add_options(Options& options) override {
//     options.add("--trials", trials_, "trials; the median counts");
//   }
//
// The tool implements it. Benchmarks are spared the headers of its parser, which take longer to
// compile than most benchmarks do.

#include <cstdint>
#include <string>
#include <vector>

namespace grappa::bench {

class Options {
 public:
  virtual ~Options() = default;

  /// An option with a value; what `target` holds beforehand is the default, and shown in the help.
  virtual void add(const std::string& flag, int& target, const std::string& help) = 0;
  virtual void add(const std::string& flag, std::int64_t& target, const std::string& help) = 0;
  virtual void add(const std::string& flag, double& target, const std::string& help) = 0;
  virtual void add(const std::string& flag, std::vector<std::int64_t>& target,
                   const std::string& help) = 0;
  virtual void add(const std::string& flag, std::string& target, const std::string& help) = 0;
  virtual void add(const std::string& flag, std::vector<std::string>& target,
                   const std::string& help) = 0;

  /// Without a value: given or not.
  virtual void add_switch(const std::string& flag, bool& target, const std::string& help) = 0;

  /// One of `words`, or nothing.
  virtual void add_choice(const std::string& flag, std::string& target,
                          const std::vector<std::string>& words, const std::string& help) = 0;

  /// Some of `words`, with blanks or commas between them.
  virtual void add_words(const std::string& flag, std::vector<std::string>& target,
                         const std::vector<std::string>& words, const std::string& help) = 0;
};

}  // namespace grappa::bench
