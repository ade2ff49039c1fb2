#include "grappa/tasking/core.hpp"

#include "grappa/base/core_recorder.hpp"
#include "grappa/tasking/completion.hpp"
#include "grappa/tasking/parker.hpp"
#include "grappa/tasking/range.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {

Core::Core(int core_id, int index_in_locale, Locale& its_locale)
    : id(core_id),
      index(index_in_locale),
      locale(its_locale),
      metrics(&its_locale.metrics.block(index_in_locale)),
      recorder(its_locale.config.records()
                   ? std::make_unique<CoreRecorder>(
                         its_locale.config.trace.empty() ? 0 : its_locale.config.trace_bytes)
                   : nullptr),
      ledger(std::make_unique<Ledger>(*this)),
      ranges(std::make_unique<RangeBoard>(*this)),
      scheduler(std::make_unique<Scheduler>(*this, its_locale.config)) {}

Core::~Core() = default;

std::uint64_t Core::now() const {
  return locale.virtual_clock != nullptr ? locale.virtual_clock->now() : now_ns();
}

void Core::wake_thread() {
  if (parker != nullptr) parker->wake();
}

Locale::Locale(int locale_id, int locale_count, int cores_in_each, const Config& run_config)
    : id(locale_id),
      count(locale_count),
      cores_each(cores_in_each),
      config(run_config),
      metrics(cores_in_each + (has_comm_core() ? 1 : 0)) {
  for (int i = 0; i < cores_in_each; ++i) {
    cores.push_back(std::make_unique<Core>(locale_id * cores_in_each + i, i, *this));
  }
}

Locale::~Locale() = default;

}  // namespace grappa::internal
