#pragma once

// The commands of the tool.
//
//   for (const Command& command : commands()) fmt::print("{}\n", command.name);
//
// A command takes the words that follow its name, prints to standard output, and returns the exit
// status. What it throws becomes one line on standard error: UsageError and InputError with
// status 2, everything else with status 1.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grappa::cli {

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view group;    // the heading of `grappa help` under which it stands
  std::string_view summary;  // one line
  std::function<int(const Arguments& arguments)> run;
};

/// The kernels (kernels.hpp) and all others, in the order in which help lists them.
std::span<const Command> commands();

int run_info(const Arguments& arguments);
int run_generate(const Arguments& arguments);
int run_convert(const Arguments& arguments);
int run_wordcount(const Arguments& arguments);
int run_kmeans(const Arguments& arguments);
int run_sort(const Arguments& arguments);
int run_sql(const Arguments& arguments);
int run_datalog(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_completion(const Arguments& arguments);
int run_help(const Arguments& arguments);

}  // namespace grappa::cli
