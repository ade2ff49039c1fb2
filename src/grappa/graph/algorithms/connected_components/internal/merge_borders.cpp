#include "grappa/graph/algorithms/connected_components/internal/merge_borders.hpp"

#include <atomic>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/connected_components/internal/label_forest.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {

/// What a locale has.
struct BorderMerge::Local {
  Graph graph;
  VertexId* label = nullptr;
  std::uint64_t* border = nullptr;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  std::vector<Join> known = {};

  bool is_mine(VertexId v) const { return v >= begin && v < end; }
  /// A vertex and its root, which becomes its label: chains of the border may be as long as it is,
  /// and in ascending order each is short by then.
  Join joined(VertexId v) const {
    const VertexId root = root_of(label, v);
    std::atomic_ref(label[v]).store(root, std::memory_order_relaxed);
    return {v, root};
  }

  void know_others() {
    known.clear();
    for_each_bit(border, 0, bitmap_words(graph.vertex_count()), [&](VertexId v) {
      const Join join = joined(v);
      if (!is_mine(v)) known.push_back(join);
    });
  }
  void know_mine() {
    known.clear();
    for_each_bit(border, bitmap_words(begin), bitmap_words(end), [&](VertexId v) {
      const Join join = joined(v);
      if (join.label != v) known.push_back(join);
    });
  }
  void learn(const std::vector<Join>& joins) {
    for (const Join& join : joins) {
      link(label, join.vertex, join.label);
      if (is_mine(join.vertex)) claim_bit(border, join.vertex);
      known.push_back(join);
    }
  }
  void compress_border() {
    for_each_bit(border, 0, bitmap_words(graph.vertex_count()), [&](VertexId v) { joined(v); });
  }
};

BorderMerge BorderMerge::create(const Graph& graph, Replica<VertexId> labels) {
  Owned border = Replica<std::uint64_t>::create(bitmap_words(graph.vertex_count()));
  Owned locals = LocaleState<Local>::create([graph, labels, border = *border] {
    return Local{.graph = graph,
                 .label = labels.data(),
                 .border = border.data(),
                 .begin = graph.locale_begin(),
                 .end = graph.locale_end()};
  });
  BorderMerge merge;
  merge.exchange_ = Exchange::create();
  merge.border_ = border.release();
  merge.locals_ = locals.release();
  return merge;
}

void BorderMerge::destroy() {
  locals_.destroy();
  border_.destroy();
  exchange_.destroy();
}

void BorderMerge::touch_all() const {
  on_all_locales([merge = *this] {
    const Local& mine = *merge.locals_;
    forall_range_here(mine.begin, mine.end, [merge](std::int64_t first, std::int64_t last) {
      const Local& my = *merge.locals_;
      const Adjacency out = my.graph.out();
      const Adjacency in = my.graph.is_directed() ? my.graph.in() : Adjacency();
      const auto touch_others = [&](std::span<const VertexId> row) {
        for (const VertexId w : row) {
          if (!my.is_mine(w)) merge.touch(w);
        }
      };
      for (std::int64_t v = first; v < last; ++v) {
        touch_others(out.neighbors(v));
        if (my.graph.is_directed()) touch_others(in.neighbors(v));
      }
    });
  });
}

void BorderMerge::merge(VertexId usual) const {
  const auto send = [locals = locals_, exchange = exchange_](int to) {
    exchange.send(to, locals->known);
  };
  const auto take = [locals = locals_, exchange = exchange_](int from) {
    locals->learn(exchange.take<Join>(from));
  };
  on_all_locales([locals = locals_] { locals->know_others(); });
  disseminate(send, take);
  on_all_locales([locals = locals_] { locals->know_mine(); });
  disseminate(send, take);
  on_all_locales([locals = locals_, usual] {
    Local& mine = *locals;
    mine.compress_border();
    forall_range_here(mine.begin, mine.end, [locals, usual](std::int64_t first, std::int64_t last) {
      compress(locals->label, first, last, usual);
    });
  });
}

}  // namespace grappa::graph
