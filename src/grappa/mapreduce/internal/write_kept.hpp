#pragma once

// What the cores keep, written to a file in their order.
//
//   write_kept<int>(values, out, [](std::string& text, int n) { text += std::to_string(n); });
//
// The cores of a locale format some mebibytes at a time together, in memory that they use again,
// which are then written, or sent to the locale of the caller. Called by one task; switches tasks.

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
inline constexpr std::int64_t kTexts = 8;
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
  struct Piece {
    int core;
    std::int64_t first;
  };
  const std::vector<std::int64_t> sizes =
      gather_cores([values] { return std::int64_t{std::ssize(values.mine())}; });
  std::vector<Piece> pieces;
  for (int core = 0; core < core_count(); ++core) {
    for (std::int64_t first = 0; first < sizes[static_cast<std::size_t>(core)];
         first += kValuesOfText * kTexts)
      pieces.push_back({core, first});
  }
  const Owned<Exchange> exchange = Exchange::create();
  const Owned<LocaleState<Texts>> texts = LocaleState<Texts>::create();
  const int home = this_locale();
  CompletionEvent arrived;
  // What another locale formats comes while the piece before it is written.
  const auto ask_for = [&](std::size_t k) {
    if (k >= pieces.size() || locale_of(pieces[k].core) == home) return;
    const int first_core = first_core_of(locale_of(pieces[k].core));
    spawn_on(arrived, first_core,
             [values, index = pieces[k].core - first_core, first = pieces[k].first, format, home,
              exchange = *exchange, texts = *texts] {
               format_some<T>(values.of_local(index), first, format, texts);
               std::size_t size = 0;
               for (const std::string& text : *texts) size += text.size();
               std::string all;
               all.reserve(size);
               for (const std::string& text : *texts) all += text;
               exchange.send(home, all);
             });
  };
  ask_for(0);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const int locale = locale_of(pieces[k].core);
    if (locale == home) {
      ask_for(k + 1);
      format_some<T>(values.of_local(pieces[k].core - first_core_of(home)), pieces[k].first, format,
                     *texts);
      for (const std::string& text : **texts) out.write(text);
    } else {
      arrived.wait();
      const std::vector<std::byte> text = exchange->take<std::byte>(locale);
      ask_for(k + 1);
      out.write({reinterpret_cast<const char*>(text.data()), text.size()});
    }
  }
}

}  // namespace grappa::mapreduce::detail
