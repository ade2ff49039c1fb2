#include "python/module/graph.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "cli/checkpoint_options.hpp"
#include "cli/kernels.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/build/build.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/cancellation.hpp"

namespace grappa::python {
namespace {

constexpr std::int64_t kGrain = 1 << 16;  // edges that are copied at a time

const cli::KernelEntry& kernel_named(const std::string& name) {
  const auto found = std::ranges::find(cli::kernels(), name, &cli::KernelEntry::name);
  if (found == cli::kernels().end()) throw UsageError(fmt::format("there is no kernel {}", name));
  return *found;
}

/// The number of a vertex below `count`.
template <class T>
graph::VertexId vertex_of(T value, std::int64_t count) {
  if (std::cmp_less(value, 0) || std::cmp_greater_equal(value, count))
    throw UsageError(
        fmt::format("{} is no vertex of a graph of {}: they are numbered from 0", value, count));
  return static_cast<graph::VertexId>(value);
}

void require_vertex_count(std::int64_t count) {
  if (count < 0 || std::cmp_greater_equal(count, std::numeric_limits<graph::VertexId>::max()))
    throw UsageError(fmt::format("{} vertices: this build has numbers for {} at most", count,
                                 std::numeric_limits<graph::VertexId>::max() - 1));
}

double finite(const double* weights, std::int64_t i) {
  if (!(std::abs(weights[i]) <= std::numeric_limits<double>::max()))
    throw UsageError(fmt::format("weights[{}] is {}: finite numbers were expected", i, weights[i]));
  return weights[i];
}

/// All of them copied, and found to be finite.
void copy_weights(const double* weights, graph::EdgeList& list) {
  if (weights == nullptr) return;
  list.weights.resize(list.edges.size());
  io::for_ranges(io::runtime_parallel_for(), std::ssize(list.edges), kGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i)
                     list.weights[static_cast<std::size_t>(i)] = finite(weights, i);
                 });
}

struct ListShape {
  std::int64_t vertices;
  bool directed;
};

void begin_list(graph::EdgeList& list, const ListShape& shape, std::int64_t edges) {
  require_vertex_count(shape.vertices);
  list.vertex_count = shape.vertices;
  list.directed = shape.directed;
  list.names = graph::VertexNames::range(0, shape.vertices);
  list.edges.resize(static_cast<std::size_t>(edges));
}

const double* weights_of(const std::optional<AnyArray>& weights, std::size_t edges) {
  if (!weights) return nullptr;
  if (weights->dtype() != nb::dtype<double>())
    throw UsageError("weights: an array of float64 was expected");
  if (weights->shape(0) != edges)
    throw UsageError(fmt::format("weights: {} for {} edges", weights->shape(0), edges));
  return static_cast<const double*>(weights->data());
}

std::unique_ptr<PyGraph> graph_of_edges(std::shared_ptr<PySession> session, const AnyArray& sources,
                                        const AnyArray& targets,
                                        const std::optional<AnyArray>& weights,
                                        std::int64_t vertices, bool directed) {
  if (sources.shape(0) != targets.shape(0))
    throw UsageError(fmt::format("{} sources for {} targets", sources.shape(0), targets.shape(0)));
  const double* const weight = weights_of(weights, sources.shape(0));
  std::unique_ptr<PyGraph> made;
  visit_integers(sources, "sources", [&](const auto* from, std::size_t count) {
    visit_integers(targets, "targets", [&](const auto* to, std::size_t) {
      made = std::make_unique<PyGraph>(std::move(session), [=](graph::EdgeList& list) {
        begin_list(list, {vertices, directed}, static_cast<std::int64_t>(count));
        io::for_ranges(io::runtime_parallel_for(), std::ssize(list.edges), kGrain,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i)
                           list.edges[static_cast<std::size_t>(i)] = {vertex_of(from[i], vertices),
                                                                      vertex_of(to[i], vertices)};
                       });
        copy_weights(weight, list);
      });
    });
  });
  return made;
}

/// Compressed sparse rows. Of an undirected graph, whose edges stand in the rows of both their
/// ends, only those to the row itself or a later one count.
template <class Offset, class Target>
struct Rows {
  const Offset* offset;  // [count + 1]
  const Target* to;
  const double* weight;  // null: none
  std::int64_t count;
  std::int64_t entries;
  bool directed;
  bool ascending;  // each row does

  bool counts(std::int64_t row, std::int64_t i) const {
    return directed || std::cmp_greater_equal(to[i], row);
  }
  /// The entries of a row, but those that are known not to count.
  std::pair<std::int64_t, std::int64_t> row(std::int64_t row) const {
    const auto first = static_cast<std::int64_t>(offset[row]);
    const auto last = static_cast<std::int64_t>(offset[row + 1]);
    if (first > last || first < 0 || last > entries)
      throw UsageError(fmt::format("offsets: row {} ends before it begins", row));
    if (directed || !ascending) return {first, last};
    return {std::lower_bound(to + first, to + last, static_cast<Target>(row)) - to, last};
  }
  std::int64_t edges_of(std::int64_t begin, std::int64_t end) const {
    std::int64_t edges = 0;
    for (std::int64_t r = begin; r < end; ++r) {
      const auto [first, last] = row(r);
      if (directed || ascending) {
        edges += last - first;
      } else {
        for (std::int64_t i = first; i < last; ++i) edges += counts(r, i);
      }
    }
    return edges;
  }
  /// The edges of rows from `begin` on become those of the list from `at` on.
  void copy(std::int64_t begin, std::int64_t end, std::size_t at, graph::EdgeList& list) const {
    for (std::int64_t r = begin; r < end; ++r) {
      const auto [first, last] = row(r);
      for (std::int64_t i = first; i < last; ++i) {
        const graph::VertexId target = vertex_of(to[i], count);
        if (!counts(r, i)) continue;
        list.edges[at] = {static_cast<graph::VertexId>(r), target};
        if (weight != nullptr) list.weights[at] = finite(weight, i);
        ++at;
      }
    }
  }
  void copy_all(graph::EdgeList& list) const {
    if (static_cast<std::int64_t>(offset[0]) != 0 ||
        static_cast<std::int64_t>(offset[count]) != entries)
      throw UsageError("offsets: from 0 to the number of targets was expected");
    constexpr std::int64_t kRows = kGrain / 16;
    std::vector<std::int64_t> begins(static_cast<std::size_t>((count + kRows - 1) / kRows + 1));
    const io::ParallelFor parallel = io::runtime_parallel_for();
    io::for_ranges(parallel, count, kRows, [&](std::int64_t begin, std::int64_t end) {
      begins[static_cast<std::size_t>(begin / kRows + 1)] = edges_of(begin, end);
    });
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    begin_list(list, {count, directed}, begins.back());
    if (weight != nullptr) list.weights.resize(list.edges.size());
    io::for_ranges(parallel, count, kRows, [&](std::int64_t begin, std::int64_t end) {
      const auto at = static_cast<std::size_t>(begins[static_cast<std::size_t>(begin / kRows)]);
      copy(begin, end, at, list);
    });
  }
};

std::unique_ptr<PyGraph> graph_of_rows(std::shared_ptr<PySession> session, const AnyArray& offsets,
                                       const AnyArray& targets,
                                       const std::optional<AnyArray>& weights, bool directed,
                                       bool ascending) {
  if (offsets.shape(0) == 0) throw UsageError("offsets: one more than there are rows was expected");
  const double* const weight = weights_of(weights, targets.shape(0));
  const auto count = static_cast<std::int64_t>(offsets.shape(0)) - 1;
  std::unique_ptr<PyGraph> made;
  visit_integers(offsets, "offsets", [&](const auto* offset, std::size_t) {
    visit_integers(targets, "targets", [&](const auto* to, std::size_t entries) {
      made = std::make_unique<PyGraph>(std::move(session), [=](graph::EdgeList& list) {
        Rows{offset, to, weight, count, static_cast<std::int64_t>(entries), directed, ascending}
            .copy_all(list);
      });
    });
  });
  return made;
}

nb::object numpy_of(cli::ResultColumn::Values values) {
  return std::visit([](auto& of) { return to_numpy(std::move(of)); }, values);
}

nb::dict dict_of(cli::ResultColumns columns) {
  nb::dict dict;
  for (cli::ResultColumn& column : columns)
    dict[nb::str(column.name.c_str())] =
        nb::make_tuple(numpy_of(std::move(column.values)), column.are_vertices);
  return dict;
}

/// None where the names are 0, 1, …; else numbers, or a list of texts.
nb::object names_of(const graph::VertexNames& names) {
  if (names.is_identity()) return nb::none();
  const auto count = static_cast<graph::VertexId>(names.size());
  if (names.is_integer()) {
    std::vector<std::uint64_t> numbers(count);
    for (graph::VertexId v = 0; v < count; ++v) numbers[v] = names.integer(v);
    return to_numpy(std::move(numbers));
  }
  nb::list texts;
  for (graph::VertexId v = 0; v < count; ++v) {
    const std::string_view text = names.text(v);
    texts.append(nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                                "surrogateescape")));
  }
  return texts;
}

std::unique_ptr<PyGraph> read_graph(std::shared_ptr<PySession> session, std::string path,
                                    const std::string& format, std::optional<bool> directed,
                                    std::int64_t seed) {
  graph::LoadOptions options;
  options.path = std::move(path);
  if (!format.empty()) options.format = graph::parse_format(format);
  options.directed = directed;
  options.seed = static_cast<std::uint64_t>(seed);
  return std::make_unique<PyGraph>(std::move(session), std::move(options));
}

/// While it lives, a list is without weights, if so wished.
class WeightsAside {
 public:
  WeightsAside(graph::EdgeList& list, bool wished) : list_(list) {
    if (wished) list.weights.swap(aside_);
  }
  WeightsAside(const WeightsAside&) = delete;
  WeightsAside& operator=(const WeightsAside&) = delete;
  ~WeightsAside() {
    if (!aside_.empty()) list_.weights.swap(aside_);
  }

 private:
  graph::EdgeList& list_;
  decltype(graph::EdgeList::weights) aside_;
};

nlohmann::json facts_of(const graph::Checkpoint& checkpoint) {
  nlohmann::json facts = {{"written", checkpoint.written()}};
  if (const auto iteration = checkpoint.resumes_after()) facts["resumed_after"] = *iteration;
  return facts;
}

}  // namespace

PyGraph::PyGraph(std::shared_ptr<PySession> session, graph::LoadOptions options)
    : session_(std::move(session)),
      options_(std::move(options)),
      is_generated_(options_.format == graph::Format::kAuto && graph::is_generator(options_.path)) {
  session_->call([&] { list_ = load(!is_generated_); });
  note_list();
}

template <class Fill>
PyGraph::PyGraph(std::shared_ptr<PySession> session, Fill fill) : session_(std::move(session)) {
  session_->call([&] { fill(list_); });
  note_list();
}

PyGraph::~PyGraph() { session_->bury(std::make_shared<decltype(built_)>(std::move(built_))); }

void PyGraph::note_list() {
  weighted_ = !list_.weights.empty();
  if (!list_.needs_simplify) edges_ = std::ssize(list_.edges);
}

graph::EdgeList PyGraph::load(bool want_weights) const {
  graph::LoadOptions options = options_;
  options.want_weights = want_weights;
  const std::string step =
      fmt::format("{} {}", is_generated_ ? "generating" : "reading", options.path);
  session_->note(step);
  options.progress = [&](double fraction) {
    session_->note(step, fraction);
    stop_if_cancelled();
  };
  return graph::load_edge_list(options);
}

std::int64_t PyGraph::edges() {
  if (!edges_) edges_ = session_->call([&] { return built({}, false).edge_count(); });
  return *edges_;
}

template <class F>
auto PyGraph::with_list(F f) {
  return session_->call([&] {
    if (std::exchange(list_.needs_simplify, false))
      graph::simplify(list_, io::runtime_parallel_for());
    return f(std::as_const(list_));
  });
}

const graph::Graph& PyGraph::built(graph::BuildOptions options, bool wants_weights) {
  const bool with_weights = wants_weights && (weighted_ || is_generated_);
  if (!directed()) options.in_edges = options.symmetrize = false;
  if (options.symmetrize) options.in_edges = false;
  options.order = order_;
  options.split_degree = split_degree_;
  // One with in-edges serves who needs none.
  const Form larger(true, options.symmetrize, options.simplify, with_weights);
  if (const auto known = built_.find(larger); known != built_.end()) return *known->second;
  const Form form(options.in_edges, options.symmetrize, options.simplify, with_weights);
  if (const auto known = built_.find(form); known != built_.end()) return *known->second;
  if (with_weights && !weighted_) {
    graph::EdgeList list = load(true);
    session_->note("building the graph");
    return *built_.emplace(form, graph::build_graph(list, options)).first->second;
  }
  session_->note("building the graph");
  options.keep_list = true;
  const WeightsAside aside(list_, !with_weights);
  return *built_.emplace(form, graph::build_graph(list_, options)).first->second;
}

Found PyGraph::run(const std::string& kernel, const cli::Arguments& options, bool verify) {
  const cli::KernelEntry& entry = kernel_named(kernel);
  return session_->call([&] {
    const std::unique_ptr<cli::Kernel> made = entry.make();
    cli::CommandLine line(kernel, "", made->info().description);
    made->add_options(line);
    const cli::KernelInfo& info = made->info();
    cli::CheckpointFlags flags;
    if (info.has_checkpoints) flags.add_options(line);
    line.parse(options);
    made->take_options(flags.is_given());
    std::optional<graph::Checkpoint> checkpoint = flags.open(kernel, 1);
    const graph::Graph& graph = built(info.build, info.wants_weights);
    if (graph.weight_range().least < info.least_weight)
      throw UsageError(fmt::format("{}: the graph has an edge of weight {}; {} is the least",
                                   info.title, graph.weight_range().least, info.least_weight));
    cli::Report report([&](std::string_view step, double fraction) {
      session_->note(fmt::format("{}: {}", kernel, step), fraction);
    });
    const cli::KernelInput in{.graph = graph,
                              .names = list_.names,
                              .report = report,
                              .checkpoint = checkpoint ? &*checkpoint : nullptr};
    made->prepare(in);
    Found found;
    session_->note(kernel);
    const std::uint64_t start = internal::now_ns();
    made->run(in);
    found.seconds = internal::seconds_since(start);
    if (verify) {
      session_->note(fmt::format("verifying {}", kernel));
      const graph::Verification checked = made->verify(in);
      if (!checked.passed())
        throw Error(fmt::format("{}: the result is wrong: {}", kernel, checked.failure));
      found.verified = checked.checked;
    }
    made->summarize(in, found.seconds);
    nlohmann::json facts = report.json().value("result", nlohmann::json::object());
    facts.update(made->trial_facts(found.seconds));
    if (checkpoint) facts["checkpoints"] = facts_of(*checkpoint);
    found.facts = facts.dump();
    found.columns = made->columns(in);
    made->discard();
    return found;
  });
}

namespace {

nb::tuple edges_of(PyGraph& self) {
  std::vector<graph::VertexId> sources;
  std::vector<graph::VertexId> targets;
  std::vector<double> weights;
  self.with_list([&](const graph::EdgeList& list) {
    sources.reserve(list.edges.size());
    targets.reserve(list.edges.size());
    for (const graph::Edge& edge : list.edges) {
      sources.push_back(edge.source);
      targets.push_back(edge.target);
    }
    weights.assign(list.weights.begin(), list.weights.end());
  });
  const nb::object of_weights = self.weighted() ? to_numpy(std::move(weights)) : nb::none();
  return nb::make_tuple(to_numpy(std::move(sources)), to_numpy(std::move(targets)), of_weights);
}

/// Offsets and bytes of strictly ascending texts.
std::optional<graph::VertexNames> names_from(
    const std::optional<std::pair<AnyArray, AnyArray>>& given) {
  if (!given) return std::nullopt;
  const auto& [ends, bytes] = *given;
  if (ends.dtype() != nb::dtype<std::int64_t>() || ends.shape(0) == 0)
    throw UsageError("names: offsets of int64 were expected");
  const auto* const offset = static_cast<const std::int64_t*>(ends.data());
  return graph::VertexNames::strings(
      std::string(static_cast<const char*>(bytes.data()), bytes.nbytes()),
      std::vector<std::uint64_t>(offset, offset + ends.shape(0)));
}

std::string write_graph(PyGraph& self, const std::string& path, const std::string& format,
                        std::optional<bool> weights, bool simplify,
                        const std::optional<std::pair<AnyArray, AnyArray>>& names) {
  graph::SaveOptions options{.path = path};
  if (!format.empty()) options.format = graph::parse_format(format);
  return self.write(options, weights, simplify, names_from(names));
}

}  // namespace

void add_graph(nb::module_& module) {
  nb::class_<Found>(module, "Found")
      .def("take_columns", [](Found& self) { return dict_of(std::exchange(self.columns, {})); })
      .def_ro("facts", &Found::facts)
      .def_ro("seconds", &Found::seconds)
      .def_ro("verified", &Found::verified);
  nb::class_<PyGraph>(module, "Graph")
      .def_static("read", &read_graph)
      .def_static("of_edges", &graph_of_edges, nb::arg("session"), nb::arg("sources"),
                  nb::arg("targets"), nb::arg("weights").none(), nb::arg("vertices"),
                  nb::arg("directed"))
      .def_static("of_rows", &graph_of_rows, nb::arg("session"), nb::arg("offsets"),
                  nb::arg("targets"), nb::arg("weights").none(), nb::arg("directed"),
                  nb::arg("ascending"))
      .def_prop_ro("vertices", &PyGraph::vertices)
      .def_prop_ro("edges", &PyGraph::edges)
      .def_prop_ro("directed", &PyGraph::directed)
      .def_prop_ro("weighted", &PyGraph::weighted)
      .def("names", [](const PyGraph& self) { return names_of(self.names()); })
      .def("edge_arrays", &edges_of)
      .def("arrange", &PyGraph::arrange)
      .def("info", &PyGraph::info)
      .def("write", &write_graph, nb::arg("path"), nb::arg("format"), nb::arg("weights").none(),
           nb::arg("simplify"), nb::arg("names").none())
      .def("run", &PyGraph::run);
}

}  // namespace grappa::python
