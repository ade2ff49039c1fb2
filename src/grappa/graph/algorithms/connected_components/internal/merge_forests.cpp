#include "grappa/graph/algorithms/connected_components/internal/merge_forests.hpp"

#include <cstring>
#include <span>
#include <vector>

#include "grappa/graph/algorithms/connected_components/internal/frequent_label.hpp"
#include "grappa/graph/algorithms/connected_components/internal/label_forest.hpp"
#include "grappa/graph/exec/core_lists.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
/// What a locale has.
struct ForestMerge::Local {
  VertexId* label = nullptr;
  std::int64_t n = 0;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  // Bitmaps of the vertices that are no roots: with the label that most have, or with another.
  std::uint64_t* usual = nullptr;
  std::uint64_t* unusual = nullptr;
  VertexId usual_label = 0;
  const Join* received = nullptr;
  CoreLists<VertexId> noted = {};
  std::vector<Join> known = {};  // in merge_noted: what was noted here and elsewhere

  std::vector<std::byte> pack() const;
  std::vector<Join> unpack(const std::vector<std::byte>& bytes);
};

ForestMerge ForestMerge::create(const Graph& graph, Replica<VertexId> labels) {
  const std::int64_t words = bitmap_words(graph.vertex_count());
  Owned bitmaps = Replica<std::uint64_t>::create_for_overwrite(2 * words);
  Owned locals = Locals::create([graph, labels, words, bitmaps = *bitmaps] {
    return Local{.label = labels.data(),
                 .n = graph.vertex_count(),
                 .begin = graph.locale_begin(),
                 .end = graph.locale_end(),
                 .usual = bitmaps.data(),
                 .unusual = bitmaps.data() + words};
  });
  ForestMerge merge;
  merge.exchange_ = Exchange::create();
  merge.bitmaps_ = bitmaps.release();
  merge.locals_ = locals.release();
  return merge;
}

void ForestMerge::destroy() {
  locals_.destroy();
  bitmaps_.destroy();
  exchange_.destroy();
}

struct ForestMerge::CompressAll {
  Locals locals;
  void operator()(std::int64_t first, std::int64_t last) const {
    const Local& mine = *locals;
    compress(mine.label, first, last, mine.usual_label);
  }
};

struct ForestMerge::FindJoins {
  Locals locals;
  void operator()(std::int64_t first_word, std::int64_t last_word) const {
    const Local& mine = *locals;
    for (std::int64_t word = first_word; word < last_word; ++word) {
      const std::uint64_t joined = labels_where(
          mine.label, mine.n, word, [](VertexId v, VertexId of_v) { return v != of_v; });
      const std::uint64_t usual = labels_where(
          mine.label, mine.n, word,
          [frequent = mine.usual_label](VertexId, VertexId of_v) { return of_v == frequent; });
      mine.usual[word] = joined & usual;
      mine.unusual[word] = joined & ~usual;
    }
  }
};

/// Links what another locale has joined.
struct ForestMerge::LinkUsual {
  Locals locals;
  void operator()(std::int64_t first_word, std::int64_t last_word) const {
    const Local& mine = *locals;
    VertexId* const label = mine.label;
    for (std::int64_t word = first_word; word < last_word; ++word) {
      const VertexId root = root_of(label, mine.usual_label);
      const auto bits_of = [&](auto test) { return labels_where(label, mine.n, word, test); };
      const std::uint64_t left =
          mine.usual[word] & ~bits_of([root](VertexId, VertexId of_v) { return of_v == root; });
      if (left == 0) continue;
      // Most are roots here. Another core may be hooking one of them, but to the tree of the usual
      // label, too, as this loop does: a store is as good as a link.
      const std::uint64_t roots =
          bits_of([root](VertexId v, VertexId of_v) { return int{v == of_v} & int{v > root}; });
      for_each_bit(left & roots, word, [&](VertexId v) {
        std::atomic_ref(label[v]).store(root, std::memory_order_relaxed);
      });
      for_each_bit(left & ~roots, word, [&](VertexId v) { link(label, v, root); });
    }
  }
};
struct ForestMerge::LinkUnusual {
  Locals locals;
  void operator()(std::int64_t first, std::int64_t last) const {
    const Local& mine = *locals;
    for (std::int64_t i = first; i < last; ++i)
      link(mine.label, mine.received[i].vertex, mine.received[i].label);
  }
};

/// The joins of a locale as another one receives them: the usual label, their bitmap, the others.
std::vector<std::byte> ForestMerge::Local::pack() const {
  std::vector<Join> joins{{usual_label, usual_label}};
  for_each_bit(unusual, 0, bitmap_words(n), [&](VertexId v) { joins.push_back({v, label[v]}); });
  const std::size_t bitmap_bytes = static_cast<std::size_t>(bitmap_words(n)) * 8;
  std::vector<std::byte> bytes(bitmap_bytes + joins.size() * sizeof(Join));
  std::memcpy(bytes.data(), usual, bitmap_bytes);
  std::memcpy(bytes.data() + bitmap_bytes, joins.data(), joins.size() * sizeof(Join));
  return bytes;
}

/// Into the bitmap and the usual label; returns the others, which have to stay for `received`.
std::vector<Join> ForestMerge::Local::unpack(const std::vector<std::byte>& bytes) {
  const std::size_t bitmap_bytes = static_cast<std::size_t>(bitmap_words(n)) * 8;
  std::vector<Join> joins((bytes.size() - bitmap_bytes) / sizeof(Join));
  std::memcpy(usual, bytes.data(), bitmap_bytes);
  std::memcpy(joins.data(), bytes.data() + bitmap_bytes, joins.size() * sizeof(Join));
  usual_label = joins.front().label;
  received = joins.data();
  return joins;
}

void ForestMerge::compress_own() const {
  on_all_locales(
      [locals = locals_] { forall_range_here(locals->begin, locals->end, CompressAll{locals}); });
}

void ForestMerge::merge_all() const {
  const auto send = [locals = locals_, exchange = exchange_](int to) {
    Local& mine = *locals;
    mine.usual_label =
        frequent_of(mine.n, [label = mine.label](std::uint64_t v) { return root_of(label, v); });
    forall_range_here(0, mine.n, CompressAll{locals});
    forall_range_here(0, bitmap_words(mine.n), FindJoins{locals});
    exchange.send(to, mine.pack());
  };
  const auto take = [locals = locals_, exchange = exchange_](int from) {
    Local& mine = *locals;
    const std::vector<Join> joins = mine.unpack(exchange.take<std::byte>(from));
    forall_range_here(0, bitmap_words(mine.n), LinkUsual{locals});
    forall_range_here(0, static_cast<std::int64_t>(joins.size()), LinkUnusual{locals});
    mine.usual_label = root_of(mine.label, mine.usual_label);
  };
  disseminate(send, take);
  compress_own();
}

void ForestMerge::note(VertexId hooked) const {
  if (hooked != kNoVertex) locals_->noted.mine().push_back(hooked);
}

void ForestMerge::merge_noted() const {
  on_all_locales([locals = locals_] {
    Local& mine = *locals;
    mine.known.clear();
    mine.noted.for_range(0, mine.noted.size(), [&](std::span<const VertexId> part) {
      for (const VertexId v : part) mine.known.push_back({v, root_of(mine.label, v)});
    });
    mine.noted.clear();
  });
  const auto send = [locals = locals_, exchange = exchange_](int to) {
    exchange.send(to, locals->known);
  };
  const auto take = [locals = locals_, exchange = exchange_](int from) {
    Local& mine = *locals;
    for (const Join& join : exchange.take<Join>(from)) {
      link(mine.label, join.vertex, join.label);
      mine.known.push_back(join);
    }
  };
  disseminate(send, take);
  compress_own();
}

}  // namespace grappa::graph
