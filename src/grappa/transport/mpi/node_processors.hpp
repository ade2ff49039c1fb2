#pragma once

// How the locales of one machine divide its processors among themselves.

#include <cstddef>
#include <vector>

namespace grappa::internal {

/// The processors of process `me`. `usable[i]` are those that process i of this machine may use, in
/// order of preference. A process whose processors nobody else may use keeps them; processes that
/// compete for some (directly, or through a third one) divide all of theirs evenly. When there are
/// fewer processors than processes, several get the same one.
std::vector<int> portion_of_node(const std::vector<std::vector<int>>& usable, std::size_t me);

/// Those of `processors` that no process may use.
std::vector<int> left_over(const std::vector<int>& processors,
                           const std::vector<std::vector<int>>& usable);

}  // namespace grappa::internal
