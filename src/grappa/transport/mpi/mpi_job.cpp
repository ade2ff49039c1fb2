#include "grappa/transport/mpi/mpi_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <sstream>
#include <type_traits>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/transport/mpi/mpi_transport.hpp"
#include "grappa/transport/mpi/node_processors.hpp"

namespace grappa::internal {
namespace {

static_assert(std::is_trivially_copyable_v<Config>, "a Config travels as bytes");

std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream words(text);
  for (int number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

}  // namespace

MpiJob* MpiJob::of_this_process(const Config& config) {
  if (config.mpi == MpiChoice::kNone) return nullptr;
  static std::mutex mutex;
  static std::unique_ptr<MpiJob> job;
  const std::lock_guard lock(mutex);
  if (job == nullptr) {
    // Before MPI is loaded: its libraries need not be the same everywhere.
    ModuleTable modules;
    MpiLibrary* mpi = MpiLibrary::of_this_process(config);
    if (mpi == nullptr) return nullptr;
    job.reset(new MpiJob(*mpi, std::move(modules)));
  }
  job->mpi_.require_own_process();
  return job.get();
}

MpiJob::MpiJob(MpiLibrary& mpi, ModuleTable modules) : mpi_(mpi), modules_(std::move(modules)) {
  const PeerWatch::Step step(watch());
  const std::string theirs = mpi_.broadcast(modules_.to_text());
  std::string objection;
  try {
    modules_.adopt(theirs, "locale 0");
  } catch (const UsageError& error) {
    objection = error.what();
  }
  agree(objection);
  divide_processors();
}

void MpiJob::agree(const std::string& objection, Objection kind) const {
  const std::string mine = objection.empty() ? "" : static_cast<char>(kind) + objection;
  const std::vector<std::string> objections = mpi_.all_gather(mine);
  const auto first = std::find_if(objections.begin(), objections.end(),
                                  [](const std::string& text) { return !text.empty(); });
  if (first == objections.end()) return;
  const std::string text =
      fmt::format("locale {}: {}", first - objections.begin(), first->substr(1));
  if (first->front() == static_cast<char>(Objection::kUsage)) throw UsageError(text);
  throw Error(text);
}

void MpiJob::agree_to_run(const std::exception_ptr& error) const {
  if (error == nullptr) return agree({});
  try {
    std::rethrow_exception(error);
  } catch (const UsageError& usage) {
    agree(usage.what());
  } catch (const std::bad_alloc&) {
    agree("out of memory", Objection::kFailure);
  } catch (...) {
    agree(describe_exception(error), Objection::kFailure);
  }
}

void MpiJob::divide_processors() {
  const std::vector<int> mine = usable_processors();
  const std::vector<std::string> of_node =
      mpi_.node_all_gather(fmt::format("{}", fmt::join(mine, " ")));
  std::vector<std::vector<int>> usable;
  for (const std::string& text : of_node) usable.push_back(numbers_in(text));
  processors_ = portion_of_node(usable, static_cast<std::size_t>(mpi_.node_rank()));
  least_processors_ = static_cast<int>(processors_.size());
  for (const std::string& count : mpi_.all_gather(std::to_string(processors_.size())))
    least_processors_ = std::min(least_processors_, std::stoi(count));
  if (rank() == 0) report_idle_processors(mpi_.launch(), usable);
}

MpiJob::Announcement MpiJob::hear(const Announcement& mine) const {
  Announcement announcement = mine;
  mpi_.functions().broadcast(&announcement, sizeof announcement);
  return announcement;
}

Config MpiJob::accept(const Config& wanted, const std::string& objection) {
  std::string mine = objection;
  Config config = wanted;
  if (mine.empty()) {
    try {
      if (config.cores == 0)
        config.cores = std::max(1, least_processors_ - (config.comm_core ? 1 : 0));
      validate_binding(config, processors_.size(), mpi_.node_size());
      validate(config, static_cast<int>(processors_.size()));
      config.locales = size();
    } catch (const UsageError& error) {
      mine = error.what();
    }
  }
  agree(mine);
  watch().set_lost_after(config.lost_after_ns);
  ++runs_;
  return config;
}

MpiJob::RunMark::RunMark(MpiJob& job) : job_(job) {
  if (job.in_run_.exchange(true)) {
    throw UsageError(
        "a job of several processes has one run at a time, and another one goes on: grappa::run on "
        "another thread, or a session that is open");
  }
}

Config MpiJob::begin_run(const Config& mine) {
  const PeerWatch::Step step(watch());
  const Announcement announcement = hear({Step::kRun, 0, mine});
  std::string objection;
  if (announcement.step == Step::kEnd) {
    throw UsageError("locale 0 has ended the job, and this process begins another run");
  }
  if (mine.is_simulated() || mine.locales > 1) {
    objection = "simulated locales are for a process that no MPI launcher has started";
  } else if (const std::string_view option = first_difference(mine, announcement.config);
             !option.empty()) {
    objection = fmt::format("--{} is not what it is at locale 0; start all with the same", option);
  }
  return accept(announcement.config, objection);
}

std::optional<Config> MpiJob::next_run() {
  for (;;) {
    const PeerWatch::Step step(watch());
    const Announcement announcement = hear({});
    if (announcement.step == Step::kEnd) {
      status_ = announcement.status;
      ended_ = true;
      return std::nullopt;
    }
    const bool simulated = announcement.config.is_simulated();
    try {
      return accept(announcement.config, simulated ? "simulated" : "");
    } catch (const UsageError&) {
      // Process 0 throws the same, and says it; this one hears what that announces next.
    }
  }
}

void MpiJob::end(int status) {
  if (std::exchange(ended_, true)) return;
  const PeerWatch::Step step(watch());
  hear({Step::kEnd, status, {}});
}

std::unique_ptr<Transport> MpiJob::make_transport(const Config& config) {
  const auto sending = config.comm_core    ? MpiEndpoint::kSentByPoller
                       : config.cores == 1 ? MpiEndpoint::kSentByOnlyThread
                                           : MpiEndpoint::kSentByCaller;
  return std::make_unique<MpiTransport>(mpi_, sending);
}

}  // namespace grappa::internal
