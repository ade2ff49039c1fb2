#include "grappa/query/io/text_piece_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "grappa/io/text/text_line.hpp"
#include "grappa/query/column_builder.hpp"
#include "grappa/query/date_text.hpp"
#include "grappa/query/io/ascii.hpp"
#include "grappa/query/io/csv_rows.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query {
namespace {

/// Rows are cut into fields some at a time, then the fields of each column are loaded in a row.
class PieceLoader {
 public:
  PieceLoader(const LoadPlan& plan, const TextPiece& piece, const char* begin,
              const std::vector<bool>& columns)
      : plan_(plan),
        piece_(piece),
        rows_(piece.text, begin, plan.format.dialect),
        slots_(plan.types.size() + 1),
        group_(std::bit_floor(std::clamp<std::size_t>(kFields / slots_, 16, 1024))),
        stride_(group_ + kApart),
        fields_(slots_ * stride_),
        columns_(plan.types.size()),
        lines_(line_fields(plan.options.lines)),
        keys_(plan.format.keys) {
    loaded_.begin = begin;
    loaded_.facts.resize(columns_.size());
    loaded_.candidates = plan.format.candidates;
    const auto bytes = static_cast<std::size_t>(std::max<std::ptrdiff_t>(piece.stop - begin, 0));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns[c]) columns_[c].builder.emplace(plan.types[c], bytes / (4 * columns_.size()));
    }
  }

  LoadedPiece run() {
    for (bool goes_on = true; goes_on;) {
      const char* const begin = rows_.position();
      const std::size_t n = lines_ == nullptr ? cut_rows() : cut_lines();
      goes_on = n == group_;
      check_text({begin, rows_.position()});
      for (std::size_t c = 0; c < columns_.size(); ++c) load_column(c, n);
      block_rows_ += n;
      if (loaded_.problem) break;
      if (block_rows_ == kBlockRows || !goes_on) finish_block();
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].builder) loaded_.facts[c].sketch = columns_[c].builder->sketch();
    }
    loaded_.end = rows_.position();
    return std::move(loaded_);
  }

 private:
  static constexpr std::size_t kFields = std::size_t{1} << 13;  // in the second-level cache
  // The fields of a row are not as far apart as would put all of them in one set of a cache.
  static constexpr std::size_t kApart = 64 / sizeof(TextField);
  static_assert(kBlockRows % 1024 == 0);

  struct Column {
    std::optional<ColumnBuilder> builder;  // nothing: not loaded
    bool misfits = false;
  };

  /// Fields of column c are at fields_[c * stride_]. Returns how many rows there are.
  std::size_t cut_rows() {
    const std::size_t columns = columns_.size();
    std::size_t row = 0;
    while (row < group_ && rows_.position() < piece_.stop) {
      const char* const begin = rows_.position();
      const std::size_t n = rows_.next(&fields_[row], stride_, slots_);
      if (n == columns) [[likely]] {
        ++row;
        continue;
      }
      if (n == 0) {
        if (!rows_.problem().empty()) loaded_.note(rows_.position(), std::string(rows_.problem()));
        break;
      }
      if (n == 1 && fields_[row].is_blank()) continue;
      if (n == columns + 1 && plan_.format.ends_with_delimiter &&
          fields_[columns * stride_ + row].is_blank()) {
        ++row;
        continue;
      }
      loaded_.note(
          begin, fmt::format("{}, {} expected", io::counted(static_cast<std::int64_t>(n), "column"),
                             columns));
      break;
    }
    return row;
  }

  std::size_t cut_lines() {
    lines_->clear();
    std::size_t row = 0;
    TextField line;
    while (row < group_ && rows_.position() < piece_.stop) {
      const char* const begin = rows_.position();
      LineFields::Outcome outcome = LineFields::kProblem;
      if (rows_.next(&line, 1, 1) > 0) {
        for (std::size_t c = 0; c < columns_.size(); ++c) fields_[c * stride_ + row] = {};
        outcome = lines_->cut(line.raw(), [&](std::string_view key, const TextField& field) {
          if (const auto c = keys_.find(key))
            fields_[*c * stride_ + row] = field;
          else
            note_column(key, field);
        });
      }
      if (outcome == LineFields::kProblem) {
        const bool is_cut = rows_.problem().empty();
        loaded_.note(begin, is_cut ? lines_->problem() : std::string(rows_.problem()));
        break;
      }
      if (plan_.types.size() + loaded_.new_columns.list().size() > kMostKeys) {
        loaded_.note(begin, kTooManyKeys);
        break;
      }
      if (outcome == LineFields::kRow) ++row;
    }
    return row;
  }

  void note_column(std::string_view key, const TextField& field) {
    CandidateTypes& candidates = loaded_.new_columns.candidates(key);
    if (!is_null(field, kText, plan_.options)) query::narrow(candidates, field, field.raw());
  }

  void check_text(std::string_view text) {
    if (is_ascii(text) || io::is_valid_utf8(text)) return;
    // The first byte that goes on with no character.
    while (!text.empty()) {
      std::size_t bytes = 1;
      while (bytes <= 4 && !io::is_valid_utf8(text.substr(0, bytes))) ++bytes;
      if (bytes > 4) break;
      text.remove_prefix(std::min(bytes, text.size()));
    }
    const char* line = text.data();
    while (line != piece_.text.data() && line[-1] != '\n') --line;
    loaded_.note(text.data(),
                 fmt::format("byte {} of the line is not valid UTF-8", text.data() - line + 1));
  }

  void load_column(std::size_t c, std::size_t rows) {
    Column& column = columns_[c];
    if (!column.builder) return;
    if (column.misfits) return narrow(c, 0, rows);
    const Type type = plan_.types[c];
    with_physical(type.physical(), [&]<class T>() {
      const auto load = [&](const auto& parse_value) { load_values<T>(c, rows, parse_value); };
      if constexpr (std::is_same_v<T, TextRef>) {
        return load([](std::string_view text, T& value) {
          value = TextRef(text);
          return true;
        });
      } else if constexpr (std::is_same_v<T, double>) {
        return load(parse_double);
      } else if constexpr (std::signed_integral<T>) {
        if (type.is_integer()) return load(parse_integer<T>);
      }
      if constexpr (std::is_same_v<T, std::int32_t>) {
        return load(parse_date);
      }
      if constexpr (std::is_same_v<T, std::int64_t>) {
        if (type.id == TypeId::kDecimal) {
          return load(
              [type](std::string_view text, T& value) { return parse_decimal(text, type, value); });
        }
      }
      // What is no more than detected is not to lose anything.
      const bool is_strict =
          !plan_.are_given[c] && (type.id == TypeId::kBoolean || type.id == TypeId::kDecimal);
      load([type, is_strict](std::string_view text, T& value) {
        return (!is_strict || holds(type, text)) && parse(text, type, value);
      });
    });
  }

  template <class T, class Parse>
  void load_values(std::size_t c, std::size_t rows, const Parse& parse_value) {
    ColumnBuilder& builder = *columns_[c].builder;
    const TextField* const fields = &fields_[c * stride_];
    const Type type = plan_.types[c];
    const bool refuses_texts = lines_ != nullptr && !plan_.are_given[c] &&
                               (type.is_numeric() || type.id == TypeId::kBoolean);
    for (std::size_t row = 0; row < rows; ++row) {
      const TextField& field = fields[row];
      if (is_null(field, type, plan_.options)) {
        builder.append_null();
        continue;
      }
      T value;
      if ((refuses_texts && field.is_quoted) ||
          !parse_value(text_of(field, plan_.format.dialect, scratch_), value)) [[unlikely]]
        return misfit(c, row, rows);
      builder.append(value);
    }
  }

  void misfit(std::size_t c, std::size_t row, std::size_t rows) {
    const TextField& field = fields_[c * stride_ + row];
    if (plan_.are_given[c]) {
      const std::vector<std::string>& words = plan_.options.type_words;
      return loaded_.note(
          field.begin,
          fmt::format("column {}: {} is no {}{}", io::quoted(plan_.format.names[c]),
                      io::quoted(text_of(field, plan_.format.dialect, scratch_)),
                      words.empty() ? name_of(plan_.types[c]) : words[c],
                      words.empty()
                          ? " (give the column another type, or say what text stands for NULL)"
                          : ""));
    }
    columns_[c].misfits = true;
    loaded_.candidates[c].narrow(text_of(field, plan_.format.dialect, scratch_));
    narrow(c, row, rows);
  }

  void narrow(std::size_t c, std::size_t first, std::size_t rows) {
    CandidateTypes& candidates = loaded_.candidates[c];
    for (std::size_t row = first; row < rows; ++row) {
      const TextField& field = fields_[c * stride_ + row];
      if (lines_ != nullptr && field.is_quoted) candidates.exclude_numbers();
      const Type best = candidates.best();
      if (is_null(field, best, plan_.options)) continue;
      const std::string_view text = text_of(field, plan_.format.dialect, scratch_);
      if (!holds(best, text)) candidates.narrow(text);
    }
  }

  void finish_block() {
    if (block_rows_ == 0) return;
    Block block{.rows = block_rows_, .columns = {}};
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      ColumnBlock& column = block.columns.emplace_back();
      if (!columns_[c].builder || columns_[c].misfits) continue;
      column = columns_[c].builder->finish();
      loaded_.facts[c].add(column);
    }
    loaded_.blocks.push_back(std::move(block));
    loaded_.rows += block_rows_;
    block_rows_ = 0;
  }

  const LoadPlan& plan_;
  const TextPiece& piece_;
  CsvRows rows_;
  std::size_t slots_;  // fields of a row that are kept
  std::size_t group_;  // rows at a time
  std::size_t stride_;
  std::vector<TextField> fields_;
  std::vector<Column> columns_;
  std::unique_ptr<LineFields> lines_;  // null: CSV
  LineColumns keys_;
  std::size_t block_rows_ = 0;
  std::string scratch_;
  LoadedPiece loaded_;
};

}  // namespace

LoadedPiece load_piece(const LoadPlan& plan, const TextPiece& piece, const char* begin,
                       const std::vector<bool>& columns) {
  return PieceLoader(plan, piece, begin, columns).run();
}

}  // namespace grappa::query
