#pragma once

// The MPI job that this process belongs to, and what its processes agree on.
//
//   MpiJob* job = MpiJob::of_this_process(config);         // null: started alone
//   config = job->begin_run(config);                       // collective
//   auto transport = job->make_transport(config);
//   …
//   job->end(0);                                           // collective, at the end of the program
//
// A program under a launcher has two ways to run. Either every process calls grappa::run the same
// number of times with the same configuration, or process 0 alone does and the others *serve*:
// they take part in whatever process 0 runs until it ends the job.
//
// When the job is joined the processes compare what they are (the program and its libraries, by
// build id), and at the start of each run their configurations; what differs is named.
//
// Thread safety: one thread at a time, except RunMark.
// Errors: UsageError with the difference, in every process. A process that is lost ends all the
// others, whatever they are waiting for (watch/peer_watch.hpp).

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/base/module_table.hpp"
#include "grappa/transport/mpi/mpi_library.hpp"
#include "grappa/transport/transport.hpp"

namespace grappa::internal {

/// The job, as one of its processes sees it.
class MpiJob {
 public:
  /// Joins the job, once; null for a process that was started alone.
  static MpiJob* of_this_process(const Config& config);

  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  int rank() const { return mpi_.rank(); }
  int size() const { return mpi_.size(); }
  /// In a few words: "Open MPI v4.1.4".
  std::string library() const { return mpi_.name(); }
  const ModuleTable& modules() const { return modules_; }

  /// The processors of this process, after the processes of its machine have shared them out.
  const std::vector<int>& processors() const { return processors_; }

  /// While it lives this process is in a run. Throws UsageError when it is in one already, on
  /// another thread.
  class RunMark {
   public:
    explicit RunMark(MpiJob& job);
    ~RunMark() { job_.in_run_.store(false); }
    RunMark(const RunMark&) = delete;
    RunMark& operator=(const RunMark&) = delete;

   private:
    MpiJob& job_;
  };

  /// Begins a run with the configuration of all, which has the number of cores filled in.
  Config begin_run(const Config& mine);

  /// Collective, when a run has been set up: if any process had an error, all of them throw it.
  void agree_to_run(const std::exception_ptr& error) const;

  /// Serving: waits for the next run of process 0; nothing when it has ended the job.
  std::optional<Config> next_run();

  /// Process 0: ends the job; those that serve end with `status`.
  void end(int status);
  /// Serving: the status with which process 0 ended the job.
  int status() const { return status_; }

  std::unique_ptr<Transport> make_transport(const Config& config);
  /// How many runs have begun.
  std::uint64_t runs() const { return runs_; }
  PeerWatch& watch() const { return mpi_.watch(); }

 private:
  enum class Step { kRun, kEnd };
  struct Announcement {
    Step step = Step::kEnd;
    int status = 0;
    Config config;
  };

  explicit MpiJob(MpiLibrary& mpi, ModuleTable modules);

  // Collective: throws the first of the objections, everywhere, when there are any.
  enum class Objection : char { kUsage = 'U', kFailure = 'F' };
  void agree(const std::string& objection, Objection kind = Objection::kUsage) const;
  Announcement hear(const Announcement& mine) const;
  Config accept(const Config& wanted, const std::string& objection);
  void divide_processors();

  MpiLibrary& mpi_;
  ModuleTable modules_;
  std::vector<int> processors_;
  int least_processors_ = 1;  // that any process has
  int status_ = 0;
  std::uint64_t runs_ = 0;
  bool ended_ = false;
  std::atomic<bool> in_run_{false};
};

}  // namespace grappa::internal
