// Calls of functions, as bind_expression.hpp has them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/query/exec/aggregate_function.hpp"
#include "grappa/query/exec/window_function.hpp"
#include "grappa/query/expression/function.hpp"
#include "grappa/query/sql/bind_expression.hpp"

namespace grappa::query::sql {
namespace {

/// Those that are made of others.
constexpr std::array<std::string_view, 17> kComposed{"coalesce",
                                                     "ifnull",
                                                     "nvl",
                                                     "nullif",
                                                     "if",
                                                     "iif",
                                                     "greatest",
                                                     "least",
                                                     "concat",
                                                     "mod",
                                                     "now",
                                                     "current_timestamp",
                                                     "today",
                                                     "typeof",
                                                     "pg_typeof",
                                                     "current_date",
                                                     "localtimestamp"};

/// Why there is none of the name.
std::string refusal_of_function(const std::string& name) {
  if (name == "columns") return "COLUMNS(…) is not supported";
  if (name == "list" || name == "array_agg")
    return fmt::format("{} is not supported, as there are no lists; string_agg is", name);
  std::vector<std::string> known(kComposed.begin(), kComposed.end());
  for (const std::string_view one : function_names()) known.emplace_back(one);
  for (const std::string_view one : aggregate_names()) known.emplace_back(one);
  return fmt::format("there is no function {}{}", name, suggestion(name, known));
}

}  // namespace

ExpressionPtr ExpressionBinder::bind_node(const FunctionCall& node, const Expression& whole) {
  const std::string name = aggregate_name(folded(node.name.text));
  if (node.over) return bind_window(node, name, whole.position);
  if (is_aggregate(name)) return bind_aggregate(node, name, whole.position);
  if (name == "grouping" || name == "grouping_id") return bind_grouping(node, whole.position);
  if (is_window_function(name))
    fail(whole.position, fmt::format("{} is a window function: it needs OVER (...)", name));
  if (!is_function(name) && std::ranges::find(kComposed, name) == kComposed.end())
    fail(whole.position, refusal_of_function(name));
  if (node.is_star || node.is_distinct || node.filter || !node.order_by.empty() ||
      !node.within_group.empty())
    fail(whole.position, fmt::format("{} is no aggregate, which alone take *, DISTINCT, ORDER BY "
                                     "and FILTER",
                                     name));
  Expressions arguments = bind_all(node.arguments);
  const auto needs = [&](std::size_t least, std::size_t most) {
    if (arguments.size() < least || arguments.size() > most)
      fail(whole.position, least == most
                               ? fmt::format("{} takes {} arguments", name, least)
                               : fmt::format("{} takes at least {} arguments", name, least));
  };
  constexpr std::size_t kAny = 1'000'000;
  if (name == "coalesce" || name == "ifnull" || name == "nvl") {
    needs(1, kAny);
    return coalesce(std::move(arguments));
  }
  if (name == "nullif") {
    needs(2, 2);
    return case_when({call("=", arguments), constant(Value::null()), arguments[0]});
  }
  if (name == "if" || name == "iif") {
    needs(3, 3);
    return case_when(std::move(arguments));
  }
  if (name == "greatest" || name == "least") {
    needs(1, kAny);
    ExpressionPtr best = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const std::string_view better = name == "greatest" ? ">=" : "<=";
      best = case_when({is_null(arguments[i]), best, is_null(best), arguments[i],
                        call(better, {best, arguments[i]}), best, arguments[i]});
    }
    return best;
  }
  if (name == "concat") {
    ExpressionPtr all = constant(Value::text(""));
    for (ExpressionPtr& argument : arguments)
      all = call("||",
                 {all, coalesce({cast(std::move(argument), kText), constant(Value::text(""))})});
    return all;
  }
  if (name == "concat_ws")
    for (ExpressionPtr& argument : arguments) argument = cast(std::move(argument), kText);
  if (name == "typeof" || name == "pg_typeof") {
    needs(1, 1);
    return constant(Value::text(name_of(arguments[0]->type)));
  }
  if (name == "now" || name == "current_timestamp" || name == "localtimestamp") {
    needs(0, 0);
    return constant(Value::counted(kTimestamp, context_.now));
  }
  if (name == "current_date" || name == "today") {
    needs(0, 0);
    return cast(constant(Value::counted(kTimestamp, context_.now)), kDate);
  }
  return call(name, std::move(arguments));
}

}  // namespace grappa::query::sql
