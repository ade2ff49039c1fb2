#pragma once

// From relational algebra to pipelines, and what comes out.
//
//   Executor executor(team);
//   auto rows = executor.collect(relation, columns);     // of this locale
//   executor.push(relation, columns, [](const Batch& batch) { use(batch); });   // in order
//
// What has to be complete before a pipeline can begin (the kept side of a join, groups, sorted
// rows) is computed when the pipeline is made.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "grappa/query/exec/operator_memory.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/rows_source.hpp"
#include "grappa/query/plan/estimate.hpp"
#include "grappa/query/plan/relation.hpp"

namespace grappa::query {

class HashJoin;
class Profile;
struct StayingRows;

std::vector<Type> types_of(const Expressions& expressions);
std::vector<ColumnId> numbers_of(const Expressions& columns);

class Executor {
 public:
  /// `profile`: what operators do is counted there.
  explicit Executor(const Team& team, Profile* profile = nullptr)
      : team_(team), profile_(profile) {}

  /// The rows of this locale, with these columns, to be run.
  struct Open {
    Pipeline pipeline;
    std::vector<std::size_t> places;
  };
  Open open(const RelationPtr& relation, const Expressions& columns);
  /// Of this locale; the columns in this order.
  std::shared_ptr<Rows> collect(const RelationPtr& relation, const Expressions& columns);
  /// Calls take(batch) on the first locale for all rows, in the order of the relation if it has
  /// one; by one core.
  void push(const RelationPtr& relation, const Expressions& columns,
            const std::function<void(const Batch&)>& take);

 private:
  /// Rows with another value in the column will have no partner in a join further up.
  struct KnownKeys {
    ColumnId column;
    std::shared_ptr<const HashJoin> join;
    friend bool operator==(const KnownKeys&, const KnownKeys&) = default;
  };
  using AllKnownKeys = std::vector<KnownKeys>;

  /// `known`: what may be left out, and need not.
  Pipeline compile(const RelationPtr& relation, const AllKnownKeys& known = {});
  Pipeline compile_kind(const RelationPtr& relation, const AllKnownKeys& known);
  Pipeline compile_scan(const Relation& relation, const AllKnownKeys& known);
  Pipeline compile_values(const Relation& relation);
  Pipeline compile_filter(const Relation& relation, const AllKnownKeys& known);
  Pipeline compile_project(const Relation& relation, const AllKnownKeys& known);
  Pipeline compile_join(const Relation& relation, const AllKnownKeys& known);
  static void pass_down(const AllKnownKeys& known, JoinKind kind, const Relation& side,
                        const Expressions& keys, const Expressions& other_keys,
                        AllKnownKeys& of_side, AllKnownKeys& of_other);
  static void leave_out(Pipeline& pipeline, const Relation& scan, const AllKnownKeys& known);
  Pipeline join_in_partitions(const Relation& relation, Pipeline probe, const Expressions& keys,
                              const Expressions& kept, HashJoin& join);
  enum class Meeting : std::uint8_t;
  std::pair<Pipeline, Meeting> compile_kept_side(const Relation& relation, const Expressions& keys,
                                                 const AllKnownKeys& known);
  Pipeline with_right_rows(Pipeline joined, const Expressions& left, const Expressions& right,
                           const std::shared_ptr<HashJoin>& join);
  Pipeline compile_aggregate(const Relation& relation);
  Pipeline compile_window(const Relation& relation);
  /// The first `limit` rows.
  Pipeline compile_sort(const Relation& relation, std::int64_t limit);
  Pipeline compile_limit(const Relation& relation);
  Pipeline compile_union(const Relation& relation);
  Pipeline compile_intersection(const Relation& relation);
  Pipeline compile_shared(const RelationPtr& relation);
  Pipeline compile_fixpoint(const Relation& relation);
  Pipeline compile_recurring(const Relation& relation);

  /// The places of the expressions in the batches; those that are no columns are computed first.
  std::vector<std::size_t> places_of(Pipeline& pipeline, const Expressions& expressions);
  /// The rows of several pipelines as one source.
  std::shared_ptr<Rows> keep(const Pipeline& pipeline, const std::vector<std::size_t>& places,
                             const std::vector<Type>& types, OperatorMemoryPtr memory);

  /// Rows that are kept, as a pipeline; `more` are values behind the columns.
  Pipeline from_rows(std::shared_ptr<const Rows> rows, const Expressions& columns,
                     const Expressions& more = {});
  /// The same rows, all on the first locale; or each at the owner of its keys, but for those that
  /// stay. They do nothing where there is one locale.
  Pipeline gathered(Pipeline pipeline, const Expressions& columns, OperatorMemoryPtr memory);
  Pipeline at_owners(Pipeline pipeline, const Expressions& columns, const Expressions& keys,
                     OperatorMemoryPtr memory, const StayingRows* staying = nullptr);

  /// What gives texts stays until the query ends: later operators refer to them.
  void keep_texts(const std::shared_ptr<const void>& owner, const Expressions& columns);

  /// What it may keep; nothing where there is no bound.
  OperatorMemoryPtr memory_of(const Relation& relation) const;

  const Team& team_;
  Profile* profile_;
  Estimates estimates_;
  std::vector<std::shared_ptr<const void>> kept_;
  std::map<const Relation*, std::shared_ptr<Rows>> shared_;
  std::map<std::string, std::shared_ptr<Rows>> recurring_;
};

}  // namespace grappa::query
