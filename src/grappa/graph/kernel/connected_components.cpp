// Connected components by Afforest [1].
//
// Labels form a forest in which every vertex points to one with a smaller or equal id of its
// component, so the root of a tree is its smallest vertex. Linking the ends of an edge walks up
// from both until the roots meet, hooking the larger under the smaller by compare-and-swap [2];
// compressing lets every vertex point to its root. When all edges have been linked, the trees are
// the components.
//
// Before that, every vertex takes the label of its first neighbour if that is smaller, in a pass of
// its own: nobody else writes its label in it, so a plain store will do, and few are left for the
// compare-and-swap.
//
// What makes it fast is that most edges need not be looked at. Linking the first two edges of every
// vertex already joins most of the largest component. A sample of the labels finds it, and from
// then on its vertices are passed over: an edge that leaves it is found from its other end. For
// that, all edges must be seen from both ends; a directed graph without in-edges links all its
// edges.
//
// On several locales, each one has labels for all vertices and links the edges of its own. The
// forests are then merged: a vertex that has stopped to be a root since the last merge, with its
// label, is an edge that joins what that locale has joined. Locales send these down a binary tree,
// where they are linked as edges are, and locale 0 tells all what has become of the roots. Most
// have the same label, and travel as a bitmap. This happens before the sample (so that all locales
// pass over the same component; else an edge between two that were passed over would be lost) and
// at the end, when few are left to tell.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph connectivity computation via
//     subgraph sampling", IPDPS 2018.
// [2] Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3,
// 1982.
#include "grappa/graph/kernel/connected_components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "grappa/container/replica.hpp"
#include "grappa/graph/bitmap.hpp"
#include "grappa/graph/distributed/mail.hpp"
#include "grappa/graph/kernel/frequent_label.hpp"
#include "grappa/graph/kernel/least_labels.hpp"
#include "grappa/graph/locale_parts.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/shared_values.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

// With checkpoints, the edges that are left are linked in so many rounds, each of blocks of
// vertices from everywhere. Fixed: a run that goes on from a checkpoint must have the same.
constexpr std::int64_t kSlices = 16;
constexpr std::int64_t kSliceBlock = 4096;  // vertices

/// A vertex and another one of its tree.
struct Join {
  VertexId vertex;
  VertexId label;
};

/// What the cores of a locale share.
struct Share {
  Adjacency out;
  Adjacency in;
  bool both_ways = false;  // directed, with in-edges
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  VertexId* label = nullptr;  // of all vertices
  // For the merges, bitmaps of all vertices: those that were roots after the last one, and of
  // these, those that no longer are, with the label that most have or with another.
  std::uint64_t* roots = nullptr;
  std::uint64_t* usual = nullptr;
  std::uint64_t* unusual = nullptr;
  VertexId usual_label = 0;
  const Join* joins = nullptr;   // of the unusual ones, from another locale
  std::int64_t arcs_linked = 0;  // by all cores
};
using Shares = Replica<Share>;

VertexId root_of(VertexId* label, std::uint64_t v) {
  VertexId up = load_shared(label[v]);
  for (VertexId root = load_shared(label[up]); root != up; root = load_shared(label[up])) up = root;
  return up;
}

/// Joins the trees of u and v. Labels only ever get smaller, so relaxed operations suffice.
void link(VertexId* label, VertexId u, VertexId v) {
  VertexId a = load_shared(label[u]);
  VertexId b = load_shared(label[v]);
  while (a != b) {
    if (a < b) std::swap(a, b);
    // a is larger. If it is a root, b becomes its parent; else its parent is tried.
    VertexId parent = load_shared(label[a]);
    if (parent == b) return;
    if (parent == a &&
        std::atomic_ref(label[a]).compare_exchange_strong(parent, b, std::memory_order_relaxed)) {
      return;
    }
    a = load_shared(label[parent]);
    b = load_shared(label[b]);
  }
}

struct Compress {
  Shares shares;
  void operator()(std::int64_t first, std::int64_t last) const {
    VertexId* const label = shares.data()->label;
    for (std::int64_t v = first; v < last; ++v) {
      std::atomic_ref(label[v]).store(root_of(label, static_cast<std::uint64_t>(v)),
                                      std::memory_order_relaxed);
    }
  }
};

/// Whether a vertex is hooked to its first neighbour, the smallest, before any edge is linked.
bool hooks(std::int64_t v, std::span<const VertexId> row) { return !row.empty() && row[0] < v; }

/// Gives each vertex the label of its first neighbour, where that is smaller. Only a vertex's own
/// core writes its label now, so this needs no atomic exchange, as linking does for each edge that
/// joins anything. And as vertices come in order, the neighbour has mostly the label of its root.
struct HookFirst {
  Shares shares;
  void operator()(std::int64_t first, std::int64_t last) const {
    Share& mine = *shares.data();
    VertexId* const label = mine.label;
    std::int64_t linked = 0;
    for (std::int64_t v = first; v < last; ++v) {
      const auto row = mine.out.neighbors(v);
      if (!hooks(v, row)) continue;
      std::atomic_ref(label[v]).store(load_shared(label[row[0]]), std::memory_order_relaxed);
      ++linked;
    }
    std::atomic_ref(mine.arcs_linked).fetch_add(linked, std::memory_order_relaxed);
  }
};

/// Links the first edges of each vertex, except those that have hooked it.
struct LinkFirst {
  Shares shares;
  std::int64_t rounds;
  void operator()(std::int64_t first, std::int64_t last) const {
    Share& mine = *shares.data();
    std::int64_t linked = 0;
    for (std::int64_t v = first; v < last; ++v) {
      const auto row = mine.out.neighbors(v);
      const auto count = std::min(std::ssize(row), rounds);
      for (std::int64_t i = hooks(v, row) ? 1 : 0; i < count; ++i) {
        link(mine.label, static_cast<VertexId>(v), row[static_cast<std::size_t>(i)]);
        ++linked;
      }
    }
    std::atomic_ref(mine.arcs_linked).fetch_add(linked, std::memory_order_relaxed);
  }
};

/// Links the edges that are left of one slice, except those of vertices with the label
/// `passed_over`.
struct LinkRest {
  Shares shares;
  std::int64_t rounds;
  VertexId passed_over;
  std::int64_t slice;
  std::int64_t slices;
  void operator()(std::int64_t first, std::int64_t last) const {
    Share& mine = *shares.data();
    std::int64_t linked = 0;
    const auto link_all = [&](std::int64_t v, std::span<const VertexId> row) {
      for (const VertexId w : row) link(mine.label, static_cast<VertexId>(v), w);
      linked += static_cast<std::int64_t>(row.size());
    };
    for (std::int64_t v = first; v < last; ++v) {
      if (slices > 1 && v / kSliceBlock % slices != slice) {
        v = (v / kSliceBlock + 1) * kSliceBlock - 1;
        continue;
      }
      if (load_shared(mine.label[v]) == passed_over) continue;
      const auto row = mine.out.neighbors(v);
      link_all(v, row.subspan(std::min(row.size(), static_cast<std::size_t>(rounds))));
      if (mine.both_ways) link_all(v, mine.in.neighbors(v));
    }
    std::atomic_ref(mine.arcs_linked).fetch_add(linked, std::memory_order_relaxed);
  }
};

/// The bits of a word for which test(v, label of v) holds. Without branches, which nobody could
/// predict: the tests become vector instructions, and eight results one byte.
template <class Test>
std::uint64_t bits_where(const VertexId* label, std::int64_t n, std::int64_t word, Test test) {
  static_assert(std::endian::native == std::endian::little);
  const std::int64_t first = word * kBitsPerWord;
  std::array<std::uint8_t, kBitsPerWord> holds{};
  const auto note = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      holds[static_cast<std::size_t>(i)] = test(static_cast<VertexId>(first + i), label[first + i]);
  };
  if (first + kBitsPerWord <= n) {
    note(kBitsPerWord);
  } else {
    note(n - first);
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < holds.size(); i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, &holds[i], sizeof eight);
    // Carries bit 8 k to bit 56 + k.
    bits |= (eight * 0x0102'0408'1020'4080 >> 56) << i;
  }
  return bits;
}

/// Gives the vertices of a word whose bits are set a label. Without branches, too.
void set_where(VertexId* label, std::int64_t n, std::int64_t word, std::uint64_t bits,
               VertexId value) {
  const std::int64_t first = word * kBitsPerWord;
  const auto set = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto mask = static_cast<VertexId>(-(bits >> i & 1));
      label[first + i] = (label[first + i] & ~mask) | (value & mask);
    }
  };
  if (first + kBitsPerWord <= n) {
    set(kBitsPerWord);
  } else {
    set(n - first);
  }
}

/// Marks the vertices that are roots now.
struct NoteRoots {
  Shares shares;
  std::int64_t n;
  void operator()(std::int64_t first_word, std::int64_t last_word) const {
    const Share& mine = *shares.data();
    for (std::int64_t word = first_word; word < last_word; ++word) {
      mine.roots[word] =
          bits_where(mine.label, n, word, [](VertexId v, VertexId label) { return v == label; });
    }
  }
};

/// Finds what has stopped to be a root since the last merge.
struct FindJoins {
  Shares shares;
  std::int64_t n;
  void operator()(std::int64_t first_word, std::int64_t last_word) const {
    const Share& mine = *shares.data();
    for (std::int64_t word = first_word; word < last_word; ++word) {
      const std::uint64_t joined =
          mine.roots[word] &
          bits_where(mine.label, n, word, [](VertexId v, VertexId label) { return v != label; });
      const std::uint64_t usual = bits_where(
          mine.label, n, word,
          [frequent = mine.usual_label](VertexId, VertexId label) { return label == frequent; });
      mine.usual[word] = joined & usual;
      mine.unusual[word] = joined & ~usual;
    }
  }
};

/// Links what another locale has joined.
struct LinkUsual {
  Shares shares;
  std::int64_t n;
  void operator()(std::int64_t first_word, std::int64_t last_word) const {
    const Share& mine = *shares.data();
    for (std::int64_t word = first_word; word < last_word; ++word) {
      const VertexId root = root_of(mine.label, mine.usual_label);
      const auto bits_of = [&](auto test) { return bits_where(mine.label, n, word, test); };
      const std::uint64_t left =
          mine.usual[word] & ~bits_of([root](VertexId, VertexId label) { return label == root; });
      if (left == 0) continue;
      // Most are roots here. Another core may just hook one of them, but that, too, is to the tree
      // of the usual label, where all of this loop leads: a store is as good as a link.
      const std::uint64_t roots =
          bits_of([root](VertexId v, VertexId label) { return int{v == label} & int{v > root}; });
      for_each_bit(left & roots, word, [&](VertexId v) {
        std::atomic_ref(mine.label[v]).store(root, std::memory_order_relaxed);
      });
      for_each_bit(left & ~roots, word, [&](VertexId v) { link(mine.label, v, root); });
    }
  }
};
struct LinkUnusual {
  Shares shares;
  void operator()(std::int64_t first, std::int64_t last) const {
    const Share& mine = *shares.data();
    for (std::int64_t i = first; i < last; ++i)
      link(mine.label, mine.joins[i].vertex, mine.joins[i].label);
  }
};

/// Takes over what locale 0 has found to be the roots.
struct TakeUsual {
  Shares shares;
  std::int64_t n;
  void operator()(std::int64_t first_word, std::int64_t last_word) const {
    const Share& mine = *shares.data();
    for (std::int64_t word = first_word; word < last_word; ++word) {
      const std::uint64_t bits = mine.usual[word];
      set_where(mine.label, n, word, bits, mine.usual_label);
      mine.roots[word] &= ~bits;
    }
  }
};

/// The joins of a locale as another one receives them: the usual label, their bitmap, the others.
struct JoinsInMail {
  static std::vector<std::byte> pack(const Share& mine, std::int64_t n) {
    std::vector<Join> others;
    for (std::int64_t word = 0; word < bitmap_words(n); ++word) {
      for_each_bit(mine.unusual[word], word,
                   [&](VertexId v) { others.push_back({v, mine.label[v]}); });
    }
    const std::size_t bitmap_bytes = static_cast<std::size_t>(bitmap_words(n)) * 8;
    std::vector<std::byte> bytes(bitmap_bytes + sizeof(Join) * (1 + others.size()));
    std::byte* at = bytes.data();
    std::memcpy(at, mine.usual, bitmap_bytes);
    const Join usual{mine.usual_label, mine.usual_label};
    std::memcpy(at + bitmap_bytes, &usual, sizeof usual);
    if (!others.empty())
      std::memcpy(at + bitmap_bytes + sizeof(Join), others.data(), others.size() * sizeof(Join));
    return bytes;
  }

  /// Into the share; the others are returned and stay where its `joins` points.
  static std::vector<Join> unpack(Share& mine, std::int64_t n,
                                  const std::vector<std::byte>& bytes) {
    const std::size_t bitmap_bytes = static_cast<std::size_t>(bitmap_words(n)) * 8;
    std::memcpy(mine.usual, bytes.data(), bitmap_bytes);
    Join usual{};
    std::memcpy(&usual, bytes.data() + bitmap_bytes, sizeof usual);
    mine.usual_label = usual.label;
    std::vector<Join> others((bytes.size() - bitmap_bytes) / sizeof(Join) - 1);
    if (!others.empty())
      std::memcpy(others.data(), bytes.data() + bitmap_bytes + sizeof(Join),
                  others.size() * sizeof(Join));
    mine.joins = others.data();
    return others;
  }
};

class Afforest {
 public:
  Afforest(const Graph& graph, const ComponentsOptions& options)
      : graph_(graph), options_(options), rounds_(options.neighbor_rounds) {
    result_.label = graph_.make_vertex_array_for_overwrite<VertexId>();
    // On one locale the result itself; else every locale has labels for all vertices.
    if (locale_count() > 1) {
      labels_ = Replica<VertexId>::create_for_overwrite(graph_.vertex_count());
      bitmaps_ = Replica<std::uint64_t>::create_for_overwrite(3 * words());
      mail_ = Mail::create();
    }
    shares_ = Shares::create(1);
    on_each_locale([graph = graph_, result = result_.label, labels = labels_, bitmaps = bitmaps_,
                    words = words(), shares = shares_] {
      Share& mine = *shares.data();
      mine.out = graph.out();
      mine.both_ways = graph.is_directed() && graph.has_in_edges();
      if (mine.both_ways) mine.in = graph.in();
      mine.begin = graph.locale_begin();
      mine.end = graph.locale_end();
      mine.label = locale_count() == 1 ? result.locale_part().data() : labels.data();
      if (locale_count() > 1) {
        mine.roots = bitmaps.data();
        mine.usual = mine.roots + words;
        mine.unusual = mine.usual + words;
      }
      forall_range_here(0, graph.vertex_count(), [shares](std::int64_t first, std::int64_t last) {
        VertexId* const label = shares.data()->label;
        for (std::int64_t v = first; v < last; ++v) label[v] = static_cast<VertexId>(v);
      });
      if (locale_count() > 1) forall_range_here(0, words, NoteRoots{shares, graph.vertex_count()});
    });
  }

  // Also where a checkpoint could not be written, or the caller's function throws.
  ~Afforest() {
    if (locale_count() > 1) {
      labels_.destroy();
      bitmaps_.destroy();
      mail_.destroy();
    }
    shares_.destroy();
  }
  Afforest(const Afforest&) = delete;
  Afforest& operator=(const Afforest&) = delete;

  ComponentsResult run() {
    std::int64_t passed_over = kNoVertex;
    CheckpointSession session(options_.checkpoint, graph_, fmt::format("{} rounds", rounds_));
    session.add("label", result_.label);
    session.add("passed over", passed_over);
    session.add("arcs linked", result_.arcs_linked);
    const std::int64_t slices = session.is_on() ? kSlices : 1;
    std::int64_t steps = session.resume();
    const auto step_done = [&] {
      ++steps;
      if (steps <= slices && session.is_due(steps)) {
        merge();
        publish();
        session.after(steps);
      }
      if (options_.on_step) options_.on_step(steps, slices + 1);
    };
    if (steps > 0) {
      take_labels();
    } else {
      passed_over = sample();
      step_done();
    }
    while (steps <= slices) {
      over_my_vertices(
          LinkRest{shares_, rounds_, static_cast<VertexId>(passed_over), steps - 1, slices});
      compress();
      step_done();
    }
    merge();
    publish();
    session.finish(steps);
    return result_;
  }

 private:
  /// Links the first edges of all vertices; returns the label that is frequent then, or none where
  /// edges are not seen from both ends.
  VertexId sample() {
    if (rounds_ > 0) {
      over_my_vertices(HookFirst{shares_});
      over_my_vertices(LinkFirst{shares_, rounds_});
    }
    compress_all();
    merge();
    return graph_.has_in_edges() ? frequent_of(graph_.vertex_count(),
                                               [label = shares_.data()->label](std::uint64_t v) {
                                                 return root_of(label, v);
                                               })
                                 : kNoVertex;
  }

  /// From what the locales have to the result.
  void publish() {
    for (const std::int64_t linked : gather_locales(
             [shares = shares_] { return std::exchange(shares.data()->arcs_linked, 0); }))
      result_.arcs_linked += linked;
    if (locale_count() == 1) return;
    on_all_locales([result = result_.label, shares = shares_] {
      const Share& mine = *shares.data();
      std::copy(mine.label + mine.begin, mine.label + mine.end, result.locale_part().begin());
    });
  }

  /// And back.
  void take_labels() {
    if (locale_count() == 1) return;
    on_all_locales([result = result_.label, shares = shares_] {
      const Share& mine = *shares.data();
      const auto labels = result.locale_part();
      std::copy_n(labels.begin(), mine.end - mine.begin, mine.label + mine.begin);
    });
    labels_.share(vertices_of_locale(graph_));
    on_all_locales([shares = shares_, words = words(), n = graph_.vertex_count()] {
      forall_range_here(0, words, NoteRoots{shares, n});
    });
  }

  template <class F>
  void over_my_vertices(F f) {
    on_each_locale(
        [shares = shares_, f] { forall_range_here(shares.data()->begin, shares.data()->end, f); });
  }

  /// The labels of a locale's own vertices, or of all that it knows.
  void compress() { over_my_vertices(Compress{shares_}); }
  void compress_all() {
    on_each_locale([shares = shares_, n = graph_.vertex_count()] {
      forall_range_here(0, n, Compress{shares});
    });
  }

  std::int64_t words() const { return bitmap_words(graph_.vertex_count()); }

  /// On one locale: what it has joined since the last merge, for others.
  static std::vector<std::byte> packed_joins(Shares shares, std::int64_t n) {
    Share& mine = *shares.data();
    mine.usual_label =
        frequent_of(n, [label = mine.label](std::uint64_t v) { return root_of(label, v); });
    forall_range_here(0, bitmap_words(n), FindJoins{shares, n});
    return JoinsInMail::pack(mine, n);
  }

  /// Lets every locale know what any of them has joined.
  void merge() {
    if (locale_count() == 1) return;
    const std::int64_t n = graph_.vertex_count();
    for (int distance = 1; distance < locale_count(); distance *= 2) {
      on_all_locales([shares = shares_, mail = mail_, distance, n] {
        if (this_locale() % (2 * distance) != distance) return;
        mail.send<std::byte>(this_locale() - distance, packed_joins(shares, n));
      });
      on_all_locales([shares = shares_, mail = mail_, distance, n] {
        if (this_locale() % (2 * distance) != 0 || this_locale() + distance >= locale_count())
          return;
        Share& mine = *shares.data();
        const auto others =
            JoinsInMail::unpack(mine, n, mail.take<std::byte>(this_locale() + distance));
        forall_range_here(0, bitmap_words(n), LinkUsual{shares, n});
        forall_range_here(0, static_cast<std::int64_t>(others.size()), LinkUnusual{shares});
      });
    }
    // Here is locale 0, which knows all now.
    forall_range_here(0, n, Compress{shares_});
    mail_.broadcast(packed_joins(shares_, n));
    on_all_locales([shares = shares_, mail = mail_, n] {
      Share& mine = *shares.data();
      const auto others = JoinsInMail::unpack(mine, n, mail.take<std::byte>(0));
      forall_range_here(0, bitmap_words(n), TakeUsual{shares, n});
      for (const Join& join : others) {
        mine.label[join.vertex] = join.label;
        mine.roots[join.vertex / kBitsPerWord] &= ~(std::uint64_t{1} << join.vertex % kBitsPerWord);
      }
    });
    compress();
  }

  const Graph graph_;
  const ComponentsOptions& options_;
  const std::int64_t rounds_;
  ComponentsResult result_;
  Replica<VertexId> labels_;
  Replica<std::uint64_t> bitmaps_;
  Mail mail_;
  Shares shares_;
};

}  // namespace

void ComponentsResult::destroy() { label.destroy(); }

ComponentsResult connected_components(const Graph& graph, const ComponentsOptions& options) {
  if (graph.vertex_count() == 0) return {.label = graph.make_vertex_array<VertexId>()};
  const ComponentsResult result = Afforest(graph, options).run();
  label_by_given(graph, result.label);
  return result;
}

std::vector<Component> component_table(const Graph& graph, const GlobalArray<VertexId>& label) {
  const std::int64_t n = graph.vertex_count();
  std::vector<Component> table;
  if (n == 0) return table;
  auto sizes = Replica<std::int64_t>::create(n);
  on_each_locale([graph, label, sizes] {
    const std::int64_t begin = graph.locale_begin();
    const std::int64_t mine = graph.locale_end() - begin;
    if (mine == 0) return;
    // Most vertices have one label; counting those apart, cores do not fight for one counter.
    const auto part = label.locale_part();
    const VertexId frequent = frequent_of(mine, [part](std::uint64_t i) { return part[i]; });
    forall_range_here(0, mine, [label, sizes, frequent](std::int64_t first, std::int64_t last) {
      const VertexId* const labels = label.locale_part().data();
      std::int64_t of_frequent = 0;
      for (std::int64_t i = first; i < last; ++i) {
        if (labels[i] == frequent) {
          ++of_frequent;
        } else {
          std::atomic_ref(sizes.data()[labels[i]]).fetch_add(1, std::memory_order_relaxed);
        }
      }
      std::atomic_ref(sizes.data()[frequent]).fetch_add(of_frequent, std::memory_order_relaxed);
    });
  });
  sizes.merge([](std::int64_t a, std::int64_t b) { return a + b; });
  const std::span<const std::int64_t> all = sizes.span();
  for (std::int64_t v = 0; v < n; ++v) {
    const std::int64_t size = all[static_cast<std::size_t>(v)];
    if (size != 0) table.push_back({graph.given(static_cast<VertexId>(v)), size});
  }
  sizes.destroy();
  std::ranges::sort(table, [](const Component& a, const Component& b) {
    return a.size != b.size ? a.size > b.size : a.label < b.label;
  });
  return table;
}

}  // namespace grappa::graph
