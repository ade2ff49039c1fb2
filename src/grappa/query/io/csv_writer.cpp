#include <algorithm>
#include <utility>

#include "grappa/query/io/row_writer.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query {
namespace {

class CsvWriter final : public RowWriter {
 public:
  CsvWriter(TextSink sink, CsvStyle style)
      : sink_(std::move(sink)),
        style_(std::move(style)),
        escape_(style_.escape.value_or(style_.quote)) {
    for (const char c : {style_.delimiter, style_.quote, '\n', '\r'})
      needs_quotes_[static_cast<unsigned char>(c)] = true;
  }

  void begin(const std::vector<std::string>& names, const std::vector<Type>& /*types*/) override {
    if (!style_.header) return;
    for (std::size_t c = 0; c < names.size(); ++c) {
      append_text_field(names[c]);
      text_ += c + 1 < names.size() ? style_.delimiter : '\n';
    }
  }

  void rows(const Batch& batch) override {
    batch.for_each([&](std::size_t row) {
      for (const Vector& column : batch.columns) {
        if (column.is_valid(row))
          append_field(column, row);
        else
          text_ += style_.null_text;
        text_ += &column != &batch.columns.back() ? style_.delimiter : '\n';
      }
      if (text_.size() >= kTextPiece) flush();
    });
  }

  void end() override { flush(); }

 private:
  void append_field(const Vector& column, std::size_t row) {
    if (column.type.is_text()) return append_text_field(column.at<TextRef>(row).view());
    with_physical(column.type.physical(), [&]<class T>() {
      const std::size_t begin = text_.size();
      append_text(text_, column.at<T>(row), column.type);
      // Of other types only with a delimiter such as a point or a dash, or as what stands for NULL.
      if (!needs_quotes(std::string_view(text_).substr(begin))) return;
      const std::string value = text_.substr(begin);
      text_.resize(begin);
      append_in_quotes(value);
    });
  }

  bool needs_quotes(std::string_view text) const {
    // A row of fields with nothing in them may be taken for a blank line.
    return text.empty() || text == style_.null_text || std::ranges::any_of(text, [this](char c) {
             return needs_quotes_[static_cast<unsigned char>(c)];
           });
  }

  void append_text_field(std::string_view text) {
    if (needs_quotes(text))
      append_in_quotes(text);
    else
      text_ += text;
  }

  void append_in_quotes(std::string_view text) {
    text_ += style_.quote;
    for (const char c : text) {
      if (c == style_.quote || c == escape_) text_ += escape_;
      text_ += c;
    }
    text_ += style_.quote;
  }

  void flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

  TextSink sink_;
  CsvStyle style_;
  char escape_;
  bool needs_quotes_[256] = {};
  std::string text_;
};

}  // namespace

std::unique_ptr<RowWriter> csv_writer(TextSink sink, CsvStyle style) {
  return std::make_unique<CsvWriter>(std::move(sink), std::move(style));
}

}  // namespace grappa::query
