// Quick sort of an array that is too large for one core, in pieces that caches bring.
//
// What is sorted lies in two arrays: elements move from one to the other, those below the pivot to
// the front of their range and those above it to the back, until a range is small enough to be
// sorted as a local copy. Tasks for the parts go to all cores.

#include <grappa/grappa.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace grappa;

constexpr std::int64_t kElements = 300'000;
constexpr std::int64_t kPiece = 8192;

using Array = GlobalArray<std::int64_t>;

void write_piece(const Array& to, std::int64_t first, const std::vector<std::int64_t>& values) {
  CacheWO<std::int64_t> piece(to, first, std::ssize(values));
  std::ranges::copy(values, piece.span().begin());
}

void quick_sort(const Array& from, const Array& to, const Array& sorted, std::int64_t first,
                std::int64_t last) {
  if (last - first <= kPiece) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(last - first));
    read_span(from, first, values);
    std::ranges::sort(values);
    return write_piece(sorted, first, values);
  }
  const std::int64_t pivot = delegate::read(from[first + (last - first) / 2]);
  std::int64_t below = first;
  std::int64_t above = last;
  std::vector<std::int64_t> smaller;
  std::vector<std::int64_t> larger;
  auto next = CacheRO<std::int64_t>::start(from, first, kPiece);
  for (std::int64_t at = first; at < last; at += kPiece) {
    CacheRO<std::int64_t> piece = std::move(next);
    piece.wait();
    if (const std::int64_t left = last - at - kPiece; left > 0)  // comes while this one is divided
      next = CacheRO<std::int64_t>::start(from, at + kPiece, std::min(kPiece, left));
    smaller.clear();
    larger.clear();
    for (const std::int64_t x : piece.span()) {
      if (x < pivot) smaller.push_back(x);
      if (x > pivot) larger.push_back(x);
    }
    write_piece(to, below, smaller);
    below += std::ssize(smaller);
    above -= std::ssize(larger);
    write_piece(to, above, larger);
  }
  write_piece(sorted, below, std::vector(static_cast<std::size_t>(above - below), pivot));

  CompletionEvent parts;
  const auto sort_part = [&](int core, std::int64_t begin, std::int64_t end) {
    spawn_on(parts, core % core_count(), [=] { quick_sort(to, from, sorted, begin, end); });
  };
  sort_part(this_core(), first, below);
  sort_part(this_core() + 1, above, last);
  parts.wait();
}

int main() {
  bool right = true;
  run([&] {
    const Owned<Array> values = Array::create(kElements);
    const Owned<Array> others = Array::create(kElements);
    values->forall([](std::int64_t i, std::int64_t& x) {
      x = static_cast<std::int64_t>(hash_number(static_cast<std::uint64_t>(i)) % 1'000'000);
    });
    const std::int64_t sum = reduce(*values, std::int64_t{0}, std::plus<>{});

    quick_sort(*values, *others, *values, 0, kElements);

    const CacheRO<std::int64_t> sorted(*values, 0, kElements);
    right = std::ranges::is_sorted(sorted.span()) &&
            sum == reduce(*values, std::int64_t{0}, std::plus<>{});
    std::printf("%lld numbers, from %lld to %lld, are %s\n", static_cast<long long>(kElements),
                static_cast<long long>(sorted[0]), static_cast<long long>(sorted[kElements - 1]),
                right ? "sorted" : "not sorted");
  });
  return right ? 0 : 1;
}
