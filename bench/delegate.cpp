// bench delegate: latency and throughput of delegate operations.
//
//   latency      one task reads, writes, fetch-adds a word of another core, one after the other
//   blocking     many tasks a core do so on random words of a table (half of them at the own core
//   on two cores) async        asynchronous increments of a table that fits in the caches gather a
//   large table is read at random indices through bulk gather
//
// Each checks its sums.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "bench/measure.hpp"
#include "bench/registry.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/grappa.hpp"

namespace grappa::bench {
namespace {

using Table = GlobalArray<std::int64_t>;

std::int64_t random_index(std::int64_t i, std::int64_t length) {
  const std::uint64_t high = mix(static_cast<std::uint64_t>(i)) * 0x9E3779B97F4A7C15ull >> 32;
  return static_cast<std::int64_t>(high * static_cast<std::uint64_t>(length) >> 32);
}

double seconds_of(const std::function<void()>& work) {
  const std::uint64_t start = now_ns();
  work();
  return static_cast<double>(now_ns() - start) * 1e-9;
}

void require_sum(const Table& table, std::int64_t expected, const char* what) {
  const auto sum = reduce_cores(
      [=] {
        std::int64_t s = 0;
        for (const std::int64_t x : table.local()) s += x;
        return s;
      },
      std::int64_t{0}, std::plus<>{});
  if (sum != expected)
    throw Error(fmt::format("bench delegate, {}: the sum is {}, expected {}", what, sum, expected));
}

class Delegates final : public Benchmark {
 public:
  Delegates()
      : Benchmark("delegate",
                  "latency and throughput of reads, writes, fetch-adds, increments, gathers") {}

  void add_options(Options& options) override {
    options.add("--small", small_, "words a core of the cached table");
    options.add("--table", table_, "size of the large table");
    options.add("--tasks", tasks_, "tasks a core for blocking operations");
    options.add("--operations", operations_, "operations a core in a trial");
    options.add("--trials", trials_, "trials; the median counts");
  }

  nlohmann::json run(const Config& base_config, bool quiet) override {
    Config config = base_config;
    config.max_forall_workers = tasks_;
    nlohmann::json result;
    grappa::run(config, [&] {
      if (!quiet)
        fmt::print("Cores:     {}, {} tasks a core, {} operations a core in a trial\n",
                   core_count(), tasks_, operations_);
      latency(result, quiet);
      blocking(result, quiet);
      asynchronous(result, quiet);
      gathers(result, quiet);
      if (!quiet) fmt::print("Checked:   all sums\n");
    });
    result["checked"] = true;
    return {{"trials", nlohmann::json::array()}, {"result", result}};
  }

 private:
  double median_of(const std::function<double()>& trial) const {
    trial();
    std::vector<double> values;
    for (int i = 0; i < trials_; ++i) values.push_back(trial());
    return median(values);
  }

  void latency(nlohmann::json& result, bool quiet) const {
    constexpr int kRounds = 20'000;
    const int other = core_count() - 1;
    auto word = symmetric_alloc<std::int64_t>();
    const auto address = word.on(other);
    const auto measure = [&](const char* name, auto&& operation) {
      const double ns = median_of([&] {
                          return seconds_of([&] {
                            for (int i = 0; i < kRounds; ++i) operation();
                          });
                        }) *
                        1e9 / kRounds;
      result["latency_ns"][name] = ns;
      if (!quiet) fmt::print("Latency:   {:<16} {:8.0f} ns\n", name, ns);
    };
    measure("read", [&] { delegate::read(address); });
    measure("write", [&] { delegate::write(address, 1); });
    delegate::write(address, 0);
    measure("fetch_add", [&] { delegate::fetch_add(address, 1); });
    const std::int64_t expected = std::int64_t{kRounds} * (trials_ + 1);
    if (delegate::read(address) != expected) throw Error("bench delegate: fetch_adds were lost");
    symmetric_free(word);
  }

  void blocking(nlohmann::json& result, bool quiet) const {
    Table table = Table::create(small_ * core_count());
    const std::int64_t length = table.size();
    const std::int64_t n = operations_ * core_count();
    // As many units as tasks: each task does its share one after the other.
    const LoopOptions shares{std::max<std::int64_t>(1, n / (std::int64_t{tasks_} * core_count()))};
    const auto measure = [&](const char* name, const std::function<void()>& loop) {
      const double rate =
          static_cast<double>(operations_) / median_of([&] { return seconds_of(loop); }) * 1e-6;
      result["blocking_million_per_second_per_core"][name] = rate;
      if (!quiet) fmt::print("Blocking:  {:<16} {:8.1f} M/s a core\n", name, rate);
    };
    measure("read", [&] {
      forall(0, n, shares, [=](std::int64_t i) {
        if (delegate::read(table[random_index(i, length)]) != 0)
          throw Error("a read returned what was never written");
      });
    });
    measure("read remote", [&] {
      // Always a word of the next core.
      forall(0, n, shares, [=](std::int64_t i) {
        const int next = (this_core() + 1) % core_count();
        if (delegate::read(table[next * table.block() + random_index(i, table.block())]) != 0)
          throw Error("a read returned what was never written");
      });
    });
    measure("fetch_add", [&] {
      forall(0, n, shares,
             [=](std::int64_t i) { delegate::fetch_add(table[random_index(i, length)], 1); });
    });
    require_sum(table, n * (trials_ + 1), "fetch_add");
    measure("write", [&] {
      forall(0, n, shares,
             [=](std::int64_t i) { delegate::write(table[random_index(i, length)], 1); });
    });
    table.destroy();
  }

  void asynchronous(nlohmann::json& result, bool quiet) const {
    Table table = Table::create(small_ * core_count());
    const std::int64_t length = table.size();
    const std::int64_t n = operations_ * core_count() * 16;
    const double seconds = median_of([&] {
      return seconds_of([&] {
        forall(0, n,
               [=](std::int64_t i) { delegate::async::increment(table[random_index(i, length)]); });
      });
    });
    require_sum(table, n * (trials_ + 1), "asynchronous increment");
    const double rate = static_cast<double>(n) / seconds * 1e-6;
    result["async_million_per_second"]["increment"] = rate;
    if (!quiet) fmt::print("Async:     {:<16} {:8.1f} M/s\n", "increment", rate);
    table.destroy();
  }

  void gathers(nlohmann::json& result, bool quiet) const {
    const std::uint64_t bytes = parse_size(table_).value_or(0);
    if (bytes < 1024)
      throw UsageError(
          fmt::format("--table {}: a size of at least 1KiB was expected, such as 1GiB", table_));
    Table table = Table::create(static_cast<std::int64_t>(bytes / sizeof(std::int64_t)));
    table.forall([](std::int64_t i, std::int64_t& x) { x = 3 * i; });
    const std::int64_t length = table.size();
    const std::int64_t each = operations_ * 4;
    const double seconds = median_of([&] {
      std::vector<double> spent = gather_cores([=] {
        std::vector<std::int64_t> indices(static_cast<std::size_t>(each));
        std::vector<std::int64_t> values(static_cast<std::size_t>(each));
        for (std::int64_t i = 0; i < each; ++i)
          indices[static_cast<std::size_t>(i)] = random_index(this_core() * each + i, length);
        barrier();
        const double s = seconds_of([&] {
          table.gather(indices, values);
          barrier();
        });
        for (std::size_t i = 0; i < indices.size(); ++i) {
          if (values[i] != 3 * indices[i]) throw Error("a gather returned a wrong value");
        }
        return s;
      });
      return *std::ranges::max_element(spent);
    });
    const double rate = static_cast<double>(each * core_count()) / seconds * 1e-6;
    result["gather_million_per_second"] = rate;
    if (!quiet)
      fmt::print("Gather:    {:<16} {:8.1f} M/s of a {} MiB table\n", "bulk", rate, bytes >> 20);
    table.destroy();
  }

  std::int64_t small_ = 10'000;
  std::string table_ = "1GiB";
  int tasks_ = 1000;
  std::int64_t operations_ = 2'000'000;
  int trials_ = 5;
};

const Delegates delegates;

}  // namespace
}  // namespace grappa::bench
