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
  char delimiter(const FileOption& option) const {
    const char made = character(option);
    if (made == '\0' || made == '"') fail(option, "takes one character, and no quote");
    return made;
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
  [[noreturn]] void fail(const FileOption& option, const std::string& message) const {
    throw SyntaxError(text_, option.name.position, upper(option.name.text) + " " + message);
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

/// What CSV has that is read, and that is written.
template <class Csv>
void take_dialect(Options& options, Csv& csv) {
  if (const auto* of = options.take({"delimiter", "delim", "sep"}))
    csv.delimiter = options.delimiter(*of);
  if (const auto* of = options.take({"header"})) csv.header = options.truth(*of);
  if (const auto* of = options.take({"quote"})) csv.quote = options.character(*of);
  if (const auto* of = options.take({"escape"})) csv.escape = options.character(*of);
  if (const auto* of = options.take({"null", "nullstr"})) csv.null_text = options.words(*of);
}

/// Whether what is written so can be read.
void check_style(const CsvStyle& csv, const CopiedFile& file, std::string_view text) {
  const auto require = [&](bool is_met, const char* what) {
    if (!is_met)
      throw SyntaxError(text, file.position, fmt::format("CSV that is written {}", what));
  };
  require(csv.quote != '\0' && csv.escape != '\0', "needs a quote and an escape");
  require(csv.quote != csv.delimiter && csv.escape != csv.delimiter,
          "needs a delimiter that is neither its quote nor its escape");
  const std::string special{csv.delimiter, csv.quote, '\n', '\r'};
  require(csv.null_text.find_first_of(special) == std::string::npos,
          "needs a text for NULL that has no delimiter, quote or line feed");
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
  if (format.is_csv()) {
    take_dialect(options, format.csv);
    check_style(format.csv, file, text);
  }
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
