#include "bench/label_propagation.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace grappa::bench {
namespace {

using graph::VertexId;

constexpr std::int64_t kVertices = 1024;  // a block of a pulled round
constexpr std::int64_t kEntries = 64;     // a block of a pushed one

VertexId label_now(VertexId& label) {
  return std::atomic_ref(label).load(std::memory_order_relaxed);
}

/// Makes it the smaller of the two; true if that was `value`.
bool lower(VertexId& label, VertexId value) {
  std::atomic_ref ref(label);
  VertexId seen = ref.load(std::memory_order_relaxed);
  while (value < seen) {
    if (ref.compare_exchange_weak(seen, value, std::memory_order_relaxed)) return true;
  }
  return false;
}

struct alignas(64) OfThread {
  std::vector<VertexId> found;
  std::int64_t arcs = 0;
};

class Propagation {
 public:
  Propagation(const graph::Graph& graph, const OpenMpTeam& team, int threads)
      : team_(team),
        threads_(threads),
        n_(graph.vertex_count()),
        arcs_(graph.arc_count()),
        out_(graph.out()),
        labels_(static_cast<std::size_t>(n_)),
        is_active_(static_cast<std::size_t>(n_), 1),
        is_next_(static_cast<std::size_t>(n_), 0),
        of_thread_(static_cast<std::size_t>(threads)) {
    std::iota(labels_.begin(), labels_.end(), VertexId{0});
  }

  std::vector<VertexId> run() {
    std::int64_t active_arcs = arcs_;
    bool has_list = false;
    std::vector<VertexId> active;
    while (active_arcs > 0) {
      const bool pulls = active_arcs > arcs_ / 20;
      if (!pulls && !has_list) list_active(active);
      if (pulls) {
        over(n_, kVertices, [&](std::int64_t v, OfThread& mine) { pull(v, mine); });
      } else {
        over(std::ssize(active), kEntries, [&](std::int64_t i, OfThread& mine) {
          push(active[static_cast<std::size_t>(i)], mine);
        });
      }
      if (has_list || !pulls) {
        for (const VertexId v : active) is_active_[v] = 0;
      } else {
        std::ranges::fill(is_active_, 0);
      }
      is_active_.swap(is_next_);
      active.clear();
      active_arcs = 0;
      for (OfThread& thread : of_thread_) {
        active.insert(active.end(), thread.found.begin(), thread.found.end());
        active_arcs += thread.arcs;
        thread = {};
      }
      has_list = true;
    }
    return std::move(labels_);
  }

 private:
  template <class F>
  void over(std::int64_t count, std::int64_t block, F f) {
    std::atomic<std::int64_t> next{0};
    team_.run(threads_, [&](int thread) {
      OfThread& mine = of_thread_[static_cast<std::size_t>(thread)];
      for (;;) {
        const std::int64_t first = next.fetch_add(block, std::memory_order_relaxed);
        if (first >= count) return;
        for (std::int64_t i = first; i < std::min(count, first + block); ++i) f(i, mine);
      }
    });
  }

  void add(VertexId v, OfThread& mine) {
    std::atomic_ref flag(is_next_[v]);
    if (flag.load(std::memory_order_relaxed) != 0 || flag.exchange(1, std::memory_order_relaxed))
      return;
    mine.found.push_back(v);
    mine.arcs += out_.degree(v);
  }

  void pull(std::int64_t v, OfThread& mine) {
    const VertexId before = label_now(labels_[static_cast<std::size_t>(v)]);
    VertexId best = before;
    for (const VertexId u : out_.neighbors(v)) {
      if (is_active_[u] != 0) best = std::min(best, label_now(labels_[u]));
    }
    if (best < before && lower(labels_[static_cast<std::size_t>(v)], best))
      add(static_cast<VertexId>(v), mine);
  }

  void push(VertexId u, OfThread& mine) {
    const VertexId label = label_now(labels_[u]);
    for (const VertexId v : out_.neighbors(u)) {
      if (lower(labels_[v], label)) add(v, mine);
    }
  }

  void list_active(std::vector<VertexId>& active) const {
    for (std::int64_t v = 0; v < n_; ++v) {
      if (is_active_[static_cast<std::size_t>(v)] != 0) active.push_back(static_cast<VertexId>(v));
    }
  }

  const OpenMpTeam& team_;
  const int threads_;
  const std::int64_t n_;
  const std::int64_t arcs_;
  const graph::Adjacency out_;
  std::vector<VertexId> labels_;
  std::vector<std::uint8_t> is_active_;
  std::vector<std::uint8_t> is_next_;
  std::vector<OfThread> of_thread_;
};

}  // namespace

std::vector<VertexId> propagate_labels(const graph::Graph& graph, const OpenMpTeam& team,
                                       int threads) {
  return Propagation(graph, team, threads).run();
}

}  // namespace grappa::bench
