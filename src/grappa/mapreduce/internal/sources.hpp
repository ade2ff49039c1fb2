#pragma once

// Where the values of a dataset come from. Every core calls run(sink) of its copy, which calls
// sink(value) for each value of that core, and lets messages be handled now and then. One task
// calls prepare() before, and finish() after all cores have returned; both switch tasks.
//
//   struct Source {
//     using Value = int;
//     void prepare() const;
//     template <class Sink>
//     void run(Sink& sink) const;
//     std::int64_t finish() const;  // records that were skipped; throws what the first has thrown
//   };
//
// Sources and steps (steps.hpp) are trivially copyable; what they refer to is owned by the dataset.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/mapreduce/internal/bulk.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/internal/key_table.hpp"
#include "grappa/mapreduce/internal/record_errors.hpp"
#include "grappa/mapreduce/internal/record_files.hpp"
#include "grappa/mapreduce/internal/text_files.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::mapreduce::detail {

/// Calls visit(i) for [begin, end), in the order of the numbers; `first` is the place of record 0.
template <class Visit>
void each_record(const RecordErrors& errors, const RecordPlace& first, std::int64_t begin,
                 std::int64_t end, Visit visit) {
  constexpr std::int64_t kBetweenYields = 4096;
  std::int64_t i = begin;
  while (i < end && !errors.ends_before(first.order + i)) {
    const std::int64_t stop = std::min(end, i + kBetweenYields);
    try {
      for (; i < stop; ++i) visit(i);
    } catch (...) {
      errors.take({first.order + i, first.file, first.line == 0 ? 0 : first.line + i});
      ++i;
    }
    yield();
  }
}

/// Of what the cores keep, each its own. `line`: that of their first ones, or 0 where they have no
/// order.
inline RecordPlace place_at_core(std::int64_t line) {
  return {std::int64_t{this_core()} << 40, "record of core " + std::to_string(this_core()), line};
}

/// make(i) for i in [0, n), in blocks at the cores.
template <class F>
struct GenerateSource {
  using Value = std::invoke_result_t<F&, std::int64_t>;
  RecordErrors errors;
  std::int64_t n;
  F make;

  void prepare() const {}
  template <class Sink>
  void run(Sink& sink) const {
    F f = make;
    const auto [begin, end] = grappa::internal::slice_of(0, n, this_core(), core_count(), 1);
    each_record(errors, {.line = 1}, begin, end, [&](std::int64_t i) { sink(f(i)); });
  }
  std::int64_t finish() const { return errors.finish(); }
};

/// The elements of an array, at their homes.
template <class T>
struct ArraySource {
  using Value = T;
  RecordErrors errors;
  GlobalArray<T> array;

  void prepare() const {}
  template <class Sink>
  void run(Sink& sink) const {
    const std::span<const T> mine = array.local();
    const std::int64_t first = mine.empty() ? 0 : array.global_index(0);
    each_record(errors, {.order = first, .line = first + 1}, 0, std::ssize(mine),
                [&](std::int64_t i) { sink(mine[static_cast<std::size_t>(i)]); });
  }
  std::int64_t finish() const { return errors.finish(); }
};

/// Values that cores keep: each its own.
template <class T>
struct KeptSource {
  using Value = const T&;
  RecordErrors errors;
  CoreState<Bulk<T>> values;

  void prepare() const {}
  template <class Sink>
  void run(Sink& sink) const {
    const Bulk<T>& mine = values.mine();
    each_record(errors, place_at_core(1), 0, std::ssize(mine),
                [&](std::int64_t i) { sink(mine[static_cast<std::size_t>(i)]); });
  }
  std::int64_t finish() const { return errors.finish(); }
};

/// Keys and their values.
template <class K, class V>
struct TableSource {
  using Value = std::pair<KeyReference<K>, const V&>;
  RecordErrors errors;
  CoreState<KeyTable<K, V>> tables;

  void prepare() const {}
  template <class Sink>
  void run(Sink& sink) const {
    KeyTable<K, V>& mine = tables.mine();
    each_record(errors, place_at_core(0), 0, static_cast<std::int64_t>(mine.capacity()),
                [&](std::int64_t i) {
                  const auto& entry = mine.slot(static_cast<std::size_t>(i));
                  if (entry.is_used()) sink(Value(entry.key(), entry.value()));
                });
  }
  std::int64_t finish() const { return errors.finish(); }
};

/// Pairs of the values of two tables that have the same key, at the cores that have both.
template <class K, class A, class B>
struct JoinSource {
  using Value = std::pair<KeyReference<K>, std::pair<const A&, const B&>>;
  RecordErrors errors;
  CoreState<KeyTable<K, std::vector<A>>> left;
  CoreState<KeyTable<K, std::vector<B>>> right;

  void prepare() const {}
  template <class Sink>
  void run(Sink& sink) const {
    KeyTable<K, std::vector<A>>& mine = left.mine();
    const KeyTable<K, std::vector<B>>& others = right.mine();
    const auto slots = static_cast<std::int64_t>(mine.capacity());
    each_record(errors, place_at_core(0), 0, slots, [&](std::int64_t i) {
      const auto& entry = mine.slot(static_cast<std::size_t>(i));
      if (!entry.is_used()) return;
      const std::vector<B>* matches = others.find(entry.marked());
      if (matches == nullptr) return;
      for (const A& a : entry.value()) {
        for (const B& b : *matches) sink(Value(entry.key(), std::pair<const A&, const B&>(a, b)));
      }
    });
  }
  std::int64_t finish() const { return errors.finish(); }
};

/// Text, in pieces of whole lines; or kLines, each without its line feed.
template <bool kLines>
struct FilesSource {
  using Value = std::string_view;
  RecordErrors errors;
  LocaleState<TextFiles> files;

  void prepare() const {
    on_all_locales([files = files] { files->rewind(); });
  }
  template <class Sink>
  void run(Sink& sink) const {
    TextFiles& mine = *files;
    TextPiece piece;
    while (mine.next(piece)) {
      const char* at = piece.text.data();
      const char* const end = at + piece.text.size();
      if constexpr (!kLines) {
        if (!errors.ends_before(piece.order)) read_piece(mine, piece, sink);
        at = end;
      }
      while (at < end && !errors.ends_before(piece.order + (at - piece.text.data())))
        at = read_lines(mine, piece, at, end, sink);
      yield();
    }
  }
  std::int64_t finish() const {
    on_all_locales([files = files] { files->check_unchanged(); });
    return errors.finish();
  }

 private:
  template <class Sink>
  void read_piece(const TextFiles& mine, const TextPiece& piece, Sink& sink) const {
    try {
      sink(piece.text);
    } catch (...) {
      take_error(mine, piece, piece.text.data());
    }
  }
  /// Up to the end, or behind a line that was refused.
  template <class Sink>
  const char* read_lines(const TextFiles& mine, const TextPiece& piece, const char* at,
                         const char* end, Sink& sink) const {
    const char* line = at;
    const char* next = at;
    try {
      for (; line < end; line = next) {
        const auto* feed =
            static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
        next = feed == nullptr ? end : feed + 1;
        std::string_view text(line, feed == nullptr ? end : feed);
        if (!mine.options().keep_returns && text.ends_with('\r')) text.remove_suffix(1);
        sink(text);
      }
    } catch (...) {
      take_error(mine, piece, line);
    }
    return next;
  }
  void take_error(const TextFiles& mine, const TextPiece& piece, const char* line) const {
    errors.take({.order = piece.order + (line - piece.text.data()),
                 .file = mine.name(piece),
                 .line = mine.line_number(piece, line)});
  }
};

/// The bytes of the records of files.
struct RecordsSource {
  using Value = std::string_view;
  RecordErrors errors;
  LocaleState<RecordFiles> files;

  void prepare() const {}
  template <class Sink>
  void run(Sink& sink) const {
    const auto [begin, end] =
        grappa::internal::slice_of(0, files->size(), this_core(), core_count(), 1);
    files->each_part_of(begin, end, [&](const RecordFiles::Part& part) {
      each_record(errors, {part.order, part.file, 1}, part.begin, part.end,
                  [&](std::int64_t i) { sink(part.record(i)); });
    });
  }
  std::int64_t finish() const {
    on_all_locales([files = files] { files->check_unchanged(); });
    return errors.finish();
  }
};

using LinesSource = FilesSource<true>;
using TextSource = FilesSource<false>;

}  // namespace grappa::mapreduce::detail
