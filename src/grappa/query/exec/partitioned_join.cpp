#include "grappa/query/exec/partitioned_join.hpp"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "grappa/base/text_values.hpp"

namespace grappa::query {
namespace {

/// Bytes that a row has in a HashJoin and not in the file: the next one, its hash, its bucket.
constexpr std::size_t kMoreBytesOfRow = 32;

/// Whether the left rows may probe the right ones in several goes: what each shows is of this go.
bool may_go_several_times(JoinKind kind) {
  return kind == JoinKind::kInner || kind >= JoinKind::kRight;
}

class PartitionedJoinSource final : public Source {
 public:
  PartitionedJoinSource(PartitionedJoin join, int cores)
      : join_(std::move(join)), cores_(static_cast<std::size_t>(cores)) {}

  bool push_piece(int core, Stage& to) override {
    const std::size_t partition = next_.fetch_add(1, std::memory_order_relaxed);
    if (partition >= kSpillPartitions) return false;
    show(*join_.right, *join_.left, partition, core, to);
    return true;
  }

 private:
  static std::size_t bytes_of_table(const PartitionedRows& right, std::size_t partition) {
    return right.bytes(partition) + kMoreBytesOfRow * right.rows(partition);
  }

  void show(const PartitionedRows& right, const PartitionedRows& left, std::size_t partition,
            int core, Stage& to) const {
    const std::size_t most = join_.memory->of_core();
    if (bytes_of_table(right, partition) > most && divides(right, left, partition, core, to))
      return;
    std::size_t piece = 0;
    do {
      piece = probe_some(right, left, partition, piece, most, core, to);
    } while (piece < right.pieces(partition));
  }

  /// Shows the partition in parts; false where all of its rows would be in one.
  bool divides(const PartitionedRows& right, const PartitionedRows& left, std::size_t partition,
               int core, Stage& to) const {
    if (right.level() == kMostSpillLevels) return false;
    std::unique_ptr<PartitionedRows> rights = right.divided(partition);
    for (std::size_t part = 0; part < kSpillPartitions; ++part)
      if (rights->rows(part) == right.rows(partition)) return false;
    const std::unique_ptr<PartitionedRows> lefts = left.divided(partition);
    for (std::size_t part = 0; part < kSpillPartitions; ++part)
      show(*rights, *lefts, part, core, to);
    return true;
  }

  /// Right rows from this piece on, as far as they fit; returns the first piece that does not.
  std::size_t probe_some(const PartitionedRows& right, const PartitionedRows& left,
                         std::size_t partition, std::size_t piece, std::size_t most, int core,
                         Stage& to) const {
    const bool is_first = piece == 0;
    const auto table = std::make_shared<HashJoin>(join_.spec, 1, join_.memory);
    const std::unique_ptr<Stage> build = table->build_sink(0);
    const std::size_t pieces = right.pieces(partition);
    const std::size_t rows_of_piece = pieces == 0 ? 0 : right.rows(partition) / pieces;
    for (std::size_t bytes = 0; piece < pieces; ++piece) {
      bytes += right.bytes_of_piece(partition, piece) + kMoreBytesOfRow * rows_of_piece;
      if (bytes > most && table->build_rows() > 0) break;
      right.push(partition, piece, *build);
    }
    if (!(is_first && piece == pieces) && !may_go_several_times(join_.spec.kind))
      refuse(right, partition, most);
    Team alone;
    table->finish_build(alone);
    const std::unique_ptr<Stage> probe = HashJoin::probe_stage(table, join_.probe)(to, core);
    left.push(partition, *probe);
    probe->finish();
    if (shows_right(join_.spec.kind)) {
      const std::shared_ptr<Source> rest = HashJoin::right_source(table);
      while (rest->push_piece(core, to)) {
      }
    }
    return piece;
  }

  [[noreturn]] void refuse(const PartitionedRows& right, std::size_t partition,
                           std::size_t most) const {
    const std::size_t needed = bytes_of_table(right, partition);
    throw QueryError(fmt::format(
        "a join has {} rows with one key, {} of memory more than may be used: allow {} more",
        right.rows(partition), grappa::internal::format_bytes(needed - most),
        grappa::internal::format_bytes(3 * cores_ * (needed - most))));
  }

  PartitionedJoin join_;
  std::size_t cores_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

std::shared_ptr<Source> partitioned_join_source(PartitionedJoin join, int cores) {
  return std::make_shared<PartitionedJoinSource>(std::move(join), cores);
}

}  // namespace grappa::query
