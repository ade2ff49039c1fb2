// bench pingpong: latency and bandwidth between the first core of locale 0 and that of the last
// locale (on one locale: the last core), by message size.
//
//   read        a blocking delegate read: one word there and back
//   latency     an active message there and back, with a payload of that size both ways
//   bandwidth   a stream of active messages with such payloads, and an answer at the end
//
// Payloads up to 1 KiB lie in the message, as what a closure captures does; larger ones behind it.
//
// Under an MPI launcher the same by MPI alone, in turn: MPI_Send and MPI_Recv, MPI_Isend and
// MPI_Irecv. Check: every message has a stamp, and the last one is compared as a whole.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/measure.hpp"
#include "bench/mpi_messages.hpp"
#include "bench/pattern.hpp"
#include "bench/registry.hpp"
#include "bench/with_mpi.hpp"
#include "cli/run_report.hpp"
#include "grappa/grappa.hpp"
#include "grappa/tasking/scheduler.hpp"

namespace grappa::bench {
namespace {

constexpr std::int64_t kMaxSize = 256 << 20;
constexpr std::int64_t kBytesOfTrial = 64 << 20;
constexpr std::int64_t kStreamOfRound = 50;  // messages for each round trip
constexpr std::int64_t kMin = 10;
constexpr std::size_t kSmallSizes = 8;  // powers of two from 8 on: up to 1024 bytes

std::int64_t rounds_of(std::int64_t bytes, std::int64_t most) {
  return std::min(most, std::max(kBytesOfTrial / bytes, kMin));
}

/// What a core has for the messages that come to it.
struct Station {
  std::vector<std::byte> buffer;
  std::int64_t arrived = 0;
  std::uint64_t stamps = 0;  // their sum
  internal::Worker* waiter = nullptr;

  void take(const void* payload, std::size_t bytes) {
    std::memcpy(buffer.data(), payload, bytes);
    stamps += stamp_of(buffer.data());
    ++arrived;
  }
  void wake(internal::Core& core) {
    if (waiter != nullptr) core.scheduler->wake(std::exchange(waiter, nullptr));
  }
  void wait() {
    internal::Scheduler& scheduler = internal::this_scheduler();
    waiter = &scheduler.current();
    scheduler.suspend("a message");
  }
};
using Stations = SymmetricAddress<Station>;

/// A message whose size the compiler knows: like closures, many of them share a chunk.
template <class Handler, std::size_t kBytes>
struct SmallMessage {
  Handler handler;
  std::byte payload[kBytes];
  void operator()(internal::RunContext& context) { handler.run(context, payload, kBytes); }
};

/// A message with the payload behind it.
template <class Handler>
struct LargeMessage {
  Handler handler;
  void operator()(internal::RunContext& context) {
    handler.run(context, this + 1, context.bytes - sizeof *this);
  }
};

template <std::size_t kBytes, class Handler>
bool send_if(std::size_t bytes, int core, const Handler& handler, const std::byte* payload) {
  if (bytes != kBytes) return false;
  SmallMessage<Handler, kBytes> message{handler, {}};
  std::memcpy(message.payload, payload, kBytes);
  internal::here().messages->send(core, message, nullptr);
  return true;
}

/// Runs handler.run(context, payload, bytes) at `core`.
template <class Handler>
void send(int core, const Handler& handler, const std::byte* payload, std::size_t bytes) {
  const bool sent = [&]<std::size_t... kShift>(std::index_sequence<kShift...>) {
    return (send_if<std::size_t{8} << kShift>(bytes, core, handler, payload) || ...);
  }(std::make_index_sequence<kSmallSizes>());
  if (!sent)
    internal::here().messages->send_with_tail(core, LargeMessage<Handler>{handler}, payload, bytes,
                                              nullptr);
}

struct Pong {
  Stations stations;
  void run(internal::RunContext& context, const void* payload, std::size_t bytes) const {
    Station& mine = stations.local();
    mine.take(payload, bytes);
    mine.wake(context.core);
  }
};

struct Ping {
  Stations stations;
  void run(internal::RunContext& context, const void* payload, std::size_t bytes) const {
    Station& mine = stations.local();
    mine.take(payload, bytes);
    set_stamp(mine.buffer.data(), stamp_of(mine.buffer.data()) + 1);
    send(context.source, Pong{stations}, mine.buffer.data(), bytes);
  }
};

struct Stream {
  Stations stations;
  std::int64_t count;
  void run(internal::RunContext& context, const void* payload, std::size_t bytes) const {
    Station& mine = stations.local();
    mine.take(payload, bytes);
    if (mine.arrived < count) return;
    // The answer is the sum of the stamps.
    std::byte answer[sizeof mine.stamps];
    set_stamp(answer, mine.stamps);
    send(context.source, Pong{stations}, answer, sizeof answer);
  }
};

void require_as_sent(bool arrived) {
  if (!arrived) throw Error("bench pingpong: a message did not arrive as it was sent");
}

class Pair {
 public:
  explicit Pair(std::int64_t largest)
      : other_(locale_count() > 1 ? first_core_of(locale_count() - 1) : core_count() - 1),
        stations_(symmetric_alloc<Station>()) {
    on_all_cores([stations = stations_, largest] {
      stations.local().buffer.resize(static_cast<std::size_t>(largest));
    });
  }
  ~Pair() { symmetric_free(stations_); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int other() const { return other_; }

  double reads(std::int64_t rounds) const {
    const auto word = symmetric_alloc<std::int64_t>();
    const auto address = word.on(other_);
    delegate::write(address, 7);
    std::int64_t sum = 0;
    const double seconds = seconds_of([&] {
      for (std::int64_t i = 0; i < rounds; ++i) sum += delegate::read(address);
    });
    require_as_sent(sum == 7 * rounds);
    symmetric_free(word);
    return seconds;
  }

  double round_trips(std::int64_t bytes, std::int64_t rounds) const {
    start_anew();
    Station& mine = stations_.local();
    std::vector<std::byte> message = make_pattern(bytes);
    std::int64_t right = 0;
    const std::uint64_t start = internal::now_ns();
    for (std::int64_t round = 0; round < rounds; ++round) {
      const auto stamp = static_cast<std::uint64_t>(round);
      set_stamp(message.data(), stamp);
      send(other_, Ping{stations_}, message.data(), message.size());
      while (mine.arrived <= round) mine.wait();
      right += stamp_of(mine.buffer.data()) == stamp + 1;
    }
    const double seconds = seconds_since(start);
    require_as_sent(right == rounds && is_pattern(mine.buffer.data(), bytes));
    return seconds;
  }

  double stream(std::int64_t bytes, std::int64_t count) const {
    start_anew();
    Station& mine = stations_.local();
    std::vector<std::byte> message = make_pattern(bytes);
    const std::uint64_t start = internal::now_ns();
    for (std::int64_t i = 0; i < count; ++i) {
      set_stamp(message.data(), static_cast<std::uint64_t>(i));
      send(other_, Stream{stations_, count}, message.data(), message.size());
    }
    while (mine.arrived == 0) mine.wait();
    const double seconds = seconds_since(start);
    const bool whole = delegate::call(other_, [stations = stations_, bytes] {
      return is_pattern(stations.local().buffer.data(), bytes);
    });
    require_as_sent(whole && stamp_of(mine.buffer.data()) == sum_of_stamps(count));
    return seconds;
  }

 private:
  void start_anew() const {
    on_all_cores([stations = stations_] {
      stations->arrived = 0;
      stations->stamps = 0;
    });
  }

  int other_;
  Stations stations_;
};

class PingPong final : public Benchmark {
 public:
  PingPong() : Benchmark("pingpong", "latency and bandwidth between two locales by message size") {
    for (std::int64_t bytes = 8; bytes <= 4 << 20; bytes *= 2) sizes_.push_back(bytes);
  }

  void add_options(Options& options) override {
    options.add_counts("--sizes", sizes_, 8, kMaxSize, "payloads in bytes, multiples of 8");
    options.add_count("--rounds", rounds_, 1, Options::kMany,
                      "round trips in a trial, at most; a stream has 50 times that");
    options.add_trials(trials_);
  }

  void run(const Config& base_config, Report& report) override {
    for (const std::int64_t bytes : sizes_) {
      if (bytes % 8 != 0)
        throw UsageError(fmt::format("--sizes {}: a multiple of 8 was expected", bytes));
    }
    Config config = base_config;
    config.stall_ns = 0;  // MPI keeps its core
    grappa::run(config, [&] {
      if (core_count() < 2)
        throw UsageError("bench pingpong: needs two cores or two locales (--cores, --locales)");
      const bool mpi = runs_on_mpi();
      const Pair pair(*std::ranges::max_element(sizes_));
      cli::print_cores(report);
      report.line("Between", "core 0 and core {} of {}, on {}", pair.other(), core_count(),
                  locale_count() == 1 ? "one locale"
                  : mpi               ? "two of the processes of an MPI job"
                                      : "two simulated locales");
      if (!mpi)
        report.line("Baseline", "none; MPI needs a launcher: mpirun -n 2 grappa bench pingpong");
      measure_reads(pair, mpi, report);
      std::vector<cli::Column> columns = {
          {.head = "bytes", .width = 10},
          {.head = "there, back", .format = "{:.2f} us", .width = 13},
          {.head = "one way", .format = "{:.0f} MB/s", .width = 13}};
      if (mpi) {
        columns.insert(columns.end(),
                       {{.head = "MPI, and back", .format = "{:.2f} us", .width = 13},
                        {.head = "ratio", .format = "{:.2f}", .width = 6},
                        {.head = "MPI, one way", .format = "{:.0f} MB/s", .width = 13},
                        {.head = "ratio", .format = "{:.2f}", .width = 6}});
      }
      Table rows(report, "rows", std::move(columns));
      for (const std::int64_t bytes : sizes_) measure(pair, bytes, mpi, rows);
      report.line("Checked", "{}",
                  fact("checked", true, "the stamp of every message, and the last one whole"));
    });
  }

 private:
  void measure_reads(const Pair& pair, bool mpi, Report& report) const {
    const std::int64_t rounds = rounds_;
    std::function<double()> baseline;
    if (mpi) baseline = [&] { return mpi_round_trips(8, rounds); };
    const PairedTrials trials = run_paired(trials_, [&] { return pair.reads(rounds); }, baseline);
    const double scale = 1e9 / static_cast<double>(rounds);
    const double ns = median(trials.ours) * scale;
    report.line("Read", "{:.0f} ns, blocking, one word", fact("read_ns", ns));
    if (!mpi) return;
    const double mpi_ns = median(trials.baseline) * scale;
    report.line("Baseline", "{:.0f} ns there and back ({})",
                fact("/baseline/round_trip_ns", mpi_ns), fact("/baseline/name", "mpi", "MPI"));
    report.line("Ratio", "{:.2f}", fact("/ratio", ns / mpi_ns));
  }

  void measure(const Pair& pair, std::int64_t bytes, bool mpi, Table& rows) const {
    const std::int64_t rounds = rounds_of(bytes, rounds_);
    const std::int64_t count = rounds_of(bytes, rounds_ * kStreamOfRound);
    std::function<double()> round_trips;
    std::function<double()> stream;
    if (mpi) {
      round_trips = [&] { return mpi_round_trips(bytes, rounds); };
      stream = [&] { return mpi_stream(bytes, count); };
    }
    const PairedTrials there_and_back =
        run_paired(trials_, [&] { return pair.round_trips(bytes, rounds); }, round_trips);
    const PairedTrials one_way =
        run_paired(trials_, [&] { return pair.stream(bytes, count); }, stream);
    const auto microseconds = [&](const std::vector<double>& seconds) {
      return median(seconds) * 1e6 / static_cast<double>(rounds);
    };
    const auto megabytes = [&](const std::vector<double>& seconds) {
      return static_cast<double>(bytes * count) * 1e-6 / median(seconds);
    };
    const auto size = fact("bytes", bytes);
    const auto latency = fact("round_trip_us", microseconds(there_and_back.ours));
    const auto bandwidth = fact("megabytes_per_second", megabytes(one_way.ours));
    if (mpi) {
      const double us = microseconds(there_and_back.baseline);
      const double rate = megabytes(one_way.baseline);
      rows.add(size, latency, bandwidth, fact("mpi_round_trip_us", us), latency.value / us,
               fact("mpi_megabytes_per_second", rate), bandwidth.value / rate);
    } else {
      rows.add(size, latency, bandwidth);
    }
  }

  std::vector<std::int64_t> sizes_;
  std::int64_t rounds_ = 2000;
  int trials_ = 5;
};

const PingPong ping_pong;

}  // namespace
}  // namespace grappa::bench
