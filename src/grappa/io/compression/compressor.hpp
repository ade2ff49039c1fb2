#pragma once

// Compression of a stream of bytes.
//
//   auto compressor = make_compressor(Compression::kZstd, write_to_file);
//   compressor->write(bytes);
//   compressor->finish();

#include <functional>
#include <memory>
#include <string_view>

#include "grappa/io/compression/compression.hpp"

namespace grappa::io {

class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Writes what is left. Nothing may be written afterwards.
  virtual void finish() = 0;
};

/// Passes what it makes to `sink`. Null for kNone.
std::unique_ptr<Compressor> make_compressor(Compression compression,
                                            std::function<void(std::string_view)> sink);

}  // namespace grappa::io
