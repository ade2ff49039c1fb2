#include "grappa/graph/framework/frontier.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/exec/vertex_queue.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {

using detail::FrontierMemory;
using detail::FrontierPart;
using detail::FrontierRound;
using detail::FrontierSize;

namespace {

/// Makes the memory of a set that was given back that of an empty one.
struct Clear {
  FrontierMemory memory;
  std::int64_t words;

  void operator()() const {
    FrontierPart& part = *memory.part;
    if (!memory.listed || memory.shared) {
      forall_range_here(0, words, [bits = memory.bits](std::int64_t first, std::int64_t last) {
        std::fill(bits.data() + first, bits.data() + last, 0);
      });
    } else if (part.tail <= tuning::kSerialVertices) {
      for (std::int64_t i = 0; i < part.tail; ++i) part.bits[part.queue[i] / kBitsPerWord] = 0;
    } else {
      forall_here(0, part.tail, [memory = memory](std::int64_t i) {
        const FrontierPart& mine = *memory.part;
        std::atomic_ref(mine.bits[mine.queue[i] / kBitsPerWord])
            .store(0, std::memory_order_relaxed);
      });
    }
    part.tail = part.marked = part.arcs = 0;
  }
};

struct ListMarked {
  LocaleState<FrontierPart> parts;

  void operator()(std::int64_t first, std::int64_t last) const {
    FrontierPart& mine = *parts;
    QueueWriter writer(mine.tail, mine.queue);
    for_each_bit(mine.bits, first, last, [&](VertexId v) { writer.push(v); });
  }
};

/// Adds the vertices that are marked in `more`.
struct JoinMarks {
  Graph graph;
  LocaleState<FrontierPart> to;
  LocaleState<FrontierPart> more;

  void operator()(std::int64_t first, std::int64_t last) const {
    FrontierPart& mine = *to;
    std::int64_t marked = 0;
    std::int64_t arcs = 0;
    for (std::int64_t word = first; word < last; ++word) mine.bits[word] |= more->bits[word];
    for_each_bit(mine.bits, first, last, [&, out = graph.out()](VertexId v) {
      ++marked;
      arcs += out.degree(v);
    });
    add_shared(mine.marked, marked);
    add_shared(mine.arcs, arcs);
  }
};

}  // namespace

FrontierMemory FrontierMemory::create(const Graph& graph) {
  Owned<Replica<VertexId>> queue =
      Replica<VertexId>::create_for_overwrite(graph.vertices_per_core() * cores_per_locale());
  Owned<Replica<std::uint64_t>> bits =
      Replica<std::uint64_t>::create(bitmap_words(graph.vertices_per_core() * core_count()));
  Owned<LocaleState<FrontierPart>> part =
      LocaleState<FrontierPart>::create([queue = *queue, bits = *bits] {
        return FrontierPart{.queue = queue.data(), .bits = bits.data()};
      });
  return {.queue = queue.release(), .bits = bits.release(), .part = part.release()};
}

void FrontierMemory::destroy() {
  queue.destroy();
  bits.destroy();
  part.destroy();
}

Frontier::~Frontier() {
  if (frontiers_ != nullptr) frontiers_->take_back(std::move(memory_));
}

std::vector<VertexId> Frontier::vertices() const {
  std::vector<VertexId> all;
  if (frontiers_ == nullptr) return all;
  all.reserve(static_cast<std::size_t>(size()));
  const auto list = GlobalAddress<std::vector<VertexId>>::of_local(&all);
  on_all_locales([list, part = memory_->part, graph = frontiers_->graph_] {
    const std::uint64_t* const bits = part->bits;
    for (std::int64_t v = graph.locale_begin(); v < graph.locale_end(); ++v) {
      if (!test_bit(bits, static_cast<std::uint64_t>(v))) continue;
      delegate::async::call(list.core(), [list, v = static_cast<std::uint64_t>(v) | kVertexTag] {
        list.pointer()->push_back(untagged(v));
      });
    }
  });
  std::ranges::sort(all);
  return all;
}

Frontiers::Frontiers(const Graph& graph) : graph_(graph) {
  graph.require_live("Frontiers");
  rounds_ = LocaleState<FrontierRound>::create([graph] {
    return FrontierRound{.graph = graph,
                         .degrees = graph.out(),
                         .along = graph,
                         .out = graph.out(),
                         .in = graph.has_in_edges() ? graph.in() : Adjacency(),
                         .begin = graph.locale_begin(),
                         .end = graph.locale_end()};
  });
}

Frontier Frontiers::start() {
  Frontier frontier;
  if (free_.empty()) {
    frontier.memory_ = FrontierMemory::create(graph_);
  } else {
    frontier.memory_ = std::move(free_.back());
    free_.pop_back();
    FrontierMemory& memory = frontier.memory_.handle();
    on_each_locale(Clear{memory, memory.bits.size()});
    memory.listed = memory.shared = false;
  }
  frontier.frontiers_ = this;
  return frontier;
}

void Frontiers::finish(Frontier& found, bool listed) {
  found.memory_.handle().listed = listed;
  found.size_ = reduce_locales([parts = found.memory_->part, listed] {
    const FrontierPart& mine = *parts;
    return FrontierSize{listed ? mine.tail : mine.marked, mine.arcs};
  });
}

Frontier Frontiers::of(VertexId vertex) {
  graph_.require_vertex("frontier", vertex);
  Frontier frontier = start();
  delegate::call(graph_.home(vertex), [graph = graph_, parts = frontier.memory_->part, vertex] {
    FrontierPart& mine = *parts;
    claim_bit(mine.bits, vertex);
    mine.queue[mine.tail++] = vertex;
    mine.arcs = graph.out().degree(vertex);
  });
  finish(frontier, true);
  return frontier;
}

Frontier Frontiers::all() {
  Frontier frontier = start();
  on_each_locale([graph = graph_, parts = frontier.memory_->part] {
    FrontierPart& mine = *parts;
    const std::int64_t begin = graph.locale_begin();
    const std::int64_t end = graph.locale_end();
    if (begin == end) return;
    std::fill(mine.bits + bitmap_words(begin), mine.bits + end / kBitsPerWord, ~std::uint64_t{0});
    if (end % kBitsPerWord != 0)
      mine.bits[end / kBitsPerWord] = (std::uint64_t{1} << (end % kBitsPerWord)) - 1;
  });
  frontier.size_ = {graph_.vertex_count(), graph_.arc_count()};
  frontier.everything_ = true;
  return frontier;
}

Frontier Frontiers::join(Frontier a, Frontier b) {
  if (a.everything_ || b.empty()) return a;
  if (b.everything_ || a.empty()) return b;
  on_each_locale([graph = graph_, to = a.memory_->part, more = b.memory_->part] {
    to->marked = to->arcs = 0;
    forall_range_here(bitmap_words(graph.locale_begin()), bitmap_words(graph.locale_end()),
                      JoinMarks{graph, to, more});
  });
  a.memory_.handle().shared = false;
  finish(a, false);
  return a;
}

void Frontiers::list(Frontier& frontier) {
  if (frontier.memory_->listed) return;
  on_each_locale([graph = graph_, parts = frontier.memory_->part] {
    parts->tail = 0;
    forall_range_here(bitmap_words(graph.locale_begin()), bitmap_words(graph.locale_end()),
                      ListMarked{parts});
  });
  frontier.memory_.handle().listed = true;
}

void Frontiers::gather_marks(Frontier& frontier) {
  if (locale_count() == 1 || frontier.memory_->shared) return;
  frontier.memory_->bits.all_gather(words_of_locale(graph_));
  frontier.memory_.handle().shared = true;
}

Replica<std::uint64_t> Frontiers::values(std::size_t bytes_each) {
  const std::int64_t words = static_cast<std::int64_t>(
      (static_cast<std::size_t>(graph_.vertices_per_core() * core_count()) * bytes_each + 7) / 8);
  if (values_->size() < words) {
    values_.reset();
    values_ = Replica<std::uint64_t>::create_for_overwrite(words);
  }
  return *values_;
}

}  // namespace grappa::graph
