// How the executor joins: what meets where, and in which of the ways that hash_join.hpp has.

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "grappa/query/consecutive.hpp"
#include "grappa/query/exec/chained_source.hpp"
#include "grappa/query/exec/executor.hpp"
#include "grappa/query/exec/hash_join.hpp"
#include "grappa/query/exec/key_filter.hpp"
#include "grappa/query/exec/partitioned_join.hpp"
#include "grappa/query/exec/row_exchange.hpp"

namespace grappa::query {
namespace {

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

/// Whether there is something on the way to the rows that is spared where fewer come.
bool is_dear(const Relation& relation) {
  if (relation.kind == RelationKind::kJoin) return true;
  if (relation.kind == RelationKind::kFilter && !compares_no_texts(*relation.condition))
    return true;
  return (relation.kind == RelationKind::kFilter || relation.kind == RelationKind::kProject) &&
         is_dear(*relation.inputs[0]);
}

class Ignore final : public Stage {
 public:
  void push(Batch& /*batch*/) override {}
};

}  // namespace

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
  if (!keys.empty() && estimates_.rows_with_partner(relation, all) < all * team_.locales)
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
  const auto add = [](AllKnownKeys& to, const KnownKeys& one) {
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
  };
  for (const KnownKeys& one : known) {
    if (!shows_column(side, one.column)) continue;
    add(of_side, one);
    for (std::size_t k = 0; only_partners && k < keys.size(); ++k)
      if (keys[k]->is_column() && keys[k]->column == one.column && other_keys[k]->is_column())
        add(of_other, {other_keys[k]->column, one.join});
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
    run(team_, made, [&](int) { return std::make_unique<Ignore>(); });
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
  const std::vector<std::size_t> key_places = consecutive(keys.size(), left->columns.size());
  const std::vector<std::size_t> places = places_of(probe, columns);

  PartitionedJoin both;
  both.memory = memory_of(relation);
  both.left =
      std::make_unique<PartitionedRows>(both.memory, types_of(columns), key_places, team_.cores);
  run(team_, probe, [&](int core) { return both.left->sink(core, places); });
  both.right = join.take_spilled();
  both.spec = join.spec();
  both.spec.rows_stay = both.spec.may_spill = both.spec.needs_key_bits = false;
  both.spec.right_columns = join.spilled_columns();
  both.spec.right_keys = consecutive(both.spec.right_keys.size());
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
  shown.source = chained_source(std::move(both), {places, consecutive(places.size())}, team_.cores,
                                Turns::kOne);
  return shown;
}

}  // namespace grappa::query
