#pragma once

// The tree in global memory, and the search that finds its way from there: UTS-mem of the XPS
// proposal (section 2.5), in which following the tree costs memory accesses without any locality,
// and nothing is hashed.
//
// A vertex is 8 bytes: where its children begin, and how many there are. The children of a vertex
// lie one after the other. Eight vertices make a line, and the lines are spread over all cores in
// a pseudo-random order, so that the way from a parent to its children leads anywhere.
//
// UTS-mem can be written with tasks that read the children of a vertex through delegates and start
// tasks for them. Here, too, a line is touched at its home only, but the visit itself goes there,
// as an asynchronous delegate, and nothing comes back: the home sends the visits of the children
// on. Many are on their way at a time, and a batch of them prefetches the lines of those that
// follow, which is how the latency is hidden.
//
// Handlers only note what is to be visited. A task of each core sends it, newest first; it waits
// when there is enough on the way, which handlers never do. So the memory of the search is bounded
// by credits and depth, however wide the tree is.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/uts_parallel.hpp"
#include "bench/uts_tree.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {

struct UtsVertex {
  std::uint32_t first_child;
  std::uint32_t children;
};

struct alignas(64) UtsLine {
  static constexpr std::uint32_t kVertices = 8;
  std::array<UtsVertex, kVertices> vertices;
};

/// A core's part of the search.
class UtsVisitor {
 public:
  using Address = SymmetricAddress<std::optional<UtsVisitor>>;

  explicit UtsVisitor(const GlobalArray<UtsLine>& lines) : lines_(lines) {}

  /// Sends visits to `count` vertices of that depth, some time.
  void visit_later(Address visitors, std::uint32_t first, std::uint32_t count, std::uint32_t depth);

  UtsCounts take_counts() { return std::exchange(counts_, {}); }

 private:
  struct Siblings {
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t depth;
  };
  struct Visit;

  void visit(Address visitors, const UtsVertex& vertex, std::uint32_t depth);
  void send_all(Address visitors);

  const GlobalArray<UtsLine> lines_;
  std::vector<Siblings> waiting_;
  bool sending_ = false;
  UtsCounts counts_;
};

/// A handle, for an Owned; all of its functions are called by one task, and switch tasks.
class UtsMemoryTree {
 public:
  /// Bytes that the tree takes on all cores together.
  static std::uint64_t bytes(const UtsTree& tree);

  /// Searches the tree as it is computed, and writes it down. Throws Error when it is not the one
  /// that it should be, UsageError when there is not enough memory.
  static UtsMemoryTree build(const UtsTree& tree, std::int64_t grain);

  void destroy();

  /// Visits the whole tree from memory.
  UtsCounts search() const;

 private:
  GlobalArray<UtsLine> lines_;
  UtsVisitor::Address visitors_;
};

}  // namespace grappa::bench
