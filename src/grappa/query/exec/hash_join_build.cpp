// The kept side of a join: what becomes of its batches.

#include <algorithm>
#include <array>

#include "grappa/query/exec/hash_join.hpp"
#include "grappa/query/exec/hashing.hpp"

namespace grappa::query {
namespace {

/// The selected rows none of whose keys is a NULL that equals nothing.
class KeyFilter {
 public:
  /// `some` is the batch, or one with fewer rows, in whose memory it is valid.
  void apply(const Batch& batch, const std::vector<Vector>& keys,
             const std::vector<bool>& null_equal, Batch& some) {
    some.rows = batch.rows;
    some.count = batch.count;
    some.selection = batch.selection;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (keys[k].valid == nullptr || null_equal[k]) continue;
      std::size_t kept = 0;
      some.for_each([&](std::size_t row) {
        selected_[kept] = static_cast<Position>(row);
        kept += keys[k].is_valid(row) ? 1 : 0;
      });
      some.selection = selected_.data();
      some.count = kept;
    }
  }

 private:
  std::array<Position, kBatchRows> selected_;
};

}  // namespace

class BuildSink final : public Stage {
 public:
  BuildSink(HashJoin& join, int core)
      : join_(join),
        core_(core),
        store_(*join.stores_[static_cast<std::size_t>(core)]),
        range_(join.key_ranges_[static_cast<std::size_t>(core)]) {
    if (join.memory_ && join.spec_.may_spill) most_bytes_ = join.memory_->of_core();
  }

  void push(Batch& batch) override {
    const JoinSpec& spec = join_.spec_;
    keys_.clear();
    for (const std::size_t place : spec.right_keys) keys_.push_back(batch.columns[place]);
    Batch some;
    // Rows that have no partner are kept where they are shown.
    if (!shows_right(spec.kind)) filter_.apply(batch, keys_, spec.null_is_equal, some);
    const Batch& kept = shows_right(spec.kind) ? batch : some;
    if (kept.count == 0) return;
    if (spill_) return push_to_file(batch, kept);
    store_.append(kept.count, rows_.data());
    if (join_.has_integer_key_) {
      note_keys(kept);
    } else {
      hash_rows(kept, keys_, hashes_.data());
      for (std::size_t i = 0; i < kept.count; ++i) HashJoin::hash_of(rows_[i]) = hashes_[i];
    }
    if (shows_right(spec.kind))
      for (std::size_t i = 0; i < kept.count; ++i) *(rows_[i] + join_.met_offset_) = std::byte{0};
    for (std::size_t k = 0; k < keys_.size(); ++k)
      join_.layout_.write(k, keys_[k], kept, rows_.data(), store_.texts());
    for (std::size_t c = 0; c < spec.right_columns.size(); ++c) {
      const std::size_t column = join_.columns_[c];
      if (column < keys_.size()) continue;
      join_.layout_.write(column, batch.columns[spec.right_columns[c]], kept, rows_.data(),
                          store_.texts());
    }
    if (store_.bytes() + kBytesOfBucket * store_.rows() > most_bytes_) begin_to_spill();
  }
  void finish() override {
    if (spill_) spill_->finish();
  }

 private:
  /// Of the table that will be made: up to two words for each row.
  static constexpr std::size_t kBytesOfBucket = 2 * sizeof(std::uint64_t);

  void begin_to_spill() {
    const JoinSpec& spec = join_.spec_;
    std::vector<std::size_t> places = spec.right_keys;
    for (std::size_t c = 0; c < spec.right_columns.size(); ++c)
      if (join_.columns_[c] >= spec.right_keys.size()) places.push_back(spec.right_columns[c]);
    join_.spill_core(core_);
    spill_ = join_.spilled().sink(core_, std::move(places));
  }
  void push_to_file(const Batch& batch, const Batch& kept) {
    Batch some = batch;
    some.count = kept.count;
    some.selection = kept.selection;
    spill_->push(some);
  }

  void note_keys(const Batch& kept) {
    const Vector& key = keys_[0];
    with_integer(key.type, [&]<class T>() {
      with_places(kept, key, [&, values = key.data<T>()](auto place_of) {
        T least = values[place_of(0)];
        T greatest = least;
        for (std::size_t i = 1; i < kept.count; ++i) {
          least = std::min(least, values[place_of(i)]);
          greatest = std::max(greatest, values[place_of(i)]);
        }
        range_.least = std::min(range_.least, std::int64_t{least});
        range_.greatest = std::max(range_.greatest, std::int64_t{greatest});
      });
    });
  }

  HashJoin& join_;
  int core_;
  RowStore& store_;
  HashJoin::KeyRange& range_;
  KeyFilter filter_;
  std::size_t most_bytes_ = SIZE_MAX;  // in memory
  std::unique_ptr<Stage> spill_;       // once there was more
  std::vector<Vector> keys_;
  std::array<std::uint64_t, kBatchRows> hashes_;
  std::array<std::byte*, kBatchRows> rows_;
};

std::unique_ptr<Stage> HashJoin::build_sink(int core) {
  return std::make_unique<BuildSink>(*this, core);
}

}  // namespace grappa::query
