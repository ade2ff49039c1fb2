#include "grappa/transport/mpi/plugin_loader.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/service_thread.hpp"
#include "grappa/tasking/report_signal.hpp"

namespace grappa::internal {
namespace {

const char* packages_of(const std::string& library) {
  return library == "mpich" ? "libmpich-dev" : "libopenmpi-dev";
}

// Says, in the first process of a job, while MPI starts for ever, what may be the reason.
class SlowStart {
 public:
  explicit SlowStart(const Launch& launch) {
    const char* rank = std::getenv(launch.clue.c_str());
    if (rank == nullptr || std::string_view(rank) != "0") return;
    thread_ = start_without_signals([this, clue = launch.clue] { wait(clue); });
  }
  ~SlowStart() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      started_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  SlowStart(const SlowStart&) = delete;
  SlowStart& operator=(const SlowStart&) = delete;

 private:
  void wait(const std::string& clue) {
    constexpr std::chrono::seconds kPatience(10);
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kPatience, [this] { return started_; })) return;
    log_info(
        "MPI has been starting for {} s: it waits until every process of the job calls grappa::run "
        "or serve, not process 0 alone; if {} was left over here and no launcher has started this "
        "process, run it by --mpi none",
        kPatience.count(), clue);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::thread thread_;
};

// MPICH, when it starts, takes SIGUSR1 for itself, to hear of processes that have ended, which the
// watch of peers tells us. The signal stays what it was: it asks for a report and for what keeps a
// core, or is the program's.
class KeptSignal {
 public:
  KeptSignal() {
    // For good: the launcher may send it at any time, and nobody is to end by it.
    [[maybe_unused]] static const auto* const report_signal = new ReportSignal;
    sigaction(SIGUSR1, nullptr, &before_);
  }
  ~KeptSignal() { sigaction(SIGUSR1, &before_, nullptr); }
  KeptSignal(const KeptSignal&) = delete;
  KeptSignal& operator=(const KeptSignal&) = delete;

 private:
  struct sigaction before_{};
};

// MPICH would end the process by itself, with lines of its own.
void require_launcher_of(const Launch& launch) {
  const char* descriptor = std::getenv("PMI_FD");
  if (launch.library != "mpich" || descriptor == nullptr) return;
  struct stat status;
  if (fstat(std::atoi(descriptor), &status) == 0 &&
      (S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode)))
    return;
  throw UsageError(fmt::format(
      "{} and PMI_FD={} say that a launcher has started this process, but that descriptor leads to "
      "none; run it alone by --mpi none, or unset the variables",
      launch.clue, descriptor));
}

void* open_plugin(const Launch& launch, const std::string& file) {
  // By its name alone it is looked for in the run path of the program.
  std::vector<std::string> paths{file, GRAPPA_PLUGIN_INSTALL_DIR "/" + file};
  if (const char* folder = std::getenv("GRAPPA_PLUGIN_DIR")) paths = {folder + ("/" + file)};
  for (const std::string& path : paths) {
    // Open MPI opens plug-ins of its own that look for its symbols among the global ones.
    if (void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return module;
    const std::string why = dlerror();
    if (why.starts_with(path + ": cannot open")) continue;  // it is not there
    throw UsageError(fmt::format("{} cannot be loaded ({}); install Debian's {}", path, why,
                                 packages_of(launch.library)));
  }
  throw UsageError(fmt::format(
      "started by an MPI launcher ({} is set), but there is no plug-in {}; install Debian's {} and "
      "build again, say by GRAPPA_PLUGIN_DIR where the plug-in is, or run without the launcher "
      "(--mpi none)",
      launch.clue, fmt::join(paths, " or "), packages_of(launch.library)));
}

}  // namespace

const GrappaMpi* load_plugin(const Launch& launch) {
  require_launcher_of(launch);
  const std::string file = fmt::format("libgrappa_mpi_{}.so", launch.library);
  // UCX, which MPICH may stand on, would handle faults when it is loaded: by traces in place of the
  // line that names the task.
  setenv("UCX_HANDLE_ERRORS", "none", 0);
  void* module = open_plugin(launch, file);
  void* symbol = dlsym(module, "grappa_mpi");
  if (symbol == nullptr) throw UsageError(fmt::format("{} is no plug-in of Grappa", file));
  const auto* functions = reinterpret_cast<const GrappaMpi* (*)()>(symbol)();
  if (functions->version != GRAPPA_MPI_VERSION) {
    throw UsageError(fmt::format("{} belongs to another version of Grappa (interface {}, not {})",
                                 file, functions->version, GRAPPA_MPI_VERSION));
  }
  char why[200] = {};
  const KeptSignal kept;
  const SlowStart slow(launch);
  if (functions->start(why, sizeof why) != 0)
    throw UsageError(fmt::format("{}: {}", functions->library(), why));
  return functions;
}

}  // namespace grappa::internal
