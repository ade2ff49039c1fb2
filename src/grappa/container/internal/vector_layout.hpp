#pragma once

// Where the elements of a GlobalVector lie: in blocks of 4 KiB that go round all cores, block b on
// core b mod cores. The blocks are those of segments, each twice as long as the one before, so that
// nothing moves when the vector grows. Each core has its own list of them.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "grappa/container/global_array.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/send_span.hpp"

namespace grappa::internal {

template <class T>
class VectorLayout {
 public:
  static constexpr std::int64_t kPerBlock = std::max<std::int64_t>(1, 4096 / sizeof(T));
  struct Block {
    alignas(T) std::byte bytes[static_cast<std::size_t>(kPerBlock) * sizeof(T)];
    T* values() { return reinterpret_cast<T*>(bytes); }
  };
  using Segment = GlobalArray<Block>;

  void attach(int cores) {
    cores_ = cores;
    first_shift_ = std::countr_zero(std::bit_ceil(static_cast<std::uint64_t>(cores)));
  }
  std::span<const Segment> segments() const { return segments_; }
  /// A segment that has no elements yet. Those that are not plain bytes are made now, and live as
  /// long as the segment.
  void add(const Segment& segment) {
    if constexpr (!kIsSendable<T>) {
      for (Block& block : segment.local())
        std::uninitialized_value_construct_n(block.values(), kPerBlock);
    }
    segments_.push_back(segment);
  }
  static void destroy_elements(const Segment& segment) {
    for (Block& block : segment.local()) std::destroy_n(block.values(), kPerBlock);
  }
  std::int64_t next_segment_blocks() const {
    return std::int64_t{1} << (first_shift_ + std::ssize(segments_));
  }
  /// The number of a segment's first element.
  std::int64_t first_of(std::size_t segment) const {
    return ((std::int64_t{1} << segment) - 1) * (std::int64_t{1} << first_shift_) * kPerBlock;
  }
  std::int64_t capacity() const { return first_of(segments_.size()); }

  /// Where element i is, which is less than capacity().
  GlobalAddress<T> address(std::int64_t i) const {
    const auto [segment, block] = place_of(i / kPerBlock);
    const GlobalAddress<Block> at = segments_[segment][block];
    return GlobalAddress<T>::from_raw(at.raw() +
                                      static_cast<std::uint64_t>(i % kPerBlock) * sizeof(T));
  }

  /// Writes elements [first, first + values.size()). Returns when they are written; may switch
  /// tasks.
  void write(std::int64_t first, std::span<const T> values) const {
    CompletionEvent done;
    std::vector<T> gathered;
    for_each_run(first, std::ssize(values), [&](const Run& run) {
      const GlobalAddress<T> to = address(run.first);
      const bool mine = to.is_local();
      T* target = mine ? to.pointer() : nullptr;
      gathered.clear();
      run.for_each_block([&](std::int64_t at, std::int64_t, std::int64_t count) {
        const std::span<const T> some =
            values.subspan(static_cast<std::size_t>(at - first), static_cast<std::size_t>(count));
        if (mine) {
          target = std::copy(some.begin(), some.end(), target);
        } else {
          gathered.insert(gathered.end(), some.begin(), some.end());
        }
      });
      if (mine) return;
      send_span_joining(&done.share(), to.core(), std::span<const T>(gathered),
                        [to](std::span<const T> some, std::size_t at) {
                          std::copy(some.begin(), some.end(), to.pointer() + at);
                        });
    });
    done.wait();
  }

  /// Reads elements [first, first + out.size()). Switches tasks.
  void read(std::int64_t first, std::span<T> out) const {
    CompletionEvent done;
    for_each_run(first, std::ssize(out), [&](const Run& run) {
      const GlobalAddress<T> from = address(run.first);
      const auto to = GlobalAddress<T>::of_local(out.data());
      delegate::async::call(done, from.core(), [run, from, to, first] {
        send_span(
            to.core(), std::span<const T>(from.pointer(), static_cast<std::size_t>(run.count)),
            [run, to, first](std::span<const T> some, std::size_t at) {
              run.piece(static_cast<std::int64_t>(at), std::ssize(some))
                  .for_each_block([&](std::int64_t i, std::int64_t offset, std::int64_t count) {
                    std::copy_n(some.data() + offset, count, to.pointer() + (i - first));
                  });
            });
      });
    });
    done.wait();
  }

  /// body(first number, elements) for each block of this core, of those below `size`.
  template <class F>
  void for_each_local(std::int64_t size, const F& body) const {
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const std::span<Block> blocks = segments_[s].local();
      for (std::size_t k = 0; k < blocks.size(); ++k) {
        const std::int64_t first =
            first_of(s) + segments_[s].global_index(static_cast<std::int64_t>(k)) * kPerBlock;
        if (first >= size) break;
        const auto count = std::min(kPerBlock, size - first);
        body(first, std::span<T>(blocks[k].values(), static_cast<std::size_t>(count)));
      }
    }
  }

 private:
  /// Elements that lie one behind the other at one core: from `first` to the end of its block, then
  /// the same core's next blocks of the segment.
  struct Run {
    std::int64_t first;  // number of the first one
    std::int64_t count;
    std::int64_t step;  // between blocks, in elements

    Run piece(std::int64_t offset, std::int64_t length) const {
      const std::int64_t in_block = first % kPerBlock + offset;
      return {first - first % kPerBlock + in_block / kPerBlock * step + in_block % kPerBlock,
              length, step};
    }
    /// use(number, offset in the run, count)
    template <class Use>
    void for_each_block(const Use& use) const {
      std::int64_t at = first;
      for (std::int64_t offset = 0; offset < count;) {
        const std::int64_t within = at % kPerBlock;
        const std::int64_t length = std::min(kPerBlock - within, count - offset);
        use(at, offset, length);
        offset += length;
        at += step - within;
      }
    }
  };

  struct BlockPlace {
    std::size_t segment;
    std::int64_t block;
  };
  BlockPlace place_of(std::int64_t block) const {
    const auto shifted = static_cast<std::uint64_t>(block) + (std::uint64_t{1} << first_shift_);
    const int width = std::bit_width(shifted) - 1;
    return {static_cast<std::size_t>(width - first_shift_),
            static_cast<std::int64_t>(shifted ^ (std::uint64_t{1} << width))};
  }

  template <class Use>
  void for_each_run(std::int64_t first, std::int64_t count, const Use& use) const {
    while (count > 0) {
      const std::size_t segment = place_of(first / kPerBlock).segment;
      const std::int64_t end = std::min(first + count, first_of(segment + 1));
      const std::int64_t step = cores_ * kPerBlock;
      std::int64_t begin = first;
      for (int core = 0; core < cores_ && begin < end; ++core) {
        // Its elements: what is left of this block, the whole ones behind it, and of the last one
        // what is before the end.
        const std::int64_t block = begin - begin % kPerBlock;
        const std::int64_t whole = (end - block - 1) / step;  // steps to its last block
        const std::int64_t last = block + whole * step;
        const std::int64_t run_count =
            whole * kPerBlock + std::min(kPerBlock, end - last) - begin % kPerBlock;
        use(Run{begin, run_count, step});
        begin = block + kPerBlock;
      }
      count -= end - first;
      first = end;
    }
  }

  int cores_ = 1;
  int first_shift_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace grappa::internal
