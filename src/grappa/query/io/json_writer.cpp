#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

#include "grappa/query/io/row_writer.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query {
namespace {

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

class JsonWriter final : public RowWriter {
 public:
  JsonWriter(TextSink sink, bool is_array) : sink_(std::move(sink)), is_array_(is_array) {}

  void begin(const std::vector<std::string>& names, const std::vector<Type>& /*types*/) override {
    for (const std::string& name : names) {
      std::string& key = keys_.emplace_back(keys_.empty() ? "{" : ",");
      append_string(key, name);
      key += ':';
    }
    if (is_array_) text_ += "[";
  }

  void rows(const Batch& batch) override {
    batch.for_each([&](std::size_t row) {
      if (is_array_) text_ += is_first_ ? "\n" : ",\n";
      is_first_ = false;
      for (std::size_t c = 0; c < batch.columns.size(); ++c) {
        text_ += keys_[c];
        append_value(batch.columns[c], row);
      }
      text_ += is_array_ ? "}" : "}\n";
      if (text_.size() >= kTextPiece) flush();
    });
  }

  void end() override {
    if (is_array_) text_ += is_first_ ? "]\n" : "\n]\n";
    flush();
  }

 private:
  void append_value(const Vector& column, std::size_t row) {
    if (!column.is_valid(row)) {
      text_ += "null";
      return;
    }
    if (column.type.is_text()) return append_string(text_, column.at<TextRef>(row).view());
    with_physical(column.type.physical(), [&]<class T>() {
      const T& value = column.at<T>(row);
      bool is_bare = column.type.is_numeric() || column.type.id == TypeId::kBoolean;
      if constexpr (std::is_floating_point_v<T>) is_bare = std::isfinite(value);
      if (!is_bare) text_ += '"';
      append_text(text_, value, column.type);
      if (!is_bare) text_ += '"';
    });
  }

  void flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

  TextSink sink_;
  bool is_array_;
  bool is_first_ = true;
  std::vector<std::string> keys_;  // with what is before them
  std::string text_;
};

}  // namespace

std::unique_ptr<RowWriter> json_lines_writer(TextSink sink) {
  return std::make_unique<JsonWriter>(std::move(sink), false);
}

std::unique_ptr<RowWriter> json_array_writer(TextSink sink) {
  return std::make_unique<JsonWriter>(std::move(sink), true);
}

}  // namespace grappa::query
