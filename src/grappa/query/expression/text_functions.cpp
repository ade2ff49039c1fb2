// Functions of texts. Characters are those of UTF-8, counted from 1.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "grappa/base/letter_case.hpp"
#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/text_kernels.hpp"

namespace grappa::query {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, begins_character);
}

/// The byte at which a character begins that has so many before it, or the end.
std::size_t offset_of(std::string_view text, std::int64_t characters_before) {
  std::size_t at = 0;
  for (; at < text.size() && characters_before > 0; --characters_before) {
    ++at;
    while (at < text.size() && !begins_character(text[at])) ++at;
  }
  return at;
}

template <void (*kAppend)(std::string_view, std::string&)>
void change_case(const KernelCall& call) {
  std::string changed;
  text_to_text(call, [&](std::string_view text) -> std::string_view {
    changed.clear();
    kAppend(text, changed);
    return changed;
  });
}

void concatenate(const KernelCall& call) {
  auto* const out = static_cast<TextRef*>(call.values);
  call.for_each([&](std::size_t row) {
    const std::string_view a = text_argument(call, 0, row);
    const std::string_view b = text_argument(call, 1, row);
    char* const room = call.texts->reserve(a.size() + b.size());
    std::memcpy(room, a.data(), a.size());
    std::memcpy(room + a.size(), b.data(), b.size());
    out[row] = call.texts->use(room, a.size() + b.size());
  });
}

/// As PostgreSQL: positions before the first character count.
std::string_view part_of(std::string_view text, std::int64_t start, std::int64_t length) {
  const std::int64_t end = start > 0 && length > INT64_MAX - start ? INT64_MAX : start + length;
  const std::int64_t first = std::max<std::int64_t>(start, 1);
  if (end <= first) return {};
  const std::size_t from = offset_of(text, first - 1);
  return text.substr(from, offset_of(text.substr(from), end - first));
}

void substring(const KernelCall& call) {
  const bool has_length = call.arguments.size() == 3;
  make_texts(call, [&](std::size_t row) {
    const std::int64_t length = has_length ? number_argument(call, 2, row) : INT64_MAX;
    if (length < 0) throw QueryError("substring: a length from 0 on was expected");
    return part_of(text_argument(call, 0, row), number_argument(call, 1, row), length);
  });
}

void left_part(const KernelCall& call) {
  make_texts(call, [&](std::size_t row) {
    const std::string_view text = text_argument(call, 0, row);
    std::int64_t n = number_argument(call, 1, row);
    if (n < 0) n = std::max<std::int64_t>(0, characters(text) + n);
    return text.substr(0, offset_of(text, n));
  });
}
void right_part(const KernelCall& call) {
  make_texts(call, [&](std::size_t row) {
    const std::string_view text = text_argument(call, 0, row);
    const std::int64_t all = characters(text);
    const std::int64_t n = number_argument(call, 1, row);
    const std::int64_t skipped = n < 0 ? -std::max(n, -all) : all - std::min(n, all);
    return text.substr(offset_of(text, skipped));
  });
}

enum class Side : std::uint8_t { kBoth, kLeft, kRight };
template <Side kSide>
void trim(const KernelCall& call) {
  const bool has_characters = call.arguments.size() == 2;
  make_texts(call, [&](std::size_t row) {
    std::string_view text = text_argument(call, 0, row);
    const std::string_view trimmed = has_characters ? text_argument(call, 1, row) : " ";
    if (kSide != Side::kRight)
      text.remove_prefix(std::min(text.find_first_not_of(trimmed), text.size()));
    if (kSide != Side::kLeft) {
      const std::size_t last = text.find_last_not_of(trimmed);
      text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
    }
    return text;
  });
}

void replace(const KernelCall& call) {
  std::string changed;
  make_texts(call, [&](std::size_t row) -> std::string_view {
    const std::string_view text = text_argument(call, 0, row);
    const std::string_view from = text_argument(call, 1, row);
    const std::string_view to = text_argument(call, 2, row);
    if (from.empty()) return text;
    changed.clear();
    std::size_t at = 0;
    for (std::size_t found; (found = text.find(from, at)) != std::string_view::npos;) {
      changed.append(text.substr(at, found - at)).append(to);
      at = found + from.size();
    }
    changed.append(text.substr(at));
    return changed;
  });
}

void reverse(const KernelCall& call) {
  std::string changed;
  text_to_text(call, [&](std::string_view text) -> std::string_view {
    changed.clear();
    for (std::size_t end = text.size(); end > 0;) {
      std::size_t begin = end - 1;
      while (begin > 0 && !begins_character(text[begin])) --begin;
      changed.append(text.substr(begin, end - begin));
      end = begin;
    }
    return changed;
  });
}

constexpr std::int64_t kMostBytes = std::int64_t{1} << 28;

void repeat(const KernelCall& call) {
  std::string changed;
  make_texts(call, [&](std::size_t row) -> std::string_view {
    const std::string_view text = text_argument(call, 0, row);
    const std::int64_t times = std::max<std::int64_t>(0, number_argument(call, 1, row));
    if (!text.empty() && times > kMostBytes / static_cast<std::int64_t>(text.size()))
      throw QueryError("repeat: the result would be longer than 256 MiB");
    changed.clear();
    for (std::int64_t i = 0; i < times; ++i) changed.append(text);
    return changed;
  });
}

template <bool kLeft>
void pad(const KernelCall& call) {
  const bool has_fill = call.arguments.size() == 3;
  std::string changed;
  make_texts(call, [&](std::size_t row) -> std::string_view {
    const std::string_view text = text_argument(call, 0, row);
    const std::int64_t wanted = std::max<std::int64_t>(0, number_argument(call, 1, row));
    if (wanted > kMostBytes) throw QueryError("pad: the result would be longer than 256 MiB");
    const std::string_view fill = has_fill ? text_argument(call, 2, row) : " ";
    std::int64_t missing = wanted - characters(text);
    if (missing <= 0 || fill.empty()) return text.substr(0, offset_of(text, wanted));
    std::string padding;
    const std::int64_t length = characters(fill);
    for (; missing >= length; missing -= length) padding.append(fill);
    padding.append(fill.substr(0, offset_of(fill, missing)));
    changed = kLeft ? padding + std::string(text) : std::string(text) + padding;
    return changed;
  });
}

void split_part(const KernelCall& call) {
  make_texts(call, [&](std::size_t row) -> std::string_view {
    std::string_view text = text_argument(call, 0, row);
    const std::string_view by = text_argument(call, 1, row);
    std::int64_t n = number_argument(call, 2, row);
    if (n < 1) throw QueryError("split_part: parts count from 1");
    if (by.empty()) return n == 1 ? text : std::string_view();
    for (;; --n) {
      const std::size_t end = text.find(by);
      if (n == 1) return text.substr(0, end);
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + by.size());
    }
  });
}

void length(const KernelCall& call) {
  unary<TextRef, std::int64_t>(call, [](const TextRef& text) { return characters(text.view()); });
}
void length_in_bytes(const KernelCall& call) {
  unary<TextRef, std::int64_t>(
      call, [](const TextRef& text) { return static_cast<std::int64_t>(text.size()); });
}
void position(const KernelCall& call) {
  binary<TextRef, TextRef, std::int64_t>(call, [](const TextRef& text, const TextRef& part) {
    const std::size_t at = text.view().find(part.view());
    return at == std::string_view::npos ? 0 : characters(text.view().substr(0, at)) + 1;
  });
}
template <class F>
void text_test(const KernelCall& call, F f) {
  binary<TextRef, TextRef, std::uint8_t>(call, [f](const TextRef& a, const TextRef& b) {
    return static_cast<std::uint8_t>(f(a.view(), b.view()) ? 1 : 0);
  });
}
void starts_with(const KernelCall& call) {
  text_test(call, [](std::string_view a, std::string_view b) { return a.starts_with(b); });
}
void ends_with(const KernelCall& call) {
  text_test(call, [](std::string_view a, std::string_view b) { return a.ends_with(b); });
}
void contains(const KernelCall& call) {
  text_test(call, [](std::string_view a, std::string_view b) {
    return a.find(b) != std::string_view::npos;
  });
}

}  // namespace

void add_text_functions(FunctionList& list) {
  list.add("||", {kText, kText}, kText, concatenate);
  list.add("lower", {kText}, kText, change_case<internal::append_lowered>);
  list.add("upper", {kText}, kText, change_case<internal::append_raised>);
  list.add("initcap", {kText}, kText, change_case<internal::append_capitalized>);
  list.add("length", {kText}, kInt64, length);
  list.alias("char_length", "length");
  list.alias("character_length", "length");
  list.alias("len", "length");
  list.add("octet_length", {kText}, kInt64, length_in_bytes);
  list.alias("strlen", "octet_length");
  list.add("substring", {kText, kInt64}, kText, substring);
  list.add("substring", {kText, kInt64, kInt64}, kText, substring, true);
  list.alias("substr", "substring");
  list.add("left", {kText, kInt64}, kText, left_part);
  list.add("right", {kText, kInt64}, kText, right_part);
  list.add("btrim", {kText}, kText, trim<Side::kBoth>);
  list.add("btrim", {kText, kText}, kText, trim<Side::kBoth>);
  list.alias("trim", "btrim");
  list.add("ltrim", {kText}, kText, trim<Side::kLeft>);
  list.add("ltrim", {kText, kText}, kText, trim<Side::kLeft>);
  list.add("rtrim", {kText}, kText, trim<Side::kRight>);
  list.add("rtrim", {kText, kText}, kText, trim<Side::kRight>);
  list.add("replace", {kText, kText, kText}, kText, replace);
  list.add("reverse", {kText}, kText, reverse);
  list.add("repeat", {kText, kInt64}, kText, repeat, true);
  list.add("lpad", {kText, kInt64}, kText, pad<true>, true);
  list.add("lpad", {kText, kInt64, kText}, kText, pad<true>, true);
  list.add("rpad", {kText, kInt64}, kText, pad<false>, true);
  list.add("rpad", {kText, kInt64, kText}, kText, pad<false>, true);
  list.add("split_part", {kText, kText, kInt64}, kText, split_part, true);
  list.add("strpos", {kText, kText}, kInt64, position);
  list.alias("instr", "strpos");
  list.alias("position", "strpos");
  list.add("starts_with", {kText, kText}, kBoolean, starts_with);
  list.alias("prefix", "starts_with");
  list.add("ends_with", {kText, kText}, kBoolean, ends_with);
  list.alias("suffix", "ends_with");
  list.add("contains", {kText, kText}, kBoolean, contains);
}

}  // namespace grappa::query
