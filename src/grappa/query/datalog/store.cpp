#include "grappa/query/datalog/store.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "grappa/query/datalog/router.hpp"
#include "grappa/query/datalog/values.hpp"

namespace grappa::query::datalog {
namespace {

constexpr std::size_t kMostWords = 64;  // of a tuple

/// With registers of its own: one for each shard. Symbols are only compared for equality there, so
/// that nobody asks for their texts (RuleChecker::dominance).
IsLess is_less(const Dominance& dominance) {
  struct Condition {
    Comparison comparison;
    Kind kind;
    Operand left;
    Operand right;
  };
  auto symbols = std::make_shared<Symbols>(1);
  std::vector<Condition> conditions;
  for (const Literal& of : dominance.condition)
    conditions.push_back({of.comparison, of.arguments[0].kind, compile(of.arguments[0], *symbols),
                          compile(of.arguments[1], *symbols)});
  std::vector<Word> registers(static_cast<std::size_t>(dominance.variables));
  Context context;
  context.symbols = symbols.get();
  return [less_variables = dominance.less, more_variables = dominance.more, symbols, conditions,
          registers, context](const Word* less, const Word* more) mutable {
    for (std::size_t i = 0; i < less_variables.size(); ++i) {
      registers[static_cast<std::size_t>(less_variables[i])] = less[i];
      registers[static_cast<std::size_t>(more_variables[i])] = more[i];
    }
    return std::ranges::all_of(conditions, [&](const Condition& of) {
      return holds(of.comparison, of.kind, of.left.of(registers.data(), context),
                   of.right.of(registers.data(), context), context);
    });
  };
}

void permute(const Word* tuple, const std::vector<std::size_t>& order, Word* to) {
  for (std::size_t i = 0; i < order.size(); ++i) to[i] = tuple[order[i]];
}

}  // namespace

Store::Store(const Relation& relation, const Sharding& sharding)
    : arity_(relation.attributes.size()),
      compete_(relation.dominance.has_value()),
      sharding_(sharding) {
  if (compete_) key_ = relation.dominance->key;
  for (std::size_t i = 0; i < sharding.shards(); ++i)
    shards_.push_back(std::make_unique<Shard>(
        compete_ ? TupleSet(arity_, key_, is_less(*relation.dominance)) : TupleSet(arity_)));
}

std::size_t Store::shard_of(const Word* tuple) const {
  std::uint64_t hash = 0;
  if (compete_) {
    std::array<Word, kMostWords> key;
    permute(tuple, key_, key.data());
    hash = hash_tuple(key.data(), key_.size());
  } else {
    hash = hash_tuple(tuple, arity_);
  }
  return (hash >> 32) * sharding_.shards() >> 32;
}

void Store::insert(std::size_t shard, const Word* tuples, std::size_t count) {
  const std::lock_guard lock(shards_[shard]->mutex);
  shards_[shard]->set.insert(tuples, count);
}

const TupleIndex& Store::index(const std::vector<std::size_t>& key, const ForEach& for_each) {
  const auto known =
      std::ranges::find_if(indexes_, [&](const auto& of) { return of->key() == key; });
  if (known != indexes_.end()) return **known;
  indexes_.push_back(std::make_unique<TupleIndex>(key, arity_));
  TupleIndex& made = *indexes_.back();
  for_each(shards_.size(), [&](std::size_t i) { add_rows(made, set(i), 0, true); });
  return made;
}

void Store::add_rows(TupleIndex& index, const TupleSet& set, std::size_t begin,
                     bool at_once) const {
  // Fewer are not worth the buffers.
  constexpr std::size_t kMany = 2048;
  const auto add = [&](std::size_t part, const Word* items, std::size_t count) {
    IndexPart& of = index.part(part);
    std::unique_lock lock(of.mutex(), std::defer_lock);
    if (at_once) lock.lock();
    for (std::size_t i = 0; i < count; ++i) {
      const Word* const item = items + i * arity_;
      of.add(item, index.hash(item));
    }
  };
  std::array<Word, kMostWords> item;
  Router router(TupleIndex::kParts, arity_);
  const bool is_routed = at_once && set.rows() - begin >= kMany;
  for (std::size_t row = begin; row < set.rows(); ++row) {
    if (!set.is_live(row)) continue;
    permute(set.row(row), index.order(), item.data());
    const std::size_t part = TupleIndex::part_of(index.hash(item.data()));
    if (is_routed)
      router.add(part, item.data(), add);
    else
      add(part, item.data(), 1);
  }
  router.flush(add);
}

void Store::advance_shard(std::size_t shard, bool at_once) {
  TupleSet& set = shards_[shard]->set;
  std::array<Word, kMostWords> item;
  set.advance([&](const Word* gone) {
    for (const std::unique_ptr<TupleIndex>& index : indexes_) {
      permute(gone, index->order(), item.data());
      const std::uint64_t hash = index->hash(item.data());
      IndexPart& part = index->part(TupleIndex::part_of(hash));
      const std::lock_guard lock(part.mutex());
      part.remove(item.data(), hash);
    }
  });
  for (const std::unique_ptr<TupleIndex>& index : indexes_)
    add_rows(*index, set, set.new_begin(), at_once);
}

std::size_t Store::rows() const {
  std::size_t all = 0;
  for (const auto& shard : shards_) all += shard->set.live_rows();
  return all;
}

std::size_t Store::new_rows() const {
  std::size_t all = 0;
  for (const auto& shard : shards_) all += shard->set.rows() - shard->set.new_begin();
  return all;
}

std::size_t Store::added() const {
  std::size_t all = 0;
  for (const auto& shard : shards_) all += shard->set.added();
  return all;
}

}  // namespace grappa::query::datalog
