#pragma once

// Tells where the time of a core goes, in runs that record it.
//
//   const ActivityScope scope(&core, Activity::kAggregation);      // of what follows in this block
//
// Caveats: nothing within the scope may switch tasks, as what runs then is not what the scope says.
// Where nothing is recorded it costs two predicted branches, so it is for what takes some hundred
// nanoseconds or more.

#include "grappa/base/core_recorder.hpp"
#include "grappa/tasking/core.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {

class ActivityScope {
 public:
  /// `core`: null on a thread that drives none.
  ActivityScope(const Core* core, Activity activity)
      : recorder_(core == nullptr ? nullptr : core->recorder.get()) {
    if (recorder_ != nullptr) [[unlikely]]
      begin(*core, activity);
  }
  ~ActivityScope() {
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->enter(before_, name_);
  }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  void begin(const Core& core, Activity activity) {
    before_ = recorder_->current();
    if (before_ == Activity::kProgram) {
      name_ = core.scheduler->current().task;
      recorder_->name(name_);
    } else if (before_ == Activity::kIdle) {
      before_ = Activity::kScheduling;
    }
    recorder_->enter(activity);
  }

  CoreRecorder* recorder_;
  Activity before_ = Activity::kScheduling;
  TraceName name_;
};

/// As ActivityScope, for looking whether there is something to do: a core without work goes on
/// being idle meanwhile.
class LookScope {
 public:
  LookScope(const Core& core, Activity activity)
      : scope_(core.recorder == nullptr || core.recorder->current() == Activity::kIdle ? nullptr
                                                                                       : &core,
               activity) {}

 private:
  ActivityScope scope_;
};

}  // namespace grappa::internal
