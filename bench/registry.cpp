#include "bench/registry.hpp"

#include <algorithm>

namespace grappa::bench {
namespace {

std::vector<Benchmark*>& registered() {
  static std::vector<Benchmark*> all;
  return all;
}

}  // namespace

Benchmark::Benchmark(std::string name, std::string summary)
    : name_(std::move(name)), summary_(std::move(summary)) {
  registered().push_back(this);
}

std::vector<Benchmark*> benchmarks() {
  std::vector<Benchmark*> all = registered();
  std::sort(all.begin(), all.end(),
            [](const Benchmark* a, const Benchmark* b) { return a->name() < b->name(); });
  return all;
}

}  // namespace grappa::bench
