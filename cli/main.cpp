// The command-line tool: see tool.hpp.

#include "cli/tool.hpp"

int main(int argc, char** argv) { return grappa::cli::run_tool({argv + 1, argv + argc}); }
