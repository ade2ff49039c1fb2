#pragma once

// The tuples of a relation, as every locale has them: divided into shards by their hash, each of
// which has an owner among the locales that decides what is new; and indexes over them.
//
//   Store store(relation, sharding);
//   store.insert(store.shard_of(tuple), tuples, 64);      // any core
//   const TupleIndex& by_second = store.index({1}, run);  // made where it is not there yet
//
// What is inserted is seen after advance_shard(). The other calls are for whoever does not run
// beside an insert() or an advance of the same relation.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "grappa/query/datalog/program.hpp"
#include "grappa/query/datalog/tuple_index.hpp"
#include "grappa/query/datalog/tuple_set.hpp"

namespace grappa::query::datalog {

/// Shards are numbered from those of the first locale to those of the last.
struct Sharding {
  int locale = 0;
  int locales = 1;

  std::size_t per_locale() const {
    constexpr std::size_t kAll = 64;
    return std::max<std::size_t>(8, kAll / static_cast<std::size_t>(locales));
  }
  std::size_t shards() const { return per_locale() * static_cast<std::size_t>(locales); }
  std::size_t begin() const { return per_locale() * static_cast<std::size_t>(locale); }
  std::size_t end() const { return begin() + per_locale(); }
  int owner(std::size_t shard) const { return static_cast<int>(shard / per_locale()); }
  bool is_here(std::size_t shard) const { return owner(shard) == locale; }
};

/// Calls body(i) for 0 … n - 1, on all cores or on this one.
using ForEach = std::function<void(std::size_t n, const std::function<void(std::size_t i)>& body)>;

class Store {
 public:
  Store(const Relation& relation, const Sharding& sharding);

  std::size_t arity() const { return arity_; }
  std::size_t shard_of(const Word* tuple) const;
  void insert(std::size_t shard, const Word* tuples, std::size_t count);
  const TupleSet& set(std::size_t shard) const { return shards_[shard]->set; }

  const TupleIndex& index(const std::vector<std::size_t>& key, const ForEach& for_each);

  /// `at_once`: others advance other shards at the same time.
  void advance_shard(std::size_t shard, bool at_once);

  std::size_t rows() const;
  std::size_t new_rows() const;
  std::size_t added() const;

 private:
  struct alignas(64) Shard {
    std::mutex mutex;
    TupleSet set;
    explicit Shard(TupleSet of) : set(std::move(of)) {}
  };
  void add_rows(TupleIndex& index, const TupleSet& set, std::size_t begin, bool at_once) const;

  std::size_t arity_;
  std::vector<std::size_t> key_;  // by which tuples compete
  bool compete_;
  Sharding sharding_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::unique_ptr<TupleIndex>> indexes_;
};

}  // namespace grappa::query::datalog
