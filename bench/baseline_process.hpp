#pragma once

// A baseline in a process of its own: a line goes there, a line comes back.
//
//   BaselineProcess igraph(kernel_baseline("igraph", threads), files, limit_seconds);
//   if (auto reason = igraph.lacks("pagerank20")) …
//   igraph.ask("load 1024 9000 uint8");
//   const double seconds = igraph.ask("run bfs 17").at("seconds");
//   std::vector<double> depth = igraph.values(1024);
//
// bench/baselines/worker.py and query_worker.py say what the lines are. The process ends with this
// object, and with the thread that made it. Make it outside a run, on the main thread; threads of a
// run are pinned, and processes inherit that.
//
// Errors: UsageError if the baseline's packages are not there; Error, in one line, if it ends,
// answers with an error, or does not answer within the limit. The object is then of no further use.

#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/baseline_program.hpp"
#include "grappa/io/unnamed_file.hpp"

namespace grappa::bench {

class BaselineProcess {
 public:
  /// The paths of the files become its last arguments, behind them that of what it computes.
  BaselineProcess(BaselineProgram program, const std::vector<std::string>& files,
                  int limit_seconds);
  ~BaselineProcess();
  BaselineProcess(const BaselineProcess&) = delete;
  BaselineProcess& operator=(const BaselineProcess&) = delete;

  const std::string& name() const { return name_; }
  /// As it names itself, with its version.
  const std::string& system() const { return system_; }
  /// Why it has not that kernel, if so.
  std::optional<std::string> lacks(std::string_view kernel) const;

  nlohmann::json ask(const std::string& request);

  /// So many numbers of the result of what it was asked last.
  std::vector<double> values(std::size_t count) const;
  /// So many bytes of it.
  std::string text(std::size_t bytes) const;

 private:
  struct Pipe {
    int read = -1;
    int write = -1;
    Pipe();
    ~Pipe();
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    static void close(int& end);
  };

  void start(BaselineProgram& program, const std::vector<std::string>& files);
  void send(const std::string& request);
  /// Its next line.
  std::string receive(const std::string& request);
  [[noreturn]] void fail_as_ended(const std::string& request);
  [[noreturn]] void fail(const std::string& what) const;
  /// Its status, as waitpid() has it, if it ends within some seconds.
  std::optional<int> has_ended();
  /// The same, once it has closed its output.
  int wait_for_end();
  void end();
  std::string last_complaint() const;

  std::string name_;
  int limit_seconds_;
  io::UnnamedFile result_;
  io::UnnamedFile complaints_;  // its standard error
  Pipe requests_;
  Pipe answers_;
  std::string received_;  // and not a whole line yet
  pid_t process_ = -1;
  std::string system_;
  std::vector<std::pair<std::string, std::string>> lacks_;  // kernel, reason
};

}  // namespace grappa::bench
