#include "grappa/query/exec/executor.hpp"

#include <algorithm>
#include <utility>

#include "grappa/query/consecutive.hpp"
#include "grappa/query/exec/aggregate.hpp"
#include "grappa/query/exec/chained_source.hpp"
#include "grappa/query/exec/group_table.hpp"
#include "grappa/query/exec/hash_join.hpp"
#include "grappa/query/exec/key_filter.hpp"
#include "grappa/query/exec/profile.hpp"
#include "grappa/query/exec/row_exchange.hpp"
#include "grappa/query/exec/scan.hpp"
#include "grappa/query/exec/set_operation.hpp"
#include "grappa/query/exec/show_columns.hpp"
#include "grappa/query/exec/sort.hpp"
#include "grappa/query/exec/window.hpp"
#include "grappa/query/plan/estimate.hpp"

namespace grappa::query {
namespace {

/// Calls take(batch).
class CallSink final : public Stage {
 public:
  explicit CallSink(const std::function<void(const Batch&)>& take) : take_(take) {}
  void push(Batch& batch) override { take_(batch); }

 private:
  const std::function<void(const Batch&)>& take_;
};

}  // namespace

std::vector<Type> types_of(const Expressions& expressions) {
  std::vector<Type> types;
  for (const ExpressionPtr& expression : expressions) types.push_back(expression->type);
  return types;
}

std::vector<ColumnId> numbers_of(const Expressions& columns) {
  std::vector<ColumnId> numbers;
  for (const ExpressionPtr& of : columns) numbers.push_back(of->column);
  return numbers;
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
  return from_rows(
      partitioned(team_, pipeline, places, types_of(kept), consecutive(keys.size(), columns.size()),
                  std::move(memory), staying),
      columns, keys);
}

OperatorMemoryPtr Executor::memory_of(const Relation& relation) const {
  if (team_.memory == nullptr) return nullptr;
  if (profile_ == nullptr)
    return std::make_shared<const OperatorMemory>(*team_.memory, team_.cores, nullptr, nullptr);
  return std::make_shared<const OperatorMemory>(
      *team_.memory, team_.cores, &profile_->memory_counter(relation, team_.memory->budget),
      profile_->spilled_counter(relation));
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
    made.places = consecutive(columns.size());
  }
  CallSink sink(take);
  run(team_, made.pipeline, [&](int) { return std::make_unique<ShowColumns>(made.places, sink); });
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
                            {.progress = team_.progress, .budget = budget_of(memory_of(relation))});
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
  const bool filters_first =
      input.kind == RelationKind::kScan && compares_no_texts(*relation.condition);
  Pipeline made = compile(relation.inputs[0], filters_first ? AllKnownKeys{} : known);
  made.stages.push_back(filter_stage(relation.condition, made.layout));
  if (filters_first) leave_out(made, input, known);
  return made;
}

Pipeline Executor::compile_project(const Relation& relation, const AllKnownKeys& known) {
  AllKnownKeys below = known;
  for (KnownKeys& keys : below) {
    const auto one = std::ranges::find_if(relation.computed, [&keys](const Computed& each) {
      return each.column->column == keys.column;
    });
    if (one != relation.computed.end() && one->value->is_column()) keys.column = one->value->column;
  }
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
      places.back() = consecutive(places.back().size());
    }
    pipelines.push_back(std::move(one));
  }
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  made.source = chained_source(std::move(pipelines), std::move(places), team_.cores, Turns::kNone);
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
                                  consecutive(places.size()), memory_of(relation)));
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
                                            consecutive(made.places.size()), memory_of(relation));
  };
  std::shared_ptr<Rows> round = fresh.keep_new(*collect_at_owner(0));
  while (team_.sum(static_cast<std::int64_t>(round->count())) > 0) {
    append_rows(*all, *round);
    recurring_[relation.name] = round;
    // What a round computes anew is not shared with the one before, and what its texts were in goes
    // when its new rows have copies.
    const auto shared = shared_;
    const std::size_t kept = kept_.size();
    const std::shared_ptr<Rows> next = collect_at_owner(1);
    shared_ = shared;
    round = fresh.keep_new(*next);
    kept_.resize(kept);
  }
  recurring_.erase(relation.name);
  Pipeline made;
  made.layout = Layout(numbers_of(relation.columns));
  made.source = rows_source(all);
  return made;
}

}  // namespace grappa::query
