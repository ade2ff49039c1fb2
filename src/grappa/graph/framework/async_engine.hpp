#pragma once

// The asynchronous engine of vertex programs (vertex_program.hpp): there are no rounds, and each
// core takes its active vertices in the order of their priorities.
//
//   ProgramResult ran = run_asynchronous(graph, program, {.source = 17});
//
// Everything that concerns a vertex happens at its home core: what another core scatters to it is a
// message. A core keeps its active vertices in lists by priority and always takes the next one from
// the first list. The program has ended when no core has an active vertex and no message is on its
// way, which the completion event of the run detects. Each core orders its own vertices; there is
// no order between cores, and none waits for another (D. Nguyen, A. Lenharth, K. Pingali, "A
// lightweight infrastructure for graph analytics", SOSP 2013, section 4.1, call such a scheduler
// OBIM).
//
// Before a core sends to another core of its locale, it reads the total there: a value that would
// not change it is not sent.
//
// Called by one task; switches tasks. Memory besides that of the program: the totals, 8 bytes a
// vertex, and the lists. Errors: UsageError for a source that is not a vertex; what a program
// throws comes out as RemoteError.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rows_ahead.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/framework/edge_map.hpp"
#include "grappa/graph/framework/push_edges.hpp"
#include "grappa/graph/framework/vertex_program.hpp"
#include "grappa/graph/framework/vertex_view.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::graph {

namespace detail {

/// A core's active vertices, by priority, and of equal ones in the order in which they were added.
class ActiveLists {
 public:
  struct Entry {
    std::int64_t priority;
    VertexId vertex;
  };

  bool empty() const { return lists_.empty(); }

  void add(std::int64_t priority, VertexId v) {
    List& list = lists_[priority];
    if (list.vertices.capacity() == 0) list.vertices.swap(spent_);
    list.vertices.push_back(v);
  }

  /// Those with the first priority.
  std::span<const VertexId> first() const {
    const List& list = lists_.begin()->second;
    return std::span(list.vertices).subspan(list.taken);
  }

  Entry take_first() {
    const auto first = lists_.begin();
    List& list = first->second;
    const Entry entry{first->first, list.vertices[list.taken++]};
    if (list.taken == list.vertices.size()) {
      // The next list gets its memory.
      list.vertices.clear();
      if (list.vertices.capacity() > spent_.capacity()) spent_.swap(list.vertices);
      lists_.erase(first);
    }
    return entry;
  }

 private:
  struct List {
    std::vector<VertexId> vertices;
    std::size_t taken = 0;
  };
  std::map<std::int64_t, List> lists_;
  std::vector<VertexId> spent_;
};

struct alignas(64) AsyncCore {
  ActiveLists active;
  bool is_running = false;  // a task of this core goes through the lists
  std::int64_t applied = 0;
};

/// The state of a locale, which its cores share; arrays are indexed by the vertex.
template <class Program>
struct AsyncState {
  Program program;
  Graph graph;
  Adjacency out;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  GatherOf<Program>* total = nullptr;
  std::int64_t* priority = nullptr;    // with which it is active, or kNotNow
  std::unique_ptr<AsyncCore[]> cores;  // [cores of the locale]

  AsyncCore& mine() const { return cores[core_in_locale()]; }
};

template <class Program>
struct AsyncTask {
  using Gather = GatherOf<Program>;
  using Local = AsyncState<Program>;
  using Locals = LocaleState<Local>;

  Locals locals;

  /// At the home core of v: v has something to do.
  void activate(Local& mine, VertexId v) const {
    std::int64_t priority = 0;
    if constexpr (requires { mine.program.priority(v, mine.total[v]); }) {
      priority = mine.program.priority(v, mine.total[v]);
    }
    if (priority >= mine.priority[v]) return;
    mine.priority[v] = priority;
    AsyncCore& core = mine.mine();
    core.active.add(priority, v);
    if (core.is_running) return;
    core.is_running = true;
    spawn(*this);
  }

  /// At the home core of v: takes the value that an edge brings.
  void deliver(Local& mine, VertexId v, Gather value) const {
    const Gather now = Program::combine(mine.total[v], value);
    if (now == mine.total[v]) return;
    std::atomic_ref(mine.total[v]).store(now, std::memory_order_relaxed);
    activate(mine, v);
  }

  struct Delivery {
    Locals locals;
    std::uint64_t vertex;
    Gather value;
    void operator()() const { AsyncTask{locals}.deliver(*locals, untagged(vertex), value); }
  };

  /// What a split hub of another locale scatters to its neighbors on this core.
  template <class W>
  struct DeliveryFromHub {
    Locals locals;
    std::uint64_t hub;
    Gather value;
    void operator()() const {
      Local& mine = *locals;
      push_hub_edges<W>(mine.graph, hub, [&](VertexId v, W weight) {
        AsyncTask{locals}.deliver(mine, v, value_along(mine.program, value, weight));
      });
    }
  };

  /// Goes through the active vertices of this core until there are none.
  void operator()() const {
    visit_seen_weights<Program>(locals->graph.weight_type(), [&]<class W>(W) { apply_all<W>(); });
  }

 private:
  template <class W>
  void apply_all() const {
    Local& mine = *locals;
    AsyncCore& core = mine.mine();
    int since_yield = 0;
    while (!core.active.empty()) {
      prefetch_ahead(mine.out, core.active.first());
      const auto [priority, v] = core.active.take_first();
      // Otherwise it has become active earlier in the order, and has been applied there.
      if (mine.priority[v] == priority) {
        mine.priority[v] = kNotNow;
        ++core.applied;
        apply<W>(mine, v);
      }
      if (++since_yield == tuning::kVerticesBetweenYields) {
        since_yield = 0;
        yield();
      }
    }
    core.is_running = false;
  }

  template <class W>
  void apply(Local& mine, VertexId v) const {
    if (!mine.program.apply(v, mine.total[v])) return;
    const Gather value = mine.program.scatter(v);
    const int me = this_core();
    const Gather* const total = mine.total;
    const std::int64_t begin = mine.begin;
    const std::int64_t end = mine.end;
    push_edges<W>(
        mine.graph, mine.out, v,
        [&](VertexId w, W weight) {
          const Gather brought = value_along(mine.program, value, weight);
          // In programs that look for a minimum most edges bring nothing new, so that is tested
          // first. Sums always change, and the test would fetch a line that another core may be
          // writing.
          const bool may_be_known = Program::combine(brought, brought) == brought;
          if (may_be_known && w >= begin && w < end) {
            const Gather there = load_shared(total[w]);
            if (Program::combine(there, brought) == there) return;
          }
          const int home = mine.graph.home(w);
          if (home == me) {
            deliver(mine, w, brought);
          } else {
            delegate::async::call(home, Delivery{locals, w | kVertexTag, brought});
          }
        },
        [&](int core, std::uint64_t hub) {
          delegate::async::call(core, DeliveryFromHub<W>{locals, hub, value});
        });
  }
};

}  // namespace detail

template <class Program>
ProgramResult run_asynchronous(const Graph& graph, const Program& program,
                               const ProgramOptions& options = {},
                               internal::CallSite where = internal::CallSite::current()) {
  using Local = detail::AsyncState<Program>;
  using Gather = detail::GatherOf<Program>;
  detail::require_program<Program>();
  internal::here().messages->check_body(program, where);
  detail::check_source("run_asynchronous", graph, options.source);
  const Owned<GlobalArray<Gather>> totals = graph.make_vertex_array_for_overwrite<Gather>();
  const Owned<GlobalArray<std::int64_t>> priorities =
      graph.make_vertex_array_for_overwrite<std::int64_t>();
  const Owned<LocaleState<Local>> locals =
      LocaleState<Local>::create([program, graph, totals = *totals, priorities = *priorities] {
        const std::int64_t begin = graph.locale_begin();
        return Local{.program = detail::bound(program),
                     .graph = graph,
                     .out = graph.out(),
                     .begin = begin,
                     .end = graph.locale_end(),
                     .total = totals.locale_part().data() - begin,
                     .priority = priorities.locale_part().data() - begin,
                     .cores = std::make_unique<detail::AsyncCore[]>(
                         static_cast<std::size_t>(cores_per_locale()))};
      });
  on_all_cores([locals = *locals, totals = *totals] {
    const Local& mine = *locals;
    const auto first = totals.global_index(0);
    const std::int64_t end = std::min(mine.end, first + totals.local_size());
    for (std::int64_t v = first; v < end; ++v) {
      mine.total[v] = detail::initial_total(mine.program, static_cast<VertexId>(v));
      mine.priority[v] = kNotNow;
    }
  });
  on_all_cores([locals = *locals, totals = *totals, source = options.source] {
    const detail::AsyncTask<Program> task{locals};
    Local& mine = *locals;
    const auto first = totals.global_index(0);
    const std::int64_t end = std::min(mine.end, first + totals.local_size());
    if (source == kNoVertex) {
      for (std::int64_t v = first; v < end; ++v) task.activate(mine, static_cast<VertexId>(v));
    } else if (source >= first && source < end) {
      task.activate(mine, source);
    }
  });
  ProgramResult result;
  result.applied = reduce_cores([locals = *locals] { return locals->mine().applied; },
                                std::int64_t{0}, std::plus<>());
  return result;
}

}  // namespace grappa::graph
