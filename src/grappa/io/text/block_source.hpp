#pragma once

// Text in blocks that are divided among several readers: what a LineReader that does not read a
// file reads.
//
//   LineReader reader(std::move(source), {});
//   …                                    // a header, line by line
//   reader.restrict_to_part(0, 4);       // from here on each block goes to one reader only
//
// All readers of the text see its beginning, as far as they want; after that, each gets blocks that
// no other gets. One thread at a time for each source.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace grappa::io {

struct TextBlock {
  std::unique_ptr<char[]> text;  // [bytes + kPadding], whole lines; the padding is 0
  std::size_t bytes = 0;         // 0: the text has ended
  std::int64_t lines_before = 0;
  std::int64_t rows_before = 0;  // of those, lines that do not begin with %
};

class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual const std::string& name() const = 0;
  /// The next block that all readers see.
  virtual TextBlock next_common() = 0;
  /// The next block for this reader alone. Errors: those of the reader that makes the blocks.
  virtual TextBlock next_own() = 0;
  /// How much of the text has been read, 0 … 1, where that is known; else 0.
  virtual double fraction() const = 0;
};

}  // namespace grappa::io
