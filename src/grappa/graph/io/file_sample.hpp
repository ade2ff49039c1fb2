#pragma once

// The beginning of a file and its size, without reading the rest.
//
//   FileSample sample = sample_file("web.txt.gz", 256 << 10);
//   double lines = sample.content_bytes / bytes_per_line(sample.start);

#include <cstddef>
#include <cstdint>
#include <string>

#include "grappa/graph/io/format.hpp"
#include "grappa/graph/io/input.hpp"

namespace grappa::graph::io {

struct FileSample {
  std::string start;                // the first bytes, decompressed
  std::uint64_t content_bytes = 0;  // of the whole, decompressed; an estimate for some files
  Compression compression = Compression::kNone;
  bool known_size = false;  // false for pipes: content_bytes then is that of `start`
};

/// Errors: InputError for what cannot be opened, or is empty and may not be. Standard input must
/// not be sampled.
FileSample sample_file(const std::string& path, std::size_t bytes, Empty empty = Empty::kRefused);

}  // namespace grappa::graph::io
