// PageRank by power iteration, pulling along in-edges (Jacobi: all ranks of an iteration come from
// those of the one before).
//
// Each vertex adds up what its in-neighbours contribute: their rank divided by their out-degree,
// which they have computed once for all their out-edges [1]. Pulling needs no atomic operation and
// one random read an edge, of an array of 8 bytes a vertex that stays in the last-level cache for
// graphs of some million vertices. A vertex computes its next contribution together with its rank,
// so that an iteration is one pass; the contributions of one iteration are read while those of the
// next are written. Every locale has a copy of all contributions, and the locales share their parts
// after each iteration.
//
// Sums of floating-point numbers depend on their order, and so would the iteration at which a run
// stops. Hence the order is fixed: a row is added up in four interleaved sums; dangling mass and
// change are added up over blocks of 64 vertices, which never lie on two cores, and then block by
// block. Results are the same to the last bit on any number of cores and locales.
//
// Dangling vertices, which have no out-edges, spread their rank evenly over all vertices [2].
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
  double* rank = nullptr;
  const double* contribution = nullptr;  // of all vertices, in the iteration that is over
  double* next = nullptr;                // of this locale's, in this one
  double* change = nullptr;              // by block
  double* dangling = nullptr;            // by block
};
using Shares = Replica<Share>;

/// Gives the vertices of blocks [first, last) new ranks.
template <class NewRank>
struct UpdateBlocks {
  Shares shares;
  NewRank new_rank;

  void operator()(std::int64_t first, std::int64_t last) const {
    const Share mine = *shares.data();
    for (std::int64_t block = first; block < last; ++block) {
      double change = 0;
      double dangling = 0;
      const std::int64_t end = std::min(mine.end, (block + 1) * kBlock);
      for (std::int64_t v = block * kBlock; v < end; ++v) {
        const double rank = new_rank(mine, v);
        change += std::abs(rank - mine.rank[v]);
        mine.rank[v] = rank;
        const std::int64_t degree = mine.out.degree(v);
        if (degree == 0) dangling += rank;
        mine.next[v] = degree == 0 ? 0 : rank / static_cast<double>(degree);
      }
      mine.change[block] = change;
      mine.dangling[block] = dangling;
    }
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
    result_.rank = graph_.make_vertex_array<double>();
    contribution_ = Replica<double>::create_for_overwrite(padded);
    next_ = Replica<double>::create_for_overwrite(padded);
    change_ = Replica<double>::create_for_overwrite(padded / kBlock);
    dangling_ = Replica<double>::create_for_overwrite(padded / kBlock);
    shares_ = Shares::create(1);
    on_each_locale([graph = graph_, rank = result_.rank, contribution = contribution_, next = next_,
                    change = change_, dangling = dangling_, shares = shares_] {
      const std::int64_t begin = graph.locale_begin();
      *shares.data() = {.out = graph.out(),
                        .in = graph.in(),
                        .begin = begin,
                        .end = graph.locale_end(),
                        .rank = rank.locale_part().data() - begin,
                        .contribution = contribution.data(),
                        .next = next.data(),
                        .change = change.data(),
                        .dangling = dangling.data()};
    });
  }

  PageRankResult run() {
    CheckpointSession session(options_.checkpoint, graph_,
                              fmt::format("damping {}", options_.damping));
    session.add("rank", result_.rank);
    session.add("change", result_.change);
    result_.iterations = session.resume();
    if (result_.iterations > options_.max_iterations)
      throw UsageError(fmt::format("pagerank: the checkpoint is after {} iterations, {} are wanted",
                                   result_.iterations, options_.max_iterations));
    if (result_.iterations == 0) {
      update([start = 1 / n_](const Share&, std::int64_t) { return start; });
    } else {
      // What follows from the ranks: contributions and dangling mass.
      update([](const Share& mine, std::int64_t v) { return mine.rank[v]; });
      result_.converged = result_.change < options_.tolerance;
    }
    while (result_.iterations < options_.max_iterations && !result_.converged) {
      const double everybody = ((1 - options_.damping) + options_.damping * sum(dangling_)) / n_;
      update([everybody, damping = options_.damping](const Share& mine, std::int64_t v) {
        return everybody + damping * sum_row(mine.in.neighbors(v), mine.contribution);
      });
      result_.change = sum(change_);
      result_.converged = result_.change < options_.tolerance;
      ++result_.iterations;
      if (options_.on_iteration) options_.on_iteration(result_.iterations, result_.change);
      session.after(result_.iterations);
    }
    session.finish(result_.iterations);
    for (auto* array : {&contribution_, &next_, &change_, &dangling_}) array->destroy();
    shares_.destroy();
    return result_;
  }

 private:
  /// One pass over all vertices.
  template <class NewRank>
  void update(NewRank new_rank) {
    on_each_locale([shares = shares_, new_rank] {
      const Share& mine = *shares.data();
      forall_range_here(blocks_before(mine.begin), blocks_before(mine.end),
                        UpdateBlocks<NewRank>{shares, new_rank});
    });
    next_.share(vertices_of_locale(graph_));
    change_.share(blocks_of_locale(graph_));
    dangling_.share(blocks_of_locale(graph_));
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
  Replica<double> dangling_;
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
