#include "grappa/query/sql/to_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "grappa/query/sql/keywords.hpp"
#include "grappa/query/sql/lexer.hpp"
#include "grappa/query/sql/precedence.hpp"

namespace grappa::query::sql {
namespace {

std::string quoted(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += c;
    result += c;
  }
  return result + quote;
}

std::string_view symbol_of(Operator op) {
  constexpr std::array<std::string_view, 37> kSymbols = {"OR",
                                                         "AND",
                                                         "=",
                                                         "<>",
                                                         "<",
                                                         "<=",
                                                         ">",
                                                         ">=",
                                                         "IS DISTINCT FROM",
                                                         "IS NOT DISTINCT FROM",
                                                         "~",
                                                         "!~",
                                                         "~*",
                                                         "!~*",
                                                         "||",
                                                         "&",
                                                         "|",
                                                         "<<",
                                                         ">>",
                                                         "+",
                                                         "-",
                                                         "*",
                                                         "/",
                                                         "%",
                                                         "^",
                                                         "NOT",
                                                         "-",
                                                         "+",
                                                         "~",
                                                         "IS NULL",
                                                         "IS NOT NULL",
                                                         "IS TRUE",
                                                         "IS NOT TRUE",
                                                         "IS FALSE",
                                                         "IS NOT FALSE",
                                                         "IS UNKNOWN",
                                                         "IS NOT UNKNOWN"};
  return kSymbols[static_cast<std::size_t>(op)];
}

/// Makes the text of one tree.
class Writer {
 public:
  std::string take() { return std::move(text_); }

  void write(const Query& query) {
    if (!query.with.empty()) {
      add(query.is_recursive ? "WITH RECURSIVE " : "WITH ");
      list(query.with, [&](const CommonTable& table) {
        name(table.name);
        if (!table.columns.empty()) add(" "), names_in_parentheses(table.columns);
        add(" AS ");
        in_parentheses(table.query);
      });
      add(" ");
    }
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
      if (i > 0) {
        constexpr std::array<std::string_view, 3> kWords = {" UNION ", " INTERSECT ", " EXCEPT "};
        add(kWords[static_cast<std::size_t>(query.operations[i - 1].op)]);
        if (query.operations[i - 1].is_all) add("ALL ");
      }
      std::visit([&](const auto& node) { term(node); }, query.terms[i].node);
    }
    order(query.order_by, " ORDER BY ");
    optional(" LIMIT ", query.limit);
    optional(" OFFSET ", query.offset);
  }

  void write(const TypeName& type) {
    constexpr std::string_view kZone = " with time zone";
    const bool has_zone = type.name.ends_with(kZone);
    const std::string_view name(type.name.data(), type.name.size() - (has_zone ? kZone.size() : 0));
    add(name == "double precision" ? std::string(name) : name_text(name));
    if (!type.parameters.empty()) add(fmt::format("({})", fmt::join(type.parameters, ", ")));
    if (has_zone) add(kZone);
  }

  void write(const Expression& expression, Precedence least = Precedence::kOr) {
    const bool needs_parentheses = precedence_of(expression) < least;
    if (needs_parentheses) add("(");
    std::visit([&](const auto& node) { value(node); }, expression.node);
    if (needs_parentheses) add(")");
  }

 private:
  // ---- Pieces
  void add(std::string_view text) { text_ += text; }
  void name(const Name& name) { add(name_text(name.text)); }

  template <class Items, class Write>
  void list(const Items& items, const Write& write_one) {
    for (const auto& item : items) {
      if (&item != &items.front()) add(", ");
      write_one(item);
    }
  }
  void list(const std::vector<Expression>& items) {
    list(items, [&](const Expression& item) { write(item); });
  }
  void names_in_parentheses(const std::vector<Name>& names) {
    add("(");
    list(names, [&](const Name& one) { name(one); });
    add(")");
  }
  void dotted(const std::vector<Name>& parts) {
    for (const Name& part : parts) {
      if (&part != &parts.front()) add(".");
      name(part);
    }
  }
  void in_parentheses(const Query& query) {
    add("(");
    write(query);
    add(")");
  }
  void optional(std::string_view keyword, const Box<Expression>& expression) {
    if (!expression) return;
    add(keyword);
    write(*expression);
  }
  void order(const std::vector<OrderItem>& items, std::string_view keyword) {
    if (items.empty()) return;
    add(keyword);
    list(items, [&](const OrderItem& item) {
      if (std::holds_alternative<Star>(item.value.node)) {
        add("ALL");
      } else {
        write(item.value);
      }
      if (item.is_descending) add(" DESC");
      if (item.nulls_first) add(*item.nulls_first ? " NULLS FIRST" : " NULLS LAST");
    });
  }

  // ---- Expressions
  void value(const Literal& literal) {
    switch (literal.kind) {
      case LiteralKind::kNull:
        return add("NULL");
      case LiteralKind::kTrue:
        return add("TRUE");
      case LiteralKind::kFalse:
        return add("FALSE");
      case LiteralKind::kString:
        return add(quoted(literal.text, '\''));
      default:
        return add(literal.text);
    }
  }
  void value(const ColumnReference& column) { dotted(column.parts); }
  void value(const Star& star) {
    dotted(star.qualifier);
    add(star.qualifier.empty() ? "*" : ".*");
    if (!star.exclude.empty()) add(" EXCLUDE "), names_in_parentheses(star.exclude);
    if (star.replace.empty()) return;
    add(" REPLACE (");
    list(star.replace, [&](const Replacement& replacement) {
      write(replacement.value);
      add(" AS ");
      name(replacement.name);
    });
    add(")");
  }
  void value(const Operation& operation) {
    const Operator first = operation.operators[0].op;
    const Precedence precedence = precedence_of(first);
    const bool chains = operator_chains(precedence);
    for (std::size_t i = 0; i < operation.operands.size(); ++i) {
      if (i > 0) add(fmt::format(" {} ", symbol_of(operation.operators[i - 1].op)));
      if (operation.operands.size() > 1) {
        write(operation.operands[i], i == 0 && chains ? precedence : above(precedence));
      }
    }
    if (operation.operands.size() > 1) return;
    if (first == Operator::kNot) {
      add("NOT ");
      write(operation.operands[0], precedence);
    } else if (first == Operator::kMinus || first == Operator::kPlus ||
               first == Operator::kBitNot) {
      add(symbol_of(first));
      write(operation.operands[0], above(precedence));  // - -1 is no comment, ~ ~1 no LIKE
    } else {
      write(operation.operands[0], above(precedence));
      add(" ");
      add(symbol_of(first));
    }
  }
  void value(const Between& between) {
    constexpr Precedence kOperand = above(Precedence::kMatch);
    write(*between.value, kOperand);
    add(between.is_negated ? " NOT BETWEEN " : " BETWEEN ");
    if (between.is_symmetric) add("SYMMETRIC ");
    write(*between.low, kOperand);
    add(" AND ");
    write(*between.high, kOperand);
  }
  void value(const Like& like) {
    constexpr Precedence kOperand = above(Precedence::kMatch);
    constexpr std::array<std::string_view, 3> kWords = {" LIKE ", " ILIKE ", " SIMILAR TO "};
    write(*like.value, kOperand);
    if (like.is_negated) add(" NOT");
    add(kWords[static_cast<std::size_t>(like.kind)]);
    write(*like.pattern, kOperand);
    if (!like.escape) return;
    add(" ESCAPE ");
    write(*like.escape, kOperand);
  }
  void value(const In& in) {
    write(*in.value, above(Precedence::kMatch));
    add(in.is_negated ? " NOT IN " : " IN ");
    if (in.query) return in_parentheses(*in.query);
    add("(");
    list(in.list);
    add(")");
  }
  void value(const Quantified& quantified) {
    write(*quantified.value, above(Precedence::kComparison));
    add(fmt::format(" {} {} ", symbol_of(quantified.comparison),
                    quantified.is_all ? "ALL" : "ANY"));
    in_parentheses(*quantified.query);
  }
  void value(const Exists& exists) {
    add("EXISTS ");
    in_parentheses(*exists.query);
  }
  void value(const ScalarSubquery& subquery) { in_parentheses(*subquery.query); }
  void value(const Row& row) {
    add(row.values.size() > 1 ? "(" : "ROW(");
    list(row.values);
    add(")");
  }
  void value(const Case& node) {
    add("CASE");
    optional(" ", node.operand);
    for (const CaseBranch& branch : node.branches) {
      add(" WHEN ");
      write(branch.condition);
      add(" THEN ");
      write(branch.result);
    }
    optional(" ELSE ", node.otherwise);
    add(" END");
  }
  void value(const Cast& cast) {
    add(cast.is_try ? "TRY_CAST(" : "CAST(");
    write(*cast.value);
    add(" AS ");
    write(cast.type);
    add(")");
  }
  void value(const Interval& interval) {
    constexpr std::array<std::string_view, 10> kUnits = {
        "YEAR", "QUARTER", "MONTH",  "WEEK",        "DAY",
        "HOUR", "MINUTE",  "SECOND", "MILLISECOND", "MICROSECOND"};
    const auto* const literal = std::get_if<Literal>(&interval.value->node);
    const bool is_plain = literal != nullptr && (literal->kind == LiteralKind::kString ||
                                                 literal->kind == LiteralKind::kInteger);
    add(is_plain ? "INTERVAL " : "INTERVAL (");
    write(*interval.value);
    add(is_plain ? " " : ") ");
    add(kUnits[static_cast<std::size_t>(interval.unit)]);
  }
  void value(const FunctionCall& call) {
    const std::string& function = call.name.text;
    if (is_function_keyword(function)) {
      add(function);
    } else {
      name(call.name);
    }
    if (call.arguments.empty() && is_function_without_parentheses(function)) return;
    add("(");
    if (call.is_star) add("*");
    if (call.is_distinct) add("DISTINCT ");
    list(call.arguments);
    order(call.order_by, call.arguments.empty() ? "ORDER BY " : " ORDER BY ");
    add(")");
    if (!call.within_group.empty()) {
      order(call.within_group, " WITHIN GROUP (ORDER BY ");
      add(")");
    }
    if (call.filter) {
      optional(" FILTER (WHERE ", call.filter);
      add(")");
    }
    if (call.ignores_nulls) add(" IGNORE NULLS");
    if (!call.over) return;
    add(" OVER ");
    const Window& over = *call.over;
    const bool is_name =
        over.base && over.partition_by.empty() && over.order_by.empty() && !over.frame;
    if (is_name) {
      name(*over.base);
    } else {
      window(over);
    }
  }

  void window(const Window& window) {
    add("(");
    std::string_view blank;
    const auto part = [&] { add(std::exchange(blank, " ")); };
    if (window.base) part(), name(*window.base);
    if (!window.partition_by.empty()) {
      part();
      add("PARTITION BY ");
      list(window.partition_by);
    }
    if (!window.order_by.empty()) part(), order(window.order_by, "ORDER BY ");
    if (window.frame) part(), frame(*window.frame);
    add(")");
  }
  void frame(const Frame& frame) {
    constexpr std::array<std::string_view, 3> kUnits = {"ROWS", "RANGE", "GROUPS"};
    constexpr std::array<std::string_view, 4> kExclusions = {"", " EXCLUDE CURRENT ROW",
                                                             " EXCLUDE GROUP", " EXCLUDE TIES"};
    add(kUnits[static_cast<std::size_t>(frame.unit)]);
    add(" BETWEEN ");
    bound(frame.begin);
    add(" AND ");
    bound(frame.end);
    add(kExclusions[static_cast<std::size_t>(frame.exclusion)]);
  }
  void bound(const FrameBound& bound) {
    constexpr std::array<std::string_view, 5> kKinds = {
        "UNBOUNDED PRECEDING", " PRECEDING", "CURRENT ROW", " FOLLOWING", "UNBOUNDED FOLLOWING"};
    optional("", bound.offset);
    add(kKinds[static_cast<std::size_t>(bound.kind)]);
  }

  // ---- Queries
  void term(const Box<Query>& query) { in_parentheses(*query); }
  void term(const Values& values) {
    add("VALUES ");
    list(values.rows, [&](const std::vector<Expression>& row) {
      add("(");
      list(row);
      add(")");
    });
  }
  void term(const Select& select) {
    add("SELECT ");
    if (select.is_distinct) add("DISTINCT ");
    if (!select.distinct_on.empty()) {
      add("ON (");
      list(select.distinct_on);
      add(") ");
    }
    list(select.items, [&](const SelectItem& item) {
      write(item.value);
      alias(item.alias);
    });
    if (!select.from.empty()) {
      add(" FROM ");
      list(select.from, [&](const TableReference& one) { table(one); });
    }
    optional(" WHERE ", select.where);
    if (select.groups_by_all) add(" GROUP BY ALL");
    if (!select.group_by.empty()) {
      add(" GROUP BY ");
      list(select.group_by, [&](const GroupingElement& one) { grouping(one); });
    }
    optional(" HAVING ", select.having);
    if (!select.windows.empty()) {
      add(" WINDOW ");
      list(select.windows, [&](const NamedWindow& one) {
        name(one.name);
        add(" AS ");
        window(one.window);
      });
    }
    optional(" QUALIFY ", select.qualify);
  }
  void grouping(const GroupingElement& element) {
    if (element.kind == GroupingKind::kSet) {
      const bool is_alone = element.expressions.size() == 1;
      if (!is_alone) add("(");
      list(element.expressions);
      if (!is_alone) add(")");
      return;
    }
    constexpr std::array<std::string_view, 4> kWords = {"", "ROLLUP (", "CUBE (",
                                                        "GROUPING SETS ("};
    add(kWords[static_cast<std::size_t>(element.kind)]);
    list(element.elements, [&](const GroupingElement& one) { grouping(one); });
    add(")");
  }
  void alias(const std::optional<Name>& alias) {
    if (alias) add(" AS "), name(*alias);
  }

  // ---- Tables
  void table(const TableReference& reference) {
    // A join with joins around it, or with a name of its own.
    const bool is_named_join = reference.alias && std::holds_alternative<Join>(reference.source);
    if (is_named_join) add("(");
    std::visit([&](const auto& node) { source(node); }, reference.source);
    if (is_named_join) add(")");
    alias(reference.alias);
    if (!reference.column_aliases.empty()) add(" "), names_in_parentheses(reference.column_aliases);
  }
  void source(const TableName& table) { dotted(table.parts); }
  void source(const FileName& file) { add(quoted(file.path, '\'')); }
  void source(const TableFunction& function) {
    name(function.name);
    add("(");
    list(function.arguments);
    if (function.files) option_list(*function.files);
    if ((!function.arguments.empty() || function.files) && !function.named_arguments.empty())
      add(", ");
    list(function.named_arguments, [&](const NamedArgument& argument) {
      name(argument.name);
      add(" = ");
      if (argument.list)
        option_list(*argument.list);
      else
        write(argument.value);
    });
    add(")");
  }
  void option_list(const OptionList& options) {
    add(options.keys.empty() ? "[" : "{");
    for (std::size_t i = 0; i < options.values.size(); ++i) {
      if (i > 0) add(", ");
      if (!options.keys.empty()) add(quoted(options.keys[i], '\'') + ": ");
      write({options.values[i], {}});
    }
    add(options.keys.empty() ? "]" : "}");
  }
  void source(const DerivedTable& derived) {
    if (derived.is_lateral) add("LATERAL ");
    in_parentheses(*derived.query);
  }
  void source(const Join& join) {
    joined(*join.first);
    for (const JoinStep& step : join.steps) {
      constexpr std::array<std::string_view, 7> kWords = {
          "JOIN ",       "LEFT JOIN ", "RIGHT JOIN ", "FULL JOIN ",
          "CROSS JOIN ", "SEMI JOIN ", "ANTI JOIN "};
      add(step.is_natural ? " NATURAL " : " ");
      add(kWords[static_cast<std::size_t>(step.kind)]);
      joined(step.right);
      optional(" ON ", step.condition);
      if (!step.using_columns.empty()) add(" USING "), names_in_parentheses(step.using_columns);
    }
  }
  void joined(const TableReference& reference) {
    const bool is_plain_join = !reference.alias && std::holds_alternative<Join>(reference.source);
    if (is_plain_join) add("(");
    table(reference);
    if (is_plain_join) add(")");
  }

  std::string text_;
};

}  // namespace

std::string name_text(std::string_view name) {
  return is_plain_name(name) && !is_reserved(name) ? std::string(name) : quoted(name, '"');
}

std::string to_text(const Expression& expression) {
  Writer writer;
  writer.write(expression);
  return writer.take();
}

std::string to_text(const Query& query) {
  Writer writer;
  writer.write(query);
  return writer.take();
}

std::string to_text(const TypeName& type) {
  Writer writer;
  writer.write(type);
  return writer.take();
}

std::string column_name(const Expression& expression) {
  const auto* const column = std::get_if<ColumnReference>(&expression.node);
  return column != nullptr ? column->parts.back().text : to_text(expression);
}

}  // namespace grappa::query::sql
