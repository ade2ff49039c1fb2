#pragma once

// Joins: the rows of one side are kept in a hash table, those of the other find their partners.
//
//   auto join = std::make_shared<HashJoin>(spec, team.cores);
//   run(team, build, [&](int core) { return join->build_sink(core); });
//   join->finish_build(team);
//   probe.stages.push_back(HashJoin::probe_stage(join, probe_spec));
//
// The probed side is the left one. Without keys every row is everybody's partner, and the condition
// decides. A bucket is a chain of rows; beside its address a bucket has sixteen bits of which each
// row in it sets one, so that most rows without a partner end there (V. Leis et al., SIGMOD 2014,
// 4.2). Partners come in rounds: in the n-th, each row that has so many meets its n-th partner, and
// the left columns stay where they are.
//
// Where the key is one integer, and the kept rows have many of those between the least and the
// greatest one, a bucket is what has one key: nothing is hashed or compared, and rows that lie in
// the order of their keys find their partners side by side. Where they have some, a bit for each
// integer tells what has a partner, and nothing else is hashed. These bits leave out rows before
// they come to the join, too: where they are read from a table (key_filter.hpp).
//
// Where the kept rows do not fit into the memory that there is, all of them go to partitions in a
// file: partitioned_join.hpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "grappa/query/exec/key_bits.hpp"
#include "grappa/query/exec/made_once.hpp"
#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/partitioned_rows.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/exec/zeroed_words.hpp"

namespace grappa::query {

enum class JoinKind : std::uint8_t {
  kInner,
  kLeft,       // and left rows without a partner
  kFull,       // and right ones, too
  kSemi,       // left rows that have a partner
  kAnti,       // left rows that have none
  kMark,       // all left rows, with a boolean: whether they have one
  kSingle,     // as kLeft, and a second partner is an error
  kRight,      // inner, and right rows without a partner
  kRightSemi,  // right rows that have a partner
  kRightAnti,  // right rows that have none
};

/// Whether it gives left rows that have no partner, or right ones once.
inline bool shows_left(JoinKind kind) {
  return kind == JoinKind::kLeft || kind == JoinKind::kFull || kind == JoinKind::kAnti ||
         kind == JoinKind::kMark || kind == JoinKind::kSingle;
}
inline bool shows_right(JoinKind kind) {
  return kind == JoinKind::kFull || kind >= JoinKind::kRight;
}

/// Whether only the first partner counts.
inline bool needs_one(JoinKind kind) {
  return kind == JoinKind::kSemi || kind == JoinKind::kAnti || kind == JoinKind::kMark;
}

struct JoinSpec {
  JoinKind kind = JoinKind::kInner;
  /// Places in the batches of the right side; of the types key_types.
  std::vector<std::size_t> right_keys{};
  /// By key: whether NULL is a partner of NULL.
  std::vector<bool> null_is_equal{};
  std::vector<Type> key_types{};
  /// What of the right side is added to the batches of the left: places there.
  std::vector<std::size_t> right_columns{};
  std::vector<Type> right_types{};
  std::vector<Type> left_types{};  // kRight, kFull: of all left columns, which are NULL
  /// Whether partner_filters() will be asked for: there is a bucket for each hash.
  bool needs_filters = false;
  /// Whether key_bits() will be asked for.
  bool needs_key_bits = false;
  /// Whether what it keeps is there until the query ends.
  bool rows_stay = true;
  /// Whether rows that do not fit into memory go to a file.
  bool may_spill = true;
  /// Over batches of the left side with the added columns; may be nothing.
  ExpressionPtr condition{};
};

/// Where the probed side has what is needed.
struct ProbeSpec {
  std::vector<std::size_t> keys{};  // places, in the order of right_keys
  Layout condition_layout{};        // with the added columns
};

/// Which hashes may have a partner among the rows that are kept: all that have one, and about one
/// of sixteen others.
class PartnerFilter {
 public:
  PartnerFilter() = default;
  explicit PartnerFilter(std::vector<std::uint16_t> tags) : tags_(std::move(tags)) {}
  bool may_have(std::uint64_t hash) const {
    return !tags_.empty() && (tags_[bucket_of(hash, tags_.size() - 1)] >> (hash >> 60) & 1) != 0;
  }
  static std::size_t bucket_of(std::uint64_t hash, std::size_t mask) { return (hash >> 20) & mask; }

 private:
  std::vector<std::uint16_t> tags_;  // of the buckets
};

class HashJoin {
 public:
  /// `memory`: what it may keep, where queries are bounded.
  HashJoin(JoinSpec spec, int cores, OperatorMemoryPtr memory = nullptr);

  std::unique_ptr<Stage> build_sink(int core);
  /// Makes the table, once all rows are there, unless they do not fit.
  void finish_build(const Team& team);
  std::size_t build_rows() const;
  const JoinSpec& spec() const { return spec_; }
  /// After finish_build(): its rows are in a file, and it is good for nothing else. They have the
  /// keys, then those of the right columns that are no keys.
  bool has_spilled() const { return spilled_.made() != nullptr; }
  std::unique_ptr<PartitionedRows> take_spilled() { return spilled_.take(); }
  /// Where right_columns are among them.
  const std::vector<std::size_t>& spilled_columns() const { return columns_; }
  /// After finish_build(): which integers have a partner; empty where that is not known.
  const KeyBits& key_bits() const { return key_bits_; }
  /// Of each locale, once all have their tables. By the leaders of all locales.
  std::vector<PartnerFilter> partner_filters(const Team& team) const;

  /// Its batches have the columns of the left side, then those of the right, or the mark. Those
  /// kinds that show right rows only (kRightSemi, kRightAnti) push nothing.
  static MakeStage probe_stage(const std::shared_ptr<HashJoin>& join, const ProbeSpec& probe);
  /// After all have probed: of kFull and kRight the right rows without a partner, with NULL on the
  /// left; of kRightSemi and kRightAnti their rows.
  static std::shared_ptr<Source> right_source(const std::shared_ptr<HashJoin>& join);

 private:
  friend class ProbeStage;
  friend class BuildSink;
  friend class RightRowsSource;

  static constexpr std::uint64_t kAddress = (std::uint64_t{1} << 48) - 1;
  static std::uint64_t tag_of(std::uint64_t hash) {
    return std::uint64_t{1} << (48 + (hash >> 60));
  }
  static std::byte*& next_of(std::byte* row) { return *reinterpret_cast<std::byte**>(row); }
  static std::uint64_t& hash_of(std::byte* row) {
    return *reinterpret_cast<std::uint64_t*>(row + 8);
  }

  /// The keys that a core has kept, as far as they are one integer.
  struct KeyRange {
    std::int64_t least = INT64_MAX;
    std::int64_t greatest = INT64_MIN;
  };
  /// Chooses what buckets are: of hashes, or of keys. False where there is no memory for them.
  bool make_buckets(std::size_t rows);
  bool has_room(std::size_t words) const;
  PartitionedRows& spilled();
  /// What a core has kept goes to the file.
  void spill_core(int core);
  void insert(std::byte* row, std::size_t bucket, std::uint64_t tag);
  void insert_key(std::byte* row, std::int64_t key);
  template <class T>
  void insert_by_key(const RowStore::Piece& piece);
  void insert_by_hash(const RowStore::Piece& piece);
  /// Whether it has a partner; several cores set it.
  std::atomic_ref<std::uint8_t> met(std::byte* row) const {
    return std::atomic_ref(*reinterpret_cast<std::uint8_t*>(row + met_offset_));
  }
  std::size_t bucket_of(std::uint64_t hash) const { return PartnerFilter::bucket_of(hash, mask_); }

  JoinSpec spec_;
  OperatorMemoryPtr memory_;
  RowLayout layout_;  // next, hash unless the key is an integer, keys, columns that are no keys
  std::vector<std::size_t> columns_;  // of the layout, for each of right_columns
  std::size_t met_offset_ = 0;
  std::vector<std::unique_ptr<RowStore>> stores_;  // [cores]
  bool has_integer_key_ = false;                   // one, and NULL is nobody's partner
  std::vector<KeyRange> key_ranges_;               // [cores]
  /// By hash; or by key, and behind them one without rows.
  ZeroedWords buckets_;
  std::size_t mask_ = 0;
  bool by_key_ = false;
  KeyPlaces key_places_;
  std::atomic<bool> has_chains_{false};  // whether a bucket of integers has several rows
  /// Of integers that are near enough: which there are. Not by key, unless somebody asks.
  KeyBits key_bits_;
  bool bits_decide_ = false;  // there are no buckets: what has a bit has a partner
  MadeOnce<PartitionedRows> spilled_;
};

}  // namespace grappa::query
