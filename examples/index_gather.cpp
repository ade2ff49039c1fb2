// Reads many elements of a large array: one delegate each, and in bulk.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

using namespace grappa;

constexpr std::int64_t kElements = 1 << 20;
constexpr std::int64_t kReads = 1 << 18;

std::int64_t wanted(std::int64_t k) {
  return static_cast<std::int64_t>(hash_number(static_cast<std::uint64_t>(k)) % kElements);
}

int main() {
  bool right = true;
  run([&] {
    auto table = GlobalArray<std::int64_t>::create(kElements, Distribution::kCyclic);
    table.forall([](std::int64_t i, std::int64_t& x) { x = 3 * i; });
    const auto mistakes = symmetric_alloc<std::int64_t>();

    const std::uint64_t start = run_time_ns();
    forall(kReads, [=](std::int64_t k) {
      if (delegate::read(table[wanted(k)]) != 3 * wanted(k)) ++mistakes.local();
    });
    const std::uint64_t middle = run_time_ns();

    // A body that gets a whole grain at a time asks for all of its elements in one call.
    forall_range(0, kReads, {.grain = 16384}, [=](std::int64_t first, std::int64_t last) {
      std::vector<std::int64_t> indices;
      for (std::int64_t k = first; k < last; ++k) indices.push_back(wanted(k));
      std::vector<std::int64_t> values(indices.size());
      table.gather(indices, values);
      for (std::size_t j = 0; j < values.size(); ++j) {
        if (values[j] != 3 * indices[j]) ++mistakes.local();
      }
    });
    const std::uint64_t end = run_time_ns();

    const auto rate = [](std::uint64_t ns) { return kReads * 1e3 / static_cast<double>(ns); };
    std::printf("one by one %8.3f million reads/s\n", rate(middle - start));
    std::printf("in bulk    %8.3f million reads/s\n", rate(end - middle));
    const auto wrong =
        reduce_cores([=] { return mistakes.local(); }, std::int64_t{0}, std::plus<>{});
    std::printf("%lld wrong values\n", static_cast<long long>(wrong));
    right = wrong == 0;
    symmetric_free(mistakes);
    table.destroy();
  });
  return right ? 0 : 1;
}
