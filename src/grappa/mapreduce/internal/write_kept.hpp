#pragma once

// What the cores keep, written to a file in their order.
//
//   write_kept<int>(values, out, [](std::string& text, int n) { text += std::to_string(n); });
//
// The cores of a locale format some mebibytes at a time together, which are then written, or sent
// to the locale of the caller. Called by one task; switches tasks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grappa/io/output_file.hpp"
#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::mapreduce::detail {

/// What a locale has formatted: pieces that follow one another.
using Texts = std::vector<std::string>;

inline constexpr std::int64_t kValuesOfText = 1 << 14;
inline constexpr std::int64_t kTexts = 32;
inline constexpr std::ptrdiff_t kAhead = 16;

/// Where values point elsewhere, format.prefetch(value) is called for those to come. Formats the
/// values from the `first`-th on of a core of this locale, as many as fit.
template <class T, class Format>
void format_some(const Bulk<T>& values, std::int64_t first, Format format,
                 const LocaleState<Texts>& texts) {
  const std::int64_t count = std::min(std::ssize(values) - first, kValuesOfText * kTexts);
  texts->resize(kTexts);
  const T* const from = values.data() + first;
  forall_here(0, kTexts, {.grain = 1}, [=](std::int64_t i) {
    Format f = format;
    std::string& text = (*texts)[static_cast<std::size_t>(i)];
    text.clear();
    const T* const end = from + std::min(count, (i + 1) * kValuesOfText);
    for (const T* value = from + std::min(count, i * kValuesOfText); value < end; ++value) {
      if constexpr (requires { f.prefetch(*value); }) {
        if (end - value > kAhead) f.prefetch(value[kAhead]);
      }
      f(text, *value);
    }
  });
}

template <class T, class Format>
void write_kept(const CoreState<Bulk<T>>& values, io::OutputFile& out, Format format) {
  const std::vector<std::int64_t> sizes =
      gather_cores([values] { return std::int64_t{std::ssize(values.mine())}; });
  const Owned<Exchange> exchange = Exchange::create();
  const Owned<LocaleState<Texts>> texts = LocaleState<Texts>::create();
  const int home = this_locale();
  for (int core = 0; core < core_count(); ++core) {
    const int locale = locale_of(core);
    const int index = core - first_core_of(locale);
    const std::int64_t size = sizes[static_cast<std::size_t>(core)];
    for (std::int64_t first = 0; first < size; first += kValuesOfText * kTexts) {
      if (locale == home) {
        format_some<T>(values.of_local(index), first, format, *texts);
        for (const std::string& text : **texts) out.write(text);
        continue;
      }
      CompletionEvent arrived;
      spawn_on(arrived, first_core_of(locale),
               [values, index, first, format, home, exchange = *exchange, texts = *texts] {
                 format_some<T>(values.of_local(index), first, format, texts);
                 std::string all;
                 for (const std::string& text : *texts) all += text;
                 exchange.send(home, all);
               });
      arrived.wait();
      const std::vector<char> text = exchange->take<char>(locale);
      out.write({text.data(), text.size()});
    }
  }
}

}  // namespace grappa::mapreduce::detail
