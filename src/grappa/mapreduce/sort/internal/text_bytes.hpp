#pragma once

// How a text that is being sorted travels to another locale.
//
//   const Owned shared = share_texts(*files);               // by one task
//   const auto shuffle = Shuffle<TextRecord, TextBytes>::create({*shared});
//
// Every locale has a plain file in its memory: so the receiver finds a text at its place in the
// file, and only the place travels. That is done on one machine, where a file is read once for all.
// To another machine go the bytes: a locale there would have to read all of the file.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/base/this_machine.hpp"
#include "grappa/mapreduce/sort/internal/text_record.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::mapreduce::detail {

/// The files that a locale has in its memory, and which locales have the same ones from the same
/// machine.
class SharedTexts {
 public:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  /// files: in the order of all locales; empty ones are not shared. sources: of each core, where
  /// its files are from; empty where that is not known.
  void open(std::vector<std::string_view> files, const std::vector<std::string>& sources);

  /// Of a byte: a number that says to `locale` where it is; kNowhere where it cannot find it.
  std::uint64_t place_of(const char* byte, int locale) const;
  const char* at(std::uint64_t place) const;

 private:
  std::vector<std::string_view> files_;
  std::vector<std::pair<const char*, std::uint64_t>> begins_;  // by address, and which file it is
  std::vector<bool> is_near_;                                  // [locales]
};

struct TextBytes {
  LocaleState<SharedTexts> shared;

  void put(ByteWriter& out, const TextRecord& record, int locale) const {
    const std::uint64_t place = shared->place_of(record.data, locale);
    out.put(record.key);
    out.put(std::uint64_t{record.rest} << kSizeBits | record.size);
    out.put(place);
    if (place == SharedTexts::kNowhere) out.put_span(std::span(record.data, record.size));
  }
  TextRecord get(ByteReader& in) const {
    const auto key = in.get<std::uint64_t>();
    const auto rest_and_size = in.get<std::uint64_t>();
    const auto place = in.get<std::uint64_t>();
    const std::uint64_t size = rest_and_size & ((std::uint64_t{1} << kSizeBits) - 1);
    const std::uint64_t rest = rest_and_size >> kSizeBits;
    if (place != SharedTexts::kNowhere) return {key, shared->at(place), size, rest};
    const auto* data = reinterpret_cast<const char*>(in.rest().data());
    in = ByteReader(in.rest().subspan(size));
    return {key, data, size, rest};
  }
};

/// Of files that live longer: TextFiles or RecordFiles. Called by one task; switches tasks.
template <class Files>
Owned<LocaleState<SharedTexts>> share_texts(LocaleState<Files> files) {
  Owned<LocaleState<SharedTexts>> texts = LocaleState<SharedTexts>::create();
  const std::vector<std::string> sources = gather_cores([files] {
    const std::string machine = grappa::internal::this_machine();
    return machine.empty() ? machine : machine + ' ' + files->numbers();
  });
  on_all_locales(
      [files, texts = *texts](const std::vector<std::string>& of_cores) {
        texts->open(files->shared(), of_cores);
      },
      sources);
  return texts;
}

}  // namespace grappa::mapreduce::detail
