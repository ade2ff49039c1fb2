// Settings: by the program, by the environment over it, by flags over both; and what was counted.
//   configure [--OPTION VALUE]...

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <string_view>

using namespace grappa;

Config configuration(int argc, char** argv) {
  Config config;
  config.flush_ns = 500'000;           // the program's own choice
  config.chunk_bytes = 16 * 1024;      //
  config = config.with_environment();  // GRAPPA_FLUSH=2ms is stronger
  for (int i = 1; i + 1 < argc; i += 2) {
    set_option(config, std::string_view(argv[i]).substr(2), argv[i + 1]);  // --flush 2ms, too
  }
  return config;
}

int main(int argc, char** argv) {
  try {
    const Config config = configuration(argc, argv);
    bool right = true;
    run(config, [&] {
      std::printf("flush after %llu us, chunks of %zu KiB\n",
                  static_cast<unsigned long long>(config.flush_ns / 1000),
                  config.chunk_bytes / 1024);
      on_all_cores([] {});
      for (const MetricValue& metric : metrics_snapshot()) {
        if (metric.name == "tasking.tasks") {
          right = metric.total >= static_cast<std::uint64_t>(core_count());
        }
      }
    });
    return right ? 0 : 1;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "configure: %s\n", error.what());
    return 2;
  }
}
