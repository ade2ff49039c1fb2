#include "grappa/transport/mpi/mpi_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/last_words.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/service_thread.hpp"
#include "grappa/base/topology.hpp"

namespace grappa {
namespace {

int exit_status = 0;  // of this process, once it exits
int rank_of_process = 0;

const char* packages_of(const std::string& library) {
  return library == "mpich" ? "libmpich-dev" : "libopenmpi-dev";
}

// Says, while MPI starts for ever, what may be the reason.
class SlowStart {
 public:
  explicit SlowStart(const Launch& launch)
      : thread_(start_without_signals([this, clue = launch.clue] { wait(clue); })) {}
  ~SlowStart() {
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
    const std::string_view rank = std::getenv(clue.c_str());
    if (rank != "0") return;  // one of a job says it
    log_info(
        "MPI has been starting for {} s; if {} was left over here and no launcher has started this "
        "process, run it by --mpi none",
        kPatience.count(), clue);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::thread thread_;  // the last one, as it uses the others
};

const GrappaMpi* load(const Launch& launch) {
  const std::string file = fmt::format("libgrappa_mpi_{}.so", launch.library);
  // By its name alone it is looked for in the run path of the program.
  std::vector<std::string> paths{file, GRAPPA_PLUGIN_INSTALL_DIR "/" + file};
  if (const char* folder = std::getenv("GRAPPA_PLUGIN_DIR")) paths = {folder + ("/" + file)};
  void* module = nullptr;
  for (const std::string& path : paths) {
    // Open MPI opens plug-ins of its own that look for its symbols among the global ones.
    module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module != nullptr) break;
    const std::string why = dlerror();
    if (why.starts_with(path + ": cannot open")) continue;  // it is not there
    throw UsageError(fmt::format("{} cannot be loaded ({}); install Debian's {}", path, why,
                                 packages_of(launch.library)));
  }
  if (module == nullptr) {
    throw UsageError(fmt::format(
        "started by an MPI launcher ({} is set), but there is no plug-in {}; install Debian's {} "
        "and build again, say by GRAPPA_PLUGIN_DIR where the plug-in is, or run without the "
        "launcher (--mpi none)",
        launch.clue, fmt::join(paths, " or "), packages_of(launch.library)));
  }
  void* symbol = dlsym(module, "grappa_mpi");
  if (symbol == nullptr) throw UsageError(fmt::format("{} is no plug-in of Grappa", file));
  const auto* functions = reinterpret_cast<const GrappaMpi* (*)()>(symbol)();
  if (functions->version != GRAPPA_MPI_VERSION) {
    throw UsageError(fmt::format("{} belongs to another version of Grappa (interface {}, not {})",
                                 file, functions->version, GRAPPA_MPI_VERSION));
  }
  char why[200] = {};
  const SlowStart slow(launch);
  if (functions->start(why, sizeof why) != 0)
    throw UsageError(fmt::format("{}: {}", functions->library(), why));
  return functions;
}

// Of a process that MPI knows to be the only one.
void end_lonely_mpi(const GrappaMpi* functions, const Launch& launch) {
  functions->finish();
  if (launch.size > 1) {
    throw UsageError(fmt::format(
        "{} says that a launcher has started {} processes, but MPI finds only this one; run it "
        "alone by --mpi none, or unset the variable",
        launch.clue, launch.size));
  }
  log_info("{} is set, but MPI finds no other process: this one runs alone, as by --mpi none",
           launch.clue);
}

// Of a process that runs alone, but was perhaps not meant to.
void say_what_is_amiss(const std::optional<Launch>& launch) {
  if (launch.has_value()) return report_idle_processors(*launch, {usable_processors()});
  if (const auto warning = warning_of_lonely_processes()) log_info("{}", *warning);
}

// What nobody catches ends the job with one line. The default would be abort(), for which Open MPI
// prints a trace of the stack, and the others would only know that this process is lost. What all
// processes throw alike is left to the first of them: the others end when they hear of it.
void end_by_uncaught_error() noexcept {
  constexpr int kPatienceMs = 300;
  constexpr int kMaxPlaces = 5;
  poll(nullptr, 0, kPatienceMs * std::min(rank_of_process, kMaxPlaces));
  if (std::current_exception() == nullptr) fatal("std::terminate was called");
  fatal_exception();
}

// The program's own handler stays.
void take_uncaught_errors(int rank) {
  rank_of_process = rank;
  if (std::get_terminate() == &__gnu_cxx::__verbose_terminate_handler)
    std::set_terminate(&end_by_uncaught_error);
}

std::vector<std::string> gather_texts(const std::string& text, int ranks,
                                      void (*all_gather)(const void*, void*, std::size_t)) {
  const auto count = static_cast<std::size_t>(ranks);
  const std::uint64_t bytes = text.size();
  std::vector<std::uint64_t> sizes(count);
  all_gather(&bytes, sizes.data(), sizeof bytes);
  const std::uint64_t most = *std::max_element(sizes.begin(), sizes.end());
  if (most == 0) return std::vector<std::string>(count);
  std::string mine = text;
  mine.resize(most);
  std::string all(most * count, '\0');
  all_gather(mine.data(), all.data(), most);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(all.substr(i * most, sizes[i]));
  return texts;
}

}  // namespace

MpiLibrary* MpiLibrary::of_this_process(const Config& config) {
  static std::mutex mutex;
  static std::unique_ptr<MpiLibrary> library;
  static bool lonely = false;
  const std::lock_guard lock(mutex);
  if (library == nullptr && !lonely) {
    const std::optional<Launch> launch = find_launch(config.mpi);
    if (!launch.has_value() || launch->size == 1) {
      static std::once_flag said;
      if (config.mpi != MpiChoice::kNone) std::call_once(said, [&] { say_what_is_amiss(launch); });
      return nullptr;
    }
    const GrappaMpi* functions = load(*launch);
    if (functions->size() == 1) {
      end_lonely_mpi(functions, *launch);
      lonely = true;
      return nullptr;
    }
    library.reset(new MpiLibrary(functions, *launch, config));
    // Called before the destructors of what is static and exists by now.
    on_exit([](int status, void*) { exit_status = status; }, nullptr);
  }
  return library.get();
}

MpiLibrary::MpiLibrary(const GrappaMpi* functions, Launch launch, const Config& config)
    : functions_(functions), launch_(std::move(launch)) {
  std::string secret;
  if (rank() == 0) secret = random_bytes(sizeof(JobSecret));
  secret = broadcast(secret);
  PeerWatch::Options options;
  options.rank = rank();
  options.size = size();
  options.lost_after_ns = config.lost_after_ns;
  std::memcpy(options.secret.data(), secret.data(), options.secret.size());
  watch_ = std::make_unique<PeerWatch>(std::move(options));
  std::vector<WatchAddress> addresses;
  for (const std::string& text : all_gather(watch_->address().to_text()))
    addresses.push_back(WatchAddress::from_text(text));
  functions_->on_failure(
      [](void* watch, const char* what) { static_cast<PeerWatch*>(watch)->report_failure(what); },
      watch_.get());
  watch_->start(std::move(addresses));
  take_uncaught_errors(rank());
}

MpiLibrary::~MpiLibrary() {
  // MPI can only be ended by all together.
  if (watch_->in_step()) {
    tell_last_words("it called exit() in the middle of a run", 1);
    linger();
    return;
  }
  // What the end of the process would do after this, should this be the end.
  std::fflush(nullptr);
  watch_->say_goodbye(exit_status);
  functions_->finish();
}

std::string MpiLibrary::broadcast(std::string text) const {
  std::uint64_t bytes = text.size();
  functions_->broadcast(&bytes, sizeof bytes);
  text.resize(bytes);
  if (bytes > 0) functions_->broadcast(text.data(), bytes);
  return text;
}

std::vector<std::string> MpiLibrary::all_gather(const std::string& text) const {
  return gather_texts(text, size(), functions_->all_gather);
}

std::vector<std::string> MpiLibrary::node_all_gather(const std::string& text) const {
  return gather_texts(text, node_size(), functions_->node_all_gather);
}

}  // namespace grappa
