#pragma once

// Which sets of relations can be joined with which: pairs of connected sets with an edge between
// them (G. Moerkotte and T. Neumann, "Analysis of Two Existing and One New Dynamic Programming
// Algorithm for the Generation of Optimal Bushy Join Trees without Cross Products", VLDB 2006).
//
//   const JoinPairs pairs({0b10, 0b101, 0b10});  // a – b – c
//   pairs.for_each(1000, [](RelationSet a, RelationSet b) { use(a, b); });

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace grappa::query {

/// A bit for each relation.
using RelationSet = std::uint64_t;

class JoinPairs {
 public:
  /// By relation, with whom it has an edge.
  explicit JoinPairs(std::vector<RelationSet> neighbours) : neighbours_(std::move(neighbours)) {}

  /// f(a, b) for each pair, once, after all of which a and b consist. False where there are more
  /// than `most`: then some are missing.
  template <class F>
  bool for_each(std::size_t most, F&& f) const {
    Walk<F> walk{*this, most, f};
    for (std::size_t i = neighbours_.size(); i-- > 0;) {
      const RelationSet one = RelationSet{1} << i;
      if (!walk.partners_of(one) || !walk.grow(one, up_to(one))) return false;
    }
    return true;
  }

 private:
  static RelationSet lowest(RelationSet of) { return of & (~of + 1); }
  /// The relation that is a set of its own, and those before it.
  static RelationSet up_to(RelationSet one) { return one | (one - 1); }
  RelationSet around(RelationSet set) const {
    RelationSet all = 0;
    for (; set != 0; set &= set - 1)
      all |= neighbours_[static_cast<std::size_t>(std::countr_zero(set))];
    return all;
  }
  /// g(subset) for each that is not empty, small ones first; until it is false.
  template <class G>
  static bool for_each_subset(RelationSet of, G&& g) {
    for (RelationSet subset = lowest(of); subset != 0; subset = (subset - of) & of)
      if (!g(subset)) return false;
    return true;
  }

  template <class F>
  struct Walk {
    const JoinPairs& graph;
    std::size_t left;
    F& f;

    /// The connected sets around this one, without those that others have.
    bool grow(RelationSet set, RelationSet others) {
      const RelationSet next = graph.around(set) & ~others & ~set;
      return for_each_subset(next, [&](RelationSet more) { return partners_of(set | more); }) &&
             for_each_subset(next,
                             [&](RelationSet more) { return grow(set | more, others | next); });
    }

    bool partners_of(RelationSet set) {
      const RelationSet others = up_to(lowest(set)) | set;
      const RelationSet next = graph.around(set) & ~others;
      for (RelationSet rest = next; rest != 0;) {
        const RelationSet one = std::bit_floor(rest);
        rest &= ~one;
        if (!show(set, one) || !grow_partner(set, one, others | (up_to(one) & next))) return false;
      }
      return true;
    }

    bool grow_partner(RelationSet set, RelationSet partner, RelationSet others) {
      const RelationSet next = graph.around(partner) & ~others & ~partner;
      return for_each_subset(next, [&](RelationSet more) { return show(set, partner | more); }) &&
             for_each_subset(next, [&](RelationSet more) {
               return grow_partner(set, partner | more, others | next);
             });
    }

    bool show(RelationSet a, RelationSet b) {
      if (left-- == 0) return false;
      f(a, b);
      return true;
    }
  };

  std::vector<RelationSet> neighbours_;
};

}  // namespace grappa::query
