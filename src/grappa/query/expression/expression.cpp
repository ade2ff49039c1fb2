#include "grappa/query/expression/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grappa/query/expression/cast.hpp"
#include "grappa/query/expression/comparison.hpp"
#include "grappa/query/expression/evaluator.hpp"
#include "grappa/query/expression/function.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query {
namespace {

ExpressionPtr made(Expression expression) {
  return std::make_shared<const Expression>(std::move(expression));
}

bool all_constant(const Expressions& arguments) {
  return std::ranges::all_of(arguments, [](const auto& a) { return a->is_constant(); });
}
bool any_nullable(const Expressions& arguments) {
  return std::ranges::any_of(arguments, [](const auto& a) { return a->nullable; });
}

/// As a constant, where it is one and computing it does not fail.
ExpressionPtr folded(Expression expression) {
  ExpressionPtr whole = made(std::move(expression));
  if (!all_constant(whole->arguments)) return whole;
  try {
    Value value = evaluate_constant(whole);
    // A NULL keeps the type of the expression.
    return constant(value.is_null() ? Value::null(whole->type) : std::move(value));
  } catch (const QueryError&) {
    return whole;
  }
}

/// The conjunction or disjunction; `decisive` decides it whatever the others are.
ExpressionPtr junction(ExpressionKind kind, Expressions terms, bool decisive) {
  Expressions kept;
  for (ExpressionPtr& term : terms) {
    if (term->kind == kind) {
      kept.insert(kept.end(), term->arguments.begin(), term->arguments.end());
    } else if (term->is_constant() && !term->value.is_null()) {
      if (term->value.is_true() == decisive) return term;
    } else {
      kept.push_back(std::move(term));
    }
  }
  if (kept.empty()) return constant(Value::boolean(!decisive));
  if (kept.size() == 1) return kept[0];
  for (ExpressionPtr& term : kept) term = cast(term, kBoolean);
  const bool nullable = any_nullable(kept);
  return made({.kind = kind, .type = kBoolean, .arguments = std::move(kept), .nullable = nullable});
}

std::string text_of_constant(const Value& value) {
  if (value.is_null()) return "NULL";
  std::string text;
  with_physical(value.type().physical(),
                [&]<class T>() { append_text(text, value.stored<T>(), value.type()); });
  if (value.type().is_numeric() || value.type().id == TypeId::kBoolean) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  quoted += "'";
  if (value.type().is_text()) return quoted;
  return name_of(value.type()) + " " + quoted;
}

std::string joined(const Expressions& arguments, std::string_view between, std::size_t from = 0) {
  std::string text;
  for (std::size_t i = from; i < arguments.size(); ++i) {
    if (i > from) text += between;
    text += text_of(*arguments[i]);
  }
  return text;
}

}  // namespace

ExpressionPtr column(ColumnId id, Type type, std::string name, std::optional<Range> range,
                     bool nullable) {
  return made({.kind = ExpressionKind::kColumn,
               .type = type,
               .column = id,
               .range = range,
               .nullable = nullable,
               .name = std::move(name)});
}

ExpressionPtr constant(Value value) {
  std::optional<Range> range;
  if (value.type().is_counted() && !value.is_null())
    range = Range{value.integer(), value.integer()};
  const Type type = value.type();
  const bool nullable = value.is_null();
  return made({.kind = ExpressionKind::kConstant,
               .type = type,
               .value = std::move(value),
               .range = range,
               .nullable = nullable});
}

ExpressionPtr call(std::string_view name, Expressions arguments) {
  // Of a comparison with a constant, that is on the right.
  if (is_comparison(name) && arguments.size() == 2 && arguments[0]->is_constant() &&
      !arguments[1]->is_constant()) {
    std::swap(arguments[0], arguments[1]);
    name = turned_comparison(name);
  }
  const Resolved found = resolve(name, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    arguments[i] = cast(std::move(arguments[i]), found.parameters[i]);
  const bool nullable =
      found.function->makes_nulls || (!found.function->sees_nulls && any_nullable(arguments));
  return folded({.kind = ExpressionKind::kCall,
                 .type = found.function->result,
                 .function = found.function,
                 .arguments = std::move(arguments),
                 .range = found.range,
                 .nullable = nullable});
}

ExpressionPtr cast(ExpressionPtr argument, Type type, bool tolerant) {
  if (argument->type == type) return argument;
  if (!can_cast(argument->type, type))
    throw UsageError(
        fmt::format("{} cannot be cast to {}", name_of(argument->type), name_of(type)));
  // The values lie where those of the argument do, in other units.
  std::optional<Range> range;
  if (argument->range && argument->type.is_exact() && type.is_exact() &&
      type.scale >= argument->type.scale) {
    const Int128 factor = power_of_ten(type.scale - argument->type.scale);
    Range scaled;
    if (!__builtin_mul_overflow(argument->range->least, factor, &scaled.least) &&
        !__builtin_mul_overflow(argument->range->greatest, factor, &scaled.greatest))
      range = scaled;
  }
  const bool nullable = argument->nullable || tolerant;
  return folded({.kind = ExpressionKind::kCast,
                 .type = type,
                 .tolerant = tolerant,
                 .arguments = {std::move(argument)},
                 .range = range,
                 .nullable = nullable});
}

ExpressionPtr all_of(Expressions terms) {
  return junction(ExpressionKind::kAnd, std::move(terms), false);
}
ExpressionPtr any_of(Expressions terms) {
  return junction(ExpressionKind::kOr, std::move(terms), true);
}

ExpressionPtr negation(ExpressionPtr argument) {
  if (argument->kind == ExpressionKind::kNot) return argument->arguments[0];
  if (argument->kind == ExpressionKind::kCall && argument->function->parameters.size() == 2) {
    const std::string_view name = argument->function->name;
    const std::string_view opposite = name == "="    ? "<>"
                                      : name == "<>" ? "="
                                      : name == "<"  ? ">="
                                      : name == "<=" ? ">"
                                      : name == ">"  ? "<="
                                      : name == ">=" ? "<"
                                                     : "";
    if (!opposite.empty()) return call(opposite, argument->arguments);
  }
  const bool nullable = argument->nullable;
  return folded({.kind = ExpressionKind::kNot,
                 .type = kBoolean,
                 .arguments = {cast(std::move(argument), kBoolean)},
                 .nullable = nullable});
}

ExpressionPtr is_null(ExpressionPtr argument) {
  return folded({.kind = ExpressionKind::kIsNull,
                 .type = kBoolean,
                 .arguments = {std::move(argument)},
                 .nullable = false});
}

ExpressionPtr case_when(Expressions arguments) {
  Type type;
  const auto is_value = [&](std::size_t i) { return i % 2 == 1 || i + 1 == arguments.size(); };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_value(i)) continue;
    const auto common = common_type(type, arguments[i]->type);
    if (!common)
      throw UsageError(fmt::format("the values of CASE are of {} and {}", name_of(type),
                                   name_of(arguments[i]->type)));
    type = *common;
  }
  bool nullable = false;
  std::optional<Range> range;
  bool known = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = cast(std::move(arguments[i]), is_value(i) ? type : kBoolean);
    if (!is_value(i)) continue;
    nullable |= arguments[i]->nullable;
    if (arguments[i]->is_constant() && arguments[i]->value.is_null()) continue;
    if (!arguments[i]->range) {
      known = false;
    } else {
      const Range& one = *arguments[i]->range;
      range =
          range ? Range{std::min(range->least, one.least), std::max(range->greatest, one.greatest)}
                : one;
    }
  }
  return folded({.kind = ExpressionKind::kCase,
                 .type = type,
                 .arguments = std::move(arguments),
                 .range = known ? range : std::nullopt,
                 .nullable = nullable});
}

ExpressionPtr coalesce(Expressions arguments) {
  Type type;
  for (const ExpressionPtr& argument : arguments) {
    const auto common = common_type(type, argument->type);
    if (!common)
      throw UsageError(fmt::format("the arguments of coalesce are of {} and {}", name_of(type),
                                   name_of(argument->type)));
    type = *common;
  }
  for (ExpressionPtr& argument : arguments) argument = cast(std::move(argument), type);
  const bool nullable = std::ranges::all_of(arguments, [](const auto& a) { return a->nullable; });
  return folded({.kind = ExpressionKind::kCoalesce,
                 .type = type,
                 .arguments = std::move(arguments),
                 .nullable = nullable});
}

ExpressionPtr is_in(Expressions arguments) {
  Type type = arguments[0]->type;
  bool constants = true;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    constants &= arguments[i]->is_constant();
    if (arguments[i]->type.is_text() && arguments[i]->is_constant()) continue;
    const auto common = common_type(type, arguments[i]->type);
    if (!common)
      throw UsageError(fmt::format("{} and {} cannot be compared by IN", name_of(type),
                                   name_of(arguments[i]->type)));
    type = *common;
  }
  if (!constants) {
    Expressions terms;
    for (std::size_t i = 1; i < arguments.size(); ++i)
      terms.push_back(call("=", {arguments[0], arguments[i]}));
    return any_of(std::move(terms));
  }
  if (type.id == TypeId::kNull) type = kText;
  for (ExpressionPtr& argument : arguments) argument = cast(std::move(argument), type);
  const bool nullable = any_nullable(arguments);
  return folded({.kind = ExpressionKind::kIn,
                 .type = kBoolean,
                 .arguments = std::move(arguments),
                 .nullable = nullable});
}

void add_columns(const Expression& expression, std::set<ColumnId>& columns) {
  if (expression.is_column()) columns.insert(expression.column);
  for (const ExpressionPtr& argument : expression.arguments) add_columns(*argument, columns);
}
std::set<ColumnId> columns_of(const Expression& expression) {
  std::set<ColumnId> columns;
  add_columns(expression, columns);
  return columns;
}

ExpressionPtr located(const ExpressionPtr& expression, std::int64_t position) {
  if (expression->position >= 0 || expression->arguments.empty()) return expression;
  Expression copy = *expression;
  copy.position = position;
  for (ExpressionPtr& argument : copy.arguments) argument = located(argument, position);
  return made(std::move(copy));
}

ExpressionPtr replace_parts(const ExpressionPtr& expression, const ReplacePart& replace) {
  if (ExpressionPtr other = replace(expression)) return other;
  bool changed = false;
  Expressions arguments;
  for (const ExpressionPtr& argument : expression->arguments) {
    arguments.push_back(replace_parts(argument, replace));
    changed |= arguments.back() != argument;
  }
  if (!changed) return expression;
  Expression copy = *expression;
  copy.arguments = std::move(arguments);
  copy.nullable = copy.nullable || any_nullable(copy.arguments);
  return made(std::move(copy));
}

ExpressionPtr replace_columns(const ExpressionPtr& expression, const ReplaceColumn& replace) {
  return replace_parts(expression, [&](const ExpressionPtr& part) {
    return part->is_column() ? replace(*part) : nullptr;
  });
}

bool same(const Expression& a, const Expression& b) {
  if (&a == &b) return true;
  return a.kind == b.kind && a.type == b.type && a.column == b.column && a.value == b.value &&
         a.function == b.function && a.tolerant == b.tolerant &&
         std::ranges::equal(a.arguments, b.arguments,
                            [](const auto& x, const auto& y) { return same(*x, *y); });
}

std::string text_of(const Expression& expression) {
  const Expressions& arguments = expression.arguments;
  switch (expression.kind) {
    case ExpressionKind::kColumn:
      return expression.name.empty() ? fmt::format("#{}", expression.column) : expression.name;
    case ExpressionKind::kConstant:
      return text_of_constant(expression.value);
    case ExpressionKind::kCast:
      return fmt::format("{}({} AS {})", expression.tolerant ? "TRY_CAST" : "CAST",
                         text_of(*arguments[0]), name_of(expression.type));
    case ExpressionKind::kAnd:
      return fmt::format("({})", joined(arguments, " AND "));
    case ExpressionKind::kOr:
      return fmt::format("({})", joined(arguments, " OR "));
    case ExpressionKind::kNot:
      return "NOT " + text_of(*arguments[0]);
    case ExpressionKind::kIsNull:
      return text_of(*arguments[0]) + " IS NULL";
    case ExpressionKind::kCoalesce:
      return "coalesce(" + joined(arguments, ", ") + ")";
    case ExpressionKind::kIn:
      return fmt::format("{} IN ({})", text_of(*arguments[0]), joined(arguments, ", ", 1));
    case ExpressionKind::kCase: {
      std::string text = "CASE";
      for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
        text += fmt::format(" WHEN {} THEN {}", text_of(*arguments[i]), text_of(*arguments[i + 1]));
      return text + fmt::format(" ELSE {} END", text_of(*arguments.back()));
    }
    case ExpressionKind::kCall: {
      const std::string& name = expression.function->name;
      const bool is_operator = is_comparison(name) || std::string_view("+-*/%||&<<>>").find(name) !=
                                                          std::string_view::npos;
      if (is_operator && arguments.size() == 2)
        return fmt::format("({} {} {})", text_of(*arguments[0]), name, text_of(*arguments[1]));
      return fmt::format("{}({})", name, joined(arguments, ", "));
    }
  }
  __builtin_unreachable();
}

Expressions conjuncts(const ExpressionPtr& expression) {
  if (expression->kind == ExpressionKind::kAnd) return expression->arguments;
  return {expression};
}

bool is_strict(const Expression& expression, const std::set<ColumnId>& columns) {
  const auto argument_is = [&](const ExpressionPtr& a) { return is_strict(*a, columns); };
  switch (expression.kind) {
    case ExpressionKind::kColumn:
      return columns.contains(expression.column);
    case ExpressionKind::kCall:
      return !expression.function->sees_nulls &&
             std::ranges::any_of(expression.arguments, argument_is);
    case ExpressionKind::kCast:
    case ExpressionKind::kNot:
    case ExpressionKind::kIn:
      return argument_is(expression.arguments[0]);
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kCoalesce:
      return std::ranges::all_of(expression.arguments, argument_is);
    default:
      return false;
  }
}

}  // namespace grappa::query
