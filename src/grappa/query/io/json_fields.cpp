#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "grappa/io/text/text_line.hpp"
#include "grappa/query/io/line_fields.hpp"

namespace grappa::query {
namespace {

/// Without the brackets and the comma of an array around it.
std::string_view element_of(std::string_view line) {
  line = io::trimmed(line);
  if (line.starts_with('[')) line.remove_prefix(1);
  if (line.ends_with(',') || line.ends_with(']')) line.remove_suffix(1);
  return io::trimmed(line);
}

bool is_number(std::string_view text) {
  const auto take_digits = [&] {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(digits);
    return digits;
  };
  const auto take_one_of = [&](std::string_view characters) {
    const bool is_there = !text.empty() && characters.find(text[0]) != std::string_view::npos;
    if (is_there) text.remove_prefix(1);
    return is_there;
  };
  take_one_of("-");
  const bool begins_with_zero = text.starts_with('0');
  const std::size_t whole = take_digits();
  if (whole == 0 || (begins_with_zero && whole > 1)) return false;
  if (take_one_of(".") && take_digits() == 0) return false;
  if (take_one_of("eE")) {
    take_one_of("+-");
    if (take_digits() == 0) return false;
  }
  return text.empty();
}

class JsonFields final : public LineFields {
 public:
  Outcome cut(std::string_view line, const Take& take) override {
    line = element_of(line);
    if (line.empty()) return kBlank;
    if (line[0] != '{') return fail("a JSON object on a line of its own was expected");
    simdjson::error_code error = simdjson::SUCCESS;
    simdjson::ondemand::document document;
    simdjson::ondemand::object object;
    error = parser_.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING)
                .get(document);
    if (error == simdjson::SUCCESS) error = document.get_object().get(object);
    if (error != simdjson::SUCCESS) return fail_by(error);
    for (auto each : object) {
      std::string_view key;
      simdjson::ondemand::value value;
      TextField field;
      error = each.unescaped_key().get(key);
      if (error == simdjson::SUCCESS) error = each.value().get(value);
      if (error == simdjson::SUCCESS) error = read(value, field);
      if (error != simdjson::SUCCESS) return fail_by(error);
      take(key, field);
    }
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
      return fail("a JSON object on a line of its own was expected");
    return kRow;
  }

  void clear() override { unescaped_.clear(); }

 private:
  Outcome fail_by(simdjson::error_code error) {
    return fail(fmt::format("is no JSON object: {}", simdjson::error_message(error)));
  }

  /// Of an object or an array: its text.
  template <class Container>
  static simdjson::error_code read_json(simdjson::simdjson_result<Container> found,
                                        TextField& field) {
    Container container;
    std::string_view text;
    if (const auto error = std::move(found).get(container)) return error;
    if (const auto error = container.raw_json().get(text)) return error;
    field = field_of(io::trimmed(text), true);
    return simdjson::SUCCESS;
  }

  simdjson::error_code read(simdjson::ondemand::value& value, TextField& field) {
    simdjson::ondemand::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type == simdjson::ondemand::json_type::object) return read_json(value.get_object(), field);
    if (type == simdjson::ondemand::json_type::array) return read_json(value.get_array(), field);
    const std::string_view token = io::trimmed(value.raw_json_token());
    if (type == simdjson::ondemand::json_type::string) {
      if (token.find('\\') == std::string_view::npos) {
        if (token.size() < 2) return simdjson::STRING_ERROR;
        field = field_of(token.substr(1, token.size() - 2), true);
        return simdjson::SUCCESS;
      }
      std::string_view text;
      if (const auto error = value.get_string().get(text)) return error;
      field = field_of(unescaped_.emplace_back(text), true);
      return simdjson::SUCCESS;
    }
    if (token == "null") return simdjson::SUCCESS;
    if (token != "true" && token != "false" && !is_number(token)) return simdjson::NUMBER_ERROR;
    field = field_of(token, false);
    return simdjson::SUCCESS;
  }

  static TextField field_of(std::string_view text, bool is_quoted) {
    return {.begin = text.data(),
            .size = static_cast<std::uint32_t>(text.size()),
            .is_quoted = is_quoted,
            .has_escapes = false};
  }

  simdjson::ondemand::parser parser_;
  std::deque<std::string> unescaped_;
};

}  // namespace

std::unique_ptr<LineFields> json_fields() { return std::make_unique<JsonFields>(); }

}  // namespace grappa::query
