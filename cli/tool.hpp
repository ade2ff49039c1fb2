#pragma once

// The tool as a function: finds the command, runs it, and turns errors into exit statuses.
//
//   int status = run_tool({"pagerank", "web.txt.gz", "--top", "5"});
//
// 0: it worked; 1: the run failed; 2: bad usage or bad input; 130: ended by Ctrl-C. Every error is
// one line, "grappa: …", on standard error.

#include "cli/command.hpp"

namespace grappa::cli {

inline constexpr int kRunFailed = 1;
inline constexpr int kBadUsage = 2;

int run_tool(const Arguments& arguments);

}  // namespace grappa::cli
