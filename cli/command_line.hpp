#pragma once

// The command line of one command: options, their help, and refusals that name what is allowed.
//
//   CommandLine line("cc", "GRAPH", "Weakly connected components: …");
//   int64_t top = 10;
//   line.add_count("Output", "--top", "K", top, 0, 1000, "print the K largest components");
//   if (!line.parse(arguments)) return 0;     // --help was asked for, and has been printed
//   run(line.config(), [] { … });
//
// `group` is the heading in the help. Every command has the runtime's options (Config), in the
// strength flags > environment > defaults. An option that takes one value may be repeated with the
// same one only. Switches of the runtime take on or off and may stand alone: --simulated, --pin
// off. Errors: UsageError from parse() for everything that is wrong with the arguments.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "grappa/base/config.hpp"

// The parser. Its header takes seconds to compile: only command_line.cpp includes it.
namespace CLI {
class App;
}

namespace grappa::cli {

class CommandLine {
 public:
  /// `positionals` is for the usage line only. `description` may have several paragraphs.
  CommandLine(std::string name, std::string positionals, std::string description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  void add_positional(const std::string& name, std::string& target, const std::string& help);
  /// One or more; standard input ("-") once.
  void add_positionals(const std::string& name, std::vector<std::string>& target,
                       const std::string& help);
  void add_text(const std::string& group, const std::string& flags, const std::string& value,
                std::string& target, const std::string& help);
  /// One each time that the option is given.
  void add_texts(const std::string& group, const std::string& flags, const std::string& value,
                 std::vector<std::string>& target, const std::string& help);
  void add_switch(const std::string& group, const std::string& flags, bool& target,
                  const std::string& help);
  /// A whole number from `least` to `most`. T: int or std::int64_t, which holds both.
  template <class T>
  void add_count(const std::string& group, const std::string& flags, const std::string& value,
                 T& target, std::int64_t least, std::int64_t most, const std::string& help);
  /// Several of them, with blanks between them. Empty ones are not shown as the default.
  void add_counts(const std::string& group, const std::string& flags,
                  std::vector<std::int64_t>& target, std::int64_t least, std::int64_t most,
                  const std::string& help);
  /// A number from `least` to `most`.
  void add_number(const std::string& group, const std::string& flags, const std::string& value,
                  double& target, double least, double most, const std::string& help);
  /// One of `words`.
  void add_choice(const std::string& group, const std::string& flags, std::string& target,
                  const std::vector<std::string>& words, const std::string& help);
  /// Some of `words`, with blanks or commas between them.
  void add_words(const std::string& group, const std::string& flags,
                 std::vector<std::string>& target, const std::vector<std::string>& words,
                 const std::string& help);
  /// Any text, or several. An empty one is not shown as the default. T: std::string, or a vector.
  template <class T>
  void add_value(const std::string& group, const std::string& flags, T& target,
                 const std::string& help);

  /// `why` tells, once all is parsed, why the option `flag` has no effect beside the others; empty:
  /// it has. An option that was given in vain is named on standard error, unless --quiet was, too.
  void unused_when(const std::string& flag, std::function<std::string_view()> why);

  /// Those that were added so far: before parse(), not those of the runtime.
  std::vector<OptionHelp> options() const;

  /// False when help or the table for completion (completion.hpp) was asked for, and printed. Once.
  bool parse(const Arguments& arguments);

  /// What the runtime is to be started with; after parse().
  const Config& config() const { return config_; }
  Config& config() { return config_; }
  /// Of the run: those that are simulated, or the processes of the job.
  int locales() const;

 private:
  void add_runtime_options();
  // Refuses flags that do not exist, and gives switches that stand alone their value.
  bool is_option(const std::string& word) const;
  Arguments normalize(const Arguments& arguments) const;
  std::string hint_of_switch(const Arguments& arguments) const;
  [[noreturn]] void refuse_empty(const std::string& flag) const;
  [[noreturn]] void refuse_flag(std::string_view flag) const;
  std::string help() const;
  void print_completions() const;
  void refuse_repeated() const;
  void report_unused() const;
  bool is_quiet() const;

  std::string name_;
  std::string positionals_;
  std::unique_ptr<CLI::App> app_;
  Config config_;
  std::vector<std::pair<std::string, std::function<std::string_view()>>> unused_;
  std::vector<std::string> switches_;  // of the runtime, "--pin"
};

}  // namespace grappa::cli
