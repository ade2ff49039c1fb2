#include "bench/pbgl/pbgl_system.hpp"

#include <mpi.h>

// Before any other header of the graph library, and then what they use without naming it.
#include <boost/graph/use_mpi.hpp>
//
#include <boost/graph/distributed/adjacency_list.hpp>
//
#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/distributed/betweenness_centrality.hpp>
#include <boost/graph/distributed/breadth_first_search.hpp>
#include <boost/graph/distributed/compressed_sparse_row_graph.hpp>
#include <boost/graph/distributed/connected_components_parallel_search.hpp>
#include <boost/graph/distributed/delta_stepping_shortest_paths.hpp>
#include <boost/graph/distributed/mpi_process_group.hpp>
#include <boost/graph/distributed/page_rank.hpp>
#include <boost/pending/queue.hpp>
#include <boost/property_map/parallel/distributed_property_map.hpp>
#include <boost/version.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

namespace grappa::bench {
namespace {

using Group = boost::graph::distributed::mpi_process_group;

struct Arc {
  double weight = 1;
};

/// Both arcs of every edge.
using Rows = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Arc,
                                                boost::no_property, boost::distributedS<Group>>;
using Vertex = boost::graph_traits<Rows>::vertex_descriptor;

constexpr double kDamping = 0.85;
constexpr double kTolerance = 1e-4;
constexpr int kIterations = 20;
constexpr int kMaxIterations = 1000;

int process() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

double sum_of_all(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

template <class T>
std::vector<T> read_part(const std::string& path, std::uint64_t first, std::uint64_t count) {
  std::vector<T> part(count);
  const auto bytes = static_cast<std::streamsize>(count * sizeof(T));
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(first * sizeof(T)));
  if (!file.read(reinterpret_cast<char*>(part.data()), bytes))
    throw std::runtime_error("cannot read " + path);
  return part;
}

template <class T>
std::vector<Arc> read_weights(const std::string& path, std::uint64_t first, std::uint64_t count) {
  std::vector<Arc> arcs;
  arcs.reserve(count);
  for (const T weight : read_part<T>(path, first, count))
    arcs.push_back({static_cast<double>(weight)});
  return arcs;
}

/// The rows of the vertices of this process.
struct Part {
  Part(const PbglFiles& files, const PbglShape& shape) {
    const boost::parallel::block blocks(Group(), static_cast<std::size_t>(shape.vertices));
    first = static_cast<std::int64_t>(blocks.start(static_cast<std::size_t>(process())));
    count = blocks.block_size(static_cast<std::size_t>(shape.vertices));
    const auto offsets =
        read_part<std::uint64_t>(files.offsets, static_cast<std::uint64_t>(first), count + 1);
    const std::uint64_t arc_count = offsets.back() - offsets.front();
    const auto neighbors = read_part<std::uint32_t>(files.targets, offsets.front(), arc_count);
    ends.reserve(arc_count + 1);
    for (std::size_t v = 0; v < count; ++v) {
      for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
        ends.emplace_back(static_cast<std::size_t>(first) + v, neighbors[i - offsets.front()]);
    }
    ends.emplace_back(0, 0);
    if (shape.weight_type == "none")
      arcs.resize(arc_count);
    else if (shape.weight_type == "uint8")
      arcs = read_weights<std::uint8_t>(files.weights, offsets.front(), arc_count);
    else if (shape.weight_type == "uint32")
      arcs = read_weights<std::uint32_t>(files.weights, offsets.front(), arc_count);
    else
      arcs = read_weights<double>(files.weights, offsets.front(), arc_count);
  }

  std::int64_t first = 0;
  std::size_t count = 0;
  // Of each arc, by rows. One more: the library looks at what its iterator past the end points to.
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  std::vector<Arc> arcs;
};

/// Makes the library's PageRank the one that all systems compute, between its iterations: it has
/// ranks that sum to the number of vertices, and loses those of vertices without edges. They all
/// have the same rank at any time, so nobody has to ask for their sum.
class RankDefinition {
 public:
  RankDefinition(double without_edges, double vertices, double tolerance, int iterations)
      : without_edges_(without_edges / vertices),
        vertices_(vertices),
        tolerance_(tolerance),
        iterations_(iterations) {}

  /// The library asks whether to end before each iteration.
  template <class RankMap>
  bool operator()(const RankMap& ranks, const Rows& rows) {
    if (done_ == 0) {
      BGL_FORALL_VERTICES(v, rows, Rows) put(ranks, v, 1.0);
      before_.assign(tolerance_ > 0 ? num_vertices(rows) : 0, 1.0);
      return done_++ == iterations_;
    }
    const double more = kDamping * without_edges_ * idle_rank_;
    idle_rank_ = 1 - kDamping + more;
    double change = 0;
    std::size_t i = 0;
    BGL_FORALL_VERTICES(v, rows, Rows) {
      const double rank = get(ranks, v) + more;
      put(ranks, v, rank);
      if (tolerance_ > 0) change += std::abs(rank - std::exchange(before_[i++], rank));
    }
    if (done_++ == iterations_) return true;
    return tolerance_ > 0 && sum_of_all(change) < tolerance_ * vertices_;
  }

 private:
  double without_edges_;  // fraction of the vertices
  double vertices_;
  double tolerance_;
  int iterations_;
  int done_ = 0;
  double idle_rank_ = 1;        // of a vertex without edges
  std::vector<double> before_;  // the ranks of this process's vertices
};

template <class F>
double seconds_of(F&& call) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  call();
  return MPI_Wtime() - start;
}

}  // namespace

class PbglSystem::Impl {
 public:
  Impl(const Part& part, const PbglShape& shape)
      : first_(part.first),
        vertices_(static_cast<std::size_t>(shape.vertices)),
        rows_(boost::edges_are_sorted, part.ends.begin(), std::prev(part.ends.end()),
              part.arcs.begin(), vertices_, part.arcs.size(), Group()),
        values_(part.count) {
    double mine = 0;
    BGL_FORALL_VERTICES(v, rows_, Rows) mine += out_degree(v, rows_) == 0 ? 1 : 0;
    without_edges_ = sum_of_all(mine);
  }

  void prepare(std::string_view kernel, double delta) {
    delta_ = delta;
    if (kernel == "cc") require_edges();
  }

  double run(std::string_view kernel, std::int64_t source) {
    const Vertex start = vertex(static_cast<Vertex>(source), rows_);
    if (kernel == "bfs") return bfs(start);
    if (kernel == "sssp") return sssp(start);
    if (kernel == "pagerank20") return pagerank(0, kIterations);
    if (kernel == "pagerank") return pagerank(kTolerance, kMaxIterations);
    if (kernel == "cc") return components();
    if (kernel == "bc") return betweenness(start);
    throw std::runtime_error("no kernel " + std::string(kernel));
  }

  std::int64_t first_vertex() const { return first_; }
  std::span<const double> values() const { return values_; }

 private:
  /// A map from vertices to what stands in `storage`, an element for each of those of this process.
  template <class T>
  auto map_of(std::vector<T>& storage) const {
    return boost::make_iterator_property_map(storage.begin(), get(boost::vertex_index, rows_));
  }

  /// Components by parallel search: it looks for the first vertex that has an edge, and does not
  /// stop where there is none.
  void require_edges() const {
    bool have_edges = false;
    BGL_FORALL_VERTICES(v, rows_, Rows) have_edges = have_edges || out_degree(v, rows_) > 0;
    if (!have_edges)
      throw std::runtime_error(
          "connected_components_ps needs an edge in the part of every process");
  }

  double bfs(Vertex start) {
    std::fill(values_.begin(), values_.end(), std::numeric_limits<double>::infinity());
    std::vector<std::uint32_t> depths(values_.size(), std::numeric_limits<std::uint32_t>::max());
    auto depth = map_of(depths);
    const double seconds = seconds_of([&] {
      boost::set_property_map_role(boost::vertex_distance, depth);
      if (get(get(boost::vertex_owner, rows_), start) == process()) put(depth, start, 0u);
      boost::breadth_first_search(rows_, start,
                                  boost::visitor(boost::make_bfs_visitor(
                                      boost::record_distances(depth, boost::on_tree_edge()))));
    });
    for (std::size_t v = 0; v < values_.size(); ++v) {
      if (depths[v] != std::numeric_limits<std::uint32_t>::max()) values_[v] = depths[v];
    }
    return seconds;
  }

  double sssp(Vertex start) {
    const auto weight = get(&Arc::weight, rows_);
    auto distance = map_of(values_);
    const boost::dummy_property_map none;
    const double seconds = seconds_of([&] {
      using boost::graph::distributed::delta_stepping_shortest_paths;
      if (delta_ > 0)
        delta_stepping_shortest_paths(rows_, start, none, distance, weight, delta_);
      else
        delta_stepping_shortest_paths(rows_, start, none, distance, weight);
    });
    std::replace(values_.begin(), values_.end(), std::numeric_limits<double>::max(),
                 std::numeric_limits<double>::infinity());
    return seconds;
  }

  double pagerank(double tolerance, int iterations) {
    std::vector<double> others(values_.size());
    const auto n = static_cast<double>(vertices_);
    const double seconds = seconds_of([&] {
      boost::graph::distributed::page_rank(rows_, map_of(values_),
                                           RankDefinition(without_edges_, n, tolerance, iterations),
                                           kDamping, vertices_, map_of(others));
    });
    for (double& value : values_) value /= n;
    return seconds;
  }

  /// The other algorithm of the library, connected_components, takes several times as long, and has
  /// found wrong components of sparse random graphs.
  double components() {
    std::vector<int> components(values_.size());
    const double seconds = seconds_of(
        [&] { boost::graph::distributed::connected_components_ps(rows_, map_of(components)); });
    std::copy(components.begin(), components.end(), values_.begin());
    return seconds;
  }

  double betweenness(Vertex start) {
    std::vector<std::vector<Vertex>> incoming(values_.size());
    std::vector<double> distance(values_.size());
    std::vector<double> dependency(values_.size());
    std::vector<double> paths(values_.size());
    boost::queue<Vertex> sources;
    sources.push(start);
    const double seconds = seconds_of([&] {
      boost::brandes_betweenness_centrality(
          rows_, map_of(values_), boost::dummy_property_map(), map_of(incoming), map_of(distance),
          map_of(dependency), map_of(paths), get(boost::vertex_index, rows_), sources, 0.0);
    });
    for (double& value : values_) value /= 2;
    return seconds;
  }

  std::int64_t first_;
  std::size_t vertices_;  // of all processes
  Rows rows_;
  double without_edges_ = 0;  // vertices of all processes
  double delta_ = 0;
  std::vector<double> values_;
};

PbglSystem::PbglSystem(const PbglFiles& files, const PbglShape& shape)
    : impl_(std::make_unique<Impl>(Part(files, shape), shape)) {}
PbglSystem::~PbglSystem() = default;

std::string PbglSystem::name() {
  return "Parallel Boost Graph Library " + std::to_string(BOOST_VERSION / 100'000) + '.' +
         std::to_string(BOOST_VERSION / 100 % 1000);
}

void PbglSystem::prepare(std::string_view kernel, double delta) { impl_->prepare(kernel, delta); }
double PbglSystem::run(std::string_view kernel, std::int64_t source) {
  return impl_->run(kernel, source);
}
std::int64_t PbglSystem::first_vertex() const { return impl_->first_vertex(); }
std::span<const double> PbglSystem::values() const { return impl_->values(); }

}  // namespace grappa::bench
