#include "bench/delegate_mpi.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "bench/measure.hpp"
#include "bench/with_mpi.hpp"
#include "grappa/base/fast_divide.hpp"

namespace grappa::bench {
namespace {

constexpr std::int64_t kOne = 1;

void start(const GrappaMpiBench& mpi, RemoteOperation operation, std::int64_t* value, int rank,
           std::uint64_t word) {
  switch (operation) {
    case RemoteOperation::kGet:
      return mpi.get(value, rank, word);
    case RemoteOperation::kPut:
      return mpi.put(&kOne, rank, word);
    case RemoteOperation::kFetchAdd:
      return mpi.fetch_add(&kOne, value, rank, word);
    case RemoteOperation::kAccumulate:
      return mpi.add(&kOne, rank, word);
  }
}

/// The indices of the words that a process uses, one after the other.
struct RandomWords {
  std::int64_t first;   // of the range
  std::int64_t length;  // of the range
  std::int64_t seed;
  std::int64_t operator()(std::int64_t i) const { return first + random_index(seed + i, length); }
};

}  // namespace

RemoteWords::RemoteWords(std::int64_t words_each, std::int64_t factor)
    : words_each_(words_each), factor_(factor) {
  mpi_trial([=](const GrappaMpiBench& mpi) {
    std::int64_t* words = mpi.open_window(static_cast<std::size_t>(words_each));
    for (std::int64_t i = 0; i < words_each; ++i)
      words[i] = factor * (words_each * this_locale() + i);
    mpi.window();  // makes the values known to MPI
    mpi.barrier();
    return 0.0;
  });
}

RemoteWords::~RemoteWords() {
  mpi_trial([](const GrappaMpiBench& mpi) {
    mpi.close_window();
    return 0.0;
  });
}

double RemoteWords::one_by_one(RemoteOperation operation, std::int64_t rounds) const {
  return mpi_trial([=](const GrappaMpiBench& mpi) {
    return mpi_seconds(mpi, [&] {
      if (this_locale() != 0) return;
      const int last = locale_count() - 1;
      std::int64_t value = 0;
      for (std::int64_t i = 0; i < rounds; ++i) {
        start(mpi, operation, &value, last, 0);
        mpi.flush(last);
      }
    });
  });
}

double RemoteWords::many(RemoteOperation operation, std::int64_t each, int outstanding,
                         bool next) const {
  return mpi_trial([=, words_each = words_each_, factor = factor_](const GrappaMpiBench& mpi) {
    const std::int64_t me = this_locale();
    const std::int64_t ranks = locale_count();
    const RandomWords words{next ? (me + 1) % ranks * words_each : 0,
                            next ? words_each : ranks * words_each, me * each};
    const internal::FastDivider by_words(static_cast<std::uint64_t>(words_each));
    std::vector<std::int64_t> values(static_cast<std::size_t>(outstanding));
    std::int64_t sum = 0;
    const double seconds = mpi_seconds(mpi, [&] {
      for (std::int64_t first = 0; first < each; first += outstanding) {
        const std::int64_t count = std::min<std::int64_t>(outstanding, each - first);
        for (std::int64_t i = 0; i < count; ++i) {
          const auto [rank, word] =
              by_words.divide_modulo(static_cast<std::uint64_t>(words(first + i)));
          start(mpi, operation, &values[static_cast<std::size_t>(i)], static_cast<int>(rank), word);
        }
        mpi.flush_all();
        for (std::int64_t i = 0; i < count; ++i) sum += values[static_cast<std::size_t>(i)];
      }
    });
    if (operation == RemoteOperation::kGet) {
      for (std::int64_t i = 0; i < each; ++i) sum -= factor * words(i);
      if (sum != 0) throw Error("bench delegate: MPI_Get returned what was never written");
    }
    return seconds;
  });
}

std::int64_t RemoteWords::sum() const {
  return reduce_cores(
      [words_each = words_each_] {
        std::int64_t sum = 0;
        with_mpi([&](const GrappaMpiBench& mpi) {
          const std::int64_t* words = mpi.window();
          for (std::int64_t i = 0; i < words_each; ++i) sum += words[i];
        });
        return sum;
      },
      std::int64_t{0}, std::plus<>{});
}

void RemoteWords::set_all(std::int64_t value) const {
  mpi_trial([=, words_each = words_each_](const GrappaMpiBench& mpi) {
    std::fill_n(mpi.window(), words_each, value);
    mpi.window();
    mpi.barrier();
    return 0.0;
  });
}

}  // namespace grappa::bench
