#pragma once

// The halo of a locale: the vertices of other locales whose values it reads, for example those that
// its in-edges come from. Where most neighbors of a vertex are on its own locale, as in road maps
// and grids in their own order, the halo is a small part of the graph, and sending just these
// values takes far less than Replica::all_gather.
//
//   if (is_mostly_local(graph)) {
//     const Owned<Halo> halo = Halo::of_edges(graph, Edges::kIn);
//     halo->exchange(values);            // elements of the halo come from their homes
//   }
//
// A handle, trivially copyable. Making, exchange() and destroy() are for one task and switch tasks.
// Any task may call wanted() and asked(), which concern the locale of the caller.

#include <cstdint>
#include <span>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::graph {

/// Whether, on several locales, less than an eighth of the edges (by a sample of the vertices) have
/// their ends on two. The graph must have in-edges.
bool is_mostly_local(const Graph& graph);

class Halo {
 public:
  /// `marks`: on each locale, a bitmap of all vertices in which those are set that it wants; bits
  /// of its own vertices do not matter. Not needed afterwards.
  static Halo of_marked(const Graph& graph, Replica<std::uint64_t> marks);
  /// The vertices at the other ends of these edges of each locale's vertices. The graph must have
  /// in-edges.
  static Halo of_edges(const Graph& graph, Edges edges);
  void destroy();

  /// The vertices of locale `from` that this one wants, and those of this one that `by` wants;
  /// ascending.
  std::span<const VertexId> wanted(int from) const { return lists_->wanted[at(from)]; }
  std::span<const VertexId> asked(int by) const { return lists_->asked[at(by)]; }

  const Exchange& exchange() const { return exchange_; }

  /// Every locale's copy gets the elements of its halo.
  template <class T>
  void exchange(Replica<T> values) const {
    on_all_locales([halo = *this, values] {
      for_others([&](int locale) {
        std::vector<T> sent;
        for (const VertexId v : halo.asked(locale)) sent.push_back(values.data()[v]);
        halo.exchange_.send(locale, sent);
      });
    });
    on_all_locales([halo = *this, values] {
      for_others([&](int locale) {
        const std::vector<T> came = halo.exchange_.take<T>(locale);
        const auto vertices = halo.wanted(locale);
        for (std::size_t i = 0; i < vertices.size(); ++i) values.data()[vertices[i]] = came[i];
      });
    });
  }

  /// f(locale) for all other locales, beginning with the next.
  template <class F>
  static void for_others(F f) {
    for (int step = 1; step < locale_count(); ++step) f((this_locale() + step) % locale_count());
  }

 private:
  struct Lists {
    std::vector<std::vector<VertexId>> wanted;  // [locales]
    std::vector<std::vector<VertexId>> asked;
  };
  static std::size_t at(int locale) { return static_cast<std::size_t>(locale); }

  Exchange exchange_;
  LocaleState<Lists> lists_;
};

}  // namespace grappa::graph
