#include "grappa/graph/build/build.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "grappa/base/closure_names.hpp"
#include "grappa/base/error.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/graph/build/internal/renumber.hpp"
#include "grappa/graph/build/internal/rows.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/framework/push_edges.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"

namespace grappa::graph {
namespace {

using Direction = RowSorter::Direction;

/// What a locale works with while its rows are made.
struct LocaleBuild {
  explicit LocaleBuild(EdgeList& part)
      : list(part),
        arrived(static_cast<std::size_t>(cores_per_locale())),
        arrived_weights(arrived.size()) {}

  void free_list() {
    list.edges = {};
    list.weights = {};
  }

  void add(std::uint64_t row, std::uint64_t neighbor) {
    arrived[core_in_locale()].push_back({untagged(row), untagged(neighbor)});
  }

  EdgeList& list;                                  // this locale's part
  std::vector<UninitializedVector<Edge>> arrived;  // by core: arcs from all locales
  std::vector<UninitializedVector<double>> arrived_weights;
  std::unique_ptr<RowSorter> sorter;
};
using LocaleBuilds = LocaleState<LocaleBuild>;

/// Throws Cancelled, once no body runs, if that was asked for.
ParallelFor cancellable(const ParallelFor& parallel) {
  return [parallel](std::int64_t n, const std::function<void(std::int64_t)>& body) {
    io::for_parts(parallel, n, [&body](std::int64_t i) {
      stop_if_cancelled();
      body(i);
    });
  };
}

struct RowCounts {
  std::int64_t arcs = 0;
  std::int64_t self_loops = 0;
};

[[noreturn]] void refuse_consumed(const internal::CallSite& where) {
  throw UsageError(
      fmt::format("{}build_graph: a graph was built of this list before, or begun, which took its "
                  "edges; keep a copy",
                  internal::place_prefix(&where)));
}

}  // namespace

class GraphBuilder {
 public:
  GraphBuilder(const EdgeParts& list, const std::optional<WeightRange>& weights,
               const BuildOptions& options)
      : part_(*list.part),
        edges_(list.edge_count),
        options_(options),
        made_(Graph::of_vertices(list.vertex_count)),
        team_(CoreTeam::create()),
        locales_(LocaleBuilds::create([part = part_] { return LocaleBuild(*part); })) {
    options_.simplify |= list.needs_simplify;
    graph_.directed_ = list.directed && !options.symmetrize;
    graph_.has_in_rows_ = graph_.directed_ && options.in_edges;
    if (weights) {
      graph_.weight_range_ = *weights;
      graph_.weight_type_ = weights->type();
    }
  }

  Graph build() {
    if (changes_numbers(options_.order)) reorder();
    const Direction direction = graph_.directed_ ? Direction::kForward : Direction::kBoth;
    const RowCounts out =
        make_rows(graph_.out_, direction, !graph_.has_in_rows_ && !options_.keep_list);
    graph_.arc_count_ = out.arcs;
    graph_.edge_count_ = graph_.directed_ ? out.arcs : (out.arcs + out.self_loops) / 2;
    if (graph_.has_in_rows_) make_rows(graph_.in_, Direction::kReverse, !options_.keep_list);
    if (options_.split_degree > 0 && locale_count() > 1) split_hubs();
    return made_.release();
  }

 private:
  void reorder() {
    graph_.vertex_ = number_vertices(graph_, options_.order, part_);
    graph_.given_ = inverse_of(graph_.vertex_, graph_.vertex_count_);
    graph_.reordered_ = true;
    renumber(part_, graph_.vertex_);
  }

  /// `last`: the list is not needed any more afterwards.
  RowCounts make_rows(GraphRows& rows, Direction direction, bool last) {
    if (locale_count() == 1)
      return sort_rows(rows, {.direction = direction, .simplify = options_.simplify, .last = last});
    send_home(direction, last);
    return sort_rows(rows, {.arrived = true, .simplify = options_.simplify});
  }

  /// What every locale makes rows of.
  struct Sorting {
    Direction direction = Direction::kForward;
    bool arrived = false;  // what was sent to it; else its list
    bool simplify = false;
    bool last = true;       // the list is not needed any more afterwards
    std::int64_t hubs = 0;  // if any: so many rows, of split hubs, and not of its vertices
  };

  RowCounts sort_rows(GraphRows& rows, Sorting sorting) {
    const std::int64_t most_rows =
        sorting.hubs != 0 ? sorting.hubs : graph_.per_core_ * cores_per_locale();
    rows.offsets = Replica<std::uint64_t>::create_for_overwrite(most_rows + 1);
    std::vector<RowCounts> counts(static_cast<std::size_t>(locale_count()));
    const auto counts_here = GlobalAddress<RowCounts>::of_local(counts.data());
    on_all_locales([graph = graph_, offsets = rows.offsets, locales = *locales_, team = *team_,
                    counts_here, sorting] {
      LocaleBuild& mine = *locales;
      RowSorter::Request request{
          .weight_type = graph.weight_type(),
          .direction = sorting.direction,
          .first = sorting.hubs != 0 ? 0 : graph.locale_begin(),
          .last = sorting.hubs != 0 ? sorting.hubs : graph.locale_end(),
          .vertices = graph.vertex_count(),
          .simplify = sorting.simplify,
          .release = sorting.last,
      };
      if (sorting.arrived) {
        request.edges.assign(mine.arrived.begin(), mine.arrived.end());
        request.weights.assign(mine.arrived_weights.begin(), mine.arrived_weights.end());
      } else {
        request.edges = {mine.list.edges};
        request.weights = {mine.list.weights};
      }
      mine.sorter = RowSorter::create(request, tuning::kPartsPerCore * cores_per_locale(),
                                      cancellable(team.parallel_for()));
      for (auto& arcs : mine.arrived) arcs = {};
      for (auto& weights : mine.arrived_weights) weights = {};
      if (!sorting.arrived && sorting.last) mine.free_list();
      mine.sorter->sort(offsets.span());
      delegate::async::write(counts_here + this_locale(),
                             {mine.sorter->arc_count(), mine.sorter->self_loops()});
    });
    RowCounts sum;
    std::int64_t most = 0;
    for (const RowCounts& c : counts) {
      sum.arcs += c.arcs;
      sum.self_loops += c.self_loops;
      most = std::max(most, c.arcs);
    }
    rows.targets = Replica<VertexId>::create_for_overwrite(most);
    const auto width = static_cast<std::int64_t>(weight_bytes(graph_.weight_type_));
    if (width != 0) rows.weights = Replica<std::byte>::create_for_overwrite(most * width);
    on_all_locales([rows, width, locales = *locales_] {
      const std::unique_ptr<RowSorter> sorter = std::move(locales->sorter);
      std::span<std::byte> weights;
      if (width != 0) weights = rows.weights.span();
      sorter->write(rows.offsets.span(), rows.targets.span(), weights);
    });
    return sum;
  }

  /// Each locale gets a row for each hub, of the hub's neighbors there.
  void split_hubs() {
    graph_.split_degree_ = static_cast<std::size_t>(options_.split_degree);
    find_hubs();
    if (graph_.hub_count_ == 0) return;
    visit_weights(graph_.weight_type_, [this]<class W>(W) {
      forall_vertices(
          graph_, [graph = graph_, locales = *locales_](std::int64_t first, std::int64_t last) {
            for_each_hub(graph, first, last,
                         [&](VertexId u) { send_to_other_locales<W>(graph, locales, u); });
          });
    });
    sort_rows(graph_.hub_rows_, {.arrived = true, .hubs = graph_.hub_count_});
  }

  void find_hubs() {
    const Owned<Replica<std::int64_t>> counts = Replica<std::int64_t>::create(locale_count());
    on_all_locales([graph = graph_, counts = *counts] {
      std::int64_t& count = counts.data()[this_locale()];
      for_each_hub(graph, graph.locale_begin(), graph.locale_end(), [&](VertexId) { ++count; });
    });
    counts->all_gather([](int locale) { return std::pair(locale, locale + 1); });
    const auto places = [counts = *counts](int locale) {
      const std::span<const std::int64_t> each = counts.span();
      const std::int64_t begin = std::reduce(each.begin(), each.begin() + locale);
      return std::pair(begin, begin + each[static_cast<std::size_t>(locale)]);
    };
    graph_.hub_count_ = places(locale_count() - 1).second;
    if (graph_.hub_count_ != 0) {
      graph_.hubs_ = Replica<VertexId>::create_for_overwrite(graph_.hub_count_);
      on_all_locales([graph = graph_, places] {
        VertexId* next = graph.hubs_.data() + places(this_locale()).first;
        for_each_hub(graph, graph.locale_begin(), graph.locale_end(),
                     [&](VertexId u) { *next++ = u; });
      });
      graph_.hubs_.all_gather(places);
    }
  }

  /// Of vertices [first, last) of this locale.
  template <class F>
  static void for_each_hub(const Graph& graph, std::int64_t first, std::int64_t last, F f) {
    const Adjacency out = graph.out();
    for (std::int64_t v = first; v < last; ++v) {
      if (graph.is_split(static_cast<std::size_t>(out.degree(v)))) f(static_cast<VertexId>(v));
    }
  }

  template <class W>
  static void send_to_other_locales(const Graph& graph, LocaleBuilds locales, VertexId u) {
    const auto hub = static_cast<VertexId>(graph.place_of_hub(u));
    const std::span<const VertexId> row = graph.out().neighbors(u);
    const auto weights = graph.out().template weights<W>(u);
    const RowPart mine = part_between(row, graph.locale_begin(), graph.locale_end());
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k == mine.first) k = mine.last;
      if (k == row.size()) break;
      send_arc<!std::is_same_v<W, UnitWeight>>(graph.home(row[k]), locales, hub, row[k],
                                               static_cast<double>(weights[k]));
    }
  }

  /// Sends every arc to the home of its row, from all locales, and returns when all have arrived.
  void send_home(Direction direction, bool last_use) {
    // A little more than an even portion: address space that is not used costs nothing, moving a
    // large array does.
    const std::int64_t arcs = direction == Direction::kBoth ? 2 * edges_ : edges_;
    const bool weighted = graph_.weight_type_ != WeightType::kNone;
    on_all_locales(
        [locales = *locales_, weighted, room = arcs / core_count() + arcs / core_count() / 8] {
          LocaleBuild& mine = *locales;
          for (auto& arrived : mine.arrived) arrived.reserve(static_cast<std::size_t>(room));
          if (!weighted) return;
          for (auto& arrived : mine.arrived_weights)
            arrived.reserve(static_cast<std::size_t>(room));
        });
    on_all_locales([graph = graph_, locales = *locales_, direction, last_use, weighted] {
      LocaleBuild& mine = *locales;
      const auto edges = static_cast<std::int64_t>(mine.list.edges.size());
      const auto send = [&]<bool kWeighted>(std::bool_constant<kWeighted>) {
        forall_range_here(0, edges, {.grain = tuning::kSentEdges},
                          [graph, locales, direction](std::int64_t first, std::int64_t last) {
                            stop_if_cancelled();
                            send_edges<kWeighted>(graph, locales, direction, first, last);
                          });
      };
      if (weighted) {
        send(std::true_type());
      } else {
        send(std::false_type());
      }
      if (last_use) mine.free_list();
    });
  }

  template <bool kWeighted>
  static void send_edges(const Graph& graph, LocaleBuilds locales, Direction direction,
                         std::int64_t first, std::int64_t last) {
    const EdgeList& mine = locales->list;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const Edge e = mine.edges[i];
      const double weight = kWeighted ? mine.weights[i] : 1;
      if (direction != Direction::kReverse)
        send_arc<kWeighted>(graph.home(e.source), locales, e.source, e.target, weight);
      if (direction == Direction::kReverse ||
          (direction == Direction::kBoth && e.source != e.target))
        send_arc<kWeighted>(graph.home(e.target), locales, e.target, e.source, weight);
    }
  }

  /// Puts an arc among those that have arrived on the core.
  template <bool kWeighted>
  static void send_arc(int core, LocaleBuilds locales, VertexId row, VertexId neighbor,
                       double weight) {
    const std::uint64_t a = row | kVertexTag;
    const std::uint64_t b = neighbor | kVertexTag;
    if constexpr (kWeighted) {
      delegate::async::call(core, [locales, a, b, weight] {
        LocaleBuild& mine = *locales;
        mine.add(a, b);
        mine.arrived_weights[core_in_locale()].push_back(weight);
      });
    } else {
      delegate::async::call(core, [locales, a, b] { locales->add(a, b); });
    }
  }

  const LocaleState<EdgeList> part_;
  const std::int64_t edges_;
  BuildOptions options_;
  Owned<Graph> made_;
  Graph& graph_ = made_.handle();
  const Owned<CoreTeam> team_;
  const Owned<LocaleBuilds> locales_;
};

/// The edges alone, a second time.
EdgeParts copy_of(const EdgeParts& list) {
  EdgeParts copy = EdgeParts::create();
  copy.vertex_count = list.vertex_count;
  copy.edge_count = list.edge_count;
  copy.directed = list.directed;
  copy.needs_simplify = list.needs_simplify;
  on_all_locales([from = *list.part, to = *copy.part] {
    to->edges = from->edges;
    to->weights = from->weights;
  });
  return copy;
}

/// While it lives, the edges of a list are the caller's part of a list in parts.
class LentEdges {
 public:
  LentEdges(EdgeList& from, EdgeParts& to) : from_(from), to_(to) { exchange(); }
  LentEdges(const LentEdges&) = delete;
  LentEdges& operator=(const LentEdges&) = delete;
  /// Of a list that was consumed nothing comes back, also where building failed midway.
  ~LentEdges() {
    if (to_.consumed) {
      from_.consumed = true;
    } else {
      exchange();
    }
  }

 private:
  void exchange() noexcept {
    EdgeList& part = **to_.part;
    from_.edges.swap(part.edges);
    from_.weights.swap(part.weights);
  }

  EdgeList& from_;
  EdgeParts& to_;
};

Graph build_graph(EdgeList& list, const BuildOptions& options, const internal::CallSite& where) {
  if (list.consumed && list.edges.empty()) refuse_consumed(where);
  EdgeParts parts = EdgeParts::create();
  parts.vertex_count = list.vertex_count;
  parts.edge_count = static_cast<std::int64_t>(list.edges.size());
  parts.directed = list.directed;
  parts.needs_simplify = list.needs_simplify;
  const LentEdges lent(list, parts);
  return build_graph(parts, options, where);
}

Graph build_graph(EdgeParts& list, const BuildOptions& options, const internal::CallSite& where) {
  if (options.split_degree < 0)
    throw UsageError(
        fmt::format("the graph: hubs of {} edges and more are to be split, expected "
                    "1 or more, or 0 for none",
                    options.split_degree));
  if (list.vertex_count < 0 || list.vertex_count > kMaxVertices) {
    throw UsageError(fmt::format("{}build_graph: {} vertices asked, at most {} are allowed{}",
                                 internal::place_prefix(&where), list.vertex_count, kMaxVertices,
                                 kMoreVerticesHint));
  }
  const EdgeParts::Facts facts = list.facts();
  if (list.consumed || facts.edges != list.edge_count) refuse_consumed(where);
  if (facts.edges != 0 && (facts.least < 0 || facts.greatest >= list.vertex_count)) {
    throw UsageError(
        fmt::format("{}build_graph: an edge has vertex {}, the list says that there are {}",
                    internal::place_prefix(&where), facts.least < 0 ? facts.least : facts.greatest,
                    list.vertex_count));
  }
  const auto& range = facts.weights;
  const WeightType weights = range ? range->type() : WeightType::kNone;
  const std::uint64_t needed =
      build_memory_bytes(list.vertex_count, list.edge_count, list.directed, weights, options);
  const std::uint64_t more = needed - list_bytes(list.edge_count, weights);
  const std::string what = list.source.empty() ? "the graph" : list.source + ": the graph";
  internal::require_on_locale(more / static_cast<std::uint64_t>(locale_count()), what.c_str());
  list.consumed = !options.keep_list;
  // An order renumbers the edges where they are.
  if (options.keep_list && changes_numbers(options.order))
    return GraphBuilder(copy_of(list), range, options).build();
  return GraphBuilder(list, range, options).build();
}

std::uint64_t list_bytes(std::int64_t edges, WeightType weights) {
  return static_cast<std::uint64_t>(edges) *
         (sizeof(Edge) + (weights == WeightType::kNone ? 0 : sizeof(double)));
}

std::uint64_t build_memory_bytes(std::int64_t vertices, std::int64_t edges, bool directed,
                                 WeightType weights, const BuildOptions& options) {
  const auto n = static_cast<std::uint64_t>(vertices);
  const auto m = static_cast<std::uint64_t>(edges);
  const bool both = !directed || options.symmetrize;
  const std::uint64_t arcs = both ? 2 * m : m;
  const std::uint64_t in_arcs = !both && options.in_edges ? m : 0;
  // The list gives way to the keys by which it is sorted, and these to the rows, piece by piece;
  // but it stays for the in-edges, and then the rows of the out-edges are there, too. Arcs that
  // were sent to their homes lie in vectors, which grow by copying.
  const std::uint64_t list = list_bytes(edges, weights);
  const std::uint64_t sent =
      locale_count() > 1 ? 2 * list_bytes(static_cast<std::int64_t>(arcs), weights) : 0;
  const std::uint64_t keys = arcs * RowSorter::bytes_per_arc(weights);
  const std::uint64_t rows = in_arcs * (sizeof(VertexId) + weight_bytes(weights));
  const std::uint64_t offsets = (in_arcs != 0 ? 2 : 1) * n * sizeof(std::uint64_t);
  const bool stays = options.keep_list || in_arcs != 0 || locale_count() > 1;
  const std::uint64_t copy = options.keep_list && changes_numbers(options.order) ? list : 0;
  const std::uint64_t numbers =
      changes_numbers(options.order)
          ? static_cast<std::uint64_t>(locale_count()) * n * kRenumberBytesPerVertex
          : 0;
  const bool split = options.split_degree > 0 && locale_count() > 1;
  const std::uint64_t hubs = split ? arcs * (sizeof(VertexId) + weight_bytes(weights)) : 0;
  return (stays ? list + keys : std::max(list, keys)) + copy + sent + rows + hubs + offsets +
         numbers;
}

}  // namespace grappa::graph
