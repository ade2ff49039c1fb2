#pragma once

// edge_map: applies a program to the edges that leave a set of vertices, and returns the set of the
// vertices that it changed. The model is that of Ligra (J. Shun, G. Blelloch, PPoPP 2013, section
// 3), in a form that also works when the two ends of an edge are on different locales.
//
//   struct Visit {                                   // breadth-first search
//     VertexView<VertexId> parent;
//     void bind() { parent.bind(); }
//     bool cond(VertexId v) const { return load_shared(parent[v]) == kNoVertex; }
//     bool update(VertexId v, const auto& arc) const {
//       parent[v] = arc.source;
//       return true;
//     }
//     bool update_atomic(VertexId v, const auto& arc) const {
//       return claim_shared(parent[v], kNoVertex, arc.source);
//     }
//   };
//   while (!frontier.empty()) frontier = edge_map(frontier, Visit{VertexView(parent)});
//
// A program has
//   update_atomic(v, arc)  what the edge `arc` does to its target v, while other cores may update v
//                          too; true if that puts v into the result. A program with pull() can do
//                          without; it is then always pulled: UsageError for kPush, and without
//                          in-edges
// and may have
//   update(v, arc)         the same, when no other core updates v
//   cond(v)                whether v wants more updates; by default always. May run while
//                          update_atomic runs on other cores
//   Value, value(u)        what u gives to its out-edges in this round: arc.value. Computed at u
//                          before any update of the round. A trivially copyable type
//   nothing()              static, with value(): a value without effect. A pull then uses it for
//                          vertices outside the set, and goes along all in-edges, which costs less
//                          than testing each
//   kWeighted = true       arc.weight is the edge's weight (of a number type); else it is 1
//   bind()                 called on each locale before the others, for its VertexViews
//   pull(v, arcs)          in place of update and cond, for all in-edges from the set at once (with
//                          nothing(): for all in-edges): arcs.for_each(f) calls f(arc) until it
//                          returns false
// arc.source is the vertex that the edge comes from. All functions run at the vertex that they are
// given, on its locale, and must not switch tasks. A program is trivially copyable, of at most 256
// bytes.
//
// Small sets are pushed: each edge calls update_atomic at its target, by message if that is on
// another locale. Large ones are pulled if the graph has in-edges: each vertex for which cond()
// holds looks for edges from the set, which needs neither atomic operations nor messages, until
// cond() no longer holds. Values are those before the round either way, so for updates that commute
// the result is the same on any number of cores and locales.
//
// Grains of a pull are whole words of 64 vertices, so that no two cores write the same cache line
// of an array of vertices.
//
// Called by one task; switches tasks. What a program's functions throw comes out as RemoteError;
// the set that was being made is lost. UsageError for a program that refers to a stack.

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rows_ahead.hpp"
#include "grappa/graph/exec/take_vertices.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/exec/vertex_queue.hpp"
#include "grappa/graph/framework/frontier.hpp"
#include "grappa/graph/framework/push_edges.hpp"
#include "grappa/graph/framework/vertex_view.hpp"
#include "grappa/graph/structure/internal/bitmap.hpp"
#include "grappa/graph/structure/internal/shared_values.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {

enum class Direction : std::uint8_t { kAutomatic, kPush, kPull };

struct EdgeMapOptions {
  Direction direction = Direction::kAutomatic;  // kPull: UsageError without in-edges
  /// Pull when the vertices of the set and their out-edges are more than the graph's edges divided
  /// by this.
  std::int64_t dense_divisor = 20;
  /// Edges are followed from their targets to their sources: what is said of out-edges is meant of
  /// in-edges, and the other way round. UsageError without in-edges.
  bool against = false;
};

/// An edge into the vertex that is being updated.
template <class V, class W>
struct Arc {
  VertexId source;
  [[no_unique_address]] V value;
  [[no_unique_address]] W weight;
};

struct NoValue {};

namespace detail {

/// A type that a program has, or NoValue.
template <template <class> class Member, class Program>
struct TypeOrNone {
  using Type = NoValue;
};
template <template <class> class Member, class Program>
  requires requires { typename Member<Program>; }
struct TypeOrNone<Member, Program> {
  using Type = Member<Program>;
};

template <class Program>
using ValueMember = typename Program::Value;
template <class Program>
using ProgramValue = typename TypeOrNone<ValueMember, Program>::Type;

template <class Program>
inline constexpr bool kHasValue = !std::is_same_v<ProgramValue<Program>, NoValue>;

template <class Program>
inline constexpr bool kHasNothing = requires { Program::nothing(); };

template <class Program>
bool wants_updates(const Program& program, VertexId v) {
  if constexpr (requires { program.cond(v); }) {
    return program.cond(v);
  } else {
    return true;
  }
}

template <class Program>
constexpr bool is_weighted() {
  if constexpr (requires { Program::kWeighted; }) {
    return Program::kWeighted;
  } else {
    return false;
  }
}

/// f(W()), where W is the type of the weights that the program sees: those of the graph, or none.
template <class Program, class F>
decltype(auto) visit_seen_weights(WeightType type, F f) {
  if constexpr (is_weighted<Program>()) {
    return visit_weights(type, f);
  } else {
    return f(UnitWeight{});
  }
}

template <class Program>
inline constexpr bool kCanPush =
    requires(const Program& program, VertexId v, Arc<ProgramValue<Program>, UnitWeight> arc) {
      program.update_atomic(v, arc);
    };

/// An object of whatever pull() is given.
struct AnyArcs {
  template <class F>
  void for_each(F) const {}
};
template <class Program>
inline constexpr bool kCanPull =
    requires(const Program& program, VertexId v, AnyArcs arcs) { program.pull(v, arcs); };

template <class Program>
const Program& program_of(const FrontierRound& round) {
  return *reinterpret_cast<const Program*>(round.program);
}

/// Whether one core does everything on this locale in a round, including updates that come from
/// others: then nothing needs an atomic operation.
inline bool is_alone(bool is_little) {
  return cores_per_locale() == 1 || (is_little && locale_count() == 1);
}

/// Updates a vertex of this locale; kAlone: no other core does.
template <bool kAlone = false, class Program, class A>
void push_to(FrontierRound& mine, const Program& program, VertexId v, const A& arc,
             std::int64_t& arcs, QueueWriter& found) {
  if (!wants_updates(program, v)) return;
  constexpr bool kPlain = kAlone && requires { program.update(v, arc); };
  if constexpr (kPlain) {
    if (!program.update(v, arc)) return;
  } else {
    if (!program.update_atomic(v, arc)) return;
  }
  if (!claim_unset_bit<kAlone>(mine.to->bits, v)) return;
  arcs += mine.degrees.degree(v);
  found.push(v);
}

template <class Program, class W>
struct PushMessage {
  LocaleState<FrontierRound> rounds;
  std::uint64_t vertex;
  std::uint64_t source;
  [[no_unique_address]] ProgramValue<Program> value;
  [[no_unique_address]] W weight;

  void operator()() const {
    FrontierRound& mine = *rounds;
    std::int64_t arcs = 0;
    {
      QueueWriter found(mine.to->tail, mine.to->queue);
      push_to(mine, program_of<Program>(mine), untagged(vertex),
              Arc<ProgramValue<Program>, W>{untagged(source), value, weight}, arcs, found);
    }
    add_shared(mine.to->arcs, arcs);
  }
};

/// What a split hub of another locale gives to its neighbors on this core.
template <class Program, class W>
struct PushFromHub {
  LocaleState<FrontierRound> rounds;
  std::uint64_t hub;
  [[no_unique_address]] ProgramValue<Program> value;

  void operator()() const {
    FrontierRound& mine = *rounds;
    const Program& program = program_of<Program>(mine);
    Arc<ProgramValue<Program>, W> arc{
        .source = mine.along.hubs()[hub], .value = value, .weight = {}};
    std::int64_t arcs = 0;
    {
      QueueWriter found(mine.to->tail, mine.to->queue);
      push_hub_edges<W>(mine.along, hub, [&](VertexId v, W weight) {
        arc.weight = weight;
        push_to(mine, program, v, arc, arcs, found);
      });
    }
    add_shared(mine.to->arcs, arcs);
  }
};

/// Follows the out-edges of entries [first, last) of the queue.
template <class Program, bool kAlone>
struct PushEntries {
  LocaleState<FrontierRound> rounds;

  void operator()(std::int64_t first, std::int64_t last) const {
    visit_seen_weights<Program>(rounds->graph.weight_type(),
                                [&]<class W>(W) { push<W>(first, last); });
  }

 private:
  template <class W>
  void push(std::int64_t first, std::int64_t last) const {
    using Value = ProgramValue<Program>;
    FrontierRound& mine = *rounds;
    const Program program = program_of<Program>(mine);
    const Adjacency out = mine.out;
    const std::span<const VertexId> queue(mine.from->queue,
                                          static_cast<std::size_t>(mine.from->tail));
    const std::int64_t begin = mine.begin;
    const std::int64_t end = mine.end;
    std::int64_t arcs = 0;
    QueueWriter found(mine.to->tail, mine.to->queue);
    for_each_ahead(out, queue, first, last, [&](std::int64_t i) {
      const VertexId u = queue[static_cast<std::size_t>(i)];
      Arc<Value, W> arc{.source = u, .value = {}, .weight = {}};
      if constexpr (kHasValue<Program>) arc.value = reinterpret_cast<const Value*>(mine.values)[i];
      push_edges<W>(
          mine.along, out, u,
          [&](VertexId v, W weight) {
            arc.weight = weight;
            if (v >= begin && v < end) {
              push_to<kAlone>(mine, program, v, arc, arcs, found);
            } else {
              delegate::async::call(mine.graph.home(v),
                                    PushMessage<Program, W>{rounds, v | kVertexTag, u | kVertexTag,
                                                            arc.value, arc.weight});
            }
          },
          [&](int core, std::uint64_t hub) {
            delegate::async::call(core, PushFromHub<Program, W>{rounds, hub, arc.value});
          });
    });
    add_shared(mine.to->arcs, arcs);
  }
};

/// One of two values of at most 8 bytes, without a branch. If it is not chosen, `yes` need not be a
/// valid value.
template <class T>
T value_if(bool condition, const T* yes, const T* no) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t yes_bits = 0;
  std::uint64_t no_bits = 0;
  std::memcpy(&yes_bits, static_cast<const void*>(yes), sizeof(T));
  std::memcpy(&no_bits, static_cast<const void*>(no), sizeof(T));
  const std::uint64_t mask = -std::uint64_t{condition};
  const std::uint64_t bits = (yes_bits & mask) | (no_bits & ~mask);
  T value = *no;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

/// The in-edges of a vertex that come from the set; kAll: all of them.
template <class Value, class W, bool kAll>
struct PullArcs {
  std::span<const VertexId> row;
  decltype(std::declval<const Adjacency&>().template weights<W>(0)) weights;
  const std::uint64_t* bits;  // null: all vertices are in the set
  const Value* values;

  bool is_from_set(VertexId u) const { return kAll || bits == nullptr || test_bit(bits, u); }

  template <class F>
  void for_each(F f) const {
    // The program may stop early in a long row.
    prefetch_behind(row.first(std::min(row.size(), tuning::kArcsBeforeStop)));
    for (std::size_t k = 0; k < row.size(); ++k) {
      const VertexId u = row[k];
      if (!is_from_set(u)) continue;
      Arc<Value, W> arc{.source = u, .value = {}, .weight = weights[k]};
      if constexpr (!std::is_same_v<Value, NoValue>) arc.value = values[u];
      if (!f(arc)) return;
    }
  }

  /// f(arc, whether it comes from the set) for all in-edges; those that do not have `no_value`.
  /// Where half of them do, a branch on it costs more than f does.
  template <class F>
  void for_all(Value no_value, F f) const {
    prefetch_behind(row);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const VertexId u = row[k];
      const bool brings = is_from_set(u);
      f(
          Arc<Value, W>{
              .source = u, .value = value_if(brings, &values[u], &no_value), .weight = weights[k]},
          brings);
    }
  }
};

/// Looks for edges from the set into the vertices of words [first, last) of the marks.
template <class Program>
struct PullWords {
  LocaleState<FrontierRound> rounds;

  void operator()(std::int64_t first, std::int64_t last) const {
    visit_seen_weights<Program>(rounds->graph.weight_type(),
                                [&]<class W>(W) { pull_words<W>(first, last); });
  }

 private:
  template <class W>
  void pull_words(std::int64_t first, std::int64_t last) const {
    using Value = ProgramValue<Program>;
    FrontierRound& mine = *rounds;
    const Program program = program_of<Program>(mine);
    const Adjacency in = mine.in;
    const Adjacency degrees = mine.degrees;
    const std::uint64_t* const bits = mine.everything ? nullptr : mine.from->bits;
    using Arcs = PullArcs<Value, W, kHasNothing<Program>>;
    const auto* const values = reinterpret_cast<const Value*>(mine.values);
    const Taken taken = take_vertices(
        first, last, degrees,
        [&](std::int64_t word) {
          const std::int64_t vertices = std::min(mine.end - word * kBitsPerWord, kBitsPerWord);
          return ~std::uint64_t{0} >> (kBitsPerWord - vertices);
        },
        [&](VertexId v) {
          return pull(program, v, Arcs{in.neighbors(v), in.template weights<W>(v), bits, values});
        },
        [&](std::int64_t word, std::uint64_t changed) { mine.to->bits[word] = changed; });
    add_shared(mine.to->marked, taken.vertices);
    add_shared(mine.to->arcs, taken.arcs);
  }

  template <class Arcs>
  static bool pull(const Program& program, VertexId v, const Arcs& arcs) {
    if constexpr (requires { program.pull(v, arcs); }) {
      return program.pull(v, arcs);
    } else {
      if (!wants_updates(program, v)) return false;
      bool changed = false;
      arcs.for_each([&](const auto& arc) {
        if constexpr (requires { program.update(v, arc); }) {
          changed |= program.update(v, arc);
        } else {
          changed |= program.update_atomic(v, arc);
        }
        return wants_updates(program, v);
      });
      return changed;
    }
  }
};

/// What entries of the queue, or the marked vertices, give to their out-edges.
template <class Program>
struct ValuesOfEntries {
  LocaleState<FrontierRound> rounds;

  void operator()(std::int64_t first, std::int64_t last) const {
    const FrontierRound& mine = *rounds;
    const Program program = program_of<Program>(mine);
    auto* const values = reinterpret_cast<ProgramValue<Program>*>(mine.values);
    for (std::int64_t i = first; i < last; ++i) values[i] = program.value(mine.from->queue[i]);
  }
};
template <class Program>
struct ValuesOfWords {
  LocaleState<FrontierRound> rounds;

  void operator()(std::int64_t first, std::int64_t last) const {
    const FrontierRound& mine = *rounds;
    const Program program = program_of<Program>(mine);
    auto* const values = reinterpret_cast<ProgramValue<Program>*>(mine.values);
    if constexpr (kHasNothing<Program>) {
      for (std::int64_t word = first; word < last; ++word) {
        const std::int64_t begin = word * kBitsPerWord;
        const std::int64_t end = std::min(mine.end, begin + kBitsPerWord);
        std::uint64_t marks = mine.from->bits[word];
        for (std::int64_t u = begin; u < end; ++u, marks >>= 1)
          values[u] =
              (marks & 1) != 0 ? program.value(static_cast<VertexId>(u)) : Program::nothing();
      }
    } else {
      for_each_bit(mine.from->bits, first, last, [&](VertexId u) { values[u] = program.value(u); });
    }
  }
};

/// Runs body over [begin, end) of this locale: by the calling core, if that is little.
template <class Body>
void over(std::int64_t begin, std::int64_t end, bool is_little, LoopOptions options, Body body) {
  if (begin >= end) return;
  if (is_little) {
    body(begin, end);
  } else {
    forall_range_here(begin, end, options, body);
  }
}

/// Sets up the round on every locale.
template <class Program>
struct StartRound {
  LocaleState<FrontierRound> rounds;
  LocaleState<FrontierPart> from;
  LocaleState<FrontierPart> to;
  Replica<std::uint64_t> values;
  Program program;
  bool everything;
  bool against;

  void operator()() const {
    FrontierRound& mine = *rounds;
    if (mine.against != against) {
      mine.against = against;
      mine.along = against ? mine.graph.reversed() : mine.graph;
      std::swap(mine.out, mine.in);
    }
    mine.from = &*from;
    mine.to = &*to;
    mine.everything = everything;
    if constexpr (kHasValue<Program>) mine.values = reinterpret_cast<std::byte*>(values.data());
    const Program here = bound(program);
    std::memcpy(mine.program, static_cast<const void*>(&here), sizeof(Program));
  }
};

template <class Program>
void push_round(LocaleState<FrontierRound> rounds) {
  if constexpr (kHasValue<Program>) {
    on_each_locale([rounds] {
      const FrontierRound& mine = *rounds;
      over(0, mine.from->tail, mine.from->tail <= tuning::kSerialVertices, {},
           ValuesOfEntries<Program>{rounds});
    });
  }
  on_each_locale([rounds] {
    const FrontierRound& mine = *rounds;
    const std::int64_t tail = mine.from->tail;
    const bool is_little = tail + mine.from->arcs <= tuning::kSerialArcs;
    const auto push = [tail, is_little](auto entries) {
      over(0, tail, is_little, {.grain = tuning::kVertexGrain}, entries);
    };
    if (is_alone(is_little)) {
      push(PushEntries<Program, true>{rounds});
    } else {
      push(PushEntries<Program, false>{rounds});
    }
  });
}

template <class Program>
void pull_round(Frontiers& frontiers, Frontier& from, Replica<std::uint64_t> values) {
  const LocaleState<FrontierRound> rounds = frontiers.rounds();
  const auto over_words = [](std::int64_t begin, std::int64_t end, auto body) {
    over(bitmap_words(begin), bitmap_words(end), end - begin <= tuning::kSerialVertices, {}, body);
  };
  if constexpr (kHasValue<Program>) {
    on_each_locale([rounds, over_words] {
      over_words(rounds->begin, rounds->end, ValuesOfWords<Program>{rounds});
    });
    values.all_gather([graph = frontiers.graph()](int locale) {
      const auto word_of = [&](std::int64_t vertex) {
        return (vertex * static_cast<std::int64_t>(sizeof(ProgramValue<Program>)) + 7) / 8;
      };
      return std::pair(word_of(graph.first_vertex_of(locale)),
                       word_of(graph.first_vertex_of(locale + 1)));
    });
  }
  if (!kHasNothing<Program> && !Frontiers::has_everything(from)) frontiers.gather_marks(from);
  on_each_locale(
      [rounds, over_words] { over_words(rounds->begin, rounds->end, PullWords<Program>{rounds}); });
}

/// Whether this round is a pull; throws UsageError if the options ask for what cannot be.
bool choose_pull(const Graph& graph, const Frontier& from, EdgeMapOptions options, bool can_push);

}  // namespace detail

template <class Program>
Frontier edge_map(Frontier& from, const Program& program, const EdgeMapOptions& options = {},
                  internal::CallSite where = internal::CallSite::current()) {
  static_assert(std::is_trivially_copyable_v<Program>, "grappa: a program is trivially copyable");
  static_assert(sizeof(Program) <= detail::kMaxProgramBytes && alignof(Program) <= 64,
                "grappa: a program has at most 256 bytes");
  static_assert(!detail::kHasNothing<Program> || detail::kHasValue<Program>,
                "grappa: nothing() is one of the values that value() returns");
  static_assert(detail::kCanPush<Program> || detail::kCanPull<Program>,
                "grappa: a program has update_atomic(v, arc) or pull(v, arcs), both const");
  static_assert(std::is_trivially_copyable_v<detail::ProgramValue<Program>>,
                "grappa: a program's Value is trivially copyable");
  if (from.empty()) return {};
  internal::here().messages->check_body(program, where);
  Frontiers& frontiers = Frontiers::of(from);
  const Graph& graph = frontiers.graph();
  const bool pull = detail::choose_pull(graph, from, options, detail::kCanPush<Program>);
  Frontier to = frontiers.start();
  Replica<std::uint64_t> values;
  if constexpr (detail::kHasValue<Program>)
    values = frontiers.values(sizeof(detail::ProgramValue<Program>));
  if (!pull) frontiers.list(from);
  on_each_locale(detail::StartRound<Program>{
      frontiers.rounds(), Frontiers::memory(from).part, Frontiers::memory(to).part, values, program,
      Frontiers::has_everything(from), options.against && graph.is_directed()});
  if (pull) {
    detail::pull_round<Program>(frontiers, from, values);
  } else if constexpr (detail::kCanPush<Program>) {
    detail::push_round<Program>(frontiers.rounds());
  }
  frontiers.finish(to, !pull);
  return to;
}

}  // namespace grappa::graph
