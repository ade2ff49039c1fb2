#include "grappa/query/sql/table_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "grappa/query/expression/evaluator.hpp"
#include "grappa/query/sql/file_options.hpp"
#include "grappa/query/sql/scope.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {
namespace {

struct Reader {
  std::string_view function;
  TableFormat format;
};
constexpr Reader kReaders[] = {
    {"read_csv", TableFormat::kCsv},         {"read_csv_auto", TableFormat::kCsv},
    {"read_parquet", TableFormat::kParquet}, {"parquet_scan", TableFormat::kParquet},
    {"read_json", TableFormat::kJson},       {"read_json_auto", TableFormat::kJson},
    {"read_ndjson", TableFormat::kJson}};
constexpr std::string_view kSeries = "generate_series";
constexpr std::string_view kEdges = "edges";

/// What a function that reads a file says of it.
struct FileArguments {
  std::vector<std::string> paths;
  std::vector<FileOption> options;
};

FileArguments file_arguments(const TableFunction& function, std::string_view text) {
  std::vector<Literal> files;
  if (function.files && function.files->keys.empty()) files = function.files->values;
  if (function.arguments.size() == 1)
    if (const auto* path = std::get_if<Literal>(&function.arguments[0].node)) files = {*path};
  const auto is_text = [](const Literal& file) { return file.kind == LiteralKind::kString; };
  if (files.empty() || !std::ranges::all_of(files, is_text))
    throw SyntaxError(text, function.name.position,
                      fmt::format("{0} takes a file in quotes, {0}('file'), and options behind it",
                                  function.name.text));
  FileArguments made;
  for (Literal& file : files) made.paths.push_back(std::move(file.text));
  for (const NamedArgument& argument : function.named_arguments) {
    FileOption& option = made.options.emplace_back();
    option.name = argument.name;
    option.list = argument.list;
    if (option.list) continue;
    const auto* const value = std::get_if<Literal>(&argument.value.node);
    if (value == nullptr)
      throw SyntaxError(text, argument.value.position, "a literal was expected");
    option.value = *value;
  }
  return made;
}

/// Nothing: it is NULL.
std::optional<std::int64_t> integer_of(const Expression& argument, BindContext& context) {
  const Scope none(nullptr);
  ExpressionBinder binder(context, none, kSeries);
  const ExpressionPtr bound = binder.bind(argument);
  if (!bound->type.is_integer() && bound->type.id != TypeId::kNull)
    throw SyntaxError(context.text, argument.position,
                      fmt::format("an integer was expected, this is of {}", name_of(bound->type)));
  const Value found = evaluate_constant(bound);
  if (found.is_null()) return {};
  return static_cast<std::int64_t>(found.integer());
}

std::shared_ptr<const Table> series_of(const TableFunction& function, BindContext& context,
                                       const Catalog& catalog) {
  const std::vector<Expression>& arguments = function.arguments;
  if (arguments.size() < 2 || arguments.size() > 3 || !function.named_arguments.empty())
    throw SyntaxError(context.text, function.name.position,
                      "generate_series takes two or three integers: from, to, step");
  const auto first = integer_of(arguments[0], context);
  const auto last = integer_of(arguments[1], context);
  const auto step = arguments.size() == 3 ? integer_of(arguments[2], context) : std::optional(1L);
  if (step == 0)
    throw SyntaxError(context.text, arguments[2].position, "a step of 0 leads nowhere");
  Int128 rows = 0;
  if (first && last && step && (*step > 0 ? *first <= *last : *first >= *last))
    rows = (Int128{*last} - *first) / *step + 1;
  if (rows > std::numeric_limits<std::int64_t>::max())
    throw SyntaxError(context.text, function.name.position, "more rows than there can be");
  return catalog.make_series(std::string(kSeries), first.value_or(0), step.value_or(1),
                             static_cast<std::int64_t>(rows));
}

}  // namespace

FunctionTable table_of(const TableFunction& function, BindContext& context,
                       const Catalog& catalog) {
  if (equal_folded(function.name.text, kSeries))
    return {series_of(function, context, catalog), std::string(kSeries), true};
  if (equal_folded(function.name.text, kEdges)) {
    const auto [paths, options] = file_arguments(function, context.text);
    if (paths.size() > 1)
      throw SyntaxError(context.text, function.name.position, "edges takes one file");
    return {catalog.open_file(graph_with(paths[0], options, context.text)), std::string(kEdges)};
  }
  std::vector<std::string> known = {std::string(kSeries), std::string(kEdges)};
  for (const Reader& reader : kReaders) {
    if (equal_folded(function.name.text, reader.function)) {
      const auto [paths, options] = file_arguments(function, context.text);
      return {catalog.open_file(source_with(paths, reader.format, options, context.text)),
              table_name(paths[0])};
    }
    known.emplace_back(reader.function);
  }
  throw SyntaxError(
      context.text, function.name.position,
      fmt::format("there is no function {} that gives a table{}; there are {}", function.name.text,
                  suggestion(function.name.text, known), fmt::join(known, ", ")));
}

std::string table_name(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.substr(0, name.find('.'));
}

}  // namespace grappa::query::sql
