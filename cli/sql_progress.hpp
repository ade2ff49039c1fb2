#pragma once

// How far a query has come, on standard error, once it takes more than two seconds.
//
//   SqlProgress shown(database.progress(), quiet);
//   database.execute("select …");         // "grappa: query, 3.1 s  42 %"
//   shown.stop();                         // before rows are written to the same terminal
//
// A thread of its own looks ten times a second; there is none where standard error is no terminal,
// or quiet. The line is wiped at the end.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "cli/progress.hpp"
#include "grappa/query/progress.hpp"

namespace grappa::cli {

class SqlProgress {
 public:
  SqlProgress(const query::Progress& progress, bool quiet);
  ~SqlProgress() { stop(); }
  SqlProgress(const SqlProgress&) = delete;
  SqlProgress& operator=(const SqlProgress&) = delete;

  void stop();

 private:
  void look();

  const query::Progress& progress_;
  Progress line_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace grappa::cli
