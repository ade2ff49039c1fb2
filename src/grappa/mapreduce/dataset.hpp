#pragma once

// Dataset<T>: values on all cores, each core with its part of them, and what is done with all of
// them at once (MapReduce: atc15, section 4.3).
//
//   const auto counts =
//       read_lines({"web.txt"})
//           .flat_map<std::pair<std::string_view, std::int64_t>>(
//               [](std::string_view line, auto emit) { emit(std::pair(line, std::int64_t{1})); })
//           .reduce_by_key(std::plus<>());
//   const auto by_count = [](const auto& a, const auto& b) { return a.second > b.second; };
//   for (const auto& [line, count] : counts.top(10, by_count)) use(line, count);
//
// Sources make datasets; steps make others of them; terminals give results. Steps only say what is
// to be done: a terminal, or a step that moves values between cores, runs all steps that lead to it
// in one pass (a stage), in which each core takes its values one after the other through all of
// them. So a dataset that is used twice is computed twice, unless it is kept: by cache(), or by a
// step that moves values (reduce_by_key, …), which does its work when it is called and keeps the
// result.
//
// Functions are closures as those of delegates: trivially copyable, the same on every locale. They
// are called on any core, for different values at the same time on different cores; each core has a
// copy. Which core has which values, and in which order, depends on the machine; the values do not.
// A combiner is associative and commutative; floating-point sums come out as exact as additions in
// any order are.
//
// Lines, and keys that are text, are std::string_view while steps see them and std::string where
// they are kept (Kept<T>).
//
// Errors: what a function throws comes out of the terminal, or step that moves values, as
// InputError with the file and the line (or, where there is no file, the number) of the record; of
// several, it is that of the first one. skip_bad_records: so many are left out instead; what a
// function has emitted before it threw, stays.
//
// Thread and task safety: a dataset is used by the task that made it, or one after it, within the
// run; everything but map, filter and flat_map switches tasks.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/mapreduce/bad_record.hpp"
#include "grappa/mapreduce/internal/combiner.hpp"
#include "grappa/mapreduce/internal/core_state.hpp"
#include "grappa/mapreduce/internal/reduce_keys.hpp"
#include "grappa/mapreduce/internal/resources.hpp"
#include "grappa/mapreduce/internal/shuffle.hpp"
#include "grappa/mapreduce/internal/sort_values.hpp"
#include "grappa/mapreduce/internal/sources.hpp"
#include "grappa/mapreduce/internal/stage.hpp"
#include "grappa/mapreduce/internal/steps.hpp"
#include "grappa/mapreduce/internal/terminals.hpp"
#include "grappa/mapreduce/kept.hpp"

namespace grappa::mapreduce {

struct DatasetOptions {
  std::int64_t skip_bad_records = 0;  // at most
  /// Of text: called between two pieces by the first core of the locale that opened it, with how
  /// much of its own part that core has read, 0 ... 1; negative where that is not known.
  std::function<void(double fraction)> progress = {};
};

template <class T, class Pipeline>
class Dataset {
 public:
  using Value = T;

  // ---- steps that are part of a stage

  /// f(value) of each value.
  template <class F>
  auto map(F f) const {
    return extended(detail::MapStep<Pipeline, F>{{pipeline_}, f});
  }
  /// Those values for which keeps(value) is true.
  template <class F>
  auto filter(F keeps) const {
    return extended(detail::FilterStep<Pipeline, F>{{pipeline_}, keeps});
  }
  /// The elements of the ranges f(value).
  template <class F>
  auto flat_map(F f) const {
    return extended(detail::RangeStep<Pipeline, F>{{pipeline_}, f});
  }
  /// The values of type U with which f(value, emit) calls emit.
  template <class U, class F>
  auto flat_map(F f) const {
    return extended(detail::EmitStep<Pipeline, U, F>{{pipeline_}, f});
  }

  /// About so many of all values, `fraction` from 0 to 1, chosen by their hashes (KeyHash) and the
  /// seed: always the same, and of equal values all or none.
  auto sample(double fraction, std::uint64_t seed = 0) const {
    return filter([fraction, seed](const T& value) {
      const std::uint64_t hash = hash_number(KeyHash<T>{}(value) ^ hash_number(seed));
      return static_cast<double>(hash >> 11) * 0x1p-53 < fraction;
    });
  }

  // ---- steps that end a stage

  /// Of pairs: for each first one the second ones, combined: combine(a, b) is a value, or changes
  /// a. partition(key), modulo the number of cores, is the core that has the key.
  template <class Combine, class Partition = ByHash>
  auto reduce_by_key(Combine combine, Partition partition = {}) const {
    using K = Kept<typename T::first_type>;
    using V = Kept<typename T::second_type>;
    using Tables = detail::CoreState<detail::KeyTable<K, V>>;
    detail::Resources resources = resources_.successor();
    const Tables tables = resources.own(Tables::create());
    note(detail::reduce_keys(pipeline_, tables, detail::Combiner<Combine>{combine}, partition));
    return dataset_of(detail::TableSource<K, V>{resources.errors(), tables}, resources);
  }

  /// Of pairs: for each first one all second ones, in any order.
  auto group_by_key() const {
    using V = Kept<typename T::second_type>;
    return map([](auto&& pair) {
             using Key = std::remove_cvref_t<decltype(pair.first)>;
             return std::pair<Key, std::vector<V>>(pair.first, {V(pair.second)});
           })
        .reduce_by_key([](std::vector<V>& all, std::vector<V>&& more) {
          if (all.size() + more.size() > all.capacity()) {
            grappa::internal::require_memory(2 * (all.size() + more.size()) * sizeof(V),
                                             detail::OfDataset::kName);
          }
          std::ranges::move(more, std::back_inserter(all));
        });
  }
  /// Of pairs (k, a), and pairs (k, b) of another dataset: all (k, (a, b)).
  template <class U, class P>
  auto join(const Dataset<U, P>& other) const {
    const auto left = group_by_key();
    const auto right = other.group_by_key();
    detail::Resources resources = left.resources_;
    resources.add(right.resources_);
    using Source = detail::JoinSource<Kept<typename T::first_type>, Kept<typename T::second_type>,
                                      Kept<typename U::second_type>>;
    return dataset_of(Source{resources.errors(), left.pipeline_.tables, right.pipeline_.tables},
                      resources);
  }
  /// Each value once.
  auto distinct() const {
    return map([](auto&& value) { return std::pair<T, std::uint8_t>(value, 0); })
        .reduce_by_key([](std::uint8_t&, std::uint8_t) {})
        .map([](const auto& pair) { return pair.first; });
  }

  /// The values in memory, to be used again.
  auto cache() const {
    using Parts = detail::CoreState<detail::Bulk<Kept<T>>>;
    detail::Resources resources = resources_.successor();
    const Parts values = resources.own(Parts::create());
    note(detail::keep_values<Kept<T>>(pipeline_, values));
    return dataset_of(detail::KeptSource<Kept<T>>{resources.errors(), values}, resources);
  }

  /// The values in the order of before(a, b), which is a strict weak order: over the cores in their
  /// order, and on each core.
  template <class Before = std::less<>>
  auto sort(Before before = {}) const {
    using Parts = detail::CoreState<detail::Bulk<Kept<T>>>;
    using Shuffle = detail::Shuffle<Kept<T>>;
    detail::Resources resources = resources_.successor();
    const Parts values = resources.own(Parts::create());
    if constexpr (std::is_same_v<Pipeline, detail::KeptSource<Kept<T>>>) {
      detail::sort_values(pipeline_.values, values, *Owned(Shuffle::create()), before);
    } else {
      note(detail::keep_values<Kept<T>>(pipeline_, values));
      detail::sort_values(values, values, *Owned(Shuffle::create()), before);
    }
    return dataset_of(detail::KeptSource<Kept<T>>{resources.errors(), values}, resources);
  }

  // ---- terminals

  /// A result for each core, made by make() and changed by take(result, value) for each value; then
  /// merged by merge(result, result of the next core) in the order of the cores.
  template <class Make, class Take, class Merge>
  auto fold(Make make, Take take, Merge merge) const {
    using U = std::invoke_result_t<Make&>;
    std::int64_t skipped = 0;
    std::vector<U> results = detail::results_of_cores<U>(pipeline_, make, take, skipped);
    note(skipped);
    for (std::size_t core = 1; core < results.size(); ++core)
      merge(results.front(), std::move(results[core]));
    return std::move(results.front());
  }
  /// The identity combined with all values.
  template <class U, class Combine>
  U reduce(U identity, Combine combine) const {
    const auto combiner = detail::Combiner<Combine>{combine};
    return fold([identity] { return identity; }, combiner, combiner);
  }
  std::int64_t count() const {
    return map([](const auto&) { return std::int64_t{1}; }).reduce(std::int64_t{0}, std::plus<>());
  }
  /// f(value) for each.
  template <class F>
  void for_each(F f) const {
    note(detail::run_stage(pipeline_, [f] { return f; }, [](F&) {}));
  }
  /// All of them at the calling task, in the order of the cores.
  std::vector<Kept<T>> collect() const {
    return fold([] { return Values(); }, Append(), Concatenate());
  }
  /// Of pairs: a map of them at the calling task.
  auto to_map() const {
    std::map<Kept<typename T::first_type>, Kept<typename T::second_type>> all;
    for (auto& [key, value] : collect()) all.emplace(std::move(key), std::move(value));
    return all;
  }
  /// Of pairs (index, value): for each index below n the values combined with `first`, at the
  /// calling task. For few indices: every core has an array of n.
  template <class V, class Combine>
  std::vector<V> reduce_to_index(std::int64_t n, V first, Combine combine) const {
    const auto take = [n, combine = detail::Combiner<Combine>{combine}](std::vector<V>& all,
                                                                        auto&& pair) mutable {
      if (pair.first < 0 || pair.first >= n) {
        throw BadRecord("index " + std::to_string(pair.first) + " is not below " +
                        std::to_string(n));
      }
      combine(all[static_cast<std::size_t>(pair.first)], pair.second);
    };
    const auto merge = [combine = detail::Combiner<Combine>{combine}](
                           std::vector<V>& all, std::vector<V>&& more) mutable {
      for (std::size_t i = 0; i < all.size(); ++i) combine(all[i], std::move(more[i]));
    };
    return fold([n, first] { return std::vector<V>(static_cast<std::size_t>(n), first); }, take,
                merge);
  }
  /// The k values that come first by before(a, b), in that order. Of values of which neither comes
  /// before the other, any.
  template <class Before>
  std::vector<Kept<T>> top(std::int64_t k, Before before) const {
    const auto most = static_cast<std::size_t>(k);
    const auto take = [most, before](Values& values, auto&& value) mutable {
      Append()(values, std::forward<decltype(value)>(value));
      if (values.size() >= 2 * most + 64) detail::keep_first(values, most, before);
    };
    const auto merge = [most, before](Values& all, Values&& more) mutable {
      Concatenate()(all, std::move(more));
      detail::keep_first(all, most, before);
    };
    Values all = fold([] { return Values(); }, take, merge);
    detail::keep_first(all, most, before);
    std::ranges::sort(all, before);
    return all;
  }

  /// A line of each value, in the order of the cores: format(text, value) appends what comes before
  /// its line feed.
  template <class Format>
  void write_lines(io::OutputFile& out, Format format) const {
    struct Sink {
      std::string text;
      Format format;
      void operator()(const T& value) {
        format(text, value);
        text += '\n';
      }
    };
    const Owned texts = detail::CoreState<std::string>::create();
    note(detail::run_stage(
        pipeline_, [format] { return Sink{{}, format}; },
        [texts = *texts](Sink& sink) { texts.mine() = std::move(sink.text); }));
    detail::write_texts(*texts, out);
  }

  /// Records that were skipped until now, by this dataset and those that it was made of.
  std::int64_t skipped() const { return resources_.skipped(); }

  // ---- for sources

  Dataset(Pipeline pipeline, detail::Resources resources)
      : pipeline_(pipeline), resources_(std::move(resources)) {
    static_assert(std::is_trivially_copyable_v<Pipeline>,
                  "grappa: the functions of a dataset are closures that are trivially copyable");
  }

 private:
  template <class U, class P>
  friend class Dataset;

  using Values = std::vector<Kept<T>>;
  struct Append {
    template <class Value>
    void operator()(Values& values, Value&& value) const {
      values.push_back(detail::kept<Kept<T>>(std::forward<Value>(value)));
    }
  };

  struct Concatenate {
    void operator()(Values& all, Values&& more) const {
      std::ranges::move(more, std::back_inserter(all));
    }
  };

  template <class P>
  static auto dataset_of(P pipeline, detail::Resources resources) {
    return Dataset<std::remove_cvref_t<typename P::Value>, P>(pipeline, std::move(resources));
  }
  template <class P>
  auto extended(P pipeline) const {
    return dataset_of(pipeline, resources_);
  }
  void note(std::int64_t skipped) const { resources_.add_skipped(skipped); }

  Pipeline pipeline_;
  detail::Resources resources_;
};

// ---- sources

/// f(i) for i in [0, n), in blocks over the cores.
template <class F>
auto generate(std::int64_t n, F f, const DatasetOptions& options = {}) {
  detail::Resources resources(options.skip_bad_records);
  using Source = detail::GenerateSource<F>;
  return Dataset<std::remove_cvref_t<typename Source::Value>, Source>({resources.errors(), n, f},
                                                                      resources);
}

/// The elements of an array, which stays as long as it is used.
template <class T>
auto from(const GlobalArray<T>& array, const DatasetOptions& options = {}) {
  detail::Resources resources(options.skip_bad_records);
  return Dataset<T, detail::ArraySource<T>>({resources.errors(), array}, resources);
}

/// What cores keep, each its own; it stays as long as it is used.
template <class T>
auto from_cores(const detail::CoreState<detail::Bulk<T>>& values,
                const DatasetOptions& options = {}) {
  detail::Resources resources(options.skip_bad_records);
  return Dataset<T, detail::KeptSource<T>>({resources.errors(), values}, resources);
}

/// The text of files, as that of read_lines, in pieces of about a mebibyte, of whole lines with
/// their ends.
Dataset<std::string_view, detail::TextSource> read_text(const std::vector<std::string>& paths,
                                                        DatasetOptions options = {});

/// The lines of text files, plain or compressed (.gz, .zst), "-" for standard input; without their
/// ends, and a byte order mark. Each core reads its part of the plain files, which all locales have
/// under the same paths: so lines are in the order of the files over the cores. A compressed file
/// is read by one locale. InputError for what cannot be read.
Dataset<std::string_view, detail::LinesSource> read_lines(const std::vector<std::string>& paths,
                                                          DatasetOptions options = {});

/// The records of binary files, one T behind the other as they are in memory: arrays that a program
/// has written. In the order of the files over the cores; every locale has the files under the same
/// paths. InputError for what cannot be read, and where a file is no whole number of records.
template <class T>
auto read_binary(const std::vector<std::string>& paths, const DatasetOptions& options = {}) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>,
                "grappa: records of files are copied byte by byte");
  detail::Resources resources(options.skip_bad_records);
  const auto files = resources.own(detail::open_record_files(paths, sizeof(T)));
  const auto to_record = [](std::string_view bytes) {
    T record;
    std::memcpy(&record, bytes.data(), sizeof(T));
    return record;
  };
  return Dataset<std::string_view, detail::RecordsSource>({resources.errors(), files}, resources)
      .map(to_record);
}

}  // namespace grappa::mapreduce
