#pragma once

// How a CSV file is written: what its user says, and the rest by a look at its beginning.
//
//   const auto format = detect_csv(sample, true, {.delimiter = ';'}, "prices.csv");
//   use(format->names, format->has_header);
//
// Of the delimiters , | ; and tab, that is taken by which most rows have the same number of fields,
// and of several such the one that gives most. The first row is a header where all columns are
// texts, or where it does not have the types of the rows below.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/io/text_format.hpp"

namespace grappa::query {

/// By the beginning of a file, or all of it; io::kPadding bytes behind that may be read. Nothing
/// where it has no whole row. InputError where there is none in all, or options say what is not so.
std::optional<TextFormat> detect_csv(std::string_view sample, bool is_all,
                                     const TextOptions& options, const std::string& file);

/// The first row of a file, where it is its header.
std::vector<std::string> header_of(std::string_view text, const TextOptions& options,
                                   const TextFormat& format);

}  // namespace grappa::query
