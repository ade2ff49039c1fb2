#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "grappa/base/printable.hpp"
#include "grappa/query/io/display_width.hpp"
#include "grappa/query/io/row_writer.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query {
namespace {

constexpr std::size_t kNarrowest = 12;  // that texts are cut to before columns are left out
constexpr std::size_t kElided = 3;      // lines that stand for the rows between

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (; times > 0; --times) out += text;
  return out;
}

enum class Align : std::uint8_t { kLeft, kCenter, kRight };

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::size_t spare = width - std::min(width, display_width(text));
  const std::size_t left = align == Align::kLeft ? 0 : align == Align::kRight ? spare : spare / 2;
  return std::string(left, ' ') + std::string(text) + std::string(spare - left, ' ');
}

class BoxWriter final : public RowWriter {
 public:
  BoxWriter(TextSink sink, BoxStyle style) : sink_(std::move(sink)), style_(style) {}

  void begin(const std::vector<std::string>& names, const std::vector<Type>& types) override {
    for (std::size_t c = 0; c < names.size(); ++c) {
      columns_.push_back({.name = visible(names[c]),
                          .type = name_of(types[c]),
                          .align = types[c].is_numeric() ? Align::kRight : Align::kLeft,
                          .width = 0});
    }
  }

  void rows(const Batch& batch) override {
    batch.for_each([&](std::size_t row) {
      ++rows_;
      const std::size_t half = style_.rows / 2;
      std::vector<std::string> cells;
      for (const Vector& column : batch.columns) cells.push_back(cell(column, row));
      if (first_.size() < style_.rows - half) {
        first_.push_back(std::move(cells));
      } else {
        last_.push_back(std::move(cells));
        if (last_.size() > half) last_.pop_front();
      }
    });
  }

  void end() override {
    measure();
    const std::vector<std::size_t> shown = choose_columns();
    line("┌", "┬", "┐", shown);
    write_cells(shown, [](const Column& column) { return std::pair(column.name, Align::kCenter); });
    write_cells(shown, [](const Column& column) { return std::pair(column.type, Align::kCenter); });
    line("├", "┼", "┤", shown);
    write_rows(first_, shown);
    if (is_elided()) {
      for (std::size_t i = 0; i < kElided; ++i)
        write_cells(shown,
                    [](const Column& column) { return std::pair(std::string("·"), column.align); });
    }
    write_rows(last_, shown);
    write_footer(shown);
    sink_(text_);
  }

 private:
  static constexpr std::size_t kGap = static_cast<std::size_t>(-1);  // stands for columns left out

  struct Column {
    std::string name;
    std::string type;
    Align align;
    std::size_t width;
  };

  static std::string cell(const Vector& column, std::size_t row) {
    if (!column.is_valid(row)) return "NULL";
    std::string text;
    with_physical(column.type.physical(),
                  [&]<class T>() { append_text(text, column.at<T>(row), column.type); });
    return visible(std::move(text));
  }

  /// On one line, and such that a terminal does not obey it.
  static std::string visible(std::string text) {
    for (const auto& [byte, escape] :
         {std::pair('\n', "\\n"), std::pair('\r', "\\r"), std::pair('\t', "\\t")}) {
      for (std::size_t at = 0; (at = text.find(byte, at)) != std::string::npos; at += 2)
        text.replace(at, 1, escape);
    }
    return internal::printable(text);
  }

  bool is_elided() const { return rows_ > first_.size() + last_.size(); }

  void measure() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Column& column = columns_[c];
      column.width = std::max(display_width(column.name), display_width(column.type));
      for (const auto& row : first_) column.width = std::max(column.width, display_width(row[c]));
      for (const auto& row : last_) column.width = std::max(column.width, display_width(row[c]));
    }
    // Of texts, the widest gives way, place by place.
    std::size_t spare = 1;
    for (const Column& column : columns_) spare += column.width + 3;
    while (spare > style_.width) {
      const auto widest = std::ranges::max_element(columns_, {}, [](const Column& column) {
        return column.align == Align::kLeft ? column.width : 0;
      });
      if (widest == columns_.end() || widest->align != Align::kLeft || widest->width <= kNarrowest)
        break;
      --widest->width;
      --spare;
    }
  }

  /// All of them, or as many from both ends as fit.
  std::vector<std::size_t> choose_columns() const {
    std::vector<std::size_t> left;
    std::vector<std::size_t> right;
    std::size_t width = 1;
    for (const Column& column : columns_) width += column.width + 3;
    const bool fits = width <= style_.width;
    width = 1 + (fits ? 0 : 4);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_left = i % 2 == 0;
      const std::size_t c = is_left ? left.size() : columns_.size() - 1 - right.size();
      width += columns_[c].width + 3;
      if (!fits && width > style_.width && i > 0) break;
      (is_left ? left : right).push_back(c);
    }
    if (left.size() + right.size() < columns_.size()) left.push_back(kGap);
    left.insert(left.end(), right.rbegin(), right.rend());
    return left;
  }

  std::size_t width_of(std::size_t c) const { return c == kGap ? 1 : columns_[c].width; }

  void line(std::string_view begin, std::string_view between, std::string_view end,
            const std::vector<std::size_t>& shown) {
    text_ += begin;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (i > 0) text_ += between;
      text_ += repeated("─", width_of(shown[i]) + 2);
    }
    text_ += end;
    text_ += '\n';
  }

  /// text_of(column) is a text and where it stands.
  template <class TextOf>
  void write_cells(const std::vector<std::size_t>& shown, const TextOf& text_of) {
    for (const std::size_t c : shown) {
      const auto [text, align] =
          c == kGap ? std::pair(std::string("…"), Align::kLeft) : text_of(columns_[c]);
      text_ += "│ " + padded(cut_to_width(text, width_of(c)), width_of(c), align) + " ";
    }
    text_ += "│\n";
  }

  void write_rows(const std::deque<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& shown) {
    for (const auto& row : rows) {
      write_cells(shown, [&](const Column& column) {
        return std::pair(row[static_cast<std::size_t>(&column - columns_.data())], column.align);
      });
    }
  }

  void write_footer(const std::vector<std::size_t>& shown) {
    const bool has_gap = std::ranges::find(shown, kGap) != shown.end();
    if (!is_elided() && !has_gap) return line("└", "┴", "┘", shown);
    line("├", "┴", "┤", shown);
    std::size_t width = shown.size() - 1;
    for (const std::size_t c : shown) width += width_of(c) + 2;
    const auto said = [&](std::size_t all, std::string_view noun, std::size_t of_these) {
      std::vector<std::string> words{fmt::format("{} {}{}", all, noun, all == 1 ? "" : "s")};
      if (of_these != all) words.push_back(fmt::format("({} shown)", of_these));
      // On one line, or two where that is too narrow.
      std::string joined = fmt::format("{}", fmt::join(words, " "));
      if (joined.size() + 2 <= width) words = {std::move(joined)};
      for (const std::string& word : words)
        text_ += "│" + padded(cut_to_width(word, width), width, Align::kCenter) + "│\n";
    };
    said(rows_, "row", first_.size() + last_.size());
    if (has_gap) said(columns_.size(), "column", shown.size() - 1);
    text_ += "└" + repeated("─", width) + "┘\n";
  }

  TextSink sink_;
  BoxStyle style_;
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
  std::deque<std::vector<std::string>> first_;
  std::deque<std::vector<std::string>> last_;
  std::string text_;
};

}  // namespace

std::unique_ptr<RowWriter> box_writer(TextSink sink, BoxStyle style) {
  return std::make_unique<BoxWriter>(std::move(sink), style);
}

}  // namespace grappa::query
