// Functions of the characters of texts, by their numbers in Unicode or one for another.

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "grappa/base/utf8.hpp"
#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/text_kernels.hpp"

namespace grappa::query {
namespace {

void character(const KernelCall& call) {
  std::string made;
  make_texts(call, [&](std::size_t row) -> std::string_view {
    const std::int64_t code = number_argument(call, 0, row);
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    if (code < 1 || code > 0x10FFFF || is_surrogate)
      throw QueryError(fmt::format("chr: there is no character {}", code));
    made.clear();
    internal::append_utf8(static_cast<std::uint32_t>(code), made);
    return made;
  });
}

void number_of_character(const KernelCall& call) {
  unary<TextRef, std::int32_t>(call, [](const TextRef& text) -> std::int32_t {
    if (text.size() == 0) return 0;
    return static_cast<std::int32_t>(internal::decode_utf8(text.view()).code);
  });
}

/// f(character) for those of the text, one after the other.
template <class F>
void for_each_character(std::string_view text, F f) {
  while (!text.empty()) {
    const std::size_t bytes = internal::decode_utf8(text).bytes;
    f(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
}

/// Each character of `from` by the one of `to` in the same place, or, behind its end, by nothing.
void translate(const KernelCall& call) {
  std::string made;
  make_texts(call, [&](std::size_t row) -> std::string_view {
    std::map<std::string_view, std::string_view> replaced;
    std::string_view to = text_argument(call, 2, row);
    for_each_character(text_argument(call, 1, row), [&](std::string_view from) {
      const std::size_t bytes = to.empty() ? 0 : internal::decode_utf8(to).bytes;
      replaced.try_emplace(from, to.substr(0, bytes));  // the first of several counts
      to.remove_prefix(bytes);
    });
    made.clear();
    for_each_character(text_argument(call, 0, row), [&](std::string_view each) {
      const auto found = replaced.find(each);
      made += found == replaced.end() ? each : found->second;
    });
    return made;
  });
}

/// The first argument between the others, of which those that are NULL are left out.
void concatenate_with_separator(const KernelCall& call) {
  std::string made;
  auto* const out = static_cast<TextRef*>(call.values);
  call.for_each([&](std::size_t row) {
    if (!call.arguments[0].is_valid(row)) {
      out[row] = TextRef();
      clear_bit(call.valid, row);
      return;
    }
    made.clear();
    bool is_first = true;
    for (std::size_t i = 1; i < call.arguments.size(); ++i) {
      if (!call.arguments[i].is_valid(row)) continue;
      if (!is_first) made += text_argument(call, 0, row);
      is_first = false;
      made += text_argument(call, i, row);
    }
    out[row] = make_text(call, made);
  });
}

}  // namespace

void add_character_functions(FunctionList& list) {
  list.add("chr", {kInt64}, kText, character, true);
  list.add("ascii", {kText}, kInt32, number_of_character);
  list.add("translate", {kText, kText, kText}, kText, translate);
  list.add({.name = "concat_ws",
            .parameters = {kText, kText},
            .result = kText,
            .kernel = concatenate_with_separator,
            .variadic = true,
            .makes_nulls = true,
            .sees_nulls = true});
}

}  // namespace grappa::query
