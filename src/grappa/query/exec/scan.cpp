#include "grappa/query/exec/scan.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/table_file.hpp"
#include "grappa/query/table_memory.hpp"

namespace grappa::query {
namespace {

/// Whether a comparison of a column with a constant can be true for a value in the range.
bool may_hold(std::string_view name, const Range& range, Int128 value) {
  if (name == "=") return range.contains(value);
  if (name == "<") return range.least < value;
  if (name == "<=") return range.least <= value;
  if (name == ">") return range.greatest > value;
  if (name == ">=") return range.greatest >= value;
  return true;
}

/// A term that blocks are left out by.
struct RangeTerm {
  std::size_t column;  // of the table
  std::string_view name;
  Int128 value;
};

/// Columns that are read from the table's file while they are scanned.
class StreamedColumns {
 public:
  StreamedColumns(const Table& table, std::size_t group, const std::vector<std::size_t>& columns,
                  MemoryBudget* budget)
      : table_(table), group_(group), columns_(columns), charge_(budget) {
    for (const std::size_t column : columns) {
      readers_.push_back(table.file->read(group, column, DistinctCounting::kLeftOut));
      values_.emplace_back();
    }
  }

  void read(std::size_t block) {
    stop_if_cancelled();
    charge_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      values_[i] = read_again(*readers_[i], table_, group_, block, columns_[i]);
      charge_.add(bytes_of(values_[i], table_.blocks[block].rows));
    }
  }
  /// The i-th of them, until the next block is read.
  Vector vector(std::size_t i, std::size_t begin) const {
    Vector of_block = values_[i].vector(begin);
    of_block.texts_stay = false;
    return of_block;
  }

 private:
  const Table& table_;
  std::size_t group_;
  const std::vector<std::size_t>& columns_;
  std::vector<std::unique_ptr<ColumnReader>> readers_;
  std::vector<ColumnBlock> values_;
  MemoryCharge charge_;
};

class ScanSource final : public Source {
 public:
  ScanSource(std::shared_ptr<const Table> table, std::vector<std::size_t> columns,
             const ExpressionPtr& condition, const Layout& layout, const ScanContext& context)
      : table_(std::move(table)), columns_(std::move(columns)), context_(context) {
    make_pieces();
    if (!condition) return;
    for (const ExpressionPtr& term : conjuncts(condition)) add_term(*term, layout);
  }

  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= pieces_.size()) return false;
    Piece piece = pieces_[index];
    // What is streamed is read up to the last block that is needed.
    while (piece.begin < piece.end && !may_have_rows(table_->blocks[piece.end - 1]))
      count(table_->blocks[--piece.end].rows);
    if (piece.begin == piece.end) return true;
    StreamedColumns streamed(*table_, piece.group, streamed_, context_.budget);
    for (std::size_t b = piece.begin; b < piece.end; ++b) {
      streamed.read(b);
      const Block& block = table_->blocks[b];
      if (may_have_rows(block))
        push_block(block, streamed, to);
      else
        count(block.rows);
    }
    return true;
  }

 private:
  /// Blocks of a group.
  struct Piece {
    std::size_t begin;
    std::size_t end;
    std::size_t group;
  };

  /// One for each block; or, where something is streamed, for each group.
  void make_pieces() {
    const std::vector<Block>& blocks = table_->blocks;
    if (!blocks.empty())
      std::ranges::copy_if(columns_, std::back_inserter(streamed_), [&](std::size_t column) {
        return !blocks[0].columns[column].is_there();
      });
    if (streamed_.empty()) {
      for (std::size_t b = 0; b < blocks.size(); ++b) pieces_.push_back({b, b + 1, 0});
      return;
    }
    const TableFile& file = *table_->file;
    for (std::size_t group = 0; group < file.groups(); ++group)
      pieces_.push_back({file.begin_of(group), file.end_of(group), group});
  }

  void push_block(const Block& block, const StreamedColumns& streamed, Stage& to) {
    Batch batch;
    for (std::size_t begin = 0; begin < block.rows; begin += kBatchRows) {
      batch.rows = batch.count = std::min(kBatchRows, block.rows - begin);
      batch.selection = nullptr;
      batch.columns.clear();
      std::size_t read = 0;
      for (const std::size_t column : columns_) {
        const ColumnBlock& values = block.columns[column];
        batch.columns.push_back(values.is_there() ? values.vector(begin)
                                                  : streamed.vector(read++, begin));
      }
      to.push(batch);
      count(batch.rows);
    }
  }

  void count(std::size_t rows) {
    if (context_.progress != nullptr)
      context_.progress->done.fetch_add(static_cast<std::int64_t>(rows), std::memory_order_relaxed);
  }

  void add_term(const Expression& term, const Layout& layout) {
    if (term.kind != ExpressionKind::kCall || term.arguments.size() != 2) return;
    const Expression& left = *term.arguments[0];
    const Expression& right = *term.arguments[1];
    if (!left.is_column() || !right.is_constant() || right.value.is_null()) return;
    if (!left.type.is_counted()) return;
    terms_.push_back(
        {columns_[layout.place(left.column)], term.function->name, right.value.integer()});
  }

  bool may_have_rows(const Block& block) const {
    return std::ranges::all_of(terms_, [&](const RangeTerm& term) {
      const std::optional<Range>& range = block.columns[term.column].range;
      return !range || may_hold(term.name, *range, term.value);
    });
  }

  std::shared_ptr<const Table> table_;
  std::vector<std::size_t> columns_;
  ScanContext context_;
  std::vector<std::size_t> streamed_;  // of the columns: those that are not in memory
  std::vector<Piece> pieces_;
  std::vector<RangeTerm> terms_;
  std::atomic<std::size_t> next_{0};
};

class ValuesSource final : public Source {
 public:
  ValuesSource(std::vector<Expressions> rows, const std::vector<Type>& types)
      : rows_(std::move(rows)), types_(types) {}
  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t begin = next_.fetch_add(kBatchRows, std::memory_order_relaxed);
    if (begin >= rows_.size()) return false;
    Batch batch;
    batch.rows = batch.count = std::min(kBatchRows, rows_.size() - begin);
    std::vector<VectorBuffer> buffers(types_.begin(), types_.end());
    TextArena texts;
    for (std::size_t c = 0; c < buffers.size(); ++c) fill(c, begin, buffers[c], texts, batch);
    to.push(batch);
    return true;
  }

 private:
  void fill(std::size_t column, std::size_t begin, VectorBuffer& buffer, TextArena& texts,
            Batch& batch) const {
    const std::size_t count = batch.count;
    std::vector<Value> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(evaluate_constant(rows_[begin + i][column]));
    with_physical(buffer.type().physical(), [&]<class T>() {
      T* const to = buffer.values<T>(count);
      std::uint64_t* const valid = buffer.valid(count);
      for (std::size_t i = 0; i < count; ++i) {
        to[i] = T{};
        if (values[i].is_null())
          clear_bit(valid, i);
        else if constexpr (std::is_same_v<T, TextRef>)
          to[i] = texts.keep(values[i].template stored<T>());
        else
          to[i] = values[i].template stored<T>();
      }
    });
    batch.columns.push_back(buffer.vector(false));
  }

  std::vector<Expressions> rows_;
  std::vector<Type> types_;
  std::atomic<std::size_t> next_{0};
};

class CopyColumns final : public Stage {
 public:
  CopyColumns(std::vector<std::size_t> places, Stage& next)
      : places_(std::move(places)), next_(next) {}
  void push(Batch& batch) override {
    const std::size_t before = batch.columns.size();
    for (const std::size_t place : places_) {
      const Vector column = batch.columns[place];
      batch.columns.push_back(column);
    }
    next_.push(batch);
    batch.columns.resize(before);
  }

 private:
  std::vector<std::size_t> places_;
  Stage& next_;
};

class Filter final : public Stage {
 public:
  Filter(const ExpressionPtr& condition, const Layout& layout, Stage& next)
      : condition_(condition, layout.places()), next_(next) {}

  void push(Batch& batch) override {
    batch.count = condition_.select(batch, selected_.data());
    if (batch.count == 0) return;
    batch.selection = selected_.data();
    next_.push(batch);
  }

 private:
  Evaluator condition_;
  std::array<Position, kBatchRows> selected_;
  Stage& next_;
};

class Compute final : public Stage {
 public:
  Compute(const Expressions& expressions, const Layout& layout, Stage& next) : next_(next) {
    for (const ExpressionPtr& expression : expressions)
      evaluators_.emplace_back(expression, layout.places());
  }

  void push(Batch& batch) override {
    // None sees the columns that another one adds.
    const std::size_t before = batch.columns.size();
    batch.columns.reserve(before + evaluators_.size());
    for (Evaluator& evaluator : evaluators_) {
      Vector value = evaluator.evaluate(batch);
      batch.columns.push_back(value);
    }
    next_.push(batch);
    batch.columns.resize(before);
  }

 private:
  std::vector<Evaluator> evaluators_;
  Stage& next_;
};

/// Of all cores of a locale.
struct LimitState {
  std::atomic<std::int64_t> seen{0};
};

class Limit final : public Stage {
 public:
  Limit(std::shared_ptr<LimitState> state, std::int64_t offset, std::int64_t end,
        std::shared_ptr<std::atomic<bool>> enough, Stage& next)
      : state_(std::move(state)),
        offset_(offset),
        end_(end),
        enough_(std::move(enough)),
        next_(next) {}

  void push(Batch& batch) override {
    const auto count = static_cast<std::int64_t>(batch.count);
    const std::int64_t first = state_->seen.fetch_add(count, std::memory_order_relaxed);
    if (first + count >= end_) enough_->store(true, std::memory_order_relaxed);
    const std::int64_t from = std::clamp<std::int64_t>(offset_ - first, 0, count);
    const std::int64_t to = std::clamp<std::int64_t>(end_ - first, from, count);
    if (from == to) return;
    std::size_t kept = 0;
    for (std::int64_t i = from; i < to; ++i)
      selected_[kept++] = static_cast<Position>(batch.position(static_cast<std::size_t>(i)));
    batch.selection = selected_.data();
    batch.count = kept;
    next_.push(batch);
  }

 private:
  std::shared_ptr<LimitState> state_;
  std::int64_t offset_;
  std::int64_t end_;
  std::shared_ptr<std::atomic<bool>> enough_;
  std::array<Position, kBatchRows> selected_;
  Stage& next_;
};

}  // namespace

std::shared_ptr<Source> scan_source(std::shared_ptr<const Table> table,
                                    std::vector<std::size_t> columns,
                                    const ExpressionPtr& condition, const Layout& layout,
                                    const ScanContext& context) {
  return std::make_shared<ScanSource>(std::move(table), std::move(columns), condition, layout,
                                      context);
}

std::shared_ptr<Source> values_source(std::vector<Expressions> rows,
                                      const std::vector<Type>& types) {
  return std::make_shared<ValuesSource>(std::move(rows), types);
}

MakeStage copy_stage(std::vector<std::size_t> places) {
  return [places = std::move(places)](Stage& next, int) {
    return std::make_unique<CopyColumns>(places, next);
  };
}

MakeStage filter_stage(ExpressionPtr condition, Layout layout) {
  return [condition = std::move(condition), layout = std::move(layout)](Stage& next, int) {
    return std::make_unique<Filter>(condition, layout, next);
  };
}

MakeStage compute_stage(Expressions expressions, Layout layout) {
  return [expressions = std::move(expressions), layout = std::move(layout)](Stage& next, int) {
    return std::make_unique<Compute>(expressions, layout, next);
  };
}

MakeStage limit_stage(std::int64_t offset, std::int64_t limit,
                      std::shared_ptr<std::atomic<bool>> enough) {
  auto state = std::make_shared<LimitState>();
  const std::int64_t end = limit > INT64_MAX - offset ? INT64_MAX : offset + limit;
  return [state, offset, end, enough = std::move(enough)](Stage& next, int) {
    return std::make_unique<Limit>(state, offset, end, enough, next);
  };
}

}  // namespace grappa::query
