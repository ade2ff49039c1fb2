#include "cli/plot_labels.hpp"

#include <algorithm>

namespace grappa::cli {

std::vector<double> move_apart(const std::vector<double>& wanted, double gap, double low,
                               double high) {
  // Labels that touch one another form a block, which stands where its labels want it on average.
  struct Block {
    double sum = 0;  // of what its labels want, less the room of those before them
    double count = 0;
    double mean() const { return sum / count; }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    blocks.push_back({wanted[i] - gap * static_cast<double>(i), 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  const double room = wanted.empty() ? 0 : gap * static_cast<double>(wanted.size() - 1);
  std::vector<double> placed;
  for (const Block& block : blocks) {
    const double start = std::max(low, std::min(block.mean(), high - room));
    for (double k = 0; k < block.count; ++k)
      placed.push_back(start + gap * static_cast<double>(placed.size()));
  }
  return placed;
}

}  // namespace grappa::cli
