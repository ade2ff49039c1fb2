// Triangles u, v, w with ranks u > v > w: w is in the rows of both u and v. For each vertex u here,
// its row is marked in a bitmap, which stays in the first-level cache where ranks are by degree
// (most entries of most rows are hubs then); for each v in it, the marked entries of the row of v
// are counted.
//
// With ranks by degree, the rows have about sqrt(2m) entries at most, and there are not more than
// m sqrt(2m) pairs to look at [1]. Most of these concern the hubs, whose rows are bitmaps, too: for
// a hub v either the words of both bitmaps are intersected, or, if these are fewer, the bits of
// those w are tested that are in the row of u before v. For this the hubs in the row are needed in
// ascending order, which is read off the bitmap. A row of v that is a list is streamed; both kinds
// come from the last-level cache or memory, so the next ones are prefetched.
//
// Counts of hubs are added up by core, those of others with atomic operations; there are few.
//
// On several locales each counts the triangles whose u it has, block by block of the rows v.
//
// [1] N. Chiba, T. Nishizeki, "Arboricity and subgraph listing algorithms", SIAM J. Comput. 14,
//     1985; T. Schank, D. Wagner, "Finding, counting and listing all triangles in large graphs",
//     WEA 2005 (forward, compact-forward).
#include "grappa/graph/algorithms/triangles/internal/triangle_counter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/algorithms/triangles/internal/degree_order.hpp"
#include "grappa/graph/algorithms/triangles/internal/hub_matrix.hpp"
#include "grappa/graph/algorithms/triangles/internal/oriented_rows.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {
namespace {

constexpr std::int64_t kMaxHubs = 1 << 20;  // whose matrix takes 64 GiB
constexpr std::int64_t kLineWords = 8;

/// What a core works with.
struct Scratch {
  std::uint64_t* marks = nullptr;       // bitmap of all ranks: the row of u
  std::uint64_t* both_marks = nullptr;  // kArcs: those of its edges that go both ways
  VertexId* hubs = nullptr;             // the hubs in the row of u
  std::uint64_t* hub_counts = nullptr;
};

/// What the cores of a locale read while they count.
struct Tables {
  std::int64_t hub_count = 0;
  RowBlock block;
  HubMatrix matrix;
  HubMatrix both_matrix;            // kArcs
  std::uint64_t* counts = nullptr;  // by rank
};

std::int64_t whole_lines(std::int64_t elements) {
  return static_cast<std::int64_t>(internal::round_up(static_cast<std::uint64_t>(elements), 16));
}
/// Words of a core's bitmap: whole vectors.
std::int64_t words_of(const Graph& graph) {
  return whole_lines(bitmap_words(graph.vertex_count()));
}
/// Room for the hubs of a core, and for one more, which is written where a row has none to add.
std::int64_t hub_room(std::int64_t hubs) { return whole_lines(hubs + 1); }

/// The state of a locale, which its cores share.
struct Local : Tables {
  Graph graph;
  OrientedRows rows;
  Scratch of_cores;         // that of the first core; those of the others follow
  std::uint64_t total = 0;  // atomically

  Scratch scratch() const {
    const auto core = static_cast<std::int64_t>(core_in_locale());
    const auto part = [core](auto* of_all, std::int64_t each) {
      return of_all == nullptr ? nullptr : of_all + core * each;
    };
    const std::int64_t words = words_of(graph);
    const std::int64_t room = hub_room(hub_count);
    return {part(of_cores.marks, words), part(of_cores.both_marks, words),
            part(of_cores.hubs, room), part(of_cores.hub_counts, room)};
  }
};
using Locals = LocaleState<Local>;

bool is_marked(const std::uint64_t* marks, VertexId rank) { return test_bit(marks, rank); }

/// Counts the triangles whose u is one of the vertices [first, last).
template <TriangleWeight kWeight>
class CountRange {
 public:
  explicit CountRange(const Locals& locals) : locals_(locals) {}

  void operator()(std::int64_t first, std::int64_t last) {
    Local& local = *locals_;
    const Tables now = local;
    const OrientedRows& rows = local.rows;
    const Scratch scratch = local.scratch();
    std::uint64_t total = 0;
    for (std::int64_t vertex = first; vertex < last; ++vertex) {
      const RowPlace place = rows.place_of(vertex);
      if (place.length < 2) continue;
      stop_if_cancelled();
      total += count_row(now, rows, scratch, rows.rank()[vertex], place);
    }
    add_shared(local.total, total);
  }

 private:
  static constexpr bool kByVertex = kWeight != TriangleWeight::kTotal;
  static constexpr bool kArcs = kWeight == TriangleWeight::kArcs;

  /// What triangles u, v, * count, for u and v; `both`: u - v goes both ways.
  struct Pair {
    VertexId v;
    bool both;
    std::uint64_t triangles = 0;
    std::uint64_t of_u = 0;  // kArcs only
    std::uint64_t of_v = 0;
    std::uint64_t of_w() const { return kArcs && both ? 2 : 1; }
  };

  static std::uint64_t count_row(const Tables& now, const OrientedRows& rows,
                                 const Scratch& scratch, VertexId u, RowPlace place) {
    const VertexId* const targets = rows.targets() + place.begin;
    const std::span<const VertexId> row(targets, place.length);
    std::int64_t hub_count = 0;
    for (const VertexId v : row) {
      scratch.marks[v / 64] |= std::uint64_t{1} << v % 64;
      scratch.hubs[hub_count] = v;
      hub_count += v < now.hub_count;
    }
    if constexpr (kArcs) {
      const std::uint8_t* const both = rows.both();
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool goes_both_ways = both == nullptr || both[place.begin + i] != 0;
        scratch.both_marks[row[i] / 64] |= std::uint64_t{goes_both_ways} << row[i] % 64;
      }
    }
    std::uint64_t triangles = 0;
    std::uint64_t of_u = 0;
    const auto count_pair = [&](VertexId v, auto count) {
      if (v < now.block.ranks.first || v >= now.block.ranks.last) return;
      Pair pair{.v = v, .both = kArcs && is_marked(scratch.both_marks, v)};
      count(pair);
      if (pair.triangles == 0) return;
      triangles += pair.triangles;
      if constexpr (kByVertex) {
        of_u += kArcs ? pair.of_u : pair.triangles;
        add(now, scratch, v, kArcs ? pair.of_v : pair.triangles);
      }
    };
    count_hubs(now, scratch, {scratch.hubs, static_cast<std::size_t>(hub_count)}, count_pair);
    count_lists(now, scratch, row, count_pair);
    if constexpr (kByVertex) {
      if (of_u != 0) add(now, scratch, u, of_u);
    }
    for (const VertexId v : row) scratch.marks[v / 64] = 0;
    if constexpr (kArcs) {
      for (const VertexId v : row) scratch.both_marks[v / 64] = 0;
    }
    return triangles;
  }

  static void add(const Tables& now, const Scratch& scratch, VertexId rank, std::uint64_t by) {
    if (rank < now.hub_count) {
      scratch.hub_counts[rank] += by;
    } else {
      add_shared(now.counts[rank], by);
    }
  }

  // ---- v is a hub ----

  template <class CountPair>
  static void count_hubs(const Tables& now, const Scratch& scratch, std::span<VertexId> hubs,
                         CountPair count_pair) {
    sort(now, scratch, hubs);
    for (std::size_t i = 1; i < hubs.size(); ++i) {
      const VertexId v = hubs[i];
      const std::int64_t words = HubMatrix::row_words(v);
      if (i + tuning::kRankedRowsAhead < hubs.size() &&
          is_worth_it(hubs[i + tuning::kRankedRowsAhead], i + tuning::kRankedRowsAhead))
        prefetch(now.matrix, hubs[i + tuning::kRankedRowsAhead]);
      count_pair(v, [&](Pair& pair) {
        if (is_worth_it(v, i)) {
          intersect(now, scratch, words, pair);
        } else {
          look_up(now, scratch, hubs.first(i), pair);
        }
      });
    }
  }

  /// Into ascending order.
  static void sort(const Tables& now, const Scratch& scratch, std::span<VertexId> hubs) {
    if (std::ssize(hubs) < tuning::kSortedByBitmap) {
      std::ranges::sort(hubs);
      return;
    }
    VertexId* to = hubs.data();
    for_each_bit(scratch.marks, 0, bitmap_words(now.hub_count), [&](VertexId hub) { *to++ = hub; });
  }

  /// Whether to intersect all words of the row of v, rather than look up `others` bits in it.
  static bool is_worth_it(VertexId v, std::size_t others) {
    return HubMatrix::row_words(v) / kLineWords < static_cast<std::int64_t>(others);
  }

  // Always inlined: GCC would remove the calls, as calls without effects.
  [[gnu::always_inline]] static void prefetch(const HubMatrix& matrix, VertexId v) {
    const std::uint64_t* const row = matrix.row(v);
    const std::int64_t lines = std::min(HubMatrix::row_words(v) / kLineWords, tuning::kLinesOfHub);
    for (std::int64_t line = 0; line < lines; ++line) __builtin_prefetch(row + line * kLineWords);
  }

  static void intersect(const Tables& now, const Scratch& scratch, std::int64_t words, Pair& pair) {
    const std::uint64_t* const row = now.matrix.row(pair.v);
    if constexpr (!kByVertex) {
      pair.triangles = count_common(row, scratch.marks, words);
      return;
    }
    for (std::int64_t word = 0; word < words; ++word) {
      const std::uint64_t common = row[word] & scratch.marks[word];
      std::uint64_t* const counts = scratch.hub_counts + word * kBitsPerWord;
      for (std::uint64_t left = common; left != 0; left &= left - 1)
        counts[std::countr_zero(left)] += pair.of_w();
      pair.triangles += static_cast<std::uint64_t>(std::popcount(common));
    }
    if constexpr (kArcs) {
      pair.of_u = pair.triangles + count_common(now.both_matrix.row(pair.v), scratch.marks, words);
      pair.of_v = pair.triangles + count_common(row, scratch.both_marks, words);
    }
  }

  static void look_up(const Tables& now, const Scratch& scratch, std::span<const VertexId> hubs,
                      Pair& pair) {
    const std::uint64_t* const row = now.matrix.row(pair.v);
    for (const VertexId w : hubs) {
      const std::uint64_t joined = test_bit(row, w);
      pair.triangles += joined;
      if constexpr (kByVertex) scratch.hub_counts[w] += joined * pair.of_w();
      if constexpr (kArcs) {
        pair.of_u += joined + test_bit(now.both_matrix.row(pair.v), w);
        pair.of_v += joined + (joined & std::uint64_t{is_marked(scratch.both_marks, w)});
      }
    }
  }

  // ---- v is not ----

  template <class CountPair>
  static void count_lists(const Tables& now, const Scratch& scratch, std::span<const VertexId> row,
                          CountPair count_pair) {
    const auto is_list = [&now](VertexId v) {
      return v >= now.hub_count && v >= now.block.ranks.first && v < now.block.ranks.last;
    };
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i + tuning::kRankedPlacesAhead < row.size() &&
          is_list(row[i + tuning::kRankedPlacesAhead]))
        now.block.prefetch_place(row[i + tuning::kRankedPlacesAhead]);
      if (i + tuning::kRankedRowsAhead < row.size() && is_list(row[i + tuning::kRankedRowsAhead]))
        now.block.prefetch_row(row[i + tuning::kRankedRowsAhead]);
      if (row[i] < now.hub_count) continue;
      count_pair(row[i], [&](Pair& pair) { stream(now, scratch, pair); });
    }
  }

  static void stream(const Tables& now, const Scratch& scratch, Pair& pair) {
    const std::span<const VertexId> row = now.block.row(pair.v);
    if constexpr (!kByVertex) {
      for (const VertexId w : row) pair.triangles += is_marked(scratch.marks, w);
      return;
    }
    const std::uint8_t* const both = now.block.both;
    const std::size_t begin = now.block.places[pair.v].begin;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const VertexId w = row[k];
      if (!is_marked(scratch.marks, w)) continue;
      ++pair.triangles;
      add(now, scratch, w, pair.of_w());
      if constexpr (kArcs) {
        pair.of_u += both == nullptr || both[begin + k] != 0 ? 2 : 1;
        pair.of_v += is_marked(scratch.both_marks, w) ? 2 : 1;
      }
    }
  }

  Locals locals_;
};

class Counter {
 public:
  Counter(const Graph& graph, TriangleWeight weight, bool by_degree, const TriangleOptions& options)
      : weight_(weight),
        rank_(by_degree ? rank_by_degree(graph) : rank_by_number(graph)),
        rows_(OrientedRows::create(graph, *rank_, options.block_edges)) {
    const bool by_vertex = weight_ != TriangleWeight::kTotal;
    const bool arcs = weight_ == TriangleWeight::kArcs;
    // Only ranks by degree tell who is a hub.
    const std::int64_t hubs =
        by_degree ? std::min((options.hubs + 63) / 64 * 64, graph.vertex_count()) : 0;
    const std::int64_t cores = cores_per_locale();
    const std::int64_t matrix_words = HubMatrix::words(hubs);
    marks_ = Words::create(cores * words_of(graph));
    hub_rows_ = Replica<VertexId>::create_for_overwrite(cores * hub_room(hubs));
    matrix_ = Words::create(matrix_words);
    if (arcs) both_marks_ = Words::create(cores * words_of(graph));
    if (arcs) both_matrix_ = Words::create(matrix_words);
    if (by_vertex) hub_counts_ = Words::create(cores * hub_room(hubs));
    if (by_vertex) counts_ = Words::create(graph.vertex_count());
    locals_ =
        Locals::create([graph, hubs, rows = *rows_, marks = *marks_, both_marks = *both_marks_,
                        hub_rows = *hub_rows_, hub_counts = *hub_counts_, matrix = *matrix_,
                        both_matrix = *both_matrix_, counts = *counts_] {
          const auto words = [](const Words& array) {
            return array.size() == 0 ? nullptr : array.data();
          };
          Local local{};
          local.graph = graph;
          local.rows = rows;
          local.of_cores = {marks.data(), words(both_marks), hub_rows.data(), words(hub_counts)};
          local.hub_count = hubs;
          local.matrix = HubMatrix(matrix.data());
          local.both_matrix = HubMatrix(words(both_matrix));
          local.counts = words(counts);
          return local;
        });
  }

  std::uint64_t count() {
    for (const RankRange& ranks : rows_->blocks()) {
      rows_->gather(ranks);
      on_each_locale([locals = *locals_] {
        locals->block = locals->rows.block();
        fill_matrix(locals);
      });
      switch (weight_) {
        case TriangleWeight::kTotal:
          count_block<TriangleWeight::kTotal>();
          break;
        case TriangleWeight::kOne:
          count_block<TriangleWeight::kOne>();
          break;
        case TriangleWeight::kArcs:
          count_block<TriangleWeight::kArcs>();
          break;
      }
    }
    return reduce_locales([locals = *locals_] { return locals->total; });
  }

  /// From counts by rank, of all locales, to those of the vertices.
  void write(const GlobalArray<std::uint64_t>& result) const {
    on_each_locale([locals = *locals_] {
      forall_here(0, locals->hub_count, [locals](std::int64_t hub) {
        const Local& mine = *locals;
        for (std::int64_t core = 0; core < cores_per_locale(); ++core)
          mine.counts[hub] += mine.of_cores.hub_counts[core * hub_room(mine.hub_count) + hub];
      });
    });
    counts_->merge([](std::uint64_t a, std::uint64_t b) { return a + b; });
    forall_vertices(
        (*locals_)->graph, [locals = *locals_, result](std::int64_t first, std::int64_t last) {
          const Local& mine = *locals;
          const VertexId* const rank = mine.rows.rank();
          std::uint64_t* const counts = result.locale_part().data() - mine.graph.locale_begin();
          for (std::int64_t v = first; v < last; ++v) counts[v] = mine.counts[rank[v]];
        });
  }

 private:
  /// The hubs' rows that are in the block.
  static void fill_matrix(const Locals& locals) {
    const std::int64_t hubs = locals->hub_count;
    const RankRange ranks = locals->block.ranks;
    forall_range_here(std::min(ranks.first, hubs), std::min(ranks.last, hubs),
                      {.grain = tuning::kVertexGrain},
                      [locals](std::int64_t first, std::int64_t last) {
                        const Local& mine = *locals;
                        const RowBlock& block = mine.block;
                        const bool both_ways = mine.of_cores.both_marks != nullptr;
                        for (std::int64_t v = first; v < last; ++v) {
                          const RowPlace place = block.places[v];
                          for (std::uint64_t i = place.begin; i < place.begin + place.length; ++i) {
                            mine.matrix.set(v, block.targets[i]);
                            if (both_ways && (block.both == nullptr || block.both[i] != 0))
                              mine.both_matrix.set(v, block.targets[i]);
                          }
                        }
                      });
  }

  template <TriangleWeight kWeight>
  void count_block() {
    on_each_locale([locals = *locals_] {
      const Graph& graph = locals->graph;
      forall_range_here(graph.locale_begin(), graph.locale_end(), {.grain = tuning::kVertexGrain},
                        CountRange<kWeight>(locals));
    });
  }

  using Words = Replica<std::uint64_t>;

  const TriangleWeight weight_;
  const Owned<Replica<VertexId>> rank_;
  const Owned<OrientedRows> rows_;
  Owned<Words> marks_;  // [cores of a locale][words]
  Owned<Words> both_marks_;
  Owned<Replica<VertexId>> hub_rows_;  // [cores of a locale][hubs]
  Owned<Words> hub_counts_;            // [cores of a locale][hubs]
  Owned<Words> matrix_;
  Owned<Words> both_matrix_;
  Owned<Words> counts_;
  Owned<Locals> locals_;
};

}  // namespace

void check_options(const TriangleOptions& options) {
  if (options.hubs < 0 || options.hubs > kMaxHubs || options.block_edges <= 0)
    throw UsageError(
        fmt::format("triangles: hubs must be 0 to {}, and block_edges at least 1", kMaxHubs));
}

std::uint64_t count_on_rows(const Graph& graph, TriangleWeight weight, bool by_degree,
                            const TriangleOptions& options,
                            const GlobalArray<std::uint64_t>& counts) {
  Counter counter(graph, weight, by_degree, options);
  const std::uint64_t total = counter.count();
  if (weight != TriangleWeight::kTotal) counter.write(counts);
  return total;
}

}  // namespace grappa::graph
