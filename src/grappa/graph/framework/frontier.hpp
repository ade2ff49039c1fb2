#pragma once

// Sets of vertices, from which edge_map and vertex_map start and which they return: the
// vertexSubset of Ligra (J. Shun, G. Blelloch, "Ligra: a lightweight graph processing framework for
// shared memory", PPoPP 2013), over all locales.
//
//   Frontiers frontiers(graph);                  // their memory: lives longer than they do
//   Frontier frontier = frontiers.of(source);
//   while (!frontier.empty()) frontier = edge_map(frontier, program);
//
// A set is listed (the vertices of a locale, in no order) or only marked (one bit a vertex), as it
// was found, and is converted to the other form when that is needed. Memory, for each set that
// lives at a time: 4 bytes for each vertex of the locale and a bit for each vertex of the graph.
//
// Frontier objects are moved, not copied. One task makes and uses them; functions that switch tasks
// say so, and run on all locales.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/graph/structure/graph.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

class Frontiers;

namespace detail {

/// A set on a locale.
struct FrontierPart {
  VertexId* queue = nullptr;          // [vertices of the locale]
  std::uint64_t* bits = nullptr;      // by vertex of the graph; those of this locale are right
  alignas(64) std::int64_t tail = 0;  // vertices in the queue
  std::int64_t marked = 0;            // vertices found that are only marked
  std::int64_t arcs = 0;              // out-edges of the vertices found
};

/// Of a set, on all locales: a handle.
struct FrontierMemory {
  Replica<VertexId> queue;
  Replica<std::uint64_t> bits;
  LocaleState<FrontierPart> part;
  bool listed = false;  // the vertices that are marked here are those in the queue
  bool shared = false;  // there are marks of other locales' vertices, too

  static FrontierMemory create(const Graph& graph);
  void destroy();
};

/// The numbers of vertices and of their out-edges.
struct FrontierSize {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
  FrontierSize operator+(const FrontierSize& other) const {
    return {vertices + other.vertices, arcs + other.arcs};
  }
};

inline constexpr std::size_t kMaxProgramBytes = 256;

/// The state of a locale in a round over edges or vertices.
struct FrontierRound {
  Graph graph;
  Adjacency degrees;     // its out-edges, which are counted
  bool against = false;  // the edges are followed from targets to sources:
  Graph along;           // as they are followed
  Adjacency out;
  Adjacency in;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  FrontierPart* from = nullptr;
  FrontierPart* to = nullptr;
  bool everything = false;  // `from` has all vertices, and need not be asked
  std::byte* values = nullptr;
  alignas(64) std::byte program[kMaxProgramBytes] = {};
};

}  // namespace detail

class Frontier {
 public:
  Frontier() = default;
  Frontier(Frontier&& other) noexcept { swap(*this, other); }
  Frontier& operator=(Frontier other) noexcept {
    swap(*this, other);
    return *this;
  }
  ~Frontier();

  /// Vertices, on all locales.
  std::int64_t size() const { return size_.vertices; }
  bool empty() const { return size_.vertices == 0; }
  /// Out-edges of the vertices.
  std::int64_t arcs() const { return size_.arcs; }

  /// The vertices in ascending order, brought to the caller. Switches tasks.
  std::vector<VertexId> vertices() const;

  friend void swap(Frontier& a, Frontier& b) noexcept {
    std::swap(a.frontiers_, b.frontiers_);
    std::swap(a.memory_, b.memory_);
    std::swap(a.size_, b.size_);
    std::swap(a.everything_, b.everything_);
  }

 private:
  friend class Frontiers;

  Frontiers* frontiers_ = nullptr;
  Owned<detail::FrontierMemory> memory_;
  detail::FrontierSize size_;
  bool everything_ = false;
};

class Frontiers {
 public:
  /// Switches tasks, as the destructor does. UsageError for a graph that is not live.
  explicit Frontiers(const Graph& graph);
  Frontiers(const Frontiers&) = delete;
  Frontiers& operator=(const Frontiers&) = delete;

  /// All switch tasks. Errors: UsageError for what is not a vertex.
  Frontier none() { return {}; }
  Frontier of(VertexId vertex);
  Frontier all();
  /// The vertices of either.
  Frontier join(Frontier a, Frontier b);

  const Graph& graph() const { return graph_; }

  // ---- for edge_map and vertex_map ----

  static Frontiers& of(const Frontier& frontier) { return *frontier.frontiers_; }
  LocaleState<detail::FrontierRound> rounds() const { return *rounds_; }
  /// An empty set, to be filled.
  Frontier start();
  /// Counts what was found, and says whether it is listed.
  void finish(Frontier& found, bool listed);
  static const detail::FrontierMemory& memory(const Frontier& frontier) {
    return *frontier.memory_;
  }
  static bool has_everything(const Frontier& frontier) { return frontier.everything_; }
  /// Makes sure that the set is listed; that all locales have all marks.
  void list(Frontier& frontier);
  void gather_marks(Frontier& frontier);
  /// Room for a value of so many bytes for each vertex of the graph, on every locale.
  Replica<std::uint64_t> values(std::size_t bytes_each);

 private:
  friend class Frontier;

  void take_back(Owned<detail::FrontierMemory> memory) { free_.push_back(std::move(memory)); }

  const Graph graph_;
  Owned<LocaleState<detail::FrontierRound>> rounds_;
  Owned<Replica<std::uint64_t>> values_;
  std::vector<Owned<detail::FrontierMemory>> free_;
};

}  // namespace grappa::graph
