#include "grappa/graph/io/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grappa/base/error.hpp"
#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/compression/compression.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph {
namespace {

constexpr FormatInfo kFormats[] = {
    {Format::kText, "txt", "edge list: source target [weight]; # and % begin comments"},
    {Format::kBareText, "el", "edge list: source target"},
    {Format::kWeightedText, "wel", "edge list: source target weight"},
    {Format::kTabs, "tsv", "edge list with tabs between the columns"},
    {Format::kCsv, "csv", "edge list with commas, header optional"},
    {Format::kMatrixMarket, "mtx", "Matrix Market, coordinate"},
    {Format::kMetis, "graph", "METIS"},
    {Format::kDimacs, "gr", "DIMACS"},
    {Format::kLdbc, "e", "LDBC Graphalytics, a pair of .v and .e"},
    {Format::kLdbc, "v", "LDBC Graphalytics, a pair of .v and .e"},
    {Format::kGap, "sg", "GAP Benchmark Suite, serialized"},
    {Format::kGapWeighted, "wsg", "GAP Benchmark Suite, serialized with weights"},
    {Format::kGrappa, "grappa", "our own, loaded without building: the rows as they lie in memory"},
};

std::string known_names() {
  std::string names;
  for (const FormatInfo& info : kFormats) {
    if (!names.empty()) names += ", ";
    names += info.name;
  }
  return names;
}

const FormatInfo* find_format(std::string_view name) {
  const std::string wanted = lower(name);
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const FormatInfo& info) { return info.name == wanted; });
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace

std::span<const FormatInfo> format_names() { return kFormats; }

Format parse_format(std::string_view name) {
  const std::string_view bare = name.starts_with('.') ? name.substr(1) : name;
  if (const FormatInfo* info = find_format(bare)) return info->format;
  throw UsageError(fmt::format("unknown format '{}'; known: {}", name, known_names()));
}

Format format_of_path(std::string_view path, std::string_view option) {
  const std::string_view plain = without_compression(path);
  const std::size_t slash = plain.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? plain : plain.substr(slash + 1);
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) {
    throw UsageError(
        fmt::format("{}: no extension tells the format; give {}: {}", path, option, known_names()));
  }
  if (const FormatInfo* info = find_format(file.substr(dot + 1))) return info->format;
  throw UsageError(fmt::format("{}: extension '{}' is not a graph format; give {}: {}", path,
                               file.substr(dot), option, known_names()));
}

std::string_view format_name(Format format) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const FormatInfo& info) { return info.format == format; });
  return found == std::end(kFormats) ? std::string_view("auto") : found->name;
}

bool is_binary(Format format) {
  return format == Format::kGap || format == Format::kGapWeighted || format == Format::kGrappa;
}

}  // namespace grappa::graph
