#include "grappa/query/exec/scan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "grappa/query/exec/row_layout.hpp"

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

class ScanSource final : public Source {
 public:
  ScanSource(std::shared_ptr<const Table> table, std::vector<std::size_t> columns,
             const ExpressionPtr& condition, const Layout& layout, Progress* progress)
      : table_(std::move(table)), columns_(std::move(columns)), progress_(progress) {
    if (!condition) return;
    for (const ExpressionPtr& term : conjuncts(condition)) add_term(*term, layout);
  }

  bool push_piece(int /*core*/, Stage& to) override {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= table_->blocks.size()) return false;
    const Block& block = table_->blocks[index];
    if (!may_have_rows(block)) {
      count(block.rows);
      return true;
    }
    Batch batch;
    for (std::size_t begin = 0; begin < block.rows; begin += kBatchRows) {
      batch.rows = batch.count = std::min(kBatchRows, block.rows - begin);
      batch.selection = nullptr;
      batch.columns.clear();
      for (const std::size_t column : columns_)
        batch.columns.push_back(block.columns[column].vector(begin));
      to.push(batch);
      count(batch.rows);
    }
    return true;
  }

 private:
  void count(std::size_t rows) {
    if (progress_ != nullptr)
      progress_->done.fetch_add(static_cast<std::int64_t>(rows), std::memory_order_relaxed);
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
  Progress* progress_;
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
                                    Progress* progress) {
  return std::make_shared<ScanSource>(std::move(table), std::move(columns), condition, layout,
                                      progress);
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
