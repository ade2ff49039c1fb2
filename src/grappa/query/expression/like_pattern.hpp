#pragma once

// LIKE: % stands for any characters, _ for one.
//
//   LikePattern pattern("%ab_c%", '\\');
//   pattern.matches("xxabxcyy");
//
// Of any case: as both are in small letters (base/letter_case.hpp).

#include <string>
#include <string_view>
#include <vector>

namespace grappa::query {

class LikePattern {
 public:
  /// `escape` is 0 where there is none. UsageError for an escape that nothing follows.
  LikePattern(std::string_view pattern, char escape, bool any_case = false);
  bool matches(std::string_view text) const;

 private:
  /// What has to be there between two %: bytes, of which some may stand for any character.
  struct Piece {
    std::string bytes;
    std::vector<bool> any;  // [bytes], empty where none is
  };
  /// The end of a match that begins at `at`, or npos.
  std::size_t end_of(const Piece& piece, std::string_view text, std::size_t at) const;
  /// The first match from `at` on: its end, or npos.
  std::size_t find(const Piece& piece, std::string_view text, std::size_t at) const;
  bool ends_with(const Piece& piece, std::string_view text, std::size_t from) const;
  bool matches_as_it_is(std::string_view text) const;

  std::vector<Piece> pieces_;  // one more than there are %
  bool any_case_;
};

}  // namespace grappa::query
