#pragma once

// Gzip data that is wholly in memory, decompressed in one go: two to three times as fast as the
// stream that gunzip() makes, at the price of holding all of the result.
//
//   std::size_t size = 0;
//   std::optional<internal::Mapping> text = gunzip_whole(bytes, 1 << 30, kPadding, &size);
//
// Thread safety: callable from any thread; blocks it, never suspends the task.

#include <cstddef>
#include <optional>
#include <string_view>

#include "grappa/base/huge_pages.hpp"

namespace grappa::io {

/// The decompressed bytes of all members, *size of them with at least `padding` zero bytes behind.
/// Nothing where they are more than `limit` or the data is damaged: the stream then either copes or
/// says precisely what is wrong.
std::optional<internal::Mapping> gunzip_whole(std::string_view compressed, std::size_t limit,
                                              std::size_t padding, std::size_t* size);

}  // namespace grappa::io
