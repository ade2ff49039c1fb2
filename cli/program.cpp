#include "cli/program.hpp"

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "cli/process.hpp"
#include "cli/sql_answers.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/config.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::cli {
namespace {

constexpr int kRunFailed = 1;
constexpr int kBadUsage = 2;

int fail(int status, std::string_view message) {
  internal::log_info("{}", message);
  return status;
}

// The status for the exception in flight, once it has been reported.
int report_current_exception() {
  try {
    throw;
  } catch (const query::sql::SyntaxError& error) {
    print_sql_error(error);
    return kBadUsage;
  } catch (const UsageError& error) {
    return fail(kBadUsage, error.what());
  } catch (const InputError& error) {
    return fail(kBadUsage, error.what());
  } catch (const RemoteError& error) {
    const int status = internal::exit_status_of(std::current_exception());
    return fail(status, status == kBadUsage ? error.message() : error.what());
  } catch (const Error& error) {
    return fail(kRunFailed, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kRunFailed, "out of memory");
  } catch (...) {
    return fail(kRunFailed, internal::describe_exception(std::current_exception()));
  }
}

// The value of --mpi, before anything else is read of the command line.
std::optional<std::string> mpi_choice(const Arguments& arguments) {
  constexpr std::string_view kFlag = "--mpi";
  constexpr std::string_view kFlagWithValue = "--mpi=";
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == kFlag && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(kFlagWithValue)) return arguments[i].substr(kFlagWithValue.size());
  }
  return std::nullopt;
}

// The environment and --mpi say whether there is a job to join, and by which MPI library.
// Both may hold what is not allowed: the command refuses it, unless it runs nothing, as help does.
Config config_to_join_with(const Arguments& arguments) {
  Config config;
  try {
    config = Config{}.with_environment();
  } catch (const UsageError&) {
    config = {};
  }
  try {
    if (const auto choice = mpi_choice(arguments)) set_option(config, "mpi", *choice);
  } catch (const UsageError&) {
    return config;
  }
  return config;
}

}  // namespace

int run_program(const Arguments& arguments, int (*command)(const Arguments& arguments)) {
  prepare_process();
  const Config config = config_to_join_with(arguments);
  try {
    if (is_follower(config)) {
      end_without_a_word();
      const int status = serve(config);
      end_with(status);
      return status;
    }
  } catch (...) {
    return report_current_exception();
  }
  int status = 0;
  try {
    status = command(arguments);
    standard_output().finish();
  } catch (...) {
    status = report_current_exception();
  }
  // All has been said. A launcher may end this process when another one is quicker to return.
  end_with(status);
  end_job(status, config);
  return status;
}

}  // namespace grappa::cli
