#include "grappa/query/io/parquet/page_reader.hpp"

#include <libdeflate.h>

#include "grappa/query/io/parquet/bit_reader.hpp"
#include "grappa/query/io/parquet/codec.hpp"
#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {

bool PageReader::next(Page& page) {
  while (!left_.empty()) {
    page.header = read_page_header(left_);
    const PageHeader& header = page.header;
    left_.remove_prefix(header.bytes);
    if (header.compressed_bytes > left_.size())
      throw Damage("a page would go on behind the end of its column");
    const std::string_view body = left_.substr(0, header.compressed_bytes);
    left_.remove_prefix(body.size());
    if (header.kind == PageKind::kIndex) continue;
    if (header.checksum && *header.checksum != libdeflate_crc32(0, body.data(), body.size()))
      throw Damage("a page does not have the checksum that it says");
    if (header.kind == PageKind::kDictionary)
      page.values = plain(body, header.plain_bytes, true, dictionary_);
    else
      take_data(page, body);
    return true;
  }
  return false;
}

void PageReader::take_data(Page& page, std::string_view body) {
  const PageHeader& header = page.header;
  page.levels = {};
  if (header.kind == PageKind::kDataV2) {
    if (header.repetition_bytes > body.size() ||
        header.definition_bytes > body.size() - header.repetition_bytes ||
        header.repetition_bytes + header.definition_bytes > header.plain_bytes)
      throw Damage("a page has more levels than bytes");
    const std::size_t levels = header.repetition_bytes + header.definition_bytes;
    page.levels = body.substr(header.repetition_bytes, header.definition_bytes);
    page.values =
        plain(body.substr(levels), header.plain_bytes - levels, header.is_compressed, data_);
    return;
  }
  page.values = plain(body, header.plain_bytes, true, data_);
  if (!is_optional_) return;
  if (header.level_encoding != Encoding::kRuns)
    throw Damage("levels that are not encoded in runs are not supported");
  std::uint32_t bytes = 0;
  if (page.values.size() < sizeof bytes) throw Damage("a page has no levels");
  bytes = load<std::uint32_t>(page.values.data());
  page.values.remove_prefix(sizeof bytes);
  if (bytes > page.values.size()) throw Damage("a page has more levels than bytes");
  page.levels = page.values.substr(0, bytes);
  page.values.remove_prefix(bytes);
}

std::string_view PageReader::plain(std::string_view body, std::size_t plain_bytes,
                                   bool is_compressed, Buffer& buffer) {
  if (!is_compressed || codec_ == Codec::kNone) {
    if (body.size() != plain_bytes) throw Damage("a page has another length than it says");
    return body;
  }
  if (plain_bytes == 0) return {};
  const std::size_t size = plain_bytes + kBitPadding;
  if (size > buffer.capacity) {
    check_ratio(body.size(), plain_bytes);
    buffer.bytes = std::make_unique_for_overwrite<char[]>(size);
    buffer.capacity = size;
  }
  decompress(codec_, body, {buffer.bytes.get(), plain_bytes});
  return {buffer.bytes.get(), plain_bytes};
}

}  // namespace grappa::query::parquet
