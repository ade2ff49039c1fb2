#pragma once

// Kernels that take texts and make some.
//
//   make_texts(call, [&](std::size_t row) { return text_argument(call, 0, row).substr(0, 1); });

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "grappa/query/expression/kernels.hpp"

namespace grappa::query {

/// Copies to what stays until the next batch.
inline TextRef make_text(const KernelCall& call, std::string_view text) {
  if (text.size() <= TextRef::kShort) return TextRef(text);
  char* const room = call.texts->reserve(text.size());
  std::memcpy(room, text.data(), text.size());
  return call.texts->use(room, text.size());
}

/// Results that are parts of the argument are copied: its bytes may not stay as long.
template <class F>
void text_to_text(const KernelCall& call, F f) {
  unary<TextRef, TextRef>(call,
                          [&](const TextRef& text) { return make_text(call, f(text.view())); });
}

template <class T>
const T& argument(const KernelCall& call, std::size_t i, std::size_t row) {
  return call.arguments[i].at<T>(row);
}
inline std::string_view text_argument(const KernelCall& call, std::size_t i, std::size_t row) {
  return argument<TextRef>(call, i, row).view();
}
inline std::int64_t number_argument(const KernelCall& call, std::size_t i, std::size_t row) {
  return argument<std::int64_t>(call, i, row);
}

/// f(row) -> text.
template <class F>
void make_texts(const KernelCall& call, F f) {
  auto* const out = static_cast<TextRef*>(call.values);
  call.for_each([&](std::size_t row) { out[row] = make_text(call, f(row)); });
}

}  // namespace grappa::query
