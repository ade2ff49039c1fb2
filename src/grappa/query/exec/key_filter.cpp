#include "grappa/query/exec/key_filter.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace grappa::query {
namespace {

class FilterByKeys final : public Stage {
 public:
  FilterByKeys(const KeyBits& keys, std::size_t place, Stage& next)
      : keys_(keys), place_(place), next_(next) {}

  void push(Batch& batch) override {
    if (seen_ < kTrialRows || passed_ * 4 < seen_ * 3) select(batch);
    if (batch.count > 0) next_.push(batch);
  }

 private:
  static constexpr std::size_t kTrialRows = 16 * kBatchRows;

  void select(Batch& batch) {
    const std::size_t kept = keys_.select(batch, batch.columns[place_], chosen_.data());
    seen_ += batch.count;
    passed_ += kept;
    if (kept == batch.count) return;
    for (std::size_t k = 0; k < kept; ++k)
      selected_[k] = static_cast<Position>(batch.position(chosen_[k]));
    batch.selection = selected_.data();
    batch.count = kept;
  }

  const KeyBits& keys_;
  std::size_t place_;
  Stage& next_;
  std::size_t seen_ = 0;
  std::size_t passed_ = 0;
  std::array<std::uint16_t, kBatchRows> chosen_;
  std::array<Position, kBatchRows> selected_;
};

}  // namespace

bool compares_no_texts(const Expression& condition) {
  return !condition.type.is_text() &&
         std::ranges::all_of(condition.arguments,
                             [](const ExpressionPtr& of) { return compares_no_texts(*of); });
}

MakeStage key_filter_stage(std::shared_ptr<const HashJoin> join, std::size_t place) {
  return [join = std::move(join), place](Stage& next, int) {
    return std::make_unique<FilterByKeys>(join->key_bits(), place, next);
  };
}

}  // namespace grappa::query
