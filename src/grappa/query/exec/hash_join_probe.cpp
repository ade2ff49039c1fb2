// The probed side of a join: its rows find their partners.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/hash_join.hpp"
#include "grappa/query/exec/hashing.hpp"

namespace grappa::query {
namespace {

/// A batch whose rows have more partners than these is several pieces of work.
constexpr std::size_t kRoundsOfPiece = 16;
/// More buckets than these are fetched before they are looked at.
constexpr std::size_t kNearBuckets = std::size_t{1} << 16;

bool adds_columns(JoinKind kind) { return !needs_one(kind); }

}  // namespace

class ProbeStage final : public Stage {
 public:
  ProbeStage(HashJoin& join, const ProbeSpec& probe, Stage& next)
      : join_(join), key_places_(probe.keys), next_(next) {
    const JoinSpec& spec = join_.spec_;
    for (const Type& type : spec.right_types) buffers_.emplace_back(type);
    if (spec.condition) condition_.emplace(spec.condition, probe.condition_layout.places());
  }

  void push(Batch& batch) override {
    const JoinSpec& spec = join_.spec_;
    const std::size_t before = batch.columns.size();
    begin(batch);
    batch_ = &batch;
    // What was selected, as rounds narrow the selection of the batch.
    const std::size_t count = batch.count;
    const Position* const selection = batch.selection;
    std::size_t open = find_first();
    if (join_.bits_decide_) {
      for (std::size_t k = 0; k < open; ++k) met_[open_[k]] = 1;
      open = 0;
    }
    for (std::size_t round = 1; open > 0; ++round) {
      const std::size_t matches = next_partners(open);
      if (matches == 0) break;
      emit_round(matches);
      open = advance(matches);
      batch.columns.resize(before);
      batch.count = count;
      batch.selection = selection;
      if (round % kRoundsOfPiece == 0) cancellation_point();
    }
    batch.count = count;
    batch.selection = selection;
    if (shows_left(spec.kind) && adds_columns(spec.kind)) emit_without_partner();
    if (spec.kind == JoinKind::kSemi) emit_left(true);
    if (spec.kind == JoinKind::kAnti) emit_left(false);
    if (spec.kind == JoinKind::kMark) emit_marks();
    batch.columns.resize(before);
    batch.count = count;
    batch.selection = selection;
  }

 private:
  void begin(const Batch& batch) {
    keys_.clear();
    for (const std::size_t place : key_places_) keys_.push_back(batch.columns[place]);
    for (std::size_t i = 0; i < batch.count; ++i) met_[i] = 0;
  }

  bool is_null_key(std::size_t position) const {
    for (std::size_t k = 0; k < keys_.size(); ++k)
      if (!join_.spec_.null_is_equal[k] && !keys_[k].is_valid(position)) return true;
    return false;
  }
  bool keys_may_be_null() const {
    for (std::size_t k = 0; k < keys_.size(); ++k)
      if (!join_.spec_.null_is_equal[k] && keys_[k].valid != nullptr) return true;
    return false;
  }

  /// The first row of the chain of each row whose bucket may have its partner.
  std::size_t find_first() {
    std::size_t open = 0;
    if (join_.by_key_) {
      open = find_by_key();
    } else if (!join_.key_bits_.empty()) {
      open = join_.key_bits_.select(*batch_, keys_[0], open_.data());
      if (!join_.buckets_.empty()) open = find_some_by_hash(open);
    } else if (!join_.buckets_.empty()) {
      open = find_by_hash();
    }
    if (!keys_may_be_null()) return open;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < open; ++k) {
      const std::uint16_t i = open_[k];
      open_[kept] = i;
      kept += is_null_key(batch_->position(i)) ? 0 : 1;
    }
    return kept;
  }

  std::size_t find_by_hash() {
    hash_rows(*batch_, keys_, hashes_.data());
    return look_up(batch_->count, [](std::size_t k) { return static_cast<std::uint16_t>(k); });
  }

  /// Of those in open_.
  std::size_t find_some_by_hash(std::size_t open) {
    for (std::size_t k = 0; k < open; ++k)
      positions_[k] = static_cast<Position>(batch_->position(open_[k]));
    Batch some;
    some.rows = batch_->rows;
    some.count = open;
    some.selection = positions_.data();
    hash_rows(some, keys_, hashes_.data());
    return look_up(open, [this](std::size_t k) { return open_[k]; });
  }

  /// hashes_[k] is that of row number_of(k).
  template <class NumberOf>
  std::size_t look_up(std::size_t count, NumberOf number_of) {
    for (std::size_t k = 0; k < count; ++k)
      __builtin_prefetch(&join_.buckets_[join_.bucket_of(hashes_[k])]);
    std::size_t open = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint64_t bucket = join_.buckets_[join_.bucket_of(hashes_[k])];
      auto* const row = reinterpret_cast<std::byte*>(bucket & HashJoin::kAddress);
      const std::uint16_t i = number_of(k);
      rows_[i] = row;
      open_[open] = i;
      const bool may_have = (bucket & HashJoin::tag_of(hashes_[k])) != 0;
      if (may_have) __builtin_prefetch(row);
      open += may_have ? 1 : 0;
    }
    return open;
  }

  std::size_t find_by_key() {
    const std::size_t count = batch_->count;
    std::uint64_t* const places = hashes_.data();
    join_.key_places_.for_each(*batch_, keys_[0],
                               [places](std::size_t i, std::uint64_t place) { places[i] = place; });
    if (join_.buckets_.size() > kNearBuckets)
      for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&join_.buckets_[places[i]]);
    std::size_t open = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto* const row = reinterpret_cast<std::byte*>(join_.buckets_[places[i]]);
      rows_[i] = row;
      open_[open] = static_cast<std::uint16_t>(i);
      open += row != nullptr ? 1 : 0;
    }
    const bool needs_rows = join_.has_chains_.load(std::memory_order_relaxed) ||
                            !buffers_.empty() || shows_right(join_.spec_.kind);
    if (needs_rows)
      for (std::size_t k = 0; k < open; ++k) __builtin_prefetch(rows_[open_[k]]);
    return open;
  }

  /// Goes on along the chains until each row of open_ has a partner; those that have none are left
  /// out. Returns how many are in matches_, ascending.
  std::size_t next_partners(std::size_t open) {
    if (join_.by_key_) {
      std::copy_n(open_.begin(), open, matches_.begin());
      return open;
    }
    std::size_t matches = 0;
    while (open > 0) {
      std::size_t candidates = open;
      std::copy_n(open_.begin(), open, candidates_.begin());
      std::size_t others = 0;
      for (std::size_t k = 0; k < keys_.size() && candidates > 0; ++k)
        candidates = keep_equal(join_.layout_, k, keys_[k], *batch_, rows_.data(),
                                candidates_.data(), candidates, others_.data(), others);
      for (std::size_t k = 0; k < candidates; ++k) matches_[matches++] = candidates_[k];
      open = 0;
      for (std::size_t k = 0; k < others; ++k) {
        const std::uint16_t i = others_[k];
        rows_[i] = HashJoin::next_of(rows_[i]);
        open_[open] = i;
        if (rows_[i] != nullptr) __builtin_prefetch(rows_[i]);
        open += rows_[i] != nullptr ? 1 : 0;
      }
    }
    order_matches(matches);
    return matches;
  }

  /// Partners at different places of their chains were found one after the other.
  void order_matches(std::size_t matches) {
    const auto end = matches_.begin() + static_cast<std::ptrdiff_t>(matches);
    if (std::is_sorted(matches_.begin(), end)) return;
    const std::size_t count = batch_->count;
    if (matches * 16 < count) {
      std::sort(matches_.begin(), end);
      return;
    }
    std::fill_n(is_match_.begin(), count, std::uint8_t{0});
    for (std::size_t k = 0; k < matches; ++k) is_match_[matches_[k]] = 1;
    std::size_t at = 0;
    for (std::size_t i = 0; i < count && at < matches; ++i) {
      matches_[at] = static_cast<std::uint16_t>(i);
      at += is_match_[i];
    }
  }

  /// To the next row of the chains; without those that need no further partner.
  std::size_t advance(std::size_t matches) {
    if (join_.by_key_ && !join_.has_chains_.load(std::memory_order_relaxed)) return 0;
    std::size_t open = 0;
    const bool one_is_enough = needs_one(join_.spec_.kind);
    for (std::size_t k = 0; k < matches; ++k) {
      const std::uint16_t i = matches_[k];
      if (one_is_enough && met_[i] != 0) continue;
      rows_[i] = HashJoin::next_of(rows_[i]);
      if (rows_[i] != nullptr) open_[open++] = i;
    }
    return open;
  }

  /// Adds the columns of the partners to the batch and selects the rows that have one.
  void emit_round(std::size_t matches) {
    const JoinSpec& spec = join_.spec_;
    for (std::size_t k = 0; k < matches; ++k) {
      positions_[k] = static_cast<Position>(batch_->position(matches_[k]));
      partners_[k] = rows_[matches_[k]];
    }
    const bool shown = adds_columns(spec.kind) && spec.kind < JoinKind::kRightSemi;
    if (shown || condition_) add_right_columns(matches);
    std::size_t kept = matches;
    batch_->selection = positions_.data();
    batch_->count = matches;
    if (condition_) {
      kept = condition_->select(*batch_, selected_.data());
      batch_->selection = selected_.data();
      batch_->count = kept;
    }
    note_met(matches, kept);
    if (shown && kept > 0) next_.push(*batch_);
  }

  void add_right_columns(std::size_t matches) {
    for (std::size_t c = 0; c < buffers_.size(); ++c) {
      join_.layout_.read(join_.columns_[c], partners_.data(), matches, positions_.data(),
                         batch_->rows, buffers_[c]);
      batch_->columns.push_back(buffers_[c].vector(join_.spec_.rows_stay));
    }
  }

  /// Who of the matches has a partner that the condition holds for: those in the selection.
  void note_met(std::size_t matches, std::size_t kept) {
    const JoinKind kind = join_.spec_.kind;
    if (kind == JoinKind::kInner) return;
    const bool marks = shows_right(kind);
    std::size_t at = 0;
    for (std::size_t k = 0; k < matches && at < kept; ++k) {
      if (batch_->selection[at] != positions_[k]) continue;
      ++at;
      const std::uint16_t i = matches_[k];
      if (met_[i] != 0 && kind == JoinKind::kSingle)
        throw QueryError("a subquery that stands for one value has more than one row");
      met_[i] = 1;
      if (marks) {
        auto flag = join_.met(partners_[k]);
        if (flag.load(std::memory_order_relaxed) == 0) flag.store(1, std::memory_order_relaxed);
      }
    }
  }

  void emit_without_partner() {
    const std::size_t left = select_met(false);
    if (left == 0) return;
    for (VectorBuffer& buffer : buffers_) {
      const std::size_t bytes = batch_->rows * size_of(buffer.type().physical());
      std::memset(buffer.room(batch_->rows), 0, bytes);
      std::uint64_t* const valid = buffer.valid(batch_->rows);
      std::fill_n(valid, words_for_bits(batch_->rows), 0);
      batch_->columns.push_back(buffer.vector(true));
    }
    batch_->selection = selected_.data();
    batch_->count = left;
    next_.push(*batch_);
  }

  void emit_left(bool with_partner) {
    const std::size_t left = select_met(with_partner);
    if (left == 0) return;
    batch_->selection = selected_.data();
    batch_->count = left;
    next_.push(*batch_);
  }

  std::size_t select_met(bool with_partner) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < batch_->count; ++i) {
      selected_[kept] = static_cast<Position>(batch_->position(i));
      kept += (met_[i] != 0) == with_partner ? 1 : 0;
    }
    return kept;
  }

  void emit_marks() {
    std::uint8_t* const marks = mark_.values<std::uint8_t>(batch_->rows);
    for (std::size_t i = 0; i < batch_->count; ++i) marks[batch_->position(i)] = met_[i];
    batch_->columns.push_back(mark_.vector(true));
    next_.push(*batch_);
  }

  HashJoin& join_;
  std::vector<std::size_t> key_places_;
  Stage& next_;
  std::optional<Evaluator> condition_;
  std::vector<VectorBuffer> buffers_;
  VectorBuffer mark_{kBoolean};
  Batch* batch_ = nullptr;
  std::vector<Vector> keys_;
  std::array<std::uint64_t, kBatchRows> hashes_;
  std::array<std::byte*, kBatchRows> rows_;  // where each selected row is in its chain
  std::array<std::byte*, kBatchRows> partners_;
  std::array<std::uint16_t, kBatchRows> open_;
  std::array<std::uint16_t, kBatchRows> candidates_;
  std::array<std::uint16_t, kBatchRows> others_;
  std::array<std::uint16_t, kBatchRows> matches_;
  std::array<Position, kBatchRows> positions_;
  std::array<Position, kBatchRows> selected_;
  std::array<std::uint8_t, kBatchRows> is_match_;
  std::array<std::uint8_t, kBatchRows> met_;
};

MakeStage HashJoin::probe_stage(const std::shared_ptr<HashJoin>& join, const ProbeSpec& probe) {
  return
      [join, probe](Stage& next, int) { return std::make_unique<ProbeStage>(*join, probe, next); };
}

}  // namespace grappa::query
