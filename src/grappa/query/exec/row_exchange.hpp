#pragma once

// Rows that go to other locales.
//
//   RowExchange exchange(team, row_bytes, offsets);
//   exchange.send(row, owner);                        // any core
//   exchange.end(received);                           // the leader; all locales at the same time
//
// A row travels as its bytes, its long texts behind them.

#include <cstddef>
#include <functional>
#include <vector>

#include "grappa/container/key_traits.hpp"
#include "grappa/query/exec/hash_join.hpp"
#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/exec/row_layout.hpp"
#include "grappa/query/exec/rows_source.hpp"

namespace grappa::query {

class RowExchange {
 public:
  RowExchange(const Team& team, std::size_t row_bytes, std::vector<std::size_t> texts)
      : team_(team), row_bytes_(row_bytes), texts_(std::move(texts)) {}

  /// To another locale.
  void send(const std::byte* row, int locale) const;
  /// All of them.
  void send(const Rows& rows, int locale) const;
  /// Rows of the others are added to `to`, by the task that leads the locale. Collective: throws
  /// where any locale has failed (Team::meet).
  /// `look` is called now and then, and may take what is there.
  void end(RowStore& to, const std::function<void()>& look = {}) const;
  void end(Rows& to) const;

 private:
  const Team& team_;
  std::size_t row_bytes_;
  std::vector<std::size_t> texts_;
};

/// Which rows of a pipeline need not travel to the owner of their keys.
struct StayingRows {
  std::vector<PartnerFilter> may_have_partner;  // at the owner; by locale
  bool are_kept = false;                        // where they are
};
/// The rows of the pipeline's columns in these places, of all locales, at the owner of their keys
/// (places among them).
std::shared_ptr<Rows> partitioned(const Team& team, const Pipeline& pipeline,
                                  const std::vector<std::size_t>& places,
                                  const std::vector<Type>& types,
                                  const std::vector<std::size_t>& keys, OperatorMemoryPtr memory,
                                  const StayingRows* staying = nullptr);
/// Rows of all locales: all of them on the first one, and none elsewhere; or all on all.
void gather(const Team& team, Rows& rows);
void replicate(const Team& team, Rows& rows);

/// The locale that owns a hash.
inline int owner_of(std::uint64_t hash, int locales) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<int>(Wide{hash_number(hash)} * static_cast<unsigned>(locales) >> 64);
}

}  // namespace grappa::query
