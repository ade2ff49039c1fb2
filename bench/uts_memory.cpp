#include "bench/uts_memory.hpp"

#include <algorithm>

namespace grappa::bench {
namespace {

constexpr std::uint32_t kRoot = 0;
// Cores draw numbers for vertices by so many.
constexpr std::int64_t kExtent = 16'384;

/// How many numbers are enough, with what is left over at the end of each extent, where the
/// children of one more vertex would not fit, and in each core's last one.
std::int64_t numbers_for(const UtsTree& tree) {
  const std::int64_t used = kExtent - kUtsMostChildren;
  const auto extents = (tree.counts.nodes + used - 1) / used + core_count() + 1;
  return extents * kExtent;
}

/// Gives the vertices their numbers, and writes them down.
class Numbering {
 public:
  using Label = std::uint32_t;

  Numbering(const GlobalArray<UtsLine>& lines, GlobalAddress<std::int64_t> next_extent)
      : lines_(lines), next_extent_(next_extent) {}

  static Label root() { return kRoot; }
  static Label child(Label first, std::uint32_t i) { return first + i; }

  Label open(const UtsParent<Label>& parent) {
    if (end_ - next_ < parent.children) {
      next_ = delegate::fetch_add(next_extent_, kExtent);
      end_ = next_ + kExtent;
    }
    const auto first = static_cast<std::uint32_t>(next_);
    next_ += parent.children;
    const std::uint32_t place = parent.label % UtsLine::kVertices;
    const UtsVertex vertex{first, parent.children};
    delegate::async::call(
        lines_[parent.label / UtsLine::kVertices],
        [place, vertex](UtsLine& line) noexcept { line.vertices[place] = vertex; });
    return first;
  }

 private:
  GlobalArray<UtsLine> lines_;
  GlobalAddress<std::int64_t> next_extent_;
  std::int64_t next_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace

/// Goes to the home of a line; the vertices from `begin` up to `end` are visited.
struct UtsVisitor::Visit {
  Address visitors;
  std::uint32_t depth;
  std::uint8_t begin;
  std::uint8_t end;
  void operator()(UtsLine& line) const {
    UtsVisitor& visitor = *visitors.local();
    for (std::size_t k = begin; k < end; ++k) visitor.visit(visitors, line.vertices[k], depth);
  }
};

void UtsVisitor::visit(Address visitors, const UtsVertex& vertex, std::uint32_t depth) {
  ++counts_.nodes;
  counts_.depth = std::max<std::int64_t>(counts_.depth, depth);
  if (vertex.children == 0)
    ++counts_.leaves;
  else
    visit_later(visitors, vertex.first_child, vertex.children, depth + 1);
}

void UtsVisitor::visit_later(Address visitors, std::uint32_t first, std::uint32_t count,
                             std::uint32_t depth) {
  waiting_.push_back({first, count, depth});
  if (sending_) return;
  sending_ = true;
  spawn([visitors] { visitors.local()->send_all(visitors); });
}

void UtsVisitor::send_all(Address visitors) {
  while (!waiting_.empty()) {
    const auto [first, count, depth] = waiting_.back();
    waiting_.pop_back();
    const std::int64_t end = std::int64_t{first} + count;
    for (std::int64_t at = first; at < end;) {
      const std::int64_t line = at / UtsLine::kVertices;
      const std::int64_t start = line * UtsLine::kVertices;
      const std::int64_t stop = std::min<std::int64_t>(end, start + UtsLine::kVertices);
      // May switch tasks, and then more is waiting.
      delegate::async::call(lines_[line],
                            Visit{visitors, depth, static_cast<std::uint8_t>(at - start),
                                  static_cast<std::uint8_t>(stop - start)});
      at = stop;
    }
  }
  sending_ = false;
}

std::uint64_t UtsMemoryTree::bytes(const UtsTree& tree) {
  return static_cast<std::uint64_t>(numbers_for(tree)) * sizeof(UtsVertex);
}

UtsMemoryTree UtsMemoryTree::build(const UtsTree& tree, std::int64_t grain) {
  constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 32;
  if (numbers_for(tree) > kMaxNumbers)
    throw UsageError("--memory: the tree has more vertices than 32 bits can number");
  UtsMemoryTree memory;
  memory.lines_ =
      GlobalArray<UtsLine>::create(numbers_for(tree) / UtsLine::kVertices, Distribution::kPermuted);
  const auto next_extent = global_alloc<std::int64_t>(1);
  delegate::write(next_extent, UtsLine::kVertices);  // the root has a line to itself
  Owned<UtsParallelSearch<Numbering>> search = UtsParallelSearch<Numbering>::create(
      tree.shape, grain,
      [lines = memory.lines_, next_extent] { return Numbering(lines, next_extent); });
  const UtsCounts counts = search->run();
  search.reset();
  global_free(next_extent);
  if (counts != tree.counts) throw Error("bench uts: the tree in memory is not the one searched");
  memory.visitors_ = symmetric_alloc<std::optional<UtsVisitor>>();
  on_all_cores(
      [lines = memory.lines_, visitors = memory.visitors_] { visitors.local().emplace(lines); });
  return memory;
}

void UtsMemoryTree::destroy() {
  symmetric_free(visitors_);
  lines_.destroy();
}

UtsCounts UtsMemoryTree::search() const {
  CompletionEvent done;
  spawn(done, [visitors = visitors_] { visitors.local()->visit_later(visitors, kRoot, 1, 0); });
  done.wait();
  UtsCounts sum;
  for (const UtsCounts& part :
       gather_cores([visitors = visitors_] { return visitors.local()->take_counts(); })) {
    sum.add(part);
  }
  return sum;
}

}  // namespace grappa::bench
