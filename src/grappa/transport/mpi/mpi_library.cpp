#include "grappa/transport/mpi/mpi_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/last_words.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/base/uncaught_errors.hpp"
#include "grappa/transport/mpi/plugin_loader.hpp"

namespace grappa::internal {
namespace {

int exit_status = 0;  // of this process, once it exits

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
      static bool said = false;
      if (config.mpi != MpiChoice::kNone && !std::exchange(said, true)) say_what_is_amiss(launch);
      return nullptr;
    }
    const GrappaMpi* functions = load_plugin(*launch);
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
  end_by_uncaught_exceptions(rank());
}

MpiLibrary::~MpiLibrary() {
  if (getpid() != process_) {
    // A forked child that calls exit(): it has no watch, and MPI is its parent's.
    [[maybe_unused]] const auto* const of_parent = watch_.release();
    return;
  }
  // MPI can only be ended by all together.
  if (watch_->in_step()) {
    tell_last_words("it called exit() in the middle of a run", 1);
    linger();
    return;
  }
  // What the end of the process would do after this, should this be the end.
  std::fflush(nullptr);
  watch_->say_goodbye(exit_status);
  functions_->meet();
  watch_->meet();
  functions_->finish();
}

void MpiLibrary::require_own_process() const {
  if (getpid() == process_) return;
  throw UsageError(
      "a run was started in a process that was forked from one of an MPI job, in which it has no "
      "part: start the child by exec, with mpi none (GRAPPA_MPI=none)");
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

}  // namespace grappa::internal
