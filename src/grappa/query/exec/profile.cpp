#include "grappa/query/exec/profile.hpp"

#include <utility>

#include "grappa/base/clock.hpp"

namespace grappa::query {

class Profile::CountStage final : public Stage {
 public:
  CountStage(Counter& counter, Stage& next) : counter_(counter), next_(next) {}
  void push(Batch& batch) override {
    rows_ += static_cast<std::int64_t>(batch.count);
    const std::uint64_t start = internal::now_ns();
    next_.push(batch);
    behind_ns_ += static_cast<std::int64_t>(internal::now_ns() - start);
  }
  void finish() override {
    counter_.rows += rows_;
    counter_.behind_ns += behind_ns_;
  }

 private:
  Counter& counter_;
  Stage& next_;
  std::int64_t rows_ = 0;
  std::int64_t behind_ns_ = 0;
};

class Profile::CountSource final : public Source {
 public:
  CountSource(std::shared_ptr<Source> source, std::shared_ptr<Counter> counter)
      : source_(std::move(source)), counter_(std::move(counter)) {}
  bool push_piece(int core, Stage& to) override {
    const std::uint64_t start = internal::now_ns();
    const bool more = source_->push_piece(core, to);
    counter_->source_ns += static_cast<std::int64_t>(internal::now_ns() - start);
    return more;
  }
  bool is_counted() const override { return true; }

 private:
  std::shared_ptr<Source> source_;
  std::shared_ptr<Counter> counter_;
};

std::shared_ptr<Profile::Counter> Profile::counter_of(const Relation& relation) {
  std::shared_ptr<Counter>& counter = counters_[&relation];
  if (!counter) counter = std::make_shared<Counter>();
  return counter;
}

void Profile::watch(const Relation& relation, Pipeline& pipeline) {
  const std::shared_ptr<Counter> counter = counter_of(relation);
  // A source that no operator below has is this one's.
  if (!pipeline.source->is_counted())
    pipeline.source = std::make_shared<CountSource>(pipeline.source, counter);
  pipeline.stages.push_back(
      [counter](Stage& next, int) { return std::make_unique<CountStage>(*counter, next); });
}

const Profile::Counter* Profile::find(const Relation& relation) const {
  const auto found = counters_.find(&relation);
  return found == counters_.end() ? nullptr : found->second.get();
}

std::int64_t Profile::rows(const Relation& relation) const {
  const Counter* const counter = find(relation);
  return counter == nullptr ? 0 : counter->rows.load();
}

std::int64_t Profile::spilled(const Relation& relation) const {
  const Counter* const counter = find(relation);
  return counter == nullptr ? 0 : counter->spilled.load();
}

std::int64_t Profile::memory(const Relation& relation) const {
  const Counter* const counter = find(relation);
  return counter == nullptr || !counter->memory
             ? 0
             : static_cast<std::int64_t>(counter->memory->peak());
}

MemoryBudget& Profile::memory_counter(const Relation& relation, MemoryBudget& of) {
  std::optional<MemoryBudget>& memory = counter_of(relation)->memory;
  if (!memory) memory.emplace(of);
  return *memory;
}

std::int64_t Profile::sent(const Relation& relation) const {
  const Counter* const counter = find(relation);
  return counter == nullptr ? 0 : counter->sent;
}

Profile::Sending::Sending(Profile& profile, const Relation& relation)
    : profile_(profile),
      counter_(profile.counter_of(relation)),
      outer_(std::exchange(profile.sending_, this)),
      before_(profile.sent_) {}

Profile::Sending::~Sending() {
  const std::int64_t all = profile_.sent_ - before_;
  counter_->sent += all - of_others_;
  if (outer_ != nullptr) outer_->of_others_ += all;
  profile_.sending_ = outer_;
}

std::shared_ptr<std::atomic<std::int64_t>> Profile::spilled_counter(const Relation& relation) {
  const std::shared_ptr<Counter> counter = counter_of(relation);
  return {counter, &counter->spilled};
}

double Profile::seconds(const Relation& relation) const {
  std::int64_t ns = 0;
  if (const Counter* const counter = find(relation)) ns += counter->source_ns - counter->behind_ns;
  for (const RelationPtr& input : relation.inputs)
    if (const Counter* const counter = find(*input)) ns += counter->behind_ns;
  return static_cast<double>(ns) * 1e-9;
}

}  // namespace grappa::query
