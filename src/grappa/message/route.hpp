#pragma once

// Where messages between locales go first: straight to their destination, or through another
// locale.
//
// Flat routing keeps a buffer for every core of every locale. Two-hop routing puts the locales on a
// grid of about √N columns and √N rows: a message for another row *and* another column goes to the
// locale in the sender's row and the destination's column, and from there along the column. Each
// core then has buffers for the cores of its own row and column and one for each locale that
// forwards, about 2√N locales instead of N, and each of them fills √N times as fast. (Where the
// last row is not full, messages from it may have to go along their column first.)
//
// Source: the proposal `xps` 4.1 ("Virtual topology") asks for groups of locales that aggregate for
// one another; the grid is the exchange on a two-dimensional mesh of A. Grama et al., "Introduction
// to Parallel Computing" (2003), section 4.5 (all-to-all personalized communication).
//
// Thread safety: immutable. All functions cost a few divisions.

#include <cstdint>
#include <vector>

#include "grappa/base/config.hpp"

namespace grappa::internal {

/// Which locale a message goes to next.
class Route {
 public:
  Route(RoutePolicy policy, int locales);

  /// The locale to which `from` sends what is for `to`; `to` itself when it sends straight.
  int next_hop(int from, int to) const;
  bool is_direct(int from, int to) const { return next_hop(from, to) == to; }

  /// The locales to which `from` sends anything, itself included, in ascending order.
  std::vector<int> neighbors(int from) const;

  /// The most neighbors that any locale of the run has.
  int most_neighbors() const;

  bool is_flat() const { return columns_ == 0; }

 private:
  int locales_;
  int columns_ = 0;  // 0: flat
};

}  // namespace grappa::internal
