#include "grappa/mapreduce/sort/internal/text_bytes.hpp"

#include <algorithm>

namespace grappa::mapreduce::detail {
namespace {

constexpr int kBitsOfByte = 44;

}  // namespace

void SharedTexts::open(std::vector<std::string_view> files,
                       const std::vector<std::string>& sources) {
  files_ = std::move(files);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!files_[i].empty()) begins_.emplace_back(files_[i].data(), i);
  }
  std::ranges::sort(begins_, std::less<>());
  const auto source_of = [&](int locale) -> const std::string& {
    return sources[static_cast<std::size_t>(first_core_of(locale))];
  };
  const std::string& mine = source_of(this_locale());
  for (int locale = 0; locale < locale_count(); ++locale)
    is_near_.push_back(!mine.empty() && source_of(locale) == mine);
}

std::uint64_t SharedTexts::place_of(const char* byte, int locale) const {
  if (!is_near_[static_cast<std::size_t>(locale)]) return kNowhere;
  const auto next = std::ranges::upper_bound(begins_, byte, std::less<>(),
                                             &std::pair<const char*, std::uint64_t>::first);
  if (next == begins_.begin()) return kNowhere;
  const auto& [begin, file] = *std::prev(next);
  const auto at = static_cast<std::uint64_t>(byte - begin);
  const bool fits = at >> kBitsOfByte == 0 && file >> (64 - kBitsOfByte) == 0;
  return fits && at < files_[file].size() ? file << kBitsOfByte | at : kNowhere;
}

const char* SharedTexts::at(std::uint64_t place) const {
  return files_[place >> kBitsOfByte].data() + (place & ((std::uint64_t{1} << kBitsOfByte) - 1));
}

}  // namespace grappa::mapreduce::detail
