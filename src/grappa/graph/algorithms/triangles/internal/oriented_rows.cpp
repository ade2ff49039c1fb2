#include "grappa/graph/algorithms/triangles/internal/oriented_rows.hpp"

#include <algorithm>
#include <cstring>

#include "grappa/graph/algorithms/internal/neighborhood.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {
namespace {

/// Edges stored with the vertices of this locale below v.
std::uint64_t stored_before(const Graph& graph, std::int64_t v) {
  const auto before = [&](const Adjacency& rows) {
    return static_cast<std::uint64_t>(rows.neighbors(v).data() -
                                      rows.neighbors(graph.locale_begin()).data());
  };
  return before(graph.out()) + (graph.is_directed() ? before(graph.in()) : 0);
}

std::uint64_t stored_here(const Graph& graph) {
  if (graph.locale_begin() == graph.locale_end()) return 0;
  const std::int64_t last = graph.locale_end() - 1;
  return stored_before(graph, last) + static_cast<std::uint64_t>(Neighborhood(graph).stored(last));
}

// A row as it is sent: its rank, its length, its targets, and a byte for each if they have flags.
constexpr std::size_t kHeadWords = 2;
std::size_t flag_words(std::size_t length) {
  return (length + sizeof(VertexId) - 1) / sizeof(VertexId);
}

}  // namespace

OrientedRows OrientedRows::create(const Graph& graph, Replica<VertexId> rank,
                                  std::int64_t block_edges) {
  OrientedRows rows;
  rows.graph_ = graph;
  rows.rank_ = rank;
  rows.locals_ = LocaleState<Local>::create();
  Owned made(rows);
  made.handle().make(block_edges);
  return made.release();
}

void OrientedRows::make(std::int64_t block_edges) {
  const std::uint64_t most =
      reduce_locales([graph = graph_] { return stored_here(graph); }, std::ranges::max);
  const auto room = static_cast<std::int64_t>(std::max<std::uint64_t>(1, most));
  places_ =
      Replica<RowPlace>::create_for_overwrite(graph_.vertices_per_core() * cores_per_locale());
  // Edges are written where the graph has theirs; pages that stay empty take no memory.
  targets_ = Replica<VertexId>::create_for_overwrite(room);
  if (graph_.is_directed()) both_ = Replica<std::uint8_t>::create_for_overwrite(room);
  if (locale_count() == 1)
    by_rank_ =
        Replica<RowPlace>::create_for_overwrite(std::max<std::int64_t>(1, graph_.vertex_count()));
  on_each_locale([rows = *this] { rows.fill(); });
  const std::vector<RankRange> blocks = make_blocks(block_edges);
  blocks_ = Replica<RankRange>::create_for_overwrite(std::ssize(blocks));
  std::ranges::copy(blocks, blocks_.data());
}

void OrientedRows::destroy() {
  const auto end = [](auto& array) {
    if (array.size() > 0) array.destroy();
  };
  end(places_);
  end(targets_);
  end(both_);
  end(by_rank_);
  end(blocks_);
  end(words_);
  end(both_of_block_);
  if (exchange_) exchange_->destroy();
  locals_.destroy();
  *this = OrientedRows();
}

void OrientedRows::fill() const {
  const auto fill_range = [rows = *this](std::int64_t first, std::int64_t last) {
    const Graph& graph = rows.graph_;
    const bool one_locale = locale_count() == 1;
    const Neighborhood near(graph);
    const VertexId* const rank = rows.rank_.data();
    VertexId* const targets = rows.targets_.data();
    std::uint8_t* const both_ways = graph.is_directed() ? rows.both_.data() : nullptr;
    std::uint64_t at = stored_before(graph, first);
    for (std::int64_t v = first; v < last; ++v) {
      const VertexId mine = rank[v];
      const std::uint64_t begin = at;
      // Without branches on the ranks, which would be unpredictable.
      near.for_each(v, [&](VertexId w, bool both) {
        const VertexId other = rank[w];
        targets[at] = other;
        if (both_ways != nullptr) both_ways[at] = both;
        at += other < mine;
      });
      const RowPlace place{.begin = begin, .length = at - begin};
      rows.places_.data()[v - graph.locale_begin()] = place;
      if (one_locale) rows.by_rank_.data()[mine] = place;
    }
  };
  forall_range_here(graph_.locale_begin(), graph_.locale_end(), fill_range);
}

/// Divides the ranks into blocks with about so many edges each, and makes room for one.
std::vector<RankRange> OrientedRows::make_blocks(std::int64_t edges) {
  const std::int64_t n = graph_.vertex_count();
  if (locale_count() == 1) return {{0, n}};
  const std::int64_t width = n / tuning::kRankParts + 1;
  const Owned sums = Replica<std::uint64_t>::create(n / width + 1);
  on_all_locales([rows = *this, sums = *sums, width] {
    const Graph& graph = rows.graph_;
    for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v)
      sums.data()[rows.rank_.data()[v] / width] += rows.place_of(v).length;
  });
  sums->merge([](std::uint64_t a, std::uint64_t b) { return a + b; });
  std::vector<RankRange> blocks;
  std::int64_t most_ranks = 1;
  std::uint64_t most_words = 1;
  std::int64_t first = 0;
  std::uint64_t sum = 0;
  const auto end_block = [&](std::int64_t last) {
    blocks.push_back({first, last});
    const auto most_rows = std::min(static_cast<std::uint64_t>(last - first), sum);
    most_ranks = std::max(most_ranks, last - first);
    most_words = std::max(most_words, most_rows * (kHeadWords + 1) + sum + flag_words(sum));
    first = last;
    sum = 0;
  };
  for (std::int64_t part = 0; part * width < n; ++part) {
    const std::uint64_t here = sums->data()[part];
    if (sum > 0 && sum + here > static_cast<std::uint64_t>(edges)) end_block(part * width);
    sum += here;
  }
  end_block(n);
  const auto room = static_cast<std::int64_t>(most_words);
  by_rank_ = Replica<RowPlace>::create_for_overwrite(most_ranks);
  words_ = Replica<VertexId>::create_for_overwrite(room);
  if (graph_.is_directed()) both_of_block_ = Replica<std::uint8_t>::create_for_overwrite(room);
  exchange_ = Exchange::create();
  return blocks;
}

void OrientedRows::gather(const RankRange& ranks) const {
  if (locale_count() == 1) {
    locals_->block = {ranks, by_rank_.data(), targets(), both()};
    return;
  }
  on_all_locales([rows = *this, ranks] {
    const std::size_t packed = rows.pack(ranks);
    rows.locals_->packed = packed;
    for (int step = 1; step < locale_count(); ++step)
      rows.exchange_->send((this_locale() + step) % locale_count(),
                           rows.words_.span().first(packed));
  });
  on_all_locales([rows = *this, ranks] {
    std::size_t end = rows.locals_->packed;
    for (int from = 0; from < locale_count(); ++from) {
      if (from == this_locale()) continue;
      const std::vector<std::byte> bytes = rows.exchange_->take<std::byte>(from);
      if (!bytes.empty()) std::memcpy(rows.words_.data() + end, bytes.data(), bytes.size());
      end += bytes.size() / sizeof(VertexId);
    }
    rows.unpack(ranks, end);
  });
}

/// Puts this locale's rows into `words`; returns how many these are.
std::size_t OrientedRows::pack(const RankRange& ranks) const {
  VertexId* const words = words_.data();
  std::size_t at = 0;
  for (std::int64_t v = graph_.locale_begin(); v < graph_.locale_end(); ++v) {
    const VertexId rank = rank_.data()[v];
    const RowPlace place = place_of(v);
    if (rank < ranks.first || rank >= ranks.last || place.length == 0) continue;
    words[at++] = rank;
    words[at++] = static_cast<VertexId>(place.length);
    std::copy_n(targets() + place.begin, place.length, words + at);
    at += place.length;
    if (both() == nullptr) continue;
    std::memcpy(words + at, both() + place.begin, place.length);
    at += flag_words(place.length);
  }
  return at;
}

/// Finds the rows in the words before `end`.
void OrientedRows::unpack(const RankRange& ranks, std::size_t end) const {
  const VertexId* const words = words_.data();
  RowPlace* const places = by_rank_.data();
  std::fill_n(places, ranks.last - ranks.first, RowPlace{});
  std::uint8_t* const both = graph_.is_directed() ? both_of_block_.data() : nullptr;
  for (std::size_t at = 0; at < end;) {
    const std::int64_t row = static_cast<std::int64_t>(words[at]) - ranks.first;
    const std::size_t length = words[at + 1];
    at += kHeadWords;
    places[row] = {.begin = at, .length = length};
    at += length;
    if (both == nullptr) continue;
    std::memcpy(both + at - length, words + at, length);
    at += flag_words(length);
  }
  locals_->block = {ranks, places - ranks.first, words, both};
}

}  // namespace grappa::graph
