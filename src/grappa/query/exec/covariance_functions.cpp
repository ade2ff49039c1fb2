#include "grappa/query/exec/covariance_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "grappa/base/error.hpp"
#include "grappa/query/exec/make_aggregate.hpp"

namespace grappa::query {
namespace {

constexpr std::array<std::string_view, 3> kCovariances{"covar_pop", "covar_samp", "corr"};

/// As moments of single values are computed (aggregate_function.cpp).
struct PairMoments {
  std::int64_t count = 0;
  double mean_x = 0;
  double mean_y = 0;
  double squares_x = 0;  // of the distances from the mean
  double squares_y = 0;
  double products = 0;  // of both distances

  void add(double x, double y) {
    ++count;
    const auto all = static_cast<double>(count);
    const double dx = x - mean_x;
    const double dy = y - mean_y;
    mean_x += dx / all;
    mean_y += dy / all;
    squares_x += dx * (x - mean_x);
    squares_y += dy * (y - mean_y);
    products += dx * (y - mean_y);
  }
  void merge(const PairMoments& other) {
    if (other.count == 0) return;
    const auto mine = static_cast<double>(count);
    const auto theirs = static_cast<double>(other.count);
    count += other.count;
    const auto all = static_cast<double>(count);
    const double dx = other.mean_x - mean_x;
    const double dy = other.mean_y - mean_y;
    mean_x += dx * theirs / all;
    mean_y += dy * theirs / all;
    squares_x += other.squares_x + dx * dx * mine * theirs / all;
    squares_y += other.squares_y + dy * dy * mine * theirs / all;
    products += other.products + dx * dy * mine * theirs / all;
  }
};

template <bool kSample>
struct Covariance {
  bool operator()(const PairMoments& state, double& out) const {
    const std::int64_t divisor = state.count - (kSample ? 1 : 0);
    if (divisor <= 0) return false;
    out = state.products / static_cast<double>(divisor);
    return true;
  }
};
struct Correlation {
  bool operator()(const PairMoments& state, double& out) const {
    if (state.squares_x == 0 || state.squares_y == 0) return false;
    out = state.products / std::sqrt(state.squares_x * state.squares_y);
    return true;
  }
};

template <class Result>
AggregateFunction of_pairs(std::string_view name) {
  return make<PairMoments, double>(
      name, {kDouble, kDouble}, kDouble,
      [](const AggregateCall& call) {
        const Vector& y = call.arguments[0];
        const Vector& x = call.arguments[1];
        for_each_state<PairMoments>(call, [&](PairMoments& state, std::size_t row) {
          if (y.is_valid(row) && x.is_valid(row)) state.add(x.at<double>(row), y.at<double>(row));
        });
      },
      [](PairMoments& to, const PairMoments& from, TextArena&) { to.merge(from); }, Result());
}

}  // namespace

std::span<const std::string_view> covariance_names() { return kCovariances; }

std::optional<AggregateFunction> find_covariance(std::string_view name,
                                                 const Expressions& arguments) {
  if (std::ranges::find(kCovariances, name) == kCovariances.end()) return std::nullopt;
  if (arguments.size() != 2)
    throw UsageError(fmt::format("{} takes 2 arguments, not {}", name, arguments.size()));
  for (const ExpressionPtr& argument : arguments)
    if (!argument->type.is_numeric() && argument->type.id != TypeId::kNull)
      throw UsageError(fmt::format("there is no {} of {}", name, name_of(argument->type)));
  if (name == "corr") return of_pairs<Correlation>(name);
  return name == "covar_pop" ? of_pairs<Covariance<false>>(name) : of_pairs<Covariance<true>>(name);
}

}  // namespace grappa::query
