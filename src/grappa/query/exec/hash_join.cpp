#include "grappa/query/exec/hash_join.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/hashing.hpp"

namespace grappa::query {
namespace {

/// A batch whose rows have more partners than these is several pieces of work.
constexpr std::size_t kRoundsOfPiece = 16;

/// Whether only the first partner counts.
bool needs_one(JoinKind kind) {
  return kind == JoinKind::kSemi || kind == JoinKind::kAnti || kind == JoinKind::kMark;
}
bool adds_columns(JoinKind kind) { return !needs_one(kind); }

/// Buckets of keys: so many for each row that is kept, or that stay in the caches.
constexpr std::size_t kMostKeysOfRow = 8;
constexpr std::size_t kFewKeys = std::size_t{1} << 14;
/// A bit for each key: 4 MiB of them.
constexpr std::size_t kMostKeyBits = std::size_t{1} << 25;
/// More buckets than these are fetched before they are looked at.
constexpr std::size_t kNearBuckets = std::size_t{1} << 16;

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
  BuildSink(HashJoin& join, std::size_t core)
      : join_(join), store_(*join.stores_[core]), range_(join.key_ranges_[core]) {}

  void push(Batch& batch) override {
    const JoinSpec& spec = join_.spec_;
    keys_.clear();
    for (const std::size_t place : spec.right_keys) keys_.push_back(batch.columns[place]);
    Batch some;
    // Rows that have no partner are kept where they are shown.
    if (!shows_right(spec.kind)) filter_.apply(batch, keys_, spec.null_is_equal, some);
    const Batch& kept = shows_right(spec.kind) ? batch : some;
    if (kept.count == 0) return;
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
  }

 private:
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
  RowStore& store_;
  HashJoin::KeyRange& range_;
  KeyFilter filter_;
  std::vector<Vector> keys_;
  std::array<std::uint64_t, kBatchRows> hashes_;
  std::array<std::byte*, kBatchRows> rows_;
};

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
    if (!join_.key_bits_.empty()) {
      open = join_.key_bits_.select(*batch_, keys_[0], open_.data());
      if (!join_.buckets_.empty()) open = find_some_by_hash(open);
    } else if (!join_.buckets_.empty()) {
      open = join_.by_key_ ? find_by_key() : find_by_hash();
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
      batch_->columns.push_back(buffers_[c].vector(true));
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

class RightRowsSource final : public Source {
 public:
  explicit RightRowsSource(std::shared_ptr<HashJoin> join) : join_(std::move(join)) {
    for (const auto& store : join_->stores_)
      for (const RowStore::Piece& piece : store->pieces()) pieces_.push_back(piece);
  }

  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= pieces_.size()) return false;
    const JoinSpec& spec = join_->spec_;
    const bool wanted = spec.kind == JoinKind::kRightSemi;
    std::array<std::byte*, kBatchRows> rows;
    std::size_t count = 0;
    const RowStore::Piece& piece = pieces_[index];
    for (std::size_t i = 0; i < piece.rows; ++i) {
      std::byte* const row = piece.begin + i * join_->layout_.row_bytes();
      if ((join_->met(row).load(std::memory_order_relaxed) != 0) != wanted) continue;
      rows[count++] = row;
      if (count == kBatchRows) {
        push(rows.data(), count, to);
        count = 0;
      }
    }
    if (count > 0) push(rows.data(), count, to);
    return true;
  }

 private:
  void push(std::byte* const* rows, std::size_t count, Stage& to) const {
    const JoinSpec& spec = join_->spec_;
    Batch batch;
    batch.rows = batch.count = count;
    std::vector<VectorBuffer> buffers;
    buffers.reserve(spec.left_types.size() + spec.right_types.size());
    if (spec.kind < JoinKind::kRightSemi) {
      for (const Type& type : spec.left_types) {
        VectorBuffer& buffer = buffers.emplace_back(type);
        std::memset(buffer.room(count), 0, count * size_of(type.physical()));
        std::fill_n(buffer.valid(count), words_for_bits(count), 0);
        batch.columns.push_back(buffer.vector(true));
      }
    }
    for (std::size_t c = 0; c < spec.right_types.size(); ++c) {
      VectorBuffer& buffer = buffers.emplace_back(spec.right_types[c]);
      join_->layout_.read(join_->columns_[c], rows, count, nullptr, count, buffer);
      batch.columns.push_back(buffer.vector(true));
    }
    to.push(batch);
  }

  std::shared_ptr<HashJoin> join_;
  std::vector<RowStore::Piece> pieces_;
  std::atomic<std::size_t> next_{0};
};

HashJoin::HashJoin(JoinSpec spec, int cores) : spec_(std::move(spec)) {
  has_integer_key_ =
      spec_.key_types.size() == 1 && is_integer(spec_.key_types[0]) && !spec_.null_is_equal[0];
  layout_.add_bytes(sizeof(std::byte*), 8);
  if (!has_integer_key_) layout_.add_bytes(sizeof(std::uint64_t), 8);
  for (const Type& type : spec_.key_types) layout_.add(type);
  for (std::size_t c = 0; c < spec_.right_types.size(); ++c) {
    const auto key = std::ranges::find(spec_.right_keys, spec_.right_columns[c]);
    columns_.push_back(key != spec_.right_keys.end()
                           ? static_cast<std::size_t>(key - spec_.right_keys.begin())
                           : layout_.add(spec_.right_types[c]));
  }
  if (shows_right(spec_.kind)) met_offset_ = layout_.add_bytes(1, 1);
  for (int core = 0; core < cores; ++core)
    stores_.push_back(std::make_unique<RowStore>(layout_.row_bytes()));
  key_ranges_.resize(stores_.size());
}

std::unique_ptr<Stage> HashJoin::build_sink(int core) {
  return std::make_unique<BuildSink>(*this, static_cast<std::size_t>(core));
}

std::size_t HashJoin::build_rows() const {
  std::size_t all = 0;
  for (const auto& store : stores_) all += store->rows();
  return all;
}

void HashJoin::make_buckets(std::size_t rows) {
  KeyRange all;
  for (const KeyRange& range : key_ranges_) {
    all.least = std::min(all.least, range.least);
    all.greatest = std::max(all.greatest, range.greatest);
  }
  const auto width =
      static_cast<std::uint64_t>(all.greatest) - static_cast<std::uint64_t>(all.least);
  const bool may_have_bits = has_integer_key_ && width < kMostKeyBits;
  const bool may_do_without = has_integer_key_ && !spec_.needs_filters;
  bits_decide_ = may_do_without && may_have_bits && needs_one(spec_.kind) && !spec_.condition;
  by_key_ = may_do_without && !bits_decide_ && width < std::max(kMostKeysOfRow * rows, kFewKeys);
  if (may_have_bits && !by_key_) key_bits_ = KeyBits(all.least, all.greatest);
  if (bits_decide_) return;
  if (by_key_) {
    key_places_ = KeyPlaces(all.least, width + 1);
    buckets_ = ZeroedWords(width + 2);
  } else {
    buckets_ = ZeroedWords(std::bit_ceil(std::max<std::size_t>(rows, 64)));
    mask_ = buckets_.size() - 1;
  }
}

void HashJoin::finish_build(const Team& team) {
  const std::size_t rows = build_rows();
  if (rows == 0) return;
  make_buckets(rows);
  std::vector<RowStore::Piece> pieces;
  for (const auto& store : stores_)
    for (const RowStore::Piece& piece : store->pieces()) pieces.push_back(piece);
  std::atomic<std::size_t> next{0};
  team.on_cores([&](int) {
    for (std::size_t index; (index = next.fetch_add(1)) < pieces.size();) {
      stop_if_cancelled();
      if (has_integer_key_)
        with_integer(spec_.key_types[0], [&]<class T>() { insert_by_key<T>(pieces[index]); });
      else
        insert_by_hash(pieces[index]);
    }
  });
}

void HashJoin::insert(std::byte* row, std::size_t bucket, std::uint64_t tag) {
  std::atomic_ref<std::uint64_t> place(buckets_[bucket]);
  std::uint64_t before = place.load(std::memory_order_relaxed);
  std::uint64_t after = 0;
  do {
    next_of(row) = reinterpret_cast<std::byte*>(before & kAddress);
    after = reinterpret_cast<std::uintptr_t>(row) | (before & ~kAddress) | tag;
  } while (!place.compare_exchange_weak(before, after, std::memory_order_release,
                                        std::memory_order_relaxed));
}

void HashJoin::insert_key(std::byte* row, std::int64_t key) {
  if (by_key_) {
    insert(row, key_places_.of(key), 0);
    return;
  }
  if (!key_bits_.empty()) key_bits_.insert(key);
  if (bits_decide_) return;
  const std::uint64_t hash = hash_value(key);
  insert(row, bucket_of(hash), tag_of(hash));
}

template <class T>
void HashJoin::insert_by_key(const RowStore::Piece& piece) {
  bool has_chains = false;
  for (std::size_t i = 0; i < piece.rows; ++i) {
    std::byte* const row = piece.begin + i * layout_.row_bytes();
    if (layout_.is_null(0, row)) continue;  // it has no partner
    next_of(row) = nullptr;
    insert_key(row, layout_.at<T>(0, row));
    has_chains |= next_of(row) != nullptr;
  }
  if (has_chains) has_chains_.store(true, std::memory_order_relaxed);
}

void HashJoin::insert_by_hash(const RowStore::Piece& piece) {
  for (std::size_t i = 0; i < piece.rows; ++i) {
    std::byte* const row = piece.begin + i * layout_.row_bytes();
    const std::uint64_t hash = hash_of(row);
    insert(row, bucket_of(hash), tag_of(hash));
  }
}

std::vector<PartnerFilter> HashJoin::partner_filters(const Team& team) const {
  std::vector<std::uint16_t> mine(buckets_.size());
  std::transform(buckets_.begin(), buckets_.end(), mine.begin(),
                 [](std::uint64_t bucket) { return static_cast<std::uint16_t>(bucket >> 48); });
  std::vector<PartnerFilter> filters;
  for (std::vector<std::uint16_t>& tags : team.gather(std::move(mine)))
    filters.emplace_back(std::move(tags));
  return filters;
}

MakeStage HashJoin::probe_stage(const std::shared_ptr<HashJoin>& join, const ProbeSpec& probe) {
  return
      [join, probe](Stage& next, int) { return std::make_unique<ProbeStage>(*join, probe, next); };
}
std::shared_ptr<Source> HashJoin::right_source(const std::shared_ptr<HashJoin>& join) {
  return std::make_shared<RightRowsSource>(join);
}

}  // namespace grappa::query
