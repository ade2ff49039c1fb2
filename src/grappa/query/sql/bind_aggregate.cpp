// Aggregates and window functions.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "grappa/query/exec/aggregate_function.hpp"
#include "grappa/query/exec/collecting_functions.hpp"
#include "grappa/query/exec/window_function.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {

namespace {

/// f(a, b), or f((a, b)).
bool has_row(const FunctionCall& call) {
  return call.arguments.size() > 1 ||
         (call.arguments.size() == 1 && std::holds_alternative<Row>(call.arguments[0].node));
}

}  // namespace

std::string aggregate_name(std::string name) {
  constexpr std::array<std::array<std::string_view, 2>, 7> kOthers{
      {{"listagg", "string_agg"},
       {"group_concat", "string_agg"},
       {"percentile_cont", "quantile_cont"},
       {"percentile_disc", "quantile_disc"},
       {"min_by", "arg_min"},
       {"max_by", "arg_max"},
       {"first", "any_value"}}};
  for (const auto& [other, of] : kOthers)
    if (name == other) name = of;
  return name;
}

Expressions ExpressionBinder::bind_quantile(const FunctionCall& call_node, const std::string& name,
                                            Position position) {
  // mode() has no fraction.
  const std::size_t fractions = name == "mode" ? 0 : 1;
  if (call_node.within_group.size() != 1 || call_node.arguments.size() != fractions)
    fail(position, fmt::format("{} takes {} and one value to order by", name,
                               fractions == 0 ? "nothing" : "a fraction"));
  const OrderItem& item = call_node.within_group[0];
  Expressions arguments{bind(item.value)};
  if (fractions == 0) return arguments;
  arguments.push_back(bind(call_node.arguments[0]));
  if (!item.is_descending) return arguments;
  if (name == "quantile_disc") fail(position, "percentile_disc goes by an ascending order only");
  arguments[1] = call("-", {constant(Value::real(1)), cast(arguments[1], kDouble)});
  return arguments;
}

Expressions ExpressionBinder::aggregate_arguments(const FunctionCall& call_node, std::string& name,
                                                  Position position) {
  const bool joins = name == "string_agg";
  if (!call_node.within_group.empty() && !joins) {
    if (!name.starts_with("quantile") && name != "mode")
      fail(position, fmt::format("{} takes no WITHIN GROUP", name));
    return bind_quantile(call_node, name, position);
  }
  Expressions arguments;
  if (!call_node.is_star) arguments = bind_all(call_node.arguments);
  const std::vector<OrderItem>& items =
      joins && !call_node.within_group.empty() ? call_node.within_group : call_node.order_by;
  const auto by = [&](const ExpressionPtr& key, bool descending, bool nulls_first) {
    arguments.push_back(key);
    arguments.push_back(constant(
        Value::counted(kInt32, (descending ? kDescending : 0) + (nulls_first ? kNullsFirst : 0))));
  };
  if (name == "arg_min" || name == "arg_max") {
    if (arguments.size() != 2) fail(position, fmt::format("{} takes 2 arguments", name));
    const ExpressionPtr key = arguments.back();
    arguments.pop_back();
    by(key, name == "arg_max", false);
  }
  if (joins && arguments.size() == 1) arguments.push_back(constant(Value::text(",")));
  if (joins && arguments.size() != 2) fail(position, "string_agg takes a text and a separator");
  if (items.empty()) {
    if (name == "last") name = "any_value";
    return arguments;
  }
  const bool is_last = name == "last";
  if (name == "any_value" || is_last) {
    if (arguments.size() != 1) fail(position, fmt::format("{} takes 1 argument", name));
    name = "first_by";
  } else if (!joins) {
    fail(position, fmt::format("ORDER BY inside of {} makes no difference", name));
  }
  for (const query::SortItem& item : bind_order(items)) {
    if (call_node.is_distinct && !same(*item.value, *arguments[0]))
      fail(position, "with DISTINCT, values can be ordered by themselves only");
    by(item.value, item.descending != is_last, item.nulls_first != is_last);
  }
  return arguments;
}

ExpressionPtr ExpressionBinder::bind_aggregate(const FunctionCall& call_node, std::string name,
                                               Position position) {
  if (inside_aggregate_) fail(position, "an aggregate of an aggregate has no meaning");
  if (aggregates_ == nullptr)
    fail(position, fmt::format("{} cannot have the aggregate {}", clause_, name));
  // Arguments are of the rows before they are grouped: no aliases, no aggregates.
  ExpressionBinder inner(context_, scope_, clause_);
  inner.inside_aggregate_ = true;
  inner.aggregates_ = aggregates_;
  if (call_node.is_star && name != "count")
    fail(position, fmt::format("only count takes *, not {}", name));
  const bool counts_rows = name == "count" && call_node.is_distinct && has_row(call_node);
  Expressions arguments = counts_rows ? inner.row_arguments(call_node)
                                      : inner.aggregate_arguments(call_node, name, position);
  AggregateItem item{
      .function = name, .arguments = std::move(arguments), .distinct = call_node.is_distinct};
  if (call_node.filter) item.filter = inner.bind_condition(*call_node.filter);
  // Several values are counted where none is NULL; a row is a value even so.
  if (counts_rows && call_node.arguments.size() > 1) {
    Expressions terms;
    if (item.filter) terms.push_back(item.filter);
    for (const ExpressionPtr& value : item.arguments)
      if (value->nullable) terms.push_back(negation(is_null(value)));
    item.filter = all_of(std::move(terms));
  }
  for (Subquery& subquery : inner.take_subqueries())
    aggregates_->subqueries.push_back(std::move(subquery));
  // DISTINCT changes nothing for these.
  if (name == "min" || name == "max" || name == "any_value" || name == "bool_and" ||
      name == "bool_or" || name == "first_by" || name.starts_with("arg_"))
    item.distinct = false;
  const bool is_mean = name == "avg" || name == "mean";
  const Type type = item.arguments.empty() ? kInt64 : item.arguments[0]->type;
  if (ExpressionPtr sum = sum_by_parts(item)) return sum;
  ExpressionPtr result = aggregate_column(std::move(item));
  // The mean of a decimal is that of its digits.
  if (is_mean && type.id == TypeId::kDecimal && type.scale > 0)
    return call("/",
                {result, constant(Value::real(static_cast<double>(power_of_ten(type.scale))))});
  return result;
}

Expressions ExpressionBinder::row_arguments(const FunctionCall& call_node) {
  const auto* row = std::get_if<Row>(&call_node.arguments[0].node);
  return bind_all(row != nullptr ? row->values : call_node.arguments);
}

ExpressionPtr ExpressionBinder::aggregate_column(AggregateItem item) {
  // Different rows of several values are counted as rows are.
  const bool counts_rows = item.function == "count" && item.arguments.size() > 1 && item.distinct;
  AggregateFunction function =
      find_aggregate(item.function, counts_rows ? Expressions() : item.arguments, INT64_MAX);
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    item.arguments[i] = cast(item.arguments[i], function.parameters[i]);
  for (const AggregateItem& other : aggregates_->items) {
    const bool equal =
        other.function == item.function && other.distinct == item.distinct &&
        (other.filter == nullptr) == (item.filter == nullptr) &&
        (!item.filter || same(*other.filter, *item.filter)) &&
        std::ranges::equal(other.arguments, item.arguments,
                           [](const auto& a, const auto& b) { return same(*a, *b); });
    if (equal) return other.column;
  }
  const bool never_null = item.function == "count";
  item.column = context_.numbers.make(function.result, item.function, {}, !never_null);
  aggregates_->items.push_back(std::move(item));
  return aggregates_->items.back().column;
}

ExpressionPtr ExpressionBinder::sum_by_parts(const AggregateItem& item) {
  if (item.function != "sum" || item.distinct || item.arguments.size() != 1) return nullptr;
  const query::Expression& sum = *item.arguments[0];
  if (!sum.type.is_integer() || sum.kind != ExpressionKind::kCall || sum.function->name != "+")
    return nullptr;
  const std::size_t of_constant = sum.arguments[0]->is_constant() ? 0 : 1;
  const ExpressionPtr& added = sum.arguments[of_constant];
  const ExpressionPtr& value = sum.arguments[1 - of_constant];
  // Where it may overflow, that is an error which must not get lost.
  if (!added->is_constant() || added->value.is_null() || !sum.range || value->is_constant() ||
      !value->type.is_integer())
    return nullptr;
  const Type result = find_aggregate("sum", item.arguments, INT64_MAX).result;
  const auto part = [&](std::string function) {
    return aggregate_column(
        {.function = std::move(function), .arguments = {value}, .filter = item.filter});
  };
  const ExpressionPtr sum_of_values = part("sum");
  return cast(call("+", {sum_of_values, call("*", {part("count"), added})}), result);
}

ExpressionPtr ExpressionBinder::bind_grouping(const FunctionCall& call_node, Position position) {
  if (aggregates_ == nullptr || inside_aggregate_)
    fail(position, fmt::format("{} cannot have grouping", clause_));
  if (call_node.arguments.empty()) fail(position, "grouping takes what is in GROUP BY");
  ExpressionBinder inner(context_, scope_, clause_);
  GroupingCall made{.column = context_.numbers.make(kInt64, "grouping", {}, false),
                    .arguments = inner.bind_all(call_node.arguments),
                    .position = position};
  if (!inner.take_subqueries().empty()) fail(position, "grouping takes what is in GROUP BY");
  aggregates_->groupings.push_back(made);
  return made.column;
}

const Window& ExpressionBinder::named_window(const Name& name) const {
  for (const NamedWindow& named : *named_windows_)
    if (named.name == name) return named.window;
  fail(name.position, fmt::format("there is no window {}", name.text));
}

ExpressionPtr ExpressionBinder::bind_window(const FunctionCall& call_node, std::string name,
                                            Position position) {
  if (windows_ == nullptr)
    fail(position, fmt::format("{} cannot have the window function {}", clause_, name));
  if (!is_aggregate(name) && !is_window_function(name))
    fail(position, fmt::format("{} is neither an aggregate nor a window function", name));
  if (call_node.is_distinct) fail(position, "DISTINCT is not supported in window functions");
  Expressions arguments;
  if (is_aggregate(name))
    arguments = aggregate_arguments(call_node, name, position);
  else if (!call_node.is_star)
    arguments = bind_all(call_node.arguments);
  WindowItem item{.function = name, .arguments = std::move(arguments)};
  if (call_node.filter) item.filter = bind_condition(*call_node.filter);
  item.ignores_nulls = call_node.ignores_nulls;
  // OVER w (…) adds to what w has.
  bool has_frame = false;
  for (const Window* part = &*call_node.over; part != nullptr;
       part = part->base ? &named_window(*part->base) : nullptr) {
    if (item.partition.empty()) item.partition = bind_all(part->partition_by);
    if (item.order.empty()) item.order = bind_order(part->order_by);
    if (part->frame) bind_frame(*part, item);
    has_frame |= part->frame.has_value();
  }
  if (!has_frame) {
    item.begin = {.unbounded = true, .preceding = true};
    item.end = item.order.empty() ? FrameEnd{.unbounded = true} : FrameEnd{};
  }
  const int scale = (name == "avg" || name == "mean") && !item.arguments.empty() &&
                            item.arguments[0]->type.id == TypeId::kDecimal
                        ? item.arguments[0]->type.scale
                        : 0;
  item.column = context_.numbers.make(window_type(item), name);
  ExpressionPtr result = item.column;
  windows_->push_back(std::move(item));
  if (scale > 0)
    return call("/", {result, constant(Value::real(static_cast<double>(power_of_ten(scale))))});
  return result;
}

void ExpressionBinder::bind_frame(const Window& window, WindowItem& item) {
  const Frame& frame = *window.frame;
  item.unit = static_cast<query::FrameUnit>(frame.unit);
  const auto bound = [&](const FrameBound& from) {
    FrameEnd end;
    end.unbounded =
        from.kind == BoundKind::kUnboundedPreceding || from.kind == BoundKind::kUnboundedFollowing;
    end.preceding =
        from.kind == BoundKind::kPreceding || from.kind == BoundKind::kUnboundedPreceding;
    if (from.offset) end.offset = bind(*from.offset);
    return end;
  };
  item.begin = bound(frame.begin);
  item.end = bound(frame.end);
  if (frame.exclusion != FrameExclusion::kNoOthers)
    fail(frame.position, "EXCLUDE is not supported in frames");
}

}  // namespace grappa::query::sql
