// PageRank as MapReduce: each page sends its rank in equal parts along its links; what comes to a
// page is added up. (The graph framework does the same many times as fast: see pagerank.hpp.)

#include <grappa/mapreduce.hpp>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

using namespace grappa;
using namespace grappa::mapreduce;

int main() {
  bool right = true;
  run([&] {
    constexpr std::int64_t kPages = 1000;
    // Page i links to i + 1 and to 2 i: (page, links).
    const auto links = generate(kPages, [](std::int64_t i) {
                         return std::pair(i, std::vector{(i + 1) % kPages, 2 * i % kPages});
                       }).cache();
    auto ranks = generate(kPages, [](std::int64_t i) {
                   return std::pair(i, 1.0 / kPages);
                 }).reduce_by_key(std::plus<>());
    for (int iteration = 0; iteration < 20; ++iteration) {
      ranks = links.join(ranks)
                  .flat_map<std::pair<std::int64_t, double>>([](const auto& page, auto emit) {
                    const auto& [targets, rank] = page.second;
                    emit(std::pair(page.first, 0.15 / kPages));
                    for (const std::int64_t target : targets)
                      emit(std::pair(target, 0.85 * rank / double(targets.size())));
                  })
                  .reduce_by_key(std::plus<>());
    }
    const double sum =
        ranks.map([](const auto& page) { return page.second; }).reduce(0.0, std::plus<>());
    std::printf("the ranks add up to %.6f\n", sum);
    right = std::abs(sum - 1) < 1e-9;
  });
  return right ? 0 : 1;
}
