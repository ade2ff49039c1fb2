#pragma once

// Compression of pages of Parquet files.
//
//   decompress(Codec::kSnappy, compressed, page);           // page.size() bytes
//
// For any thread.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "grappa/query/io/parquet/metadata.hpp"

namespace grappa::query::parquet {

/// No codec makes so much of a byte: what says so is not to take memory. Damage then.
void check_ratio(std::size_t compressed, std::size_t plain);

/// Fills `to`; Damage where the bytes are something else, or more or fewer.
void decompress(Codec codec, std::string_view from, std::span<char> to);

/// By none, Snappy, Gzip, Zstd or LZ4; 2 GB at most.
std::string compress(Codec codec, std::string_view from);

}  // namespace grappa::query::parquet
