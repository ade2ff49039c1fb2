#pragma once

// Where the values of edges lie that a program writes at one end and reads at the other
// (pull_engine.hpp).
//
//   const Owned<EdgePlaces> places = EdgePlaces::of(graph);
//   const Owned<Replica<double>> values = Replica<double>::create_for_overwrite(places->size());
//   on_all_locales([web = graph, values = *values, places = *places] {
//     for (std::int64_t u = web.locale_begin(); u < web.locale_end(); ++u) {
//       const std::uint64_t row = web.out().offset(u);
//       for (std::int64_t k = 0; k < web.out().degree(u); ++k) values.data()[row + k] = 1.0 * k;
//     }
//   });
//   places->exchange(*values);             // now each locale has the values of its in-edges
//   on_all_locales([values = *values, places = *places] {
//     use(values.data()[places.of_in_edges()[0]]);       // that of the locale's first in-edge
//   });
//
// A locale's array begins with the values of its out-edges, in the order of the rows: a source
// writes one after the other. Behind them, for each other locale, are those of the in-edges that
// come from there. Both ends agree on their order without a word: ascending by target, then by
// source. So an exchange is one array from each locale to each, and no addresses travel. Of equal
// edges, the n-th in the row of the source is the n-th in that of the target, with the same weight.
//
// Memory: 8 bytes for each in-edge, and 8 for each out-edge that leads to another locale.
//
// A handle, trivially copyable. of(), exchange() and destroy() are for one task and switch tasks;
// any task may call of_in_edges(), which concerns the locale of the caller. The graph must have
// in-edges.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

class EdgePlaces {
 public:
  static Owned<EdgePlaces> of(const Graph& graph);
  void destroy();

  /// Elements of the largest locale's array.
  std::int64_t size() const { return size_; }

  /// The place of each in-edge's value, in the order of the rows of in(). [in-edges of this locale]
  const std::uint64_t* of_in_edges() const { return places_.data(); }

  /// Every locale gets the values of its in-edges from the others.
  template <class T>
  void exchange(Replica<T> values) const {
    if (locale_count() == 1) return;
    on_all_locales([places = *this, values] {
      Halo::for_others([&](int locale) {
        std::vector<T> sent;
        for (const std::uint64_t at : places.away_->sent[index(locale)])
          sent.push_back(values.data()[at]);
        places.exchange_.send(locale, sent);
      });
    });
    on_all_locales([places = *this, values] {
      Halo::for_others([&](int locale) {
        const std::vector<T> came = places.exchange_.take<T>(locale);
        std::ranges::copy(came, values.data() + places.away_->first[index(locale)]);
      });
    });
  }

 private:
  /// Of a locale, by other locale.
  struct Away {
    std::vector<std::vector<std::uint64_t>> sent;  // the places of what it wants, in its order
    std::vector<std::uint64_t> first;              // where what it sends begins
  };
  static std::size_t index(int locale) { return static_cast<std::size_t>(locale); }

  void find_in_edges_here(const Graph& graph) const;
  void find_in_edges_from_others(const Graph& graph) const;
  void find_out_edges_to_others(const Graph& graph) const;

  std::int64_t size_ = 0;
  Replica<std::uint64_t> places_;
  LocaleState<Away> away_;
  Exchange exchange_;
};

}  // namespace grappa::graph
