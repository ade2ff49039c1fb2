// PageRank by power iteration, pulling along in-edges (Jacobi: all ranks of an iteration come from
// those of the one before).
//
// Each vertex adds up what its in-neighbours contribute: their rank divided by their out-degree
// [1]. Pulling needs no atomic operation and one random read an edge. The contributions are all
// that is kept: a rank is the contribution times the out-degree (of a vertex without out-edges its
// contribution, which nobody reads). So an iteration is one pass, which reads the contributions of
// the one before and writes those of the next. Every locale has a copy of all contributions, and
// the locales share their parts after each iteration.
//
// Dangling vertices, which have no out-edges, spread their rank evenly over all vertices [2]: what
// is not contributed of a sum of 1.
//
// Sums of floating-point numbers depend on their order, and so would the iteration at which a run
// stops. Hence the order is fixed: a row is added up in four interleaved sums; what is contributed
// and change are added up over blocks of 64 vertices, which never lie on two cores, and then block
// by block. Results are the same to the last bit on any number of cores and locales.
//
// [1] S. Beamer, K. Asanovic, D. Patterson, "Reducing PageRank communication via propagation
//     blocking", IPDPS 2017, section III.
// [2] A. Langville, C. Meyer, "Deeper inside PageRank", Internet Mathematics 1(3), 2004.
#include "grappa/graph/kernel/pagerank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/locale_parts.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/row_sum.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::graph {
namespace {

constexpr std::int64_t kBlock = 64;  // vertices whose sums are formed together

std::int64_t blocks_before(std::int64_t vertex) { return (vertex + kBlock - 1) / kBlock; }

/// What the cores of a locale share. Arrays are shifted, so that the index is the vertex or block.
struct Share {
  Adjacency out;
  Adjacency in;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  double* rank = nullptr;                // in the end; before, what checkpoints have
  const double* contribution = nullptr;  // of all vertices, in the iteration that is over
  double* next = nullptr;                // of this locale's, in this one
  double* change = nullptr;              // by block
  double* contributed = nullptr;         // by block: the ranks of vertices that have out-edges
};
using Shares = Replica<Share>;

/// Gives the vertices of blocks [first, last) new ranks.
struct UpdateBlocks {
  Shares shares;
  double everybody;  // what each vertex has without any in-edge
  double damping;

  void operator()(std::int64_t first, std::int64_t last) const {
    const Share mine = *shares.data();
    for (std::int64_t block = first; block < last; ++block) {
      double change = 0;
      double contributed = 0;
      const std::int64_t end = std::min(mine.end, (block + 1) * kBlock);
      for (std::int64_t v = block * kBlock; v < end; ++v) {
        const double rank = everybody + damping * sum_row(mine.in.neighbors(v), mine.contribution);
        const auto degree = static_cast<double>(mine.out.degree(v));
        const auto before = mine.contribution[v];
        if (degree == 0) {
          change += std::abs(rank - before);
          mine.next[v] = rank;
        } else {
          change += std::abs(rank - before * degree);
          mine.next[v] = rank / degree;
          contributed += mine.next[v] * degree;
        }
      }
      mine.change[block] = change;
      mine.contributed[block] = contributed;
    }
  }
};

/// Gives the vertices of blocks [first, last) the contributions to begin with: of equal ranks, or
/// those that a checkpoint has put into `rank`.
struct StartBlocks {
  Shares shares;
  double start;
  bool is_resumed;

  void operator()(std::int64_t first, std::int64_t last) const {
    const Share mine = *shares.data();
    for (std::int64_t block = first; block < last; ++block) {
      double contributed = 0;
      const std::int64_t end = std::min(mine.end, (block + 1) * kBlock);
      for (std::int64_t v = block * kBlock; v < end; ++v) {
        const auto degree = static_cast<double>(mine.out.degree(v));
        const double contribution = is_resumed ? mine.rank[v] : start / std::max(1.0, degree);
        mine.next[v] = contribution;
        contributed += mine.next[v] * degree;
      }
      mine.contributed[block] = contributed;
    }
  }
};

/// Writes the ranks of blocks [first, last).
struct RanksOfBlocks {
  Shares shares;

  void operator()(std::int64_t first, std::int64_t last) const {
    const Share mine = *shares.data();
    const std::int64_t end = std::min(mine.end, last * kBlock);
    for (std::int64_t v = first * kBlock; v < end; ++v) {
      const double degree = std::max(1.0, static_cast<double>(mine.out.degree(v)));
      mine.rank[v] = mine.contribution[v] * degree;
    }
  }
};

/// The same of contributions, for a checkpoint.
struct KeepBlocks {
  Shares shares;

  void operator()(std::int64_t first, std::int64_t last) const {
    const Share mine = *shares.data();
    const std::int64_t end = std::min(mine.end, last * kBlock);
    for (std::int64_t v = first * kBlock; v < end; ++v) mine.rank[v] = mine.contribution[v];
  }
};

/// Where the part of a locale lies in an array of blocks.
auto blocks_of_locale(const Graph& graph) {
  return [graph](int locale) {
    return std::pair(blocks_before(graph.first_vertex_of(locale)),
                     blocks_before(graph.first_vertex_of(locale + 1)));
  };
}

class Iteration {
 public:
  Iteration(const Graph& graph, const PageRankOptions& options)
      : graph_(graph), options_(options), n_(static_cast<double>(graph.vertex_count())) {
    const std::int64_t padded = graph_.vertices_per_core() * core_count();
    result_.rank = graph_.make_vertex_array_for_overwrite<double>();
    contribution_ = Replica<double>::create_for_overwrite(padded);
    next_ = Replica<double>::create_for_overwrite(padded);
    change_ = Replica<double>::create_for_overwrite(padded / kBlock);
    contributed_ = Replica<double>::create_for_overwrite(padded / kBlock);
    shares_ = Shares::create(1);
    on_each_locale([graph = graph_, rank = result_.rank, contribution = contribution_, next = next_,
                    change = change_, contributed = contributed_, shares = shares_] {
      const std::int64_t begin = graph.locale_begin();
      *shares.data() = {.out = graph.out(),
                        .in = graph.in(),
                        .begin = begin,
                        .end = graph.locale_end(),
                        .rank = rank.locale_part().data() - begin,
                        .contribution = contribution.data(),
                        .next = next.data(),
                        .change = change.data(),
                        .contributed = contributed.data()};
    });
  }

  PageRankResult run() {
    CheckpointSession session(options_.checkpoint, graph_,
                              fmt::format("damping {}", options_.damping));
    session.add("contribution", result_.rank);
    session.add("change", result_.change);
    double contributed = 0;  // saved, too: formed again, its last bit could be another
    session.add("contributed", contributed);
    result_.iterations = session.resume();
    if (result_.iterations > options_.max_iterations)
      throw UsageError(fmt::format("pagerank: the checkpoint is after {} iterations, {} are wanted",
                                   result_.iterations, options_.max_iterations));
    const bool is_resumed = result_.iterations > 0;
    over_blocks(StartBlocks{shares_, 1 / n_, is_resumed});
    end_pass();
    if (!is_resumed) contributed = sum(contributed_);
    result_.converged = is_resumed && result_.change < options_.tolerance;
    while (result_.iterations < options_.max_iterations && !result_.converged) {
      const double dangling = 1 - contributed;
      const double everybody = ((1 - options_.damping) + options_.damping * dangling) / n_;
      over_blocks(UpdateBlocks{shares_, everybody, options_.damping});
      change_.share(blocks_of_locale(graph_));
      end_pass();
      contributed = sum(contributed_);
      result_.change = sum(change_);
      result_.converged = result_.change < options_.tolerance;
      ++result_.iterations;
      if (options_.on_iteration) options_.on_iteration(result_.iterations, result_.change);
      if (session.is_on() && session.is_due(result_.iterations)) over_blocks(KeepBlocks{shares_});
      session.after(result_.iterations);
    }
    if (session.is_on()) over_blocks(KeepBlocks{shares_});
    session.finish(result_.iterations);
    over_blocks(RanksOfBlocks{shares_});
    contribution_.destroy();
    next_.destroy();
    for (auto* sums : {&change_, &contributed_}) sums->destroy();
    shares_.destroy();
    return result_;
  }

 private:
  template <class Body>
  void over_blocks(Body body) const {
    on_each_locale([shares = shares_, body] {
      const Share& mine = *shares.data();
      forall_range_here(blocks_before(mine.begin), blocks_before(mine.end), body);
    });
  }

  /// Makes what a pass has written the contributions of the iteration that is over.
  void end_pass() {
    next_.share(vertices_of_locale(graph_));
    contributed_.share(blocks_of_locale(graph_));
    std::swap(contribution_, next_);
    on_each_locale([shares = shares_, contribution = contribution_, next = next_] {
      shares.data()->contribution = contribution.data();
      shares.data()->next = next.data();
    });
  }

  double sum(const Replica<double>& of_blocks) const {
    double sum = 0;
    for (const double part :
         of_blocks.span().first(static_cast<std::size_t>(blocks_before(graph_.vertex_count()))))
      sum += part;
    return sum;
  }

  const Graph graph_;
  const PageRankOptions& options_;
  const double n_;
  PageRankResult result_;
  Replica<double> contribution_;
  Replica<double> next_;
  Replica<double> change_;
  Replica<double> contributed_;
  Shares shares_;
};

}  // namespace

void PageRankResult::destroy() { rank.destroy(); }

PageRankResult pagerank(const Graph& graph, const PageRankOptions& options) {
  if (!graph.has_in_edges()) throw UsageError("pagerank: the graph was built without in-edges");
  if (!(options.damping >= 0 && options.damping <= 1))
    throw UsageError(fmt::format("pagerank: a damping of {}, allowed are 0 to 1", options.damping));
  if (!(options.tolerance >= 0))
    throw UsageError(
        fmt::format("pagerank: a tolerance of {}, it cannot be negative", options.tolerance));
  if (options.max_iterations < 0)
    throw UsageError(fmt::format("pagerank: {} iterations", options.max_iterations));
  return Iteration(graph, options).run();
}

}  // namespace grappa::graph
