#include "grappa/graph/generate/internal/kronecker.hpp"

#include <algorithm>

namespace grappa::graph::generate_detail {

KroneckerEdges::KroneckerEdges(std::uint64_t seed, int scale)
    : scale_(scale),
      words_(static_cast<std::uint64_t>((scale + 2 * kLevels - 1) / (2 * kLevels))),
      table_(make_table()),
      random_(seed, kEdgeStream),
      permute_(seed, scale) {}

// In three passes over a small batch, the first and last of which a compiler turns into vector
// instructions.
void KroneckerEdges::fill(std::uint64_t first, std::span<Edge> edges) const {
  constexpr std::size_t kBatch = 256;
  std::vector<std::uint64_t> words(kBatch * words_);
  for (std::size_t done = 0; done < edges.size(); done += kBatch) {
    const std::span<Edge> batch = edges.subspan(done, std::min(kBatch, edges.size() - done));
    const std::uint64_t counter = (first + done) * words_;
    for (std::size_t i = 0; i < batch.size() * words_; ++i) words[i] = random_(counter + i);
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = draw_edge(&words[i * words_]);
    for (Edge& edge : batch) {
      edge = {permute_(static_cast<std::uint64_t>(edge.source)),
              permute_(static_cast<std::uint64_t>(edge.target))};
    }
  }
}

Edge KroneckerEdges::draw_edge(const std::uint64_t* words) const noexcept {
  constexpr std::uint32_t kTargetMask = (1u << kLevels) - 1;
  VertexId source = 0;
  VertexId target = 0;
  int draws = 0;
  const auto next_bits = [&] {
    const std::uint64_t word = words[draws / 2];
    return static_cast<std::uint32_t>(draws++ % 2 == 0 ? word : word >> 32);
  };
  int levels = scale_;
  for (; levels >= kLevels; levels -= kLevels) {
    const std::uint32_t outcome = draw(next_bits());
    source = source << kLevels | outcome >> kLevels;
    target = target << kLevels | (outcome & kTargetMask);
  }
  if (levels > 0) {
    const std::uint32_t outcome = draw(next_bits());
    source = source << levels | outcome >> (kOutcomeBits - levels);
    target = target << levels | (outcome & kTargetMask) >> (kLevels - levels);
  }
  return {source, target};
}

std::uint32_t KroneckerEdges::draw(std::uint32_t bits) const noexcept {
  constexpr std::uint32_t kChanceMask = (1u << kChanceBits) - 1;
  const Entry entry = table_[bits >> kChanceBits];
  // Shifted, not branched: no processor could predict it.
  const std::uint32_t shift = (bits & kChanceMask) < entry.chance ? 0 : 16;
  return entry.outcomes >> shift & 0xffff;
}

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
    table[outcome] = {1u << kChanceBits, outcome << 16 | outcome};
  }
  while (!light.empty() && !heavy.empty()) {
    const std::uint32_t low = light.back();
    light.pop_back();
    const std::uint32_t high = heavy.back();
    table[low] = {static_cast<std::uint32_t>((mass[low] << kChanceBits) / total), high << 16 | low};
    mass[high] -= total - mass[low];
    if (mass[high] < total) {
      heavy.pop_back();
      light.push_back(high);
    }
  }
  return table;
}

}  // namespace grappa::graph::generate_detail
