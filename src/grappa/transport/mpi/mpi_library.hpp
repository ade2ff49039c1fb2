#pragma once

// The MPI library of this process, loaded when a launcher started it.
//
//   if (MpiLibrary* mpi = MpiLibrary::of_this_process(config)) mpi->rank();
//
// MPI exists once in a process, begins once and ends once, and so does this object: it is made by
// the first call that finds a launcher and ends MPI when the process exits. From beginning to end
// the processes of the job watch one another (watch/peer_watch.hpp).
//
// Errors: UsageError when there is no plug-in for the launcher's library (what to install is said),
// when it cannot be loaded, when MPI does not give what is needed, or when it knows of fewer
// processes than the environment, as with a variable that was left over in a shell.
//
// Thread safety: of_this_process() from any thread; everything else one thread at a time.

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grappa/base/config.hpp"
#include "grappa/transport/mpi/launcher.hpp"
#include "grappa/transport/mpi/mpi_interface.h"
#include "grappa/transport/watch/peer_watch.hpp"

namespace grappa::internal {

class MpiLibrary {
 public:
  /// Null when no launcher started this process, or when it started only this one.
  static MpiLibrary* of_this_process(const Config& config);

  ~MpiLibrary();
  MpiLibrary(const MpiLibrary&) = delete;
  MpiLibrary& operator=(const MpiLibrary&) = delete;

  const GrappaMpi& functions() const { return *functions_; }
  const Launch& launch() const { return launch_; }
  std::string name() const { return functions_->library(); }
  int rank() const { return functions_->rank(); }
  int size() const { return functions_->size(); }
  int node_rank() const { return functions_->node_rank(); }
  int node_size() const { return functions_->node_size(); }
  PeerWatch& watch() const { return *watch_; }
  /// UsageError in a process that was forked from the one in which MPI was started.
  void require_own_process() const;

  /// Collective: `text` of rank 0, everywhere.
  std::string broadcast(std::string text) const;
  /// Collective: the text of every rank, by rank.
  std::vector<std::string> all_gather(const std::string& text) const;
  /// The same for the ranks of this machine.
  std::vector<std::string> node_all_gather(const std::string& text) const;

 private:
  MpiLibrary(const GrappaMpi* functions, Launch launch, const Config& config);

  const GrappaMpi* functions_;
  Launch launch_;
  const pid_t process_ = getpid();
  std::unique_ptr<PeerWatch> watch_;
};

}  // namespace grappa::internal
