#include "grappa/graph/generate/kronecker.hpp"

namespace grappa::graph::generate_detail {

KroneckerEdges::KroneckerEdges(std::uint64_t seed, int scale)
    : scale_(scale),
      words_(static_cast<std::uint64_t>((scale + 2 * kLevels - 1) / (2 * kLevels))),
      table_(make_table()),
      random_(seed, kEdgeStream),
      permute_(seed, scale) {}

std::vector<KroneckerEdges::Entry> KroneckerEdges::make_table() {
  // In hundredths; an outcome of kLevels levels is their product, in hundredths to that power.
  constexpr std::uint64_t kQuadrants[4] = {57, 19, 19, 5};
  constexpr std::uint32_t kOutcomes = 1u << kOutcomeBits;
  std::uint64_t total = 1;
  for (int level = 0; level < kLevels; ++level) total *= 100;

  // Vose's method: outcomes lighter than the average are filled up by heavier ones. All masses are
  // multiplied by kOutcomes, so that the average is `total`.
  std::vector<std::uint64_t> mass(kOutcomes, kOutcomes);
  std::vector<std::uint32_t> light;
  std::vector<std::uint32_t> heavy;
  for (std::uint32_t outcome = 0; outcome < kOutcomes; ++outcome) {
    for (int level = 0; level < kLevels; ++level) {
      const std::uint32_t source_bit = outcome >> (kLevels + level) & 1;
      const std::uint32_t target_bit = outcome >> level & 1;
      mass[outcome] *= kQuadrants[2 * source_bit + target_bit];
    }
    (mass[outcome] < total ? light : heavy).push_back(outcome);
  }

  std::vector<Entry> table(kOutcomes);
  for (std::uint32_t outcome = 0; outcome < kOutcomes; ++outcome) {
    const auto self = static_cast<std::uint16_t>(outcome);
    table[outcome] = {1u << kChanceBits, self, self};
  }
  while (!light.empty() && !heavy.empty()) {
    const std::uint32_t low = light.back();
    light.pop_back();
    const std::uint32_t high = heavy.back();
    table[low].chance = static_cast<std::uint32_t>((mass[low] << kChanceBits) / total);
    table[low].alias = static_cast<std::uint16_t>(high);
    mass[high] -= total - mass[low];
    if (mass[high] < total) {
      heavy.pop_back();
      light.push_back(high);
    }
  }
  return table;
}

}  // namespace grappa::graph::generate_detail
