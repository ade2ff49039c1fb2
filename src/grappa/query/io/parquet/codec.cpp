#include "grappa/query/io/parquet/codec.hpp"

#include <fmt/format.h>
#include <libdeflate.h>
#include <lz4.h>
#include <snappy.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "grappa/query/io/parquet/damage.hpp"

namespace grappa::query::parquet {
namespace {

[[noreturn]] void refuse_page(std::string_view codec) {
  throw Damage(fmt::format("a page was expected that is compressed by {}", codec));
}

void inflate_gzip(std::string_view from, std::span<char> to) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflater(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (inflater == nullptr) throw std::bad_alloc();
  std::size_t filled = 0;
  while (!from.empty()) {  // members
    std::size_t taken = 0;
    std::size_t given = 0;
    if (libdeflate_gzip_decompress_ex(inflater.get(), from.data(), from.size(), to.data() + filled,
                                      to.size() - filled, &taken, &given) != LIBDEFLATE_SUCCESS)
      refuse_page("gzip");
    from.remove_prefix(taken);
    filled += given;
  }
  if (filled != to.size()) refuse_page("gzip");
}

bool inflate_lz4(std::string_view from, std::span<char> to) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (from.size() > kMost || to.size() > kMost) return false;
  const int given = LZ4_decompress_safe(from.data(), to.data(), static_cast<int>(from.size()),
                                        static_cast<int>(to.size()));
  return given >= 0 && static_cast<std::size_t>(given) == to.size();
}

std::uint32_t big_endian(const char* bytes) {
  std::uint32_t number;
  std::memcpy(&number, bytes, sizeof number);
  return __builtin_bswap32(number);
}

/// Blocks, each behind its lengths.
bool inflate_framed_lz4(std::string_view from, std::span<char> to) {
  while (!from.empty()) {
    constexpr std::size_t kLengths = 2 * sizeof(std::uint32_t);
    if (from.size() < kLengths) return false;
    const std::size_t plain = big_endian(from.data());
    const std::size_t compressed = big_endian(from.data() + sizeof(std::uint32_t));
    from.remove_prefix(kLengths);
    if (compressed > from.size() || plain > to.size()) return false;
    if (!inflate_lz4(from.substr(0, compressed), to.first(plain))) return false;
    from.remove_prefix(compressed);
    to = to.subspan(plain);
  }
  return to.empty();
}

std::string deflate_gzip(std::string_view from) {
  constexpr int kLevel = 6;
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> deflater(
      libdeflate_alloc_compressor(kLevel), &libdeflate_free_compressor);
  if (deflater == nullptr) throw std::bad_alloc();
  std::string to(libdeflate_gzip_compress_bound(deflater.get(), from.size()), '\0');
  to.resize(
      libdeflate_gzip_compress(deflater.get(), from.data(), from.size(), to.data(), to.size()));
  return to;
}

}  // namespace

void check_ratio(std::size_t compressed, std::size_t plain) {
  constexpr std::size_t kGreatestRatio = std::size_t{1} << 16;
  if (plain / kGreatestRatio > compressed)
    throw Damage(fmt::format("a page of {} bytes would have {}", compressed, plain));
}

void decompress(Codec codec, std::string_view from, std::span<char> to) {
  switch (codec) {
    case Codec::kNone:
      if (from.size() != to.size()) throw Damage("a page has another length than it says");
      if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
      return;
    case Codec::kSnappy: {
      std::size_t size = 0;
      if (!snappy::GetUncompressedLength(from.data(), from.size(), &size) || size != to.size() ||
          !snappy::RawUncompress(from.data(), from.size(), to.data()))
        refuse_page("snappy");
      return;
    }
    case Codec::kGzip:
      return inflate_gzip(from, to);
    case Codec::kZstd:
      if (ZSTD_decompress(to.data(), to.size(), from.data(), from.size()) != to.size())
        refuse_page("zstd");
      return;
    case Codec::kLz4:
      if (!inflate_lz4(from, to)) refuse_page("lz4");
      return;
    case Codec::kFramedLz4:
      // Some writers have left out the frame.
      if (!inflate_framed_lz4(from, to) && !inflate_lz4(from, to)) refuse_page("lz4");
      return;
    case Codec::kLzo:
      throw Damage("compression by LZO is not supported");
    case Codec::kBrotli:
      throw Damage("compression by Brotli is not supported");
  }
}

std::string compress(Codec codec, std::string_view from) {
  std::string to;
  switch (codec) {
    case Codec::kSnappy:
      snappy::Compress(from.data(), from.size(), &to);
      return to;
    case Codec::kGzip:
      return deflate_gzip(from);
    case Codec::kZstd: {
      constexpr int kFast = 1;
      to.resize(ZSTD_compressBound(from.size()));
      const std::size_t size = ZSTD_compress(to.data(), to.size(), from.data(), from.size(), kFast);
      if (ZSTD_isError(size) != 0) throw std::bad_alloc();
      to.resize(size);
      return to;
    }
    case Codec::kLz4: {
      to.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(from.size()))));
      const int size = LZ4_compress_default(from.data(), to.data(), static_cast<int>(from.size()),
                                            static_cast<int>(to.size()));
      to.resize(static_cast<std::size_t>(size));
      return to;
    }
    default:
      return std::string(from);
  }
}

}  // namespace grappa::query::parquet
