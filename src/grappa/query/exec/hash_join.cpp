#include "grappa/query/exec/hash_join.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/consecutive.hpp"
#include "grappa/query/exec/hashing.hpp"
#include "grappa/query/exec/row_reader.hpp"

namespace grappa::query {
namespace {

/// Buckets of keys: so many for each row that is kept, or that stay in the caches.
constexpr std::size_t kMostKeysOfRow = 8;
constexpr std::size_t kFewKeys = std::size_t{1} << 14;
/// A bit for each key: 4 MiB of them.
constexpr std::size_t kMostKeyBits = std::size_t{1} << 25;

}  // namespace

HashJoin::HashJoin(JoinSpec spec, int cores, OperatorMemoryPtr memory)
    : spec_(std::move(spec)), memory_(std::move(memory)) {
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
    stores_.push_back(std::make_unique<RowStore>(layout_.row_bytes(), budget_of(memory_)));
  key_ranges_.resize(stores_.size());
}

std::size_t HashJoin::build_rows() const {
  std::size_t all = 0;
  for (const auto& store : stores_) all += store->rows();
  return all;
}

bool HashJoin::has_room(std::size_t words) const {
  return !memory_ || words * sizeof(std::uint64_t) <= memory_->budget()->left() / 2;
}

bool HashJoin::make_buckets(std::size_t rows) {
  KeyRange all;
  for (const KeyRange& range : key_ranges_) {
    all.least = std::min(all.least, range.least);
    all.greatest = std::max(all.greatest, range.greatest);
  }
  const auto width =
      static_cast<std::uint64_t>(all.greatest) - static_cast<std::uint64_t>(all.least);
  const bool may_have_bits =
      has_integer_key_ && width < kMostKeyBits && has_room(words_for_bits(width + 2));
  const bool may_do_without = has_integer_key_ && !spec_.needs_filters;
  bits_decide_ = may_do_without && may_have_bits && needs_one(spec_.kind) && !spec_.condition;
  by_key_ = may_do_without && !bits_decide_ && width < std::max(kMostKeysOfRow * rows, kFewKeys) &&
            has_room(width);
  if (may_have_bits && (!by_key_ || spec_.needs_key_bits))
    key_bits_ = KeyBits(all.least, all.greatest, budget_of(memory_));
  if (bits_decide_) return true;
  std::size_t buckets = std::bit_ceil(std::max<std::size_t>(rows, 64));
  if (by_key_) {
    key_places_ = KeyPlaces(all.least, width + 1);
    buckets = width + 2;
  } else if (spec_.may_spill && !has_room(buckets)) {
    key_bits_ = {};
    return false;
  }
  buckets_ = ZeroedWords(buckets, budget_of(memory_));
  mask_ = buckets - 1;
  return true;
}

PartitionedRows& HashJoin::spilled() {
  return spilled_.get([this] {
    std::vector<Type> types;
    for (std::size_t i = 0; i < layout_.columns(); ++i) types.push_back(layout_.column(i).type);
    return std::make_unique<PartitionedRows>(memory_, types, consecutive(spec_.key_types.size()),
                                             static_cast<int>(stores_.size()));
  });
}

void HashJoin::spill_core(int core) {
  RowStore& store = *stores_[static_cast<std::size_t>(core)];
  const std::unique_ptr<Stage> sink = spilled().sink(core, consecutive(layout_.columns()));
  RowReader reader(layout_);
  for (const RowStore::Piece& rows : store.pieces()) reader.push(rows, false, *sink);
  store.clear();
}

void HashJoin::finish_build(const Team& team) {
  const std::size_t rows = build_rows();
  if (has_spilled() || (rows > 0 && !make_buckets(rows))) {
    team.on_cores([&](int core) {
      spill_core(core);
      spilled().finish(core);
    });
    return;
  }
  if (rows == 0) {
    if (spec_.needs_key_bits && has_integer_key_) key_bits_ = KeyBits(0, 0);
    return;
  }
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
  if (!key_bits_.empty()) key_bits_.insert(key);
  if (by_key_) insert(row, key_places_.of(key), 0);
  if (by_key_ || bits_decide_) return;
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
  // Rows in a file have no tags: any hash may have a partner there.
  std::vector<std::uint16_t> mine(has_spilled() ? 1 : buckets_.size(), UINT16_MAX);
  std::transform(buckets_.begin(), buckets_.end(), mine.begin(),
                 [](std::uint64_t bucket) { return static_cast<std::uint16_t>(bucket >> 48); });
  std::vector<PartnerFilter> filters;
  for (std::vector<std::uint16_t>& tags : team.gather(std::move(mine)))
    filters.emplace_back(std::move(tags));
  return filters;
}

}  // namespace grappa::query
