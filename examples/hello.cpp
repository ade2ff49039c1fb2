// The smallest program: starts the runtime and asks every core where it is.

#include <grappa/grappa.hpp>

#include <cstdio>
#include <vector>

using namespace grappa;

int main() {
  bool right = true;
  run([&] {
    std::printf("%d locale(s) of %d core(s)\n", locale_count(), cores_per_locale());

    const std::vector<int> answers = gather_cores([] { return this_locale(); });
    for (int core = 0; core < core_count(); ++core) {
      const int locale = answers[static_cast<std::size_t>(core)];
      std::printf("core %d says hello from locale %d\n", core, locale);
      right = right && locale == locale_of(core);
    }
  });
  return right ? 0 : 1;
}
