// C = A B, in blocks that caches bring: each core computes the blocks of C that it holds, and
// fetches the next two blocks of A and B while it multiplies.

#include <grappa/grappa.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>

using namespace grappa;

constexpr std::int64_t kBlock = 32;  // rows and columns of a block
constexpr std::int64_t kBlocks = 8;  // blocks in a row and in a column of a matrix
constexpr std::int64_t kSize = kBlock * kBlock;

using Matrix = GlobalArray<double>;  // block after block
using Block = CacheRO<double>;

std::int64_t start_of(std::int64_t row, std::int64_t column) {
  return (row * kBlocks + column) * kSize;
}

void multiply_add(const Block& a, const Block& b, CacheRW<double>& c) {
  for (std::int64_t i = 0; i < kBlock; ++i) {
    for (std::int64_t k = 0; k < kBlock; ++k) {
      const double factor = a[i * kBlock + k];
      for (std::int64_t j = 0; j < kBlock; ++j) c[i * kBlock + j] += factor * b[k * kBlock + j];
    }
  }
}

void compute_block(const Matrix& a, const Matrix& b, const Matrix& c, std::int64_t row,
                   std::int64_t column) {
  CacheRW<double> sums(c, start_of(row, column), kSize);
  auto next_a = Block::start(a, start_of(row, 0), kSize);
  auto next_b = Block::start(b, start_of(0, column), kSize);
  for (std::int64_t k = 0; k < kBlocks; ++k) {
    Block block_a = std::move(next_a);
    Block block_b = std::move(next_b);
    block_a.wait();
    block_b.wait();
    if (k + 1 < kBlocks) {
      next_a = Block::start(a, start_of(row, k + 1), kSize);
      next_b = Block::start(b, start_of(k + 1, column), kSize);
    }
    multiply_add(block_a, block_b, sums);
  }
}  // the sums go home

/// Row and column of the element at a position, each below kBlocks * kBlock.
std::pair<std::int64_t, std::int64_t> place_of(std::int64_t i) {
  const std::int64_t block = i / kSize;
  return {block / kBlocks * kBlock + i % kSize / kBlock, block % kBlocks * kBlock + i % kBlock};
}

int main() {
  bool right = true;
  run([&] {
    const std::int64_t n = kBlocks * kBlock;
    const Owned<Matrix> a = Matrix::create(n * n);
    const Owned<Matrix> b = Matrix::create(n * n);
    const Owned<Matrix> c = Matrix::create(n * n);
    a->forall([](std::int64_t i, double& x) {
      const auto [row, column] = place_of(i);
      x = static_cast<double>(row - column);
    });
    b->forall([](std::int64_t i, double& x) {
      const auto [row, column] = place_of(i);
      x = row == column ? 2 : row == column + 1 ? 1 : 0;
    });

    CompletionEvent done;
    for (std::int64_t block = 0; block < kBlocks * kBlocks; ++block) {
      spawn_on(done, c->home(block * kSize), [a = *a, b = *b, c = *c, block] {
        compute_block(a, b, c, block / kBlocks, block % kBlocks);
      });
    }
    done.wait();

    // Column j of B has a 2 in row j and a 1 in the row below.
    c->forall([n](std::int64_t i, double& x) {
      const auto [row, column] = place_of(i);
      const auto difference = static_cast<double>(row - column);
      x -= 2 * difference + (column + 1 < n ? difference - 1 : 0);
    });
    const double error =
        reduce(*c, 0.0, [](double x, double y) { return std::abs(x) + std::abs(y); });
    right = error == 0;
    std::printf("%lld x %lld: %s\n", static_cast<long long>(n), static_cast<long long>(n),
                right ? "right" : "wrong");
  });
  return right ? 0 : 1;
}
