#pragma once

// Compression of pages of Parquet files.
//
//   decompress(Codec::kSnappy, compressed, page);           // page.size() bytes
//
// For any thread.

#include <cstddef>
#include <span>
#include <string_view>

#include "grappa/query/io/parquet/metadata.hpp"

namespace grappa::query::parquet {

/// No codec makes so much of a byte: what says so is not to take memory. Damage then.
void check_ratio(std::size_t compressed, std::size_t plain);

/// Fills `to`; Damage where the bytes are something else, or more or fewer.
void decompress(Codec codec, std::string_view from, std::span<char> to);

}  // namespace grappa::query::parquet
