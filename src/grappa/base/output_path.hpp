#pragma once

// What the name of an output leads to.
//
//   if (auto descriptor = descriptor_of(follow_links(path))) write_to(*descriptor);
//
// Opening /dev/stdout again would write over the beginning of a file, and its name must not be
// taken for that of a file that can be replaced: what is open already is written to as it is.
// Thread safety: all functions may be called anywhere.

#include <optional>
#include <string>

namespace grappa::internal {

/// Of "-", /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N.
std::optional<int> descriptor_of(const std::string& path);

/// Where links lead, also where the last one leads to nothing yet; not those of descriptors.
std::string follow_links(const std::string& path);

}  // namespace grappa::internal
