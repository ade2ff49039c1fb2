#pragma once

// The file formats of graphs, told from a name or named by a person.
//
//   Format told = format_of_path("web.mtx.gz");     // kMatrixMarket
//   Format named = parse_format("tsv");             // what --format takes
//
// Extensions may have .gz or .zst behind them; letter case does not matter.
// Errors: UsageError that lists what is known. Thread safety: all functions may be called anywhere.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace grappa::graph {

enum class Format : std::uint8_t {
  kAuto,      // told from the name
  kText,      // .txt: "source target [weight ...]", blanks or tabs between, # % comments
  kBareText,  // .el: two columns only; written without comments, which other tools do not expect
  kWeightedText,  // .wel: the same, the third column is there and is a weight
  kTabs,          // .tsv: one tab between columns; as kText where there are none
  kCsv,           // .csv
  kMatrixMarket,  // .mtx
  kMetis,         // .graph
  kDimacs,        // .gr
  kLdbc,          // .v and .e (LDBC Graphalytics), either names the pair
  kGap,           // .sg: serialized graph of the GAP Benchmark Suite
  kGapWeighted,   // .wsg: the same with 32-bit integer weights
  kGrappa         // .grappa: our own, the rows as they lie in memory
};

struct FormatInfo {
  Format format;
  std::string_view name;  // for --format, and the extension without its dot
  std::string_view description;
};

/// Every name that parse_format knows, one entry a name.
std::span<const FormatInfo> format_names();

Format parse_format(std::string_view name);
/// Never kAuto. `option`: what names a format where the path does not, for the error.
Format format_of_path(std::string_view path, std::string_view option = "--format");
std::string_view format_name(Format format);
/// Whether it is not text.
bool is_binary(Format format);

}  // namespace grappa::graph
