#pragma once

// What the cores keep, written to a file in their order.
//
//   struct Digits {
//     std::int64_t size(int) const { return 1; }                          // bytes
//     void operator()(std::string& text, int n) const { text += static_cast<char>('0' + n); }
//   };
//   write_kept<int>(values, out, Digits{});
//
// Each core writes its part, where all can reach the file. Where it is written from beginning to
// end, the cores of a locale format some mebibytes at a time together, in memory that they use
// again, which are then written, or sent to the locale of the caller. Called by one task; switches
// tasks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grappa/base/file_place.hpp"
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
inline constexpr std::int64_t kBytesOfText = 1 << 20;
inline constexpr std::ptrdiff_t kAhead = 16;

/// Appends values, of which format.prefetch(value) is called before, where they point elsewhere.
template <class T, class Format>
void format_values(std::span<const T> values, Format& format, std::string& text) {
  for (const T* value = values.data(); value < values.data() + values.size(); ++value) {
    if constexpr (requires { format.prefetch(*value); }) {
      if (values.data() + values.size() - value > kAhead) format.prefetch(value[kAhead]);
    }
    format(text, *value);
  }
}

/// Formats the values from the `first`-th on of a core of this locale, as many as fit.
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
    format_values<T>({from + std::min(count, i * kValuesOfText),
                      from + std::min(count, (i + 1) * kValuesOfText)},
                     f, text);
  });
}

/// False, and nothing is written, where a core cannot reach the file.
template <class T, class Format>
bool write_parts(const CoreState<Bulk<T>>& values, io::OutputFile& out, Format format) {
  const std::optional<grappa::internal::FilePlace> place = out.place();
  if (!place) return false;
  constexpr std::int64_t kNobody = -1;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(core_count()));
  on_all_cores(
      [values, format, to = GlobalAddress<std::int64_t>::of_local(sizes.data())](
          const grappa::internal::FilePlace& of) {
        std::int64_t bytes = kNobody;
        if (grappa::internal::FileParts(of).is_open()) {
          bytes = 0;
          for (const T& value : values.mine()) bytes += format.size(value);
        }
        delegate::async::write(to + this_core(), bytes);
      },
      *place);
  if (std::ranges::find(sizes, kNobody) != sizes.end()) return false;
  std::vector<std::int64_t> offsets(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), out.bytes());
  on_all_cores(
      [values, format](const grappa::internal::FilePlace& of,
                       const std::vector<std::int64_t>& all_offsets) {
        const grappa::internal::FileParts parts(of);
        Format f = format;
        std::string text;
        std::int64_t offset = all_offsets[static_cast<std::size_t>(this_core())];
        std::span<const T> left = values.mine();
        while (!left.empty()) {
          std::size_t some = 0;
          for (std::int64_t bytes = 0; some < left.size() && bytes < kBytesOfText; ++some)
            bytes += format.size(left[some]);
          text.clear();
          format_values<T>(left.first(some), f, text);
          parts.write(offset, text);
          offset += std::ssize(text);
          left = left.subspan(some);
          yield();
        }
      },
      *place, offsets);
  out.note_written(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  return true;
}

template <class T, class Format>
void write_kept(const CoreState<Bulk<T>>& values, io::OutputFile& out, Format format) {
  if (write_parts<T>(values, out, format)) return;
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
