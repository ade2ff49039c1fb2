#pragma once

// The pulling engine of vertex programs: programs that gather everything anew in each round, of any
// width, and that write values along edges (J. Gonzalez et al., "PowerGraph: distributed
// graph-parallel computation on natural graphs", OSDI 2012, section 4.1, without the cache of
// section 4.2, which is for the programs of vertex_program.hpp).
//
//   struct Average {                                    // each vertex moves between its neighbors
//     struct Point {
//       double x, y;
//     };
//     struct Gather {
//       Point sum;
//       double count;
//     };
//     using Value = Point;                              // what neighbors see of a vertex
//     static Gather identity() { return {}; }
//     VertexView<Point> at;
//     void bind() { at.bind(); }
//     Value value(VertexId u) const { return at[u]; }
//     void gather(Gather& total, const auto& arc) const {
//       total.sum.x += arc.value.x;
//       total.sum.y += arc.value.y;
//       total.count += 1;
//     }
//     bool apply(VertexId v, const Gather& total) const {
//       at[v] = {total.sum.x / total.count, total.sum.y / total.count};
//       return true;                                    // the neighbors see it
//     }
//   };
//   run_pulling(graph, Average{VertexView(position)}, {.max_rounds = 50});
//
// A round: each active vertex goes along its in-edges, gathers what their sources have published
// and what stands on them, and then applies the total. If apply() returns true, the vertex
// publishes its new value and writes on its out-edges, when all have applied; those that gather
// along an edge from it are active in the next round. So a round sees only what was published
// before it, and since each row is gathered by one core, in the order of the row, results are the
// same to the last bit on any number of cores and locales. The program ends when no vertex is
// active.
//
// A program has
//   Gather, identity()     what is gathered; trivially copyable, of at most 256 bytes. The program
//                          adds to it in place, so it needs no operator and no atomic operation
//   gather(total, arc)     adds what the edge arc brings
//   apply(v, total)        makes of it the vertex's new state; true: tell the neighbors
// and one of these, or both
//   Value, value(u)        what u publishes: arc.value. A trivially copyable type. Called before
//                          the first round for all vertices, and after each for those that tell
//   EdgeValue              what stands on an edge: arc.edge. A trivially copyable type, with
//     first_edge_value(arc)   what it is at first (of arc: source, target and weight)
//     scatter(arc, value)     changes it, where arc leads from a vertex that tells: the value is of
//                             type EdgeValue&. If the graph is undirected, *arc.back is what stood
//                             on the edge that leads back when the vertex gathered; else arc.back
//                             is null
// and may have
//   kGathers = Edges::kOut  goes along the out-edges, or with Edges::kBoth along the in-edges and
//                          then the out-edges; of an undirected graph all are the same
//   kWeighted = true       arc.weight is the edge's weight (of a number type); else it is 1
//   starts(v)              whether v is active at first; by default all are, or options.source
//   bind()                 called on each locale before the others, for its VertexViews
// arc.source and arc.target are the ends; in gather(), arc.other is the one that does not gather,
// and whose value arc.value is.
//
// Who writes the value of an edge, and when: its source alone, in scatter(); whoever gathers along
// it reads it from the next round on. An undirected edge has a value in each direction, which is
// what message passing wants. All functions run at the vertex that gathers, applies or scatters, on
// its locale, one at a time for each vertex, and must not switch tasks. A program is trivially
// copyable, of at most 192 bytes.
//
// Memory: on each locale a Value for every vertex of the graph; and an EdgeValue for each in-edge
// and each out-edge of its vertices, another for each in-edge from other locales, and what
// edge_places.hpp says. After each round locales exchange the values of all their vertices, or only
// those of the halo where that is small, and those of all edges between them.
//
// Called by one task; switches tasks. Errors: UsageError for a graph without in-edges and for a
// source that is not a vertex; what a program throws comes out as RemoteError.

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "grappa/graph/framework/edge_map.hpp"
#include "grappa/graph/framework/internal/edge_places.hpp"
#include "grappa/graph/framework/sync_engine.hpp"
#include "grappa/graph/framework/vertex_map.hpp"
#include "grappa/graph/framework/vertex_program.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa::graph {

namespace detail {

template <class Program>
using EdgeValueMember = typename Program::EdgeValue;
template <class Program>
using ProgramEdgeValue = typename TypeOrNone<EdgeValueMember, Program>::Type;

template <class Program>
inline constexpr bool kHasEdgeValue = !std::is_same_v<ProgramEdgeValue<Program>, NoValue>;

template <class Program>
constexpr Edges gathered_edges() {
  if constexpr (requires { Program::kGathers; }) {
    return Program::kGathers;
  } else {
    return Edges::kIn;
  }
}

/// An edge without what stands on it.
template <class W>
struct BareArc {
  VertexId source;
  VertexId target;
  [[no_unique_address]] W weight;
};

/// An edge of the vertex that gathers.
template <class Program, class W>
struct GatherArc {
  VertexId source;
  VertexId target;
  VertexId other;  // the end that does not gather
  [[no_unique_address]] W weight;
  const ProgramValue<Program>& value;
  const ProgramEdgeValue<Program>& edge;
};

/// An out-edge of the vertex that scatters.
template <class Program, class W>
struct ScatterArc {
  VertexId source;
  VertexId target;
  [[no_unique_address]] W weight;
  const ProgramEdgeValue<Program>* back;
};

/// What a locale has while a program pulls; null where the program has no such values.
template <class Program>
struct PullPart {
  Adjacency in;
  Adjacency out;
  WeightType weights;
  bool undirected;
  ProgramValue<Program>* values;        // by vertex of the graph
  ProgramEdgeValue<Program>* written;   // by out-edge, and from other locales: see EdgePlaces
  ProgramEdgeValue<Program>* gathered;  // by in-edge: as it was when its target gathered
  const std::uint64_t* places_of_in_edges;
};

template <class Program>
using PullParts = LocaleState<PullPart<Program>>;

/// A step of a round, as a function of a vertex for vertex_map and vertex_filter.
template <class Program>
struct PullStep {
  PullParts<Program> parts;
  Program program;
  const PullPart<Program>* here = nullptr;

  void bind() {
    bind_here(program);
    here = &*parts;
  }
};

template <class Program>
struct PullStart : PullStep<Program> {
  bool operator()(VertexId v) const { return this->program.starts(v); }
};

template <class Program>
struct PullGather : PullStep<Program> {
  bool operator()(VertexId v) const {
    constexpr Edges kEdges = gathered_edges<Program>();
    GatherOf<Program> total = Program::identity();
    visit_seen_weights<Program>(this->here->weights, [&]<class W>(W) {
      if (kEdges != Edges::kOut || this->here->undirected) add_row<true, W>(v, total);
      if constexpr (kEdges != Edges::kIn) {
        if (!this->here->undirected) add_row<false, W>(v, total);
      }
    });
    return this->program.apply(v, total);
  }

 private:
  /// What the in-edges bring, or the out-edges.
  template <bool kIn, class W>
  void add_row(VertexId v, GatherOf<Program>& total) const {
    static constexpr NoValue kNone;
    const PullPart<Program>& mine = *this->here;
    const Adjacency& rows = kIn ? mine.in : mine.out;
    const std::span<const VertexId> row = rows.neighbors(v);
    const auto weights = rows.template weights<W>(v);
    const std::uint64_t begin = rows.offset(v);
    const auto place = [&](std::size_t k) {
      return kIn ? mine.places_of_in_edges[begin + k] : begin + k;
    };
    for (std::size_t k = 0; k < row.size(); ++k) {
      constexpr std::size_t kAhead = tuning::kPulledAhead;
      if (k + kAhead < row.size()) {
        if constexpr (kHasValue<Program>) __builtin_prefetch(mine.values + row[k + kAhead]);
        if constexpr (kHasEdgeValue<Program>) __builtin_prefetch(mine.written + place(k + kAhead));
      }
      const auto& value = [&]() -> const auto& {
        if constexpr (kHasValue<Program>) {
          return mine.values[row[k]];
        } else {
          return kNone;
        }
      }();
      const auto& edge = [&]() -> const auto& {
        if constexpr (!kHasEdgeValue<Program>) {
          return kNone;
        } else if constexpr (kIn) {
          return mine.gathered[begin + k] = mine.written[place(k)];
        } else {
          return mine.written[place(k)];
        }
      }();
      const VertexId other = row[k];
      this->program.gather(total, GatherArc<Program, W>{kIn ? other : v, kIn ? v : other, other,
                                                        weights[k], value, edge});
    }
  }
};

/// kFirst: before the first round.
template <class Program, bool kFirst>
struct PullPublish : PullStep<Program> {
  void operator()(VertexId u) const {
    const PullPart<Program>& mine = *this->here;
    if constexpr (kHasValue<Program>) mine.values[u] = this->program.value(u);
    if constexpr (kHasEdgeValue<Program>) {
      visit_seen_weights<Program>(mine.weights, [&]<class W>(W) { write_row<W>(u); });
    }
  }

 private:
  template <class W>
  void write_row(VertexId u) const {
    const PullPart<Program>& mine = *this->here;
    const std::span<const VertexId> row = mine.out.neighbors(u);
    const auto weights = mine.out.template weights<W>(u);
    const std::uint64_t begin = mine.out.offset(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      ProgramEdgeValue<Program>& value = mine.written[begin + k];
      if constexpr (kFirst) {
        value = this->program.first_edge_value(BareArc<W>{u, row[k], weights[k]});
      } else {
        // The in-edges of an undirected graph are its out-edges.
        const auto* back = mine.undirected ? mine.gathered + begin + k : nullptr;
        this->program.scatter(ScatterArc<Program, W>{u, row[k], weights[k], back}, value);
      }
    }
  }
};

/// Makes the targets of edges active.
struct PullActivate {
  bool update_atomic(VertexId, const auto&) const { return true; }
  bool pull(VertexId, const auto& arcs) const {
    bool is_active = false;
    arcs.for_each([&](const auto&) {
      is_active = true;
      return false;
    });
    return is_active;
  }
};

/// Those that gather along edges from a vertex of the set.
inline Frontier gathering_from(Frontier& telling, Edges edges) {
  if (telling.empty()) return {};
  const bool directed = Frontiers::of(telling).graph().is_directed();
  Frontier gathering;
  if (edges != Edges::kOut || !directed) gathering = edge_map(telling, PullActivate{});
  if (edges == Edges::kIn || !directed) return gathering;
  Frontier against = edge_map(telling, PullActivate{}, {.against = true});
  return Frontiers::of(telling).join(std::move(gathering), std::move(against));
}

/// The values of vertices and edges, on all locales.
template <class Program>
class PullMemory {
 public:
  explicit PullMemory(const Graph& graph) : graph_(graph) {
    PullPartHandles handles;
    if constexpr (kHasValue<Program>) {
      values_ = Replica<ProgramValue<Program>>::create_for_overwrite(graph.vertex_count());
      if (is_mostly_local(graph)) halo_ = Halo::of_edges(graph, gathered_edges<Program>());
      handles.values = *values_;
    }
    if constexpr (kHasEdgeValue<Program>) {
      places_ = EdgePlaces::of(graph);
      written_ = Replica<ProgramEdgeValue<Program>>::create_for_overwrite(places_->size());
      gathered_ = Replica<ProgramEdgeValue<Program>>::create_for_overwrite(places_->size());
      handles.places = *places_;
      handles.written = *written_;
      handles.gathered = *gathered_;
    }
    parts_ = PullParts<Program>::create([graph, handles] {
      PullPart<Program> part{.in = graph.in(),
                             .out = graph.out(),
                             .weights = graph.weight_type(),
                             .undirected = !graph.is_directed(),
                             .values = nullptr,
                             .written = nullptr,
                             .gathered = nullptr,
                             .places_of_in_edges = nullptr};
      if constexpr (kHasValue<Program>) part.values = handles.values.data();
      if constexpr (kHasEdgeValue<Program>) {
        part.written = handles.written.data();
        part.gathered = handles.gathered.data();
        part.places_of_in_edges = handles.places.of_in_edges();
      }
      return part;
    });
  }

  PullParts<Program> parts() const { return *parts_; }

  /// Gives all locales what was published and written.
  void exchange() const {
    if constexpr (kHasValue<Program>) {
      if (halo_) {
        halo_->exchange(*values_);
      } else {
        values_->all_gather(vertices_of_locale(graph_));
      }
    }
    if constexpr (kHasEdgeValue<Program>) places_->exchange(*written_);
  }

 private:
  struct PullPartHandles {
    Replica<ProgramValue<Program>> values;
    EdgePlaces places;
    Replica<ProgramEdgeValue<Program>> written;
    Replica<ProgramEdgeValue<Program>> gathered;
  };

  const Graph graph_;
  Owned<Replica<ProgramValue<Program>>> values_;
  Owned<Halo> halo_;  // where few values are needed on other locales
  Owned<EdgePlaces> places_;
  Owned<Replica<ProgramEdgeValue<Program>>> written_;
  Owned<Replica<ProgramEdgeValue<Program>>> gathered_;
  Owned<PullParts<Program>> parts_;
};

template <class Program>
ProgramResult pull_rounds(const Graph& graph, const Program& program,
                          const ProgramOptions& options) {
  const PullMemory<Program> memory(graph);
  const PullStep<Program> step{memory.parts(), program};
  Frontiers frontiers(graph);
  Frontier active = frontiers.all();
  vertex_map(active, PullPublish<Program, true>{step});
  memory.exchange();
  if (options.source != kNoVertex) {
    active = frontiers.of(options.source);
  } else if constexpr (requires { program.starts(VertexId{}); }) {
    active = vertex_filter(active, PullStart<Program>{step});
  }
  return run_rounds(
      std::move(active), options,
      [&](const Frontier& of) { return vertex_filter(of, PullGather<Program>{step}); },
      [&](Frontier& telling) {
        vertex_map(telling, PullPublish<Program, false>{step});
        if (!telling.empty()) memory.exchange();
        return gathering_from(telling, gathered_edges<Program>());
      });
}

}  // namespace detail

template <class Program>
ProgramResult run_pulling(const Graph& graph, const Program& program,
                          const ProgramOptions& options = {},
                          internal::CallSite where = internal::CallSite::current()) {
  using Gather = detail::GatherOf<Program>;
  static_assert(std::is_trivially_copyable_v<Program> && sizeof(Program) <= 192,
                "grappa: a vertex program is trivially copyable and has at most 192 bytes");
  static_assert(std::is_trivially_copyable_v<Gather> && sizeof(Gather) <= 256,
                "grappa: what a program pulls is trivially copyable and has at most 256 bytes");
  static_assert(detail::kHasValue<Program> || detail::kHasEdgeValue<Program>,
                "grappa: a program that pulls has Value and value(u), or EdgeValue");
  internal::here().messages->check_body(program, where);
  detail::check_source("run_pulling", graph, options.source);
  graph.require_in_edges("run_pulling");
  return detail::pull_rounds(graph, program, options);
}

}  // namespace grappa::graph
