// PageRank by power iteration, pulling along in-edges (Jacobi: all ranks of an iteration come from
// those of the one before).
//
// Each vertex adds up the contributions of its in-neighbors: their rank divided by their out-degree
// [1]. A pull needs no atomic operation and one random read an edge. Only the contributions are
// kept: a rank is the contribution times the out-degree (for a vertex without out-edges, the
// contribution itself, which nobody reads). So an iteration is one pass, which reads the
// contributions of the one before and writes those for the next. Every locale has a copy of all
// contributions; after each iteration the locales exchange their parts (an all-gather), or only
// their halos, if these are small.
//
// Dangling vertices, which have no out-edges, spread their rank evenly over all vertices [2]: the
// difference between 1 and the sum of all contributions.
//
// Floating-point sums depend on the order of their terms, and so would the iteration at which a run
// stops. Hence the order is fixed: a row is added up in eight interleaved sums; contributions and
// changes are added up over blocks of 64 vertices, which never lie on two cores, and then block by
// block. Results are the same to the last bit on any number of cores and locales. Everything but
// the sum of a row is done a block at a time, by vector instructions.
//
// Contributions can be kept in 32 bits. Their total is the sum of the rounded numbers, so what
// rounding takes away is spread over all vertices, and ranks still sum to 1.
//
// [1] S. Beamer, K. Asanovic, D. Patterson, "Reducing PageRank communication via propagation
//     blocking", IPDPS 2017, section III.
// [2] A. Langville, C. Meyer, "Deeper inside PageRank", Internet Mathematics 1(3), 2004.
#include "grappa/graph/algorithms/pagerank/pagerank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/rounds.hpp"
#include "grappa/graph/exec/row_sum.hpp"
#include "grappa/graph/structure/internal/halo.hpp"
#include "grappa/graph/structure/internal/locale_parts.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::graph {
namespace {

constexpr std::int64_t kBlock = 64;  // vertices whose sums are formed together

std::int64_t blocks_before(std::int64_t vertex) { return (vertex + kBlock - 1) / kBlock; }

/// The state of a locale, which its cores share. Arrays are shifted, so that the index is the
/// vertex or block. Contributions are of type C.
template <class C>
struct Local {
  Adjacency out;
  Adjacency in;
  std::int64_t begin = 0;  // the vertices of this locale
  std::int64_t end = 0;
  double* rank = nullptr;           // in the end; before, what checkpoints have
  const C* contribution = nullptr;  // of all vertices, in the iteration that is over
  C* next = nullptr;                // of this locale's, in this one
  double* change = nullptr;         // by block
  double* contributed = nullptr;    // by block: the ranks of vertices that have out-edges
};
template <class C>
using Locals = LocaleState<Local<C>>;

/// One value for each vertex of a block. Loops over all 64 become vector instructions; past the
/// last vertex of the graph they work on zeros.
using Values = std::array<double, kBlock>;

/// The same to the last bit wherever it is formed, and as fast as eight additions at a time.
double sum_of(const Values& values) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  for (std::size_t i = 0; i < values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += values[i + lane];
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <class C>
class Block {
 public:
  Block(const Local<C>& mine, std::int64_t block)
      : mine_(mine), first_(block * kBlock), count_(std::min(kBlock, mine.end - first_)) {
    clear_end(degree_, 0);
    clear_end(divisor_, 1);
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::int64_t degree = mine.out.degree(first_ + i);
      degree_[at(i)] = static_cast<double>(degree);
      divisor_[at(i)] = static_cast<double>(std::max<std::int64_t>(degree, 1));
    }
  }

  /// Gives the vertices new ranks.
  void update(double everybody, double damping) const {
    Values rank;
    Values before;
    clear_end(rank, 0);
    clear_end(before, 0);
    for (std::int64_t i = 0; i < count_; ++i) {
      const auto row = mine_.in.neighbors(first_ + i);
      prefetch_behind(row);
      const double sum = sum_row(row, mine_.contribution);
      rank[at(i)] = everybody + damping * sum;
    }
    for (std::int64_t i = 0; i < count_; ++i) before[at(i)] = mine_.contribution[first_ + i];
    Values change;
    Values contribution;
    for (std::size_t i = 0; i < rank.size(); ++i) {
      change[i] = std::abs(rank[i] - before[i] * divisor_[i]);
      contribution[i] = rank[i] / divisor_[i];
    }
    mine_.change[first_ / kBlock] = sum_of(change);
    contribute(contribution);
  }

  /// Sets the first contributions: those of equal ranks, or what a checkpoint has put there.
  void start(double rank, bool is_resumed) const {
    Values contribution;
    for (std::size_t i = 0; i < contribution.size(); ++i) contribution[i] = rank / divisor_[i];
    if (is_resumed) std::copy_n(mine_.rank + first_, count_, contribution.begin());
    contribute(contribution);
  }

  /// Writes the ranks.
  void finish() const {
    for (std::int64_t i = 0; i < count_; ++i)
      mine_.rank[first_ + i] = mine_.contribution[first_ + i] * divisor_[at(i)];
  }

  /// Writes the contributions, for a checkpoint.
  void keep() const {
    for (std::int64_t i = 0; i < count_; ++i)
      mine_.rank[first_ + i] = mine_.contribution[first_ + i];
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  void clear_end(Values& values, double value) const {
    if (count_ < kBlock) values.fill(value);
  }

  void contribute(const Values& contribution) const {
    Values contributed;
    for (std::size_t i = 0; i < contributed.size(); ++i)
      contributed[i] = static_cast<double>(static_cast<C>(contribution[i])) * degree_[i];
    for (std::int64_t i = 0; i < count_; ++i)
      mine_.next[first_ + i] = static_cast<C>(contribution[at(i)]);
    mine_.contributed[first_ / kBlock] = sum_of(contributed);
  }

  const Local<C>& mine_;
  const std::int64_t first_;
  const std::int64_t count_;
  Values degree_;
  Values divisor_;  // the degree, or 1
};

/// Where the part of a locale lies in an array of blocks.
auto blocks_of_locale(const Graph& graph) {
  return [graph](int locale) {
    return std::pair(blocks_before(graph.first_vertex_of(locale)),
                     blocks_before(graph.first_vertex_of(locale + 1)));
  };
}

template <class C>
class Iteration {
 public:
  Iteration(const Graph& graph, const PageRankOptions& options)
      : graph_(graph), options_(options), n_(static_cast<double>(graph.vertex_count())) {
    const std::int64_t padded = graph_.vertices_per_core() * core_count();
    result_.rank = graph_.make_vertex_array_for_overwrite<double>();
    contribution_ = Replica<C>::create_for_overwrite(padded);
    next_ = Replica<C>::create_for_overwrite(padded);
    change_ = Replica<double>::create_for_overwrite(padded / kBlock);
    contributed_ = Replica<double>::create_for_overwrite(padded / kBlock);
    if (is_mostly_local(graph_)) halo_ = Halo::of_edges(graph_, Edges::kIn);
    locals_ =
        Locals<C>::create([graph = graph_, rank = *result_.rank, contribution = *contribution_,
                           next = *next_, change = *change_, contributed = *contributed_] {
          const std::int64_t begin = graph.locale_begin();
          return Local<C>{.out = graph.out(),
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
                              fmt::format("damping {}{}", options_.damping,
                                          std::is_same_v<C, float> ? ", single precision" : ""));
    session.add("contribution", *result_.rank);
    session.add("change", result_.change);
    double contributed = 0;  // saved, too: formed again, its last bit could be another
    session.add("contributed", contributed);
    result_.iterations = session.resume();
    if (result_.iterations > options_.max_iterations)
      throw UsageError(fmt::format("pagerank: the checkpoint is after {} iterations, {} are wanted",
                                   result_.iterations, options_.max_iterations));
    const bool is_resumed = result_.iterations > 0;
    over_blocks(
        [start = 1 / n_, is_resumed](const Block<C>& block) { block.start(start, is_resumed); });
    end_pass();
    if (!is_resumed) contributed = sum(*contributed_);
    result_.converged = is_resumed && result_.change < options_.tolerance;
    while (result_.iterations < options_.max_iterations && !result_.converged) {
      const double dangling = 1 - contributed;
      const double everybody = ((1 - options_.damping) + options_.damping * dangling) / n_;
      over_blocks([everybody, damping = options_.damping](const Block<C>& block) {
        block.update(everybody, damping);
      });
      change_->all_gather(blocks_of_locale(graph_));
      end_pass();
      contributed = sum(*contributed_);
      result_.change = sum(*change_);
      result_.converged = result_.change < options_.tolerance;
      mark_round("iteration", ++result_.iterations);
      if (options_.on_iteration) options_.on_iteration(result_.iterations, result_.change);
      if (session.is_on() && session.is_due(result_.iterations)) keep();
      session.after(result_.iterations);
    }
    if (session.is_on()) keep();
    session.finish(result_.iterations);
    over_blocks([](const Block<C>& block) { block.finish(); });
    return std::move(result_);
  }

 private:
  template <class Body>
  void over_blocks(Body body) const {
    on_each_locale([locals = *locals_, body] {
      const Local<C>& mine = *locals;
      forall_range_here(blocks_before(mine.begin), blocks_before(mine.end),
                        [locals, body](std::int64_t first, std::int64_t last) {
                          stop_if_cancelled();
                          const Local<C> local = *locals;
                          for (std::int64_t block = first; block < last; ++block)
                            body(Block<C>(local, block));
                        });
    });
  }

  void keep() const {
    over_blocks([](const Block<C>& block) { block.keep(); });
  }

  /// After an iteration: makes what the pass has written the contributions for the next.
  void end_pass() {
    if (halo_) {
      halo_->exchange(*next_);
    } else {
      next_->all_gather(vertices_of_locale(graph_));
    }
    contributed_->all_gather(blocks_of_locale(graph_));
    std::swap(contribution_, next_);
    on_each_locale([locals = *locals_, contribution = *contribution_, next = *next_] {
      locals->contribution = contribution.data();
      locals->next = next.data();
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
  Owned<Replica<C>> contribution_;
  Owned<Replica<C>> next_;
  Owned<Replica<double>> change_;
  Owned<Replica<double>> contributed_;
  Owned<Halo> halo_;  // where few contributions are needed on other locales
  Owned<Locals<C>> locals_;
};

}  // namespace

PageRankResult pagerank(const Graph& graph, const PageRankOptions& options) {
  graph.require_live("pagerank");
  graph.require_in_edges("pagerank");
  if (!(options.damping >= 0 && options.damping <= 1))
    throw UsageError(fmt::format("pagerank: damping {} is not between 0 and 1", options.damping));
  if (!(options.tolerance >= 0))
    throw UsageError(fmt::format("pagerank: tolerance {} is negative", options.tolerance));
  if (options.max_iterations < 0)
    throw UsageError(
        fmt::format("pagerank: {} iterations are not possible", options.max_iterations));
  if (options.precision == PageRankPrecision::kSingle)
    return Iteration<float>(graph, options).run();
  return Iteration<double>(graph, options).run();
}

}  // namespace grappa::graph
