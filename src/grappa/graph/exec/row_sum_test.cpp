#include "grappa/graph/exec/row_sum.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <vector>

namespace grappa::graph {
namespace {

/// The order of additions that the header promises.
template <class T>
double eight_sums(const std::vector<VertexId>& row, const T* values) {
  std::vector<double> sums(8, 0.0);
  for (std::size_t i = 0; i < row.size(); ++i) sums[i % 8] += static_cast<double>(values[row[i]]);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <class T>
class RowSum : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RowSum, Types);

TYPED_TEST(RowSum, AddsInTheSameOrderForEveryLength) {
  std::vector<TypeParam> values;
  for (int i = 0; i < 1000; ++i) values.push_back(TypeParam(1) / TypeParam(3 + i * i));
  std::vector<VertexId> row;
  for (VertexId length = 0; length <= 100; ++length) {
    EXPECT_EQ(sum_row<TypeParam>(row, values.data()), eight_sums(row, values.data())) << length;
    row.push_back((length * 617 + 11) % 1000);
  }
}

// Of 64 bits, those that an address range of this process can have.
TYPED_TEST(RowSum, NeighborsUseAllBits) {
  constexpr auto kMax = static_cast<VertexId>(kVertexBits == 32 ? 0xffffffff : 0xfffffffff);
  constexpr std::size_t kBytes = (static_cast<std::size_t>(kMax) + 1) * sizeof(TypeParam);
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address range of " << kBytes << " bytes";
  auto* const values = static_cast<TypeParam*>(memory);
  std::vector<VertexId> row;
  for (VertexId k = 0; k < 12; ++k) {
    row.push_back(kMax - (11 - k) * (kMax / 15));
    values[row.back()] = static_cast<TypeParam>(1 << k);
  }
  EXPECT_EQ(sum_row<TypeParam>(row, values), (1 << 12) - 1);
  row.resize(5);
  EXPECT_EQ(sum_row<TypeParam>(row, values), (1 << 5) - 1);
  munmap(memory, kBytes);
}

}  // namespace
}  // namespace grappa::graph
