#include "cli/query_edges.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <utility>

#include "cli/edge_tables.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/names/compact_ids.hpp"
#include "grappa/graph/io/internal/names/name_table.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/sql/parser.hpp"

namespace grappa::cli {
namespace {

constexpr std::string_view kPrefix = "sql:";
constexpr std::array kEnds = {"source", "target"};

double number_of(const query::Vector& column, std::size_t row) {
  const query::Type& type = column.type;
  return with_physical(type.physical(), [&]<class T>() -> double {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, query::Int128>) {
      const auto value = static_cast<double>(column.at<T>(row));
      return type.id == query::TypeId::kDecimal ? value / std::pow(10.0, type.scale) : value;
    } else {
      return 0;
    }
  });
}

std::int64_t integer_of(const query::Vector& column, std::size_t row) {
  return with_physical(column.type.physical(), [&]<class T>() -> std::int64_t {
    if constexpr (std::is_integral_v<T>)
      return static_cast<std::int64_t>(column.at<T>(row));
    else
      return 0;
  });
}

/// Takes the rows of the answer, one after the other.
class EdgeTaker {
 public:
  explicit EdgeTaker(const graph::LoadOptions& options) : options_(options) {}

  void begin(const query::Answer& answer) {
    if (answer.names.empty()) return;
    if (has_begun_) refuse("has two answers; one was expected, whose rows are the edges");
    has_begun_ = true;
    const std::size_t columns = answer.types.size();
    if (columns < 2 || columns > 3)
      refuse(
          fmt::format("gives {} column{}; two were expected, the source and the target of each "
                      "edge, and maybe a third one, its weight",
                      columns, columns == 1 ? "" : "s"));
    names_are_texts_ = answer.types[0].is_text();
    for (std::size_t c = 0; c < 2; ++c) {
      const query::Type& type = answer.types[c];
      if (!type.is_integer() && !type.is_text())
        refuse(fmt::format("gives {} for the {}; integers or texts were expected", name_of(type),
                           kEnds[c]));
      if (type.is_text() != names_are_texts_)
        refuse("gives texts for one end of an edge and integers for the other");
    }
    has_weights_ = columns == 3 && options_.want_weights;
    if (columns == 3 && !answer.types[2].is_numeric())
      refuse(
          fmt::format("gives {} for the weight; numbers were expected", name_of(answer.types[2])));
  }

  void take(const query::Batch& batch) {
    batch.for_each([&](std::size_t row) {
      ++rows_;
      edges_.push_back({end_of(batch.columns[0], row, 0), end_of(batch.columns[1], row, 1)});
      if (has_weights_) weights_.push_back(weight_of(batch.columns[2], row));
    });
  }

  graph::EdgeList list(const io::ParallelFor& parallel) {
    if (rows_ == 0) refuse("gives no rows");
    graph::EdgeList list;
    list.directed = options_.directed.value_or(true);
    list.weights = std::move(weights_);
    if (names_are_texts_) {
      std::vector<graph::VertexId> place;
      list.names = texts_.sorted(place);
      list.vertex_count = list.names.size();
      list.edges.resize(edges_.size());
      graph::io::renumber_edges(edges_, list.edges, parallel,
                                [&](std::uint64_t id) { return place[id]; });
    } else {
      graph::io::compact_ids(edges_, list, "the query", parallel);
    }
    return list;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw UsageError("the query " + why); }
  [[noreturn]] void refuse_row(const std::string& why) const {
    throw UsageError(fmt::format("row {} of the query: {}", rows_, why));
  }

  std::uint64_t end_of(const query::Vector& column, std::size_t row, std::size_t end) {
    if (!column.is_valid(row)) refuse_row(fmt::format("the {} is NULL", kEnds[end]));
    if (names_are_texts_) return texts_.add(column.at<query::TextRef>(row).view());
    const std::int64_t id = integer_of(column, row);
    if (id < 0) refuse_row(fmt::format("the {} is {}; vertices are 0 and more", kEnds[end], id));
    return static_cast<std::uint64_t>(id);
  }
  double weight_of(const query::Vector& column, std::size_t row) const {
    if (!column.is_valid(row)) refuse_row("the weight is NULL");
    const double weight = number_of(column, row);
    if (!std::isfinite(weight) || weight < options_.least_weight)
      refuse_row(fmt::format("the weight is {}; {} was expected", weight,
                             std::isfinite(weight)
                                 ? fmt::format("at least {}", options_.least_weight)
                                 : "a finite number"));
    return weight;
  }

  const graph::LoadOptions& options_;
  bool has_begun_ = false;
  bool names_are_texts_ = false;
  bool has_weights_ = false;
  std::int64_t rows_ = 0;
  graph::io::NameTable texts_;
  graph::UninitializedVector<graph::io::WideEdge> edges_;
  graph::UninitializedVector<double> weights_;
};

}  // namespace

std::optional<std::string_view> query_of_graph(std::string_view graph) {
  if (!graph.starts_with(kPrefix)) return std::nullopt;
  return graph.substr(kPrefix.size());
}

std::vector<std::string> files_of_query(std::string_view query) {
  std::vector<std::string> files;
  for (const std::string& pattern : query::sql::files_named(query))
    std::ranges::move(io::files_there(pattern), std::back_inserter(files));
  return files;
}

graph::EdgeList edges_of_query(std::string_view query, const graph::LoadOptions& options) {
  EdgeTaker taker(options);
  std::exception_ptr error;
  CompletionEvent done;
  // Expressions may be nested deeply.
  spawn(done, kLargeStack, [&] {
    try {
      query::Database database;
      read_graphs(database, true);
      database.execute(query, [&](query::Answer& answer) {
        taker.begin(answer);
        answer.for_each_batch([&](const query::Batch& batch) { taker.take(batch); });
      });
    } catch (...) {
      error = std::current_exception();
    }
  });
  done.wait();
  if (error) std::rethrow_exception(error);
  return taker.list(io::runtime_parallel_for());
}

}  // namespace grappa::cli
