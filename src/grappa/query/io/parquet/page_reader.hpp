#pragma once

// The pages of a column in a row group, decompressed.
//
//   PageReader pages(file, chunk, true);
//   Page page;
//   while (pages.next(page)) use(page.header.values, page.levels, page.values);
//
// What the pages refer to is valid until the next call, of a dictionary as long as the reader;
// kBitPadding bytes behind may be read. Damage where they are none. One thread.

#include <cstddef>
#include <memory>
#include <string_view>

#include "grappa/query/io/parquet/metadata.hpp"

namespace grappa::query::parquet {

struct Page {
  PageHeader header;
  std::string_view levels;  // a bit for each row, in runs, where values may be NULL
  std::string_view values;
};

class PageReader {
 public:
  /// Of a column that is not nested.
  PageReader(std::string_view file, const Chunk& chunk, bool is_optional)
      : left_(file.substr(chunk.begin, chunk.bytes)),
        codec_(chunk.codec),
        is_optional_(is_optional) {}

  /// Indexes are left out. False at the end of the chunk.
  bool next(Page& page);

 private:
  struct Buffer {
    std::unique_ptr<char[]> bytes;
    std::size_t capacity = 0;
  };

  void take_data(Page& page, std::string_view body);
  std::string_view plain(std::string_view body, std::size_t plain_bytes, bool is_compressed,
                         Buffer& buffer);

  std::string_view left_;
  Codec codec_;
  bool is_optional_;
  Buffer data_;
  Buffer dictionary_;
};

}  // namespace grappa::query::parquet
