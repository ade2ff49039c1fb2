#include "grappa/query/exec/executor.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "grappa/query/exec/aggregate.hpp"
#include "grappa/query/exec/group_table.hpp"
#include "grappa/query/exec/hash_join.hpp"
#include "grappa/query/exec/key_filter.hpp"
#include "grappa/query/exec/partitioned_join.hpp"
#include "grappa/query/exec/profile.hpp"
#include "grappa/query/exec/row_exchange.hpp"
#include "grappa/query/exec/scan.hpp"
#include "grappa/query/exec/set_operation.hpp"
#include "grappa/query/exec/sort.hpp"
#include "grappa/query/exec/window.hpp"
#include "grappa/query/plan/estimate.hpp"

namespace grappa::query {
namespace {

std::vector<ColumnId> numbers_of(const Expressions& columns) {
  std::vector<ColumnId> numbers;
  for (const ExpressionPtr& of : columns) numbers.push_back(of->column);
  return numbers;
}

bool only_of(const Expression& expression, const Relation& relation) {
  const std::set<ColumnId> given = columns_of(relation);
  const std::set<ColumnId> used = columns_of(expression);
  return std::ranges::all_of(used, [&](ColumnId c) { return given.contains(c); });
}

/// The condition of a join in two parts: keys that are equal, and the rest.
struct SplitCondition {
  Expressions left;
  Expressions right;
  std::vector<bool> null_is_equal;
  Expressions others;
};

SplitCondition split(const Relation& relation) {
  SplitCondition made;
  for (const ExpressionPtr& term : conjuncts(relation.condition)) {
    if (term->is_true()) continue;
    const bool is_call = term->kind == ExpressionKind::kCall;
    const bool equal = is_call && term->function->name == "=";
    const bool same = is_call && term->function->name == "is not distinct from";
    if (equal || same) {
      ExpressionPtr a = term->arguments[0];
      ExpressionPtr b = term->arguments[1];
      const Relation& left = *relation.inputs[0];
      const Relation& right = *relation.inputs[1];
      if (only_of(*a, right) && only_of(*b, left)) std::swap(a, b);
      const bool both = !columns_of(*a).empty() && !columns_of(*b).empty();
      if (both && only_of(*a, left) && only_of(*b, right)) {
        made.left.push_back(a);
        made.right.push_back(b);
        made.null_is_equal.push_back(same);
        continue;
      }
    }
    made.others.push_back(term);
  }
  return made;
}

bool shows_column(const Relation& relation, ColumnId column) {
  return std::ranges::any_of(relation.columns,
                             [&](const ExpressionPtr& of) { return of->column == column; });
}

/// Whether it costs less than to look for a key: it compares no texts.
bool is_cheap(const Expression& condition) {
  return !condition.type.is_text() &&
         std::ranges::all_of(condition.arguments, [](const auto& of) { return is_cheap(*of); });
}

/// Whether there is something on the way to the rows that is spared where fewer come.
bool is_dear(const Relation& relation) {
  if (relation.kind == RelationKind::kJoin) return true;
  if (relation.kind == RelationKind::kFilter && !is_cheap(*relation.condition)) return true;
  return (relation.kind == RelationKind::kFilter || relation.kind == RelationKind::kProject) &&
         is_dear(*relation.inputs[0]);
}

/// 0, 1, … for each of them.
std::vector<std::size_t> all_of_these(const std::vector<std::size_t>& places) {
  std::vector<std::size_t> all(places.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

class CallSink final : public Stage {
 public:
  CallSink(std::vector<std::size_t> places, const std::function<void(const Batch&)>& take)
      : places_(std::move(places)), take_(take) {}
  void push(Batch& batch) override {
    shown_.rows = batch.rows;
    shown_.count = batch.count;
    shown_.selection = batch.selection;
    shown_.columns.clear();
    for (const std::size_t place : places_) shown_.columns.push_back(batch.columns[place]);
    take_(shown_);
  }

 private:
  std::vector<std::size_t> places_;
  const std::function<void(const Batch&)>& take_;
  Batch shown_;
};

/// The sources of several pipelines, one after the other; each with its stages.
class ChainedSource final : public Source {
 public:
  /// `in_turn`: a pipeline begins when all cores are through with the one before; the core that is
  /// the last one there goes on alone.
  ChainedSource(std::vector<Pipeline> pipelines, std::vector<std::vector<std::size_t>> places,
                int cores, bool in_turn)
      : pipelines_(std::move(pipelines)),
        places_(std::move(places)),
        chains_(static_cast<std::size_t>(cores)),
        left_(in_turn ? cores : 0) {}

  bool push_piece(int core, Stage& to) override {
    Chain& chain = chains_[static_cast<std::size_t>(core)];
    while (chain.pipeline < pipelines_.size()) {
      const Pipeline& pipeline = pipelines_[chain.pipeline];
      if (chain.stages.empty()) {
        chain.stages.push_back(std::make_unique<Rearrange>(places_[chain.pipeline], to));
        for (std::size_t i = pipeline.stages.size(); i-- > 0;)
          chain.stages.push_back(pipeline.stages[i](*chain.stages.back(), core));
      }
      // One that is ordered has one core, whoever comes first.
      if (pipeline.source->push_piece(core, *chain.stages.back())) return true;
      for (std::size_t i = chain.stages.size(); i-- > 0;) chain.stages[i]->finish();
      chain.stages.clear();
      ++chain.pipeline;
      if (left_ > 0 && left_.fetch_sub(1) > 1) chain.pipeline = pipelines_.size();
    }
    return false;
  }

 private:
  class Rearrange final : public Stage {
   public:
    Rearrange(const std::vector<std::size_t>& places, Stage& next) : places_(places), next_(next) {}
    void push(Batch& batch) override {
      Batch shown;
      shown.rows = batch.rows;
      shown.count = batch.count;
      shown.selection = batch.selection;
      for (const std::size_t place : places_) shown.columns.push_back(batch.columns[place]);
      next_.push(shown);
    }

   private:
    const std::vector<std::size_t>& places_;
    Stage& next_;
  };
  struct Chain {
    std::size_t pipeline = 0;
    std::vector<std::unique_ptr<Stage>> stages;
  };

  std::vector<Pipeline> pipelines_;
  std::vector<std::vector<std::size_t>> places_;
  std::vector<Chain> chains_;
  std::atomic<int> left_;  // cores in the first pipeline, where they go in turn
};

}  // namespace

std::vector<Type> types_of(const Expressions& expressions) {
  std::vector<Type> types;
  for (const ExpressionPtr& expression : expressions) types.push_back(expression->type);
  return types;
}

std::vector<std::size_t> Executor::places_of(Pipeline& pipeline, const Expressions& expressions) {
  Expressions computed;
  std::vector<std::size_t> places;
  std::size_t next = pipeline.layout.size();
  for (const ExpressionPtr& expression : expressions) {
    if (expression->is_column()) {
      places.push_back(pipeline.layout.place(expression->column));
    } else {
      computed.push_back(expression);
      places.push_back(next++);
    }
  }
  if (!computed.empty()) {
    pipeline.stages.push_back(compute_stage(computed, pipeline.layout));
    // Nobody refers to them by a number.
    for (std::size_t i = 0; i < computed.size(); ++i) pipeline.layout.add(-1);
  }
  return places;
}

std::shared_ptr<Rows> Executor::keep(const Pipeline& pipeline,
                                     const std::vector<std::size_t>& places,
                                     const std::vector<Type>& types, OperatorMemoryPtr memory) {
  auto rows = std::make_shared<Rows>(types, team_.cores, std::move(memory));
  run(team_, pipeline, [&](int core) { return rows->sink(core, places); });
  return rows;
}

Pipeline Executor::from_rows(std::shared_ptr<const Rows> rows, const Expressions& columns,
                             const Expressions& more) {
  Pipeline made;
  made.layout = Layout(numbers_of(columns));
  for (std::size_t i = 0; i < more.size(); ++i) made.layout.add(-1);
  made.source = rows_source(std::move(rows));
  keep_texts(made.source, columns);
  keep_texts(made.source, more);
  return made;
}

Pipeline Executor::gathered(Pipeline pipeline, const Expressions& columns,
                            OperatorMemoryPtr memory) {
  if (team_.locales == 1) return pipeline;
  const std::vector<std::size_t> places = places_of(pipeline, columns);
  const std::shared_ptr<Rows> rows = keep(pipeline, places, types_of(columns), std::move(memory));
  gather(team_, *rows);
  return from_rows(rows, columns);
}

Pipeline Executor::at_owners(Pipeline pipeline, const Expressions& columns, const Expressions& keys,
                             OperatorMemoryPtr memory, const StayingRows* staying) {
  if (team_.locales == 1) return pipeline;
  Expressions kept = columns;
  kept.insert(kept.end(), keys.begin(), keys.end());
  const std::vector<std::size_t> places = places_of(pipeline, kept);
  std::vector<std::size_t> key_places(keys.size());
  std::iota(key_places.begin(), key_places.end(), columns.size());
  return from_rows(
      partitioned(team_, pipeline, places, types_of(kept), key_places, std::move(memory), staying),
      columns, keys);
}

OperatorMemoryPtr Executor::memory_of(const Relation& relation) const {
  if (team_.memory == nullptr) return nullptr;
  return std::make_shared<const OperatorMemory>(
      *team_.memory, team_.cores,
      profile_ == nullptr ? nullptr : profile_->spilled_counter(relation));
}

Executor::Open Executor::open(const RelationPtr& relation, const Expressions& columns) {
  Open made{compile(relation), {}};
  made.places = places_of(made.pipeline, columns);
  return made;
}

std::shared_ptr<Rows> Executor::collect(const RelationPtr& relation, const Expressions& columns) {
  const Open made = open(relation, columns);
  return keep(made.pipeline, made.places, types_of(columns), memory_of(*relation));
}

void Executor::push(const RelationPtr& relation, const Expressions& columns,
                    const std::function<void(const Batch&)>& take) {
  std::optional<Profile::Sending> sending;
  if (profile_ != nullptr) sending.emplace(*profile_, *relation);
  Open made = open(relation, columns);
  if (!made.pipeline.is_ordered) {
    // All cores compute, then one shows.
    const std::shared_ptr<Rows> rows =
        keep(made.pipeline, made.places, types_of(columns), memory_of(*relation));
    gather(team_, *rows);
    made.pipeline = Pipeline{.source = rows_source(rows), .is_ordered = true};
    for (std::size_t i = 0; i < columns.size(); ++i) made.places[i] = i;
  }
  run(team_, made.pipeline, [&](int) { return std::make_unique<CallSink>(made.places, take); });
}

Pipeline Executor::compile(const RelationPtr& relation, const AllKnownKeys& known) {
  std::optional<Profile::Sending> sending;
  if (profile_ != nullptr) sending.emplace(*profile_, *relation);
  Pipeline made = compile_kind(relation, known);
  if (profile_ != nullptr) profile_->watch(*relation, made);
  keep_texts(made.source, relation->columns);
  return made;
}

void Executor::keep_texts(const std::shared_ptr<const void>& owner, const Expressions& columns) {
  if (std::ranges::any_of(columns, [](const auto& of) { return of->type.is_text(); }))
    kept_.push_back(owner);
}

Pipeline Executor::compile_kind(const RelationPtr& relation, const AllKnownKeys& known) {
  switch (relation->kind) {
    case RelationKind::kScan:
      return compile_scan(*relation, known);
    case RelationKind::kValues:
      return compile_values(*relation);
    case RelationKind::kFilter:
      return compile_filter(*relation, known);
    case RelationKind::kProject:
      return compile_project(*relation, known);
    case RelationKind::kJoin:
      return compile_join(*relation, known);
    case RelationKind::kAggregate:
      return compile_aggregate(*relation);
    case RelationKind::kWindow:
      return compile_window(*relation);
    case RelationKind::kSort:
      return compile_sort(*relation, relation->limit);
    case RelationKind::kLimit:
      return compile_limit(*relation);
    case RelationKind::kUnion:
      return compile_union(*relation);
    case RelationKind::kIntersect:
    case RelationKind::kExcept:
      return compile_intersection(*relation);
    case RelationKind::kShared:
      return compile_shared(relation);
    case RelationKind::kFixpoint:
      return compile_fixpoint(*relation);
    case RelationKind::kRecurring:
      return compile_recurring(*relation);
  }
  __builtin_unreachable();
}

Pipeline Executor::compile_scan(const Relation& relation, const AllKnownKeys& known) {
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  made.source = scan_source(relation.table, relation.table_columns, relation.condition, made.layout,
                            {.progress = team_.progress,
                             .budget = team_.memory == nullptr ? nullptr : &team_.memory->budget});
  leave_out(made, relation, known);
  return made;
}

/// What leaves out most comes first.
void Executor::leave_out(Pipeline& pipeline, const Relation& scan, const AllKnownKeys& known) {
  std::vector<std::pair<double, const KnownKeys*>> by_part;
  for (const KnownKeys& keys : known) {
    for (std::size_t i = 0; i < scan.columns.size(); ++i) {
      if (scan.columns[i]->column != keys.column) continue;
      const double all = scan.table->columns[scan.table_columns[i]].facts.distinct;
      by_part.emplace_back(static_cast<double>(keys.join->key_bits().count()) / std::max(all, 1.0),
                           &keys);
    }
  }
  std::ranges::stable_sort(by_part, {}, [](const auto& of) { return of.first; });
  for (const auto& [part, keys] : by_part)
    pipeline.stages.push_back(key_filter_stage(keys->join, pipeline.layout.place(keys->column)));
}

Pipeline Executor::compile_values(const Relation& relation) {
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  // Each row once.
  made.source = values_source(team_.locale == 0 ? relation.rows : std::vector<Expressions>{},
                              types_of(relation.columns));
  return made;
}

Pipeline Executor::compile_filter(const Relation& relation, const AllKnownKeys& known) {
  const Relation& input = *relation.inputs[0];
  const bool filters_first = input.kind == RelationKind::kScan && is_cheap(*relation.condition);
  Pipeline made = compile(relation.inputs[0], filters_first ? AllKnownKeys{} : known);
  made.stages.push_back(filter_stage(relation.condition, made.layout));
  if (filters_first) leave_out(made, input, known);
  return made;
}

Pipeline Executor::compile_project(const Relation& relation, const AllKnownKeys& known) {
  AllKnownKeys below = known;
  for (KnownKeys& keys : below)
    for (const Computed& one : relation.computed)
      if (one.column->column == keys.column && one.value->is_column())
        keys.column = one.value->column;
  Pipeline made = compile(relation.inputs[0], below);
  // The columns of the input stay where they are; those that only get a new number are not moved.
  Expressions values;
  for (const Computed& one : relation.computed) values.push_back(one.value);
  const std::vector<std::size_t> places = places_of(made, values);
  std::vector<ColumnId> numbers(made.layout.size(), -1);
  std::vector<std::pair<ColumnId, std::size_t>> again;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (numbers[places[i]] == -1)
      numbers[places[i]] = relation.computed[i].column->column;
    else
      again.emplace_back(relation.computed[i].column->column, places[i]);
  }
  made.layout = Layout(numbers);
  if (!again.empty()) {
    std::vector<std::size_t> copies;
    for (const auto& [column, place] : again) {
      copies.push_back(place);
      made.layout.add(column);
    }
    made.stages.push_back(copy_stage(copies));
  }
  return made;
}

/// Where the rows of both sides of a join meet. Everywhere: the kept side is on all locales.
enum class Executor::Meeting : std::uint8_t { kEverywhere, kAtOwners, kFirst };

/// The kept side of a join, where it meets the other one. `keys` are the join's.
std::pair<Pipeline, Executor::Meeting> Executor::compile_kept_side(const Relation& relation,
                                                                   const Expressions& keys,
                                                                   const AllKnownKeys& known) {
  const Expressions& columns = relation.inputs[1]->columns;
  Pipeline side = compile(relation.inputs[1], known);
  if (team_.locales == 1) return {std::move(side), Meeting::kEverywhere};
  if (shows_right(relation.join)) {
    // A row that is shown once has to meet all of its partners in one place.
    if (keys.empty())
      return {gathered(std::move(side), columns, memory_of(relation)), Meeting::kFirst};
    return {at_owners(std::move(side), columns, keys, memory_of(relation)), Meeting::kAtOwners};
  }
  const std::vector<std::size_t> places = places_of(side, columns);
  const std::shared_ptr<Rows> rows = keep(side, places, types_of(columns), memory_of(relation));
  const auto all = static_cast<double>(team_.sum(static_cast<std::int64_t>(rows->count())));
  // At their owners both sides travel once, but only those of the other that have a partner; else
  // this one travels to every locale, where a table is made of all of it.
  if (!keys.empty() && Estimates().rows_with_partner(relation, all) < all * team_.locales)
    return {at_owners(from_rows(rows, columns), columns, keys, memory_of(relation)),
            Meeting::kAtOwners};
  replicate(team_, *rows);
  return {from_rows(rows, columns), Meeting::kEverywhere};
}

/// What is known of the columns of one side goes there: no row of it is shown without them. By
/// equal keys it goes to the other side, too, where rows count only as partners.
void Executor::pass_down(const AllKnownKeys& known, JoinKind kind, const Relation& side,
                         const Expressions& keys, const Expressions& other_keys,
                         AllKnownKeys& of_side, AllKnownKeys& of_other) {
  const bool only_partners = kind != JoinKind::kAnti && kind != JoinKind::kRightAnti &&
                             kind != JoinKind::kMark && kind != JoinKind::kSingle;
  for (const KnownKeys& one : known) {
    if (!shows_column(side, one.column)) continue;
    of_side.push_back(one);
    for (std::size_t k = 0; only_partners && k < keys.size(); ++k)
      if (keys[k]->is_column() && keys[k]->column == one.column && other_keys[k]->is_column())
        of_other.push_back({other_keys[k]->column, one.join});
  }
}

Pipeline Executor::compile_join(const Relation& relation, const AllKnownKeys& known) {
  const RelationPtr& left = relation.inputs[0];
  const RelationPtr& right = relation.inputs[1];
  const SplitCondition condition = split(relation);
  JoinSpec spec;
  spec.kind = relation.join;
  spec.null_is_equal = condition.null_is_equal;
  spec.key_types = types_of(condition.left);

  const bool left_only =
      spec.kind == JoinKind::kSemi || spec.kind == JoinKind::kAnti || spec.kind == JoinKind::kMark;
  AllKnownKeys known_left;
  AllKnownKeys known_right;
  if (!shows_right(spec.kind))
    pass_down(known, spec.kind, *left, condition.left, condition.right, known_left, known_right);
  if (!shows_left(spec.kind) && !left_only)
    pass_down(known, spec.kind, *right, condition.right, condition.left, known_right, known_left);

  auto [build, meeting] = compile_kept_side(relation, condition.right, known_right);
  spec.right_keys = places_of(build, condition.right);
  const bool right_only = spec.kind == JoinKind::kRightSemi || spec.kind == JoinKind::kRightAnti;
  // What is above sees the columns of the right side, or the condition does.
  Expressions kept;
  std::set<ColumnId> for_condition;
  for (const ExpressionPtr& term : condition.others) add_columns(*term, for_condition);
  for (const ExpressionPtr& of : right->columns)
    if (!left_only || for_condition.contains(of->column)) kept.push_back(of);
  spec.right_columns = places_of(build, kept);
  spec.right_types = types_of(kept);
  if (spec.kind == JoinKind::kRight || spec.kind == JoinKind::kFull)
    spec.left_types = types_of(left->columns);
  if (!condition.others.empty()) spec.condition = all_of(condition.others);

  spec.needs_filters = meeting == Meeting::kAtOwners;
  spec.needs_key_bits = !shows_left(spec.kind) && meeting == Meeting::kEverywhere &&
                        condition.left.size() == 1 && condition.left[0]->is_column() &&
                        (!known_left.empty() || is_dear(*left));
  auto join = std::make_shared<HashJoin>(std::move(spec), team_.cores, memory_of(relation));
  run(team_, build, [&](int core) { return join->build_sink(core); });
  build = {};  // what it has kept
  join->finish_build(team_);

  if (join->spec().needs_key_bits && !join->key_bits().empty())
    known_left.push_back({condition.left[0]->column, join});
  Pipeline probe = compile(left, known_left);
  if (meeting == Meeting::kFirst)
    probe = gathered(std::move(probe), left->columns, memory_of(relation));
  if (meeting == Meeting::kAtOwners) {
    const StayingRows staying{join->partner_filters(team_), shows_left(relation.join)};
    probe =
        at_owners(std::move(probe), left->columns, condition.left, memory_of(relation), &staying);
  }
  if (join->has_spilled())
    return join_in_partitions(relation, std::move(probe), condition.left, kept, *join);
  keep_texts(join, kept);
  ProbeSpec probe_spec;
  probe_spec.keys = places_of(probe, condition.left);
  Layout both = probe.layout;
  for (const ExpressionPtr& of : kept) both.add(of->column);
  probe_spec.condition_layout = both;

  Pipeline made = probe;
  made.stages.push_back(HashJoin::probe_stage(join, probe_spec));
  if (left_only) {
    if (relation.join == JoinKind::kMark) made.layout.add(relation.mark->column);
    return made;
  }
  if (right_only) {
    // All of the left side comes first; then the right rows are known.
    const std::function<void(const Batch&)> ignore = [](const Batch&) {};
    run(team_, made,
        [&](int) { return std::make_unique<CallSink>(std::vector<std::size_t>{}, ignore); });
    Pipeline shown;
    shown.layout = Layout(numbers_of(kept));
    shown.source = HashJoin::right_source(join);
    return shown;
  }
  made.layout = both;
  return shows_right(relation.join) ? with_right_rows(std::move(made), left->columns, kept, join)
                                    : made;
}

/// The kept side is in a file already: the probed one is written, too, and both are read again.
Pipeline Executor::join_in_partitions(const Relation& relation, Pipeline probe,
                                      const Expressions& keys, const Expressions& kept,
                                      HashJoin& join) {
  const RelationPtr& left = relation.inputs[0];
  Expressions columns = left->columns;
  columns.insert(columns.end(), keys.begin(), keys.end());
  std::vector<std::size_t> key_places(keys.size());
  std::iota(key_places.begin(), key_places.end(), left->columns.size());
  const std::vector<std::size_t> places = places_of(probe, columns);

  PartitionedJoin both;
  both.memory = memory_of(relation);
  both.left =
      std::make_unique<PartitionedRows>(both.memory, types_of(columns), key_places, team_.cores);
  run(team_, probe, [&](int core) { return both.left->sink(core, places); });
  both.right = join.take_spilled();
  both.spec = join.spec();
  both.spec.rows_stay = both.spec.may_spill = false;
  both.spec.right_columns = join.spilled_columns();
  std::iota(both.spec.right_keys.begin(), both.spec.right_keys.end(), std::size_t{0});
  if (relation.join == JoinKind::kRight || relation.join == JoinKind::kFull)
    both.spec.left_types = types_of(columns);
  both.probe.keys = key_places;
  Pipeline made;
  made.layout = Layout(numbers_of(left->columns));
  for (std::size_t i = 0; i < keys.size(); ++i) made.layout.add(-1);
  both.probe.condition_layout = made.layout;
  for (const ExpressionPtr& of : kept) both.probe.condition_layout.add(of->column);
  if (relation.join == JoinKind::kRightSemi || relation.join == JoinKind::kRightAnti)
    made.layout = Layout(numbers_of(kept));
  else if (!needs_one(relation.join))
    made.layout = both.probe.condition_layout;
  else if (relation.join == JoinKind::kMark)
    made.layout.add(relation.mark->column);
  made.source = partitioned_join_source(std::move(both), team_.cores);
  return made;
}

/// Rows with a partner, then right ones without.
Pipeline Executor::with_right_rows(Pipeline joined, const Expressions& left,
                                   const Expressions& right,
                                   const std::shared_ptr<HashJoin>& join) {
  Expressions columns = left;
  columns.insert(columns.end(), right.begin(), right.end());
  const std::vector<std::size_t> places = places_of(joined, columns);
  std::vector<Pipeline> both(2);
  both[0] = std::move(joined);
  both[1].source = HashJoin::right_source(join);
  Pipeline shown;
  shown.layout = Layout(numbers_of(columns));
  shown.source = std::make_shared<ChainedSource>(
      std::move(both), std::vector<std::vector<std::size_t>>{places, all_of_these(places)},
      team_.cores, true);
  return shown;
}

Pipeline Executor::compile_aggregate(const Relation& relation) {
  Pipeline input = compile(relation.inputs[0]);
  Expressions values;
  for (const Computed& group : relation.computed) values.push_back(group.value);
  for (const AggregateItem& item : relation.aggregates) {
    values.insert(values.end(), item.arguments.begin(), item.arguments.end());
    if (item.filter) values.push_back(item.filter);
  }
  const std::vector<std::size_t> places = places_of(input, values);
  Aggregation plan;
  std::size_t next = 0;
  for (const Computed& group : relation.computed) {
    plan.keys.push_back(places[next++]);
    plan.key_types.push_back(group.value->type);
  }
  const std::int64_t most = most_rows(*relation.inputs[0]);
  for (const AggregateItem& item : relation.aggregates) {
    Aggregation::Aggregate aggregate{.function =
                                         find_aggregate(item.function, item.arguments, most)};
    for (std::size_t i = 0; i < item.arguments.size(); ++i)
      aggregate.arguments.push_back(places[next++]);
    if (item.filter) aggregate.filter = places[next++];
    plan.aggregates.push_back(std::move(aggregate));
  }
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  made.source = query::aggregate(team_, input, plan, memory_of(relation));
  return made;
}

Pipeline Executor::compile_window(const Relation& relation) {
  // Whole partitions: where all functions have the same, at their owners.
  const bool divided = have_one_partition(relation);
  Pipeline input = compile(relation.inputs[0]);
  const Expressions& columns = relation.inputs[0]->columns;
  input = divided ? at_owners(std::move(input), columns, relation.windows[0].partition,
                              memory_of(relation))
                  : gathered(std::move(input), columns, memory_of(relation));
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  made.source = window_source(team_, input, relation, memory_of(relation));
  return made;
}

Pipeline Executor::compile_sort(const Relation& relation, std::int64_t limit) {
  Pipeline input = compile(relation.inputs[0]);
  const Expressions& columns = relation.inputs[0]->columns;
  Expressions values = columns;
  Sorting plan;
  for (const SortItem& item : relation.order) {
    plan.keys.push_back({values.size(), item.descending, item.nulls_first});
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (same(*columns[i], *item.value)) plan.keys.back().column = i;
    if (plan.keys.back().column == values.size()) values.push_back(item.value);
  }
  plan.columns = places_of(input, values);
  plan.types = types_of(values);
  if (limit != INT64_MAX) plan.most = static_cast<std::size_t>(limit);
  Pipeline made;
  made.layout = Layout(numbers_of(columns));
  for (std::size_t i = columns.size(); i < values.size(); ++i) made.layout.add(-1);
  made.source = query::sort(team_, input, plan, memory_of(relation));
  made.is_ordered = true;
  return made;
}

Pipeline Executor::compile_limit(const Relation& relation) {
  const RelationPtr& input = relation.inputs[0];
  Pipeline made;
  if (input->kind == RelationKind::kSort && relation.limit <= INT64_MAX - relation.offset) {
    made = compile_sort(*input, std::min(input->limit, relation.limit + relation.offset));
  } else {
    made = compile(input);
    if (team_.locales > 1 && !made.is_ordered) {
      if (relation.limit <= INT64_MAX - relation.offset)
        made.stages.push_back(limit_stage(0, relation.offset + relation.limit, made.enough));
      made = gathered(std::move(made), input->columns, memory_of(relation));
    }
  }
  made.stages.push_back(limit_stage(relation.offset, relation.limit, made.enough));
  return made;
}

Pipeline Executor::compile_union(const Relation& relation) {
  std::vector<Pipeline> pipelines;
  std::vector<std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < relation.inputs.size(); ++i) {
    Pipeline one = compile(relation.inputs[i]);
    places.push_back(places_of(one, relation.given[i]));
    if (one.is_ordered) {
      // Only one core may take what is ordered: its rows are kept first.
      const std::shared_ptr<Rows> rows =
          keep(one, places.back(), types_of(relation.given[i]), memory_of(relation));
      one = Pipeline{.source = rows_source(rows)};
      for (std::size_t c = 0; c < places.back().size(); ++c) places.back()[c] = c;
    }
    pipelines.push_back(std::move(one));
  }
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  made.source =
      std::make_shared<ChainedSource>(std::move(pipelines), std::move(places), team_.cores, false);
  return made;
}

Pipeline Executor::compile_intersection(const Relation& relation) {
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  std::vector<std::shared_ptr<Rows>> sides;
  for (std::size_t i = 0; i < 2; ++i) {
    Pipeline one = compile(relation.inputs[i]);
    std::vector<std::size_t> places = places_of(one, relation.given[i]);
    if (team_.locales > 1) {
      sides.push_back(partitioned(team_, one, places, types_of(relation.given[i]),
                                  all_of_these(places), memory_of(relation)));
      continue;
    }
    sides.push_back(keep(one, places, types_of(relation.given[i]), memory_of(relation)));
  }
  made.source = set_source(team_, sides[0], sides[1], relation.kind == RelationKind::kIntersect,
                           relation.all, memory_of(relation));
  return made;
}

Pipeline Executor::compile_shared(const RelationPtr& relation) {
  std::shared_ptr<Rows>& rows = shared_[relation.get()];
  if (!rows) rows = collect(relation->inputs[0], relation->columns);
  Pipeline made;
  made.layout = Layout(numbers_of(relation->columns));
  made.source = rows_source(rows);
  return made;
}

Pipeline Executor::compile_recurring(const Relation& relation) {
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  made.source = rows_source(recurring_.at(relation.name));
  return made;
}

Pipeline Executor::compile_fixpoint(const Relation& relation) {
  const std::vector<Type> types = types_of(relation.columns);
  auto all = std::make_shared<Rows>(types, team_.cores, memory_of(relation));
  NewRows fresh(types, team_.cores, relation.all, memory_of(relation));
  const auto collect_at_owner = [&](std::size_t input) {
    const Open made = open(relation.inputs[input], relation.given[input]);
    return team_.locales == 1 ? keep(made.pipeline, made.places, types, memory_of(relation))
                              : partitioned(team_, made.pipeline, made.places, types,
                                            all_of_these(made.places), memory_of(relation));
  };
  std::shared_ptr<Rows> round = fresh.keep_new(*collect_at_owner(0));
  while (team_.sum(static_cast<std::int64_t>(round->count())) > 0) {
    append_rows(*all, *round);
    recurring_[relation.name] = round;
    // What a round computes anew is not shared with the one before.
    const auto shared = shared_;
    const std::shared_ptr<Rows> next = collect_at_owner(1);
    shared_ = shared;
    round = fresh.keep_new(*next);
  }
  recurring_.erase(relation.name);
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  made.source = rows_source(all);
  return made;
}

}  // namespace grappa::query
