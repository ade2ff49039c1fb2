#include "grappa/query/sql/file_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "grappa/base/text_values.hpp"
#include "grappa/query/sql/bind_expression.hpp"
#include "grappa/query/sql/parser.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {
namespace {

constexpr std::pair<std::string_view, parquet::Codec> kCodecs[] = {
    {"uncompressed", parquet::Codec::kNone}, {"none", parquet::Codec::kNone},
    {"snappy", parquet::Codec::kSnappy},     {"gzip", parquet::Codec::kGzip},
    {"zstd", parquet::Codec::kZstd},         {"lz4", parquet::Codec::kLz4}};

/// Options, asked for one after the other: what nobody has asked for is none.
class Options {
 public:
  Options(const std::vector<FileOption>& options, std::string_view text) : text_(text) {
    for (const FileOption& option : options) {
      const auto same = [&](const FileOption* other) { return other->name == option.name; };
      if (std::ranges::any_of(left_, same)) fail(option, "is there twice");
      left_.push_back(&option);
    }
  }

  /// The option of one of these names, which mean the same.
  const FileOption* take(std::initializer_list<std::string_view> names) {
    known_.push_back(*names.begin());
    const auto found = std::ranges::find_if(left_, [&](const FileOption* option) {
      return std::ranges::any_of(
          names, [&](std::string_view name) { return equal_folded(option->name.text, name); });
    });
    if (found == left_.end()) return nullptr;
    const FileOption* const option = *found;
    left_.erase(found);
    return option;
  }
  void end(std::string_view format) const {
    if (left_.empty()) return;
    const std::string& name = left_[0]->name.text;
    if (known_.empty()) fail(*left_[0], fmt::format("is no option: {} has none", format));
    fail(*left_[0],
         fmt::format("is no option of {}{}; there are {}", format,
                     internal::nearest_hint(folded(name), known_), fmt::join(known_, ", ")));
  }

  [[noreturn]] void fail(const FileOption& option, const std::string& message) const {
    throw SyntaxError(text_, option.name.position, upper(option.name.text) + " " + message);
  }

  bool truth(const FileOption& option) const {
    refuse_list(option);
    if (option.value.kind == LiteralKind::kTrue) return true;
    if (option.value.kind == LiteralKind::kFalse) return false;
    const auto value = internal::parse_switch(option.value.text);
    if (!value) fail(option, "takes true or false");
    return *value;
  }
  const std::string& words(const FileOption& option) const {
    refuse_list(option);
    if (option.value.kind != LiteralKind::kString) fail(option, "takes a text");
    return option.value.text;
  }
  /// 0: none.
  char character(const FileOption& option) const {
    const std::string& written = words(option);
    if (written == "\\t") return '\t';
    if (written.size() > 1 || written == "\n" || written == "\r")
      fail(option, "takes one character, of one byte");
    return written.empty() ? '\0' : written[0];
  }
  std::int64_t count(const FileOption& option) const {
    refuse_list(option);
    const auto value = internal::parse_integer(option.value.text);
    if (option.value.kind != LiteralKind::kInteger || !value) fail(option, "takes a number");
    return *value;
  }
  /// Of ['a', 'b'].
  std::vector<std::string> texts(const FileOption& option) const {
    if (!option.list || !option.list->keys.empty())
      fail(option, "takes a list of texts, ['a', 'b']");
    std::vector<std::string> made;
    for (const Literal& value : option.list->values) made.push_back(text_in(option, value));
    return made;
  }
  /// Of ['int', 'text'].
  std::vector<Type> types(const FileOption& option) const {
    std::vector<Type> made;
    for (const std::string& name : texts(option)) made.push_back(type_in(option, name));
    return made;
  }
  bool has_keys(const FileOption& option) const {
    return option.list && !option.list->keys.empty();
  }
  /// Of {'a': 'int', 'b': 'text'}.
  std::vector<std::pair<std::string, Type>> named_types(const FileOption& option) const {
    if (!has_keys(option)) fail(option, "takes types by names, {'name': 'type'}");
    std::vector<std::pair<std::string, Type>> made;
    for (std::size_t i = 0; i < option.list->values.size(); ++i)
      made.emplace_back(option.list->keys[i],
                        type_in(option, text_in(option, option.list->values[i])));
    return made;
  }
  /// Which of these names it is.
  std::size_t choice(const FileOption& option, std::span<const std::string_view> names) const {
    const auto found = std::ranges::find(names, folded(words(option)));
    if (found == names.end())
      fail(option, fmt::format("is one of {}{}", fmt::join(names, ", "),
                               internal::nearest_hint(folded(option.value.text), names)));
    return static_cast<std::size_t>(found - names.begin());
  }

 private:
  void refuse_list(const FileOption& option) const {
    if (option.list) fail(option, "takes one value, not a list");
  }
  const std::string& text_in(const FileOption& option, const Literal& value) const {
    if (value.kind != LiteralKind::kString) fail(option, "takes texts, in quotes");
    return value.text;
  }
  Type type_in(const FileOption& option, const std::string& name) const {
    try {
      return type_of(parse_type(name), name);
    } catch (const SyntaxError&) {
      fail(option, fmt::format("names a type that is none: '{}'", name));
    }
  }

  std::string_view text_;
  std::vector<const FileOption*> left_;
  std::vector<std::string_view> known_;
};

/// Of its FORMAT, if it has one.
std::optional<std::string_view> format_in(Options& options) {
  const FileOption* const option = options.take({"format"});
  if (option == nullptr) return {};
  static const std::vector<std::string_view> kNames(kRowFormats.begin(), kRowFormats.end());
  return kNames[options.choice(*option, kNames)];
}

/// Options that CSV has when it is read, and when it is written; null where they are not given.
struct Dialect {
  const FileOption* delimiter;
  const FileOption* quote;
  const FileOption* escape;
  const FileOption* null;
};

template <class Csv>
Dialect take_dialect(Options& options, Csv& csv) {
  const FileOption* const delimiter = options.take({"delimiter", "delim", "sep"});
  if (const auto* of = options.take({"header"})) csv.header = options.truth(*of);
  const Dialect given{delimiter, options.take({"quote"}), options.take({"escape"}),
                      options.take({"null", "nullstr"})};
  if (given.delimiter) csv.delimiter = options.character(*given.delimiter);
  if (given.quote) csv.quote = options.character(*given.quote);
  if (given.escape) csv.escape = options.character(*given.escape);
  if (given.null) csv.null_text = options.words(*given.null);
  const char quote = std::optional<char>(csv.quote).value_or('"');
  if (given.delimiter &&
      (csv.delimiter == '\0' || csv.delimiter == quote || csv.delimiter == csv.escape)) {
    options.fail(*given.delimiter,
                 "takes one character, which is neither the quote nor the escape");
  }
  return given;
}

void take_csv(Options& options, TextOptions& csv) {
  take_dialect(options, csv);
  if (const auto* of = options.take({"skip"})) csv.skip = options.count(*of);
  if (const auto* of = options.take({"all_varchar"})) csv.all_texts = options.truth(*of);
  if (const auto* of = options.take({"names", "column_names"})) csv.names = options.texts(*of);
  if (const auto* of = options.take({"types", "dtypes", "column_types"})) {
    if (options.has_keys(*of))
      csv.types = options.named_types(*of);
    else
      csv.types_in_order = options.types(*of);
  }
  // Names and types of all columns.
  if (const auto* of = options.take({"columns"})) {
    csv.names.clear();
    csv.types_in_order.clear();
    for (auto& [name, type] : options.named_types(*of)) {
      csv.names.push_back(std::move(name));
      csv.types_in_order.push_back(type);
    }
  }
}

/// Refuses what could not be read as it was.
void take_written_csv(Options& options, CsvStyle& csv) {
  const Dialect given = take_dialect(options, csv);
  for (const FileOption* option : {given.quote, given.escape}) {
    if (option && (option->value.text.empty() || options.character(*option) == csv.delimiter))
      options.fail(*option, "takes one character, which is not the delimiter");
  }
  const std::string special{csv.delimiter, csv.quote, '\n', '\r'};
  if (given.null && csv.null_text.find_first_of(special) != std::string::npos)
    options.fail(*given.null, "takes a text without delimiters, quotes and ends of lines");
}

/// Of JSON the columns have names, and others may be there.
void take_json(Options& options, TextOptions& json) {
  if (const auto* of = options.take({"types", "columns"})) json.types = options.named_types(*of);
}

void take_all(Options& options, TableSource& source) {
  if (source.format == TableFormat::kCsv) take_csv(options, source.text);
  if (source.format == TableFormat::kJson) take_json(options, source.text);
  options.end(source.format == TableFormat::kCsv       ? "CSV that is read"
              : source.format == TableFormat::kParquet ? "Parquet that is read"
                                                       : "JSON that is read");
}

}  // namespace

RowFormat written_format(const CopiedFile& file, std::string_view text) {
  if (file.path.empty()) throw SyntaxError(text, file.position, "the name of a file was expected");
  Options options(file.options, text);
  const auto named = format_in(options);
  if (const std::string_view ending = unknown_ending(file.path); !named && !ending.empty())
    throw SyntaxError(
        text, file.position,
        fmt::format("{} is no format that is written; (FORMAT csv) or another names one", ending));
  RowFormat format = named ? format_named(*named) : format_by_name(file.path);
  if (format.is_csv()) take_written_csv(options, format.csv);
  if (format.is_parquet()) {
    if (const auto* of = options.take({"compression", "codec"})) {
      std::vector<std::string_view> names;
      for (const auto& [name, codec] : kCodecs) names.push_back(name);
      format.codec = kCodecs[options.choice(*of, names)].second;
    }
  }
  options.end(format.name + " that is written");
  return format;
}

TableSource read_source(const CopiedFile& file, std::string_view text) {
  TableSource source{.paths = {file.path}};
  Options options(file.options, text);
  const auto named = format_in(options);
  if (named.value_or(format_by_name(file.path).name).starts_with("json"))
    throw SyntaxError(
        text, file.position,
        "COPY … FROM takes no JSON, whose columns have names: INSERT INTO t SELECT a, b "
        "FROM 'file.jsonl' does");
  if (file.options.empty()) return source;
  source.format = named == "parquet" ? TableFormat::kParquet : TableFormat::kCsv;
  if (named == "tsv") source.text.delimiter = '\t';
  take_all(options, source);
  return source;
}

TableSource graph_with(const std::string& path, const std::vector<FileOption>& given,
                       std::string_view text) {
  GraphFile file;
  Options options(given, text);
  if (const auto* of = options.take({"format"})) file.format = options.words(*of);
  if (const auto* of = options.take({"directed"})) file.directed = options.truth(*of);
  options.end("a graph");
  return {.paths = {path}, .graph = file};
}

TableSource source_with(const std::vector<std::string>& paths, TableFormat format,
                        const std::vector<FileOption>& given, std::string_view text) {
  TableSource source{.paths = paths, .format = format};
  Options options(given, text);
  take_all(options, source);
  return source;
}

}  // namespace grappa::query::sql
