#pragma once

// The columns of lines that are no CSV (line_fields.hpp): the keys of what they have.
//
//   const auto format = detect_lines(sample, true, {.lines = LineKind::kJson}, "a.jsonl");
//   LineColumns columns(format->keys);
//   use(columns.find(key));

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "grappa/query/io/text_format.hpp"

namespace grappa::query {

/// As detect_csv(): by the beginning of a file, the keys in their order.
std::optional<TextFormat> detect_lines(std::string_view sample, bool is_all,
                                       const TextOptions& options, const std::string& file);

/// Which column a key is. For one core.
class LineColumns {
 public:
  explicit LineColumns(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) add(key);
  }
  std::size_t size() const { return keys_.size(); }

  /// Keys that come one after the other are found soonest.
  std::optional<std::size_t> find(std::string_view key) {
    next_ = next_ < keys_.size() ? next_ : 0;
    if (next_ < keys_.size() && *keys_[next_] == key) return next_++;
    const auto found = columns_.find(key);
    if (found == columns_.end()) return std::nullopt;
    next_ = found->second + 1;
    return found->second;
  }
  void add(std::string_view key) {
    const auto [place, is_new] = columns_.emplace(key, keys_.size());
    if (is_new) keys_.push_back(&place->first);
  }

 private:
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<const std::string*> keys_;
  std::size_t next_ = 0;
};

/// A column that the beginning of a file has not shown.
struct NewColumn {
  std::string key;
  CandidateTypes candidates;
  static constexpr auto kMembers = std::tuple(&NewColumn::key, &NewColumn::candidates);
};

/// Such columns, by their keys. For one core.
class NewColumns {
 public:
  /// Of the column of that key, which is new if there is none.
  CandidateTypes& candidates(std::string_view key) {
    std::optional<std::size_t> column = columns_.find(key);
    if (!column) {
      column = list_.size();
      columns_.add(key);
      list_.push_back({std::string(key), {}});
    }
    return list_[*column].candidates;
  }
  void merge(const std::vector<NewColumn>& more) {
    for (const NewColumn& of : more) candidates(of.key).narrow(of.candidates);
  }
  const std::vector<NewColumn>& list() const { return list_; }

 private:
  LineColumns columns_{{}};
  std::vector<NewColumn> list_;
};

/// Keys of more are data, and no columns.
inline constexpr std::size_t kMostKeys = 10'000;
inline constexpr const char* kTooManyKeys =
    "has more than 10,000 different keys: keys that are data are no columns";

/// Leaves those types that the field, whose text this is, is of.
void narrow(CandidateTypes& candidates, const TextField& field, std::string_view text);

}  // namespace grappa::query
