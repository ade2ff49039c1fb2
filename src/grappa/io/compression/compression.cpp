#include "grappa/io/compression/compression.hpp"

#include <algorithm>
#include <cctype>

namespace grappa::io {
namespace {

// `end` is in lower case.
bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         std::ranges::equal(text.substr(text.size() - end.size()), end, [](char c, char lower) {
           return std::tolower(static_cast<unsigned char>(c)) == lower;
         });
}

}  // namespace

Compression compression_of_path(std::string_view path) {
  if (ends_with_ignoring_case(path, ".gz")) return Compression::kGzip;
  if (ends_with_ignoring_case(path, ".zst")) return Compression::kZstd;
  return Compression::kNone;
}

std::string_view without_compression(std::string_view path) {
  switch (compression_of_path(path)) {
    case Compression::kGzip:
      return path.substr(0, path.size() - 3);
    case Compression::kZstd:
      return path.substr(0, path.size() - 4);
    case Compression::kNone:
      break;
  }
  return path;
}

}  // namespace grappa::io
