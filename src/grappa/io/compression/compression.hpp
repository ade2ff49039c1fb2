#pragma once

// How a file is compressed, as its name says. Letter case does not matter.
//
//   compression_of_path("web.txt.gz");      // Compression::kGzip
//   without_compression("web.txt.gz");      // "web.txt"

#include <cstdint>
#include <string_view>

namespace grappa::io {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

Compression compression_of_path(std::string_view path);
/// The path without its .gz or .zst.
std::string_view without_compression(std::string_view path);

}  // namespace grappa::io
