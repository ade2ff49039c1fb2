#pragma once

// The random numbers of the unbalanced tree search: SHA-1 as a generator that can be split.
//
// A node of the tree is the hash of its parent and of its number among the siblings, so that any
// subtree can be made from its root alone, anywhere, and the tree is the same for everybody:
//   root:       SHA-1 of 16 zero bytes and the seed
//   child i:    SHA-1 of the 20 bytes of its parent and i
//
// with seed and i as four bytes, the highest first. Either message fits in one block of SHA-1, so
// states are kept as the words of the hash, and no byte is ever turned around.
//
// Source of the definition: S. Olivier, J. Huan, J. Liu, J. Prins, J. Dinan, P. Sadayappan,
// C.-W. Tseng, "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006. Of SHA-1: FIPS 180-4.

#include <array>
#include <cstddef>
#include <cstdint>

namespace grappa::bench {

/// The state of a node: the words of a SHA-1 hash.
struct UtsState {
  std::array<std::uint32_t, 5> words;

  /// The node's random number, of 31 bits.
  std::uint32_t random() const { return words[4] & 0x7fffffff; }

  friend bool operator==(const UtsState&, const UtsState&) = default;
};

/// What a child is the hash of.
struct UtsSeed {
  UtsState parent;
  std::uint32_t index;
};

UtsState uts_root(std::uint32_t seed);

/// children[k] = the state of the child that seeds[k] names, for k < count. They need not have the
/// same parent. Hash many in one call: a hash is a chain of operations each of which waits for the
/// one before, and the processor overlaps one chain with the next as long as no branch is between
/// them. (Interleaving two or four chains in the code gained nothing beyond that.)
using UtsHash = void (*)(const UtsSeed* seeds, UtsState* children, std::size_t count);

/// In plain C++.
void uts_hash_portable(const UtsSeed* seeds, UtsState* children, std::size_t count);

/// With the SHA instructions of x86 processors; nullptr where this one has none.
UtsHash uts_hash_instructions();

/// The fastest that this processor can run.
inline UtsHash uts_hash() {
  const UtsHash instructions = uts_hash_instructions();
  return instructions != nullptr ? instructions : &uts_hash_portable;
}

}  // namespace grappa::bench
