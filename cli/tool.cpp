#include "cli/tool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "cli/process.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/version.hpp"
#include "grappa/graph/vertex_id.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::cli {
namespace {

const Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  throw UsageError(fmt::format("{}: no such command; the nearest is {} (grappa help lists all)",
                               name, nearest_name(name, names)));
}

int run_command(const Arguments& arguments) {
  if (arguments.empty()) {
    throw UsageError("no command given; grappa help lists all, grappa pagerank GRAPH is a start");
  }
  const std::string& first = arguments.front();
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (first == "--version" || first == "-V") {
    standard_output().print("grappa {} ({}, {}-bit vertices)\n", version(), build_description(),
                            graph::kVertexBits);
    return 0;
  }
  if (first == "--help" || first == "-h") return run_help(rest);
  if (const Command* command = find_command(first)) return command->run(rest);
  refuse_command(first);
}

// What a closure threw on another core keeps its meaning.
int status_of(const RemoteError& error) {
  const bool mendable =
      error.type_name() == "grappa::UsageError" || error.type_name() == "grappa::InputError";
  return mendable ? kBadUsage : kRunFailed;
}

int fail(int status, std::string_view message) {
  log_info("{}", message);
  return status;
}

// The status for the exception in flight, once it has been reported.
int report_current_exception() {
  try {
    throw;
  } catch (const UsageError& error) {
    return fail(kBadUsage, error.what());
  } catch (const InputError& error) {
    return fail(kBadUsage, error.what());
  } catch (const RemoteError& error) {
    const int status = status_of(error);
    return fail(status, status == kBadUsage ? error.message() : error.what());
  } catch (const Error& error) {
    return fail(kRunFailed, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kRunFailed, "out of memory");
  } catch (...) {
    return fail(kRunFailed, describe_exception(std::current_exception()));
  }
}

}  // namespace

int run_tool(const Arguments& arguments) {
  prepare_process();
  // Under a launcher one process executes the command; its runs are on all of them.
  try {
    if (is_follower()) {
      end_without_a_word();
      const int status = serve();
      end_with(status);
      return status;
    }
  } catch (...) {
    return report_current_exception();
  }
  int status = 0;
  try {
    status = run_command(arguments);
    standard_output().finish();
  } catch (...) {
    status = report_current_exception();
  }
  // All has been said. A launcher may end this process when another one is quicker to return.
  end_with(status);
  end_job(status);
  return status;
}

}  // namespace grappa::cli
