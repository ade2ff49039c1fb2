// Counts, through the installed package, the iterations of a parallel loop.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>

int main() {
  constexpr std::int64_t kIterations = 10'000;
  std::int64_t counted = kIterations;  // in the other processes of a job
  grappa::run([&counted] {
    const auto total = grappa::global_alloc<std::int64_t>(1);
    grappa::delegate::write(total, std::int64_t{0});
    grappa::forall(0, kIterations, [total](std::int64_t) {
      grappa::delegate::async::increment(total, std::int64_t{1});
    });
    counted = grappa::delegate::read(total);
    grappa::global_free(total);
    std::printf("counted %lld of %lld on %d locales\n", static_cast<long long>(counted),
                static_cast<long long>(kIterations), grappa::locale_count());
  });
  return counted == kIterations ? 0 : 1;
}
