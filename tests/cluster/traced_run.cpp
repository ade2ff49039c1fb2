// A run for the tests of the timeline: rounds in which every core marks that it is there, and, when
// all have been, that it goes on.
//
//   traced_run ROUNDS [fatal]      how it ends

#include <cstdlib>
#include <string_view>

#include "grappa/base/error.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/runtime.hpp"

namespace {

void spin_for(std::uint64_t ns) {
  const std::uint64_t end = grappa::internal::now_ns() + ns;
  while (grappa::internal::now_ns() < end) grappa::internal::cpu_relax();
}

void round(std::int64_t number) {
  grappa::on_all_cores([number] {
    spin_for(200'000);
    grappa::trace_mark("before", number);
    grappa::barrier();
    grappa::trace_mark("after", number);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t rounds = argc > 1 ? std::atoll(argv[1]) : 10;
  const std::string_view end = argc > 2 ? argv[2] : "";
  grappa::run([&] {
    const auto sums = grappa::global_alloc<std::int64_t>(1000);
    for (std::int64_t i = 1; i <= rounds; ++i) {
      round(i);
      grappa::forall(sums, 1000, [i](std::int64_t& sum) { sum += i; });
      grappa::forall(0, 10'000, [sums](std::int64_t k) {
        grappa::delegate::async::increment(sums + k % 1000);
      });
    }
    if (end == "fatal") grappa::internal::fatal("as it was told");
  });
}
