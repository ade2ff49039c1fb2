#include "bench/gups_mpi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "bench/with_mpi.hpp"
#include "grappa/base/fast_divide.hpp"

namespace grappa::bench {
namespace {

constexpr std::size_t kUpdatesAhead = 32;   // updates between prefetch and increment
constexpr std::int64_t kFlushEvery = 4096;  // accumulates between two flushes
constexpr std::int64_t kTuningUpdates = 1 << 23;
constexpr std::int64_t kMinRound = 1 << 12;
constexpr std::int64_t kMaxRound = 1 << 22;

/// The updates that this process makes.
struct Part {
  explicit Part(std::int64_t updates)
      : first(updates * this_locale() / locale_count()),
        last(updates * (this_locale() + 1) / locale_count()) {}
  std::int64_t first;
  std::int64_t last;
};

void apply(std::int64_t* words, const std::uint32_t* places, std::size_t count, std::int64_t by) {
  const std::size_t primed = std::min(kUpdatesAhead, count);
  for (std::size_t i = 0; i < primed; ++i) __builtin_prefetch(words + places[i], 1);
  const std::size_t steady = count - primed;
  for (std::size_t i = 0; i < steady; ++i) {
    __builtin_prefetch(words + places[i + kUpdatesAhead], 1);
    words[places[i]] += by;
  }
  for (std::size_t i = steady; i < count; ++i) words[places[i]] += by;
}

/// What one process has for the exchange.
class Exchange {
 public:
  explicit Exchange(std::size_t room)
      : ranks_(static_cast<std::size_t>(locale_count())),
        me_(static_cast<std::size_t>(this_locale())),
        room_(room),
        given_(ranks_ * room),
        taken_(ranks_ * room),
        given_counts_(ranks_),
        given_offsets_(ranks_),
        taken_counts_(ranks_),
        taken_offsets_(ranks_) {
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      given_offsets_[rank] = static_cast<int>(rank * room);
  }

  void put(std::size_t rank, std::uint64_t place) {
    given_[rank * room_ + static_cast<std::size_t>(given_counts_[rank]++)] =
        static_cast<std::uint32_t>(place);
  }

  /// Collective: sends and applies what was put in.
  void exchange(const GrappaMpiBench& mpi, std::int64_t* words, std::int64_t by) {
    const int own = std::exchange(given_counts_[me_], 0);
    mpi.all_to_all(given_counts_.data(), taken_counts_.data());
    int total = 0;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      taken_offsets_[rank] = total;
      total += taken_counts_[rank];
    }
    mpi.all_to_all_v(given_.data(), given_counts_.data(), given_offsets_.data(), taken_.data(),
                     taken_counts_.data(), taken_offsets_.data());
    apply(words, given_.data() + me_ * room_, static_cast<std::size_t>(own), by);
    apply(words, taken_.data(), static_cast<std::size_t>(total), by);
    std::ranges::fill(given_counts_, 0);
  }

 private:
  std::size_t ranks_;
  std::size_t me_;
  std::size_t room_;
  std::vector<std::uint32_t> given_;  // `room` for each rank
  std::vector<std::uint32_t> taken_;
  std::vector<int> given_counts_;
  std::vector<int> given_offsets_;
  std::vector<int> taken_counts_;
  std::vector<int> taken_offsets_;
};

}  // namespace

BulkExchange::BulkExchange(GlobalArray<std::int64_t> table, GupsStream stream, std::int64_t updates)
    : table_(table), stream_(stream), updates_(updates) {
  if (table.block() * cores_per_locale() > std::numeric_limits<std::uint32_t>::max())
    throw UsageError("--baseline mpi-alltoallv: at most 32 GiB of the table in each process");
  const std::int64_t some = std::min(updates, kTuningUpdates);
  double best = std::numeric_limits<double>::max();
  for (std::int64_t size = kMinRound; size <= kMaxRound; size *= 4) {
    const double forward = run_rounds(some, 1, size);
    const double seconds = std::min(forward, run_rounds(some, -1, size));
    if (seconds >= best) continue;
    best = seconds;
    updates_a_round_ = size;
  }
}

double BulkExchange::run_rounds(std::int64_t updates, std::int64_t by,
                                std::int64_t updates_a_round) const {
  return mpi_trial([=, table = table_, stream = stream_](const GrappaMpiBench& mpi) {
    std::int64_t* words = table.locale_part().data();
    const internal::FastDivider by_words(
        static_cast<std::uint64_t>(table.block() * cores_per_locale()));
    Exchange exchange(static_cast<std::size_t>(updates_a_round));
    const Part part(updates);
    // Nobody has more than this, and all make the same number of rounds.
    const std::int64_t most = (updates + locale_count() - 1) / locale_count();
    const std::int64_t rounds = (most + updates_a_round - 1) / updates_a_round;
    return mpi_seconds(mpi, [&] {
      std::int64_t next = part.first;
      for (std::int64_t round = 0; round < rounds; ++round) {
        const std::int64_t end = std::min(part.last, next + updates_a_round);
        for (; next < end; ++next) {
          const auto [rank, place] =
              by_words.divide_modulo(static_cast<std::uint64_t>(stream(next)));
          exchange.put(rank, place);
        }
        exchange.exchange(mpi, words, by);
      }
    });
  });
}

RemoteAccumulate::RemoteAccumulate(std::int64_t length, GupsStream stream, std::int64_t updates)
    : stream_(stream),
      updates_(updates),
      words_each_((length + locale_count() - 1) / locale_count()) {
  mpi_trial([words = words_each_](const GrappaMpiBench& mpi) {
    mpi.open_window(static_cast<std::size_t>(words));
    return 0.0;
  });
}

RemoteAccumulate::~RemoteAccumulate() {
  mpi_trial([](const GrappaMpiBench& mpi) {
    mpi.close_window();
    return 0.0;
  });
}

double RemoteAccumulate::run() {
  ++rounds_;
  return mpi_trial([updates = updates_, words = words_each_,
                    stream = stream_](const GrappaMpiBench& mpi) {
    const internal::FastDivider by_words(static_cast<std::uint64_t>(words));
    const Part part(updates);
    const std::int64_t one = 1;
    return mpi_seconds(mpi, [&] {
      for (std::int64_t i = part.first; i < part.last; ++i) {
        const auto [rank, place] = by_words.divide_modulo(static_cast<std::uint64_t>(stream(i)));
        mpi.add(&one, static_cast<int>(rank), place);
        if (i % kFlushEvery == 0) mpi.flush_all();
      }
      mpi.flush_all();
    });
  });
}

void RemoteAccumulate::check() const {
  mpi_trial([updates = updates_, words = words_each_, stream = stream_,
             rounds = rounds_](const GrappaMpiBench& mpi) {
    std::int64_t* mine = mpi.window();
    const std::int64_t first = words * this_locale();
    for (std::int64_t i = 0; i < updates; ++i) {
      const std::int64_t place = stream(i) - first;
      if (place >= 0 && place < words) mine[place] -= rounds;
    }
    const auto wrong =
        std::count_if(mine, mine + words, [](std::int64_t word) { return word != 0; });
    if (wrong != 0) throw Error(fmt::format("gups: {} words of MPI's window are wrong", wrong));
    return 0.0;
  });
}

}  // namespace grappa::bench
