#pragma once

// Lines that are one edge each, "source target [weight ...]": the loop of most text formats.
//
//   EdgeLineRules rules{.comments = "%", .columns = 3, .more_columns = false};
//   ChunkResult result = parse_edge_lines<true, false>(chunk, rules, OneBased{9}, edges, weights);
//   if (result.stop) reader.fail_at(result.stop, describe_bad_line(result.stop, rules));
//
// The loop only recognizes what is well-formed and stops at the first line that is not;
// describe_bad_line() then looks at that line again, slowly, and says what is wrong with it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/graph/io/edge_list.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/graph/io/internal/names/id_index.hpp"
#include "grappa/io/text/parse_number.hpp"

namespace grappa::graph::io {

struct EdgeLineRules {
  std::string_view comments = "#%";  // lines that begin with one of these are skipped
  char prefix = '\0';                // letter that stands before the columns of an edge, or none
  int columns = 2;                   // so many at least, the prefix not counted
  bool more_columns = true;          // whether further ones are allowed (and ignored)
  bool weighted = false;             // whether the third column is a weight that is wanted
  double least_weight = kLeastWeight;
  bool whole_weights = false;   // whether weights must be whole numbers
  bool lower_triangle = false;  // whether the target must not be above the source
  char separator = ' ';         // ' ': blanks and tabs; ',' ';' '\t': that, once
  std::size_t max_line_bytes = std::size_t{1} << 20;
};

/// An edge whose ids VertexId may not hold before they are renumbered.
struct WideEdge {
  std::uint64_t source;
  std::uint64_t target;
};

enum class StopReason : std::uint8_t {
  kNone,
  kBadLine,
  kWideId  // well-formed, but VertexId does not hold an id
};

struct ChunkResult {
  std::int64_t edges = 0;
  const char* stop = nullptr;  // the line at which it stopped; null: all of the chunk was good
  StopReason reason = StopReason::kNone;
};

// How the number in the text becomes an id. Each turns one name into an id, or refuses it.

/// Whether VertexId holds the number, besides kNoVertex.
inline bool is_narrow(std::uint64_t name) noexcept {
  return name <= static_cast<std::uint64_t>(kNoVertex);
}

struct NarrowName {  // as it is, if it is narrow
  using Id = VertexId;
  static constexpr StopReason kRefusal = StopReason::kWideId;
  bool operator()(std::uint64_t name, Id& id) const noexcept {
    id = static_cast<VertexId>(name);
    return is_narrow(name);
  }
  std::string refuse(std::uint64_t) const { return {}; }
};

struct WideName {  // as it is
  using Id = std::uint64_t;
  static constexpr StopReason kRefusal = StopReason::kBadLine;
  bool operator()(std::uint64_t name, Id& id) const noexcept {
    id = name;
    return true;
  }
  std::string refuse(std::uint64_t) const { return {}; }
};

struct OneBased {  // 1 ... vertices, announced in a header
  using Id = VertexId;
  static constexpr StopReason kRefusal = StopReason::kBadLine;
  std::uint64_t vertices;
  bool operator()(std::uint64_t name, Id& id) const noexcept {
    id = static_cast<VertexId>(name - 1);
    return name - 1 < vertices;
  }
  std::string refuse(std::uint64_t name) const;
};

struct ListedName {  // listed in another file
  using Id = VertexId;
  static constexpr StopReason kRefusal = StopReason::kBadLine;
  const IdIndex* index;
  std::string_view file;
  bool operator()(std::uint64_t name, Id& id) const noexcept {
    id = index->find(name);
    return id != IdIndex::kAbsent;
  }
  std::string refuse(std::uint64_t name) const;
};

/// What is wrong with a line that the loop stopped at, the ids being well-formed.
std::string describe_bad_line(std::string_view line, const EdgeLineRules& rules);

/// The same, where an id may have been refused.
template <class Names>
std::string describe_bad_line(std::string_view line, const EdgeLineRules& rules,
                              const Names& names);

namespace detail {

// The line behind the one that `p` is in, if the latter is blank or a comment; else null.
const char* skip_line_without_edge(const char* line, const char* end, const EdgeLineRules& rules);

// `p` is behind `columns` well-formed columns. The next line if what follows is allowed; else null.
const char* finish_line(const char* line, const char* p, const char* end, int columns,
                        const EdgeLineRules& rules);

// The first two words of the line that are ids, for the message about a refused one.
std::vector<std::uint64_t> ids_of_line(std::string_view line, const EdgeLineRules& rules);

// Behind the blanks that stand around columns.
inline const char* skip_padding(const char* p, char separator) noexcept {
  while (is_blank(*p) && (separator == ' ' || *p != separator)) ++p;
  return p;
}

// Behind a separator and the blanks around it; null if there is none.
template <bool kSeparated>
inline const char* skip_separator(const char* p, char separator) noexcept {
  if constexpr (kSeparated) {
    p = skip_padding(p, separator);
    return *p == separator ? skip_padding(p + 1, separator) : nullptr;
  } else {
    return is_blank(*p) ? skip_blanks(p + 1) : nullptr;
  }
}

}  // namespace detail

/// Parses the lines of `chunk`, which ends behind a line feed or at the end of the text, into
/// `edges` and, if kWeighted, `weights`, which have room for one a line.
template <bool kWeighted, bool kSeparated, class Names, class EdgeT>
ChunkResult parse_edge_lines(std::string_view chunk, const EdgeLineRules& rules, const Names& names,
                             EdgeT* edges, double* weights) {
  constexpr int kParsed = kWeighted ? 3 : 2;
  const bool complete = rules.columns <= kParsed;
  const bool lower_triangle = rules.lower_triangle;
  const char* const end = chunk.data() + chunk.size();
  EdgeT* out = edges;

  const auto stopped = [&](const char* line, StopReason reason) {
    return ChunkResult{out - edges, line, reason};
  };

  const char* p = chunk.data();
  while (p != end) {
    const char* const line = p;
    p = kSeparated ? detail::skip_padding(p, rules.separator) : skip_blanks(p);
    const bool begins_edge =
        rules.prefix == '\0' ? is_digit(*p) : *p == rules.prefix && is_blank(p[1]);
    if (!begins_edge) [[unlikely]] {
      p = detail::skip_line_without_edge(line, end, rules);
      if (p == nullptr) return stopped(line, StopReason::kBadLine);
      continue;
    }
    if (rules.prefix != '\0') p = skip_blanks(p + 1);

    std::uint64_t source;
    std::uint64_t target;
    if (!parse_id(p, source)) return stopped(line, StopReason::kBadLine);
    p = detail::skip_separator<kSeparated>(p, rules.separator);
    if (p == nullptr || !parse_id(p, target)) return stopped(line, StopReason::kBadLine);
    if constexpr (kWeighted) {
      p = detail::skip_separator<kSeparated>(p, rules.separator);
      if (p == nullptr || !parse_weight(p, end, *weights, rules.least_weight)) {
        return stopped(line, StopReason::kBadLine);
      }
      if (rules.whole_weights && !is_whole(*weights)) return stopped(line, StopReason::kBadLine);
    }
    if (*p == '\n' && complete) [[likely]] {
      ++p;
    } else {
      p = detail::finish_line(line, p, end, kParsed, rules);
      if (p == nullptr) return stopped(line, StopReason::kBadLine);
    }
    if (!names(source, out->source) || !names(target, out->target)) [[unlikely]] {
      return stopped(line, Names::kRefusal);
    }
    if (lower_triangle && target > source) return stopped(line, StopReason::kBadLine);
    ++out;
    if constexpr (kWeighted) ++weights;
  }
  return stopped(nullptr, StopReason::kNone);
}

template <class Names>
std::string describe_bad_line(std::string_view line, const EdgeLineRules& rules,
                              const Names& names) {
  std::string message = describe_bad_line(line, rules);
  if (!message.empty()) return message;
  for (const std::uint64_t name : detail::ids_of_line(line, rules)) {
    typename Names::Id id;
    if (!names(name, id)) return names.refuse(name);
  }
  return "not an edge";
}

}  // namespace grappa::graph::io
