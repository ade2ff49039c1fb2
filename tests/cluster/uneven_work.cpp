// Work that all lies on one core at first, and must spread over the processes of a job: public
// tasks, and a loop whose first iterations are the long ones. Prints how much of it ran elsewhere.

#include <cstdio>
#include <functional>

#include "grappa/grappa.hpp"

namespace {

using namespace grappa;

constexpr std::int64_t kTasks = 4'000;

void compute() {
  const std::uint64_t start = internal::now_ns();
  while (internal::now_ns() - start < 50'000) internal::cpu_relax();
}

}  // namespace

int main() {
  bool right = true;
  run([&] {
    const auto ran = symmetric_alloc<std::int64_t>();
    const auto total = [ran] {
      return reduce_cores([=] { return ran.local(); }, std::int64_t{0}, std::plus<>{});
    };
    CompletionEvent done;
    for (std::int64_t i = 0; i < kTasks; ++i) {
      spawn_public(done, [ran] {
        compute();
        ++ran.local();
      });
    }
    done.wait();
    right = right && total() == kTasks;
    std::printf("tasks: %lld of %lld ran elsewhere\n",
                static_cast<long long>(total() - ran.local()), static_cast<long long>(kTasks));
    on_all_cores([ran] { ran.local() = 0; });
    forall(0, kTasks * core_count(), {.grain = 1}, [ran](std::int64_t i) {
      if (i < kTasks) compute();
      ran.local() += i < kTasks;
    });
    right = right && total() == kTasks;
    std::printf("iterations: %lld of %lld ran elsewhere\n",
                static_cast<long long>(total() - ran.local()), static_cast<long long>(kTasks));
    symmetric_free(ran);
  });
  return right ? 0 : 1;
}
