#pragma once

// A queue of vertices that all cores of a locale fill: an array and its number of entries.
//
//   QueueWriter writer(tail, queue);     // one for each grain of a loop
//   writer.push(v);
//
// Entries are appended in blocks, each in the order of its pushes; the last block when the writer
// is destroyed. A search by levels keeps all its frontiers in one such array, as windows of it (S.
// Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite", arXiv:1508.03619, 2015).

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "grappa/graph/structure/graph.hpp"

namespace grappa::graph {

/// Collects vertices and appends them to the queue together.
class QueueWriter {
 public:
  QueueWriter(std::int64_t& tail, VertexId* queue) : tail_(tail), queue_(queue) {}
  ~QueueWriter() { flush(); }
  QueueWriter(const QueueWriter&) = delete;
  QueueWriter& operator=(const QueueWriter&) = delete;

  void push(VertexId v) {
    if (count_ == vertices_.size()) flush();
    vertices_[count_++] = v;
  }

 private:
  void flush() {
    const auto count = static_cast<std::int64_t>(count_);
    if (count == 0) return;
    const auto at = std::atomic_ref(tail_).fetch_add(count, std::memory_order_relaxed);
    std::copy_n(vertices_.data(), count_, queue_ + at);
    count_ = 0;
  }

  std::int64_t& tail_;
  VertexId* queue_;
  std::size_t count_ = 0;
  std::array<VertexId, 512> vertices_;
};

}  // namespace grappa::graph
