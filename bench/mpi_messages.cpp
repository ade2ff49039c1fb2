#include "bench/mpi_messages.hpp"

#include <algorithm>

#include "bench/pattern.hpp"
#include "bench/with_mpi.hpp"

namespace grappa::bench {
namespace {

constexpr std::int64_t kMessagesAtATime = 64;
constexpr std::int64_t kBytesAtATime = 16 << 20;

void require_arrival(bool arrived) {
  if (!arrived) throw Error("MPI: a message did not arrive as it was sent");
}

}  // namespace

double mpi_round_trips(std::int64_t bytes, std::int64_t rounds) {
  return mpi_trial([=](const GrappaMpiBench& mpi) {
    const int me = this_locale();
    const int last = locale_count() - 1;
    std::vector<std::byte> buffer = make_pattern(bytes);
    const std::size_t size = buffer.size();
    std::int64_t right = 0;
    const double seconds = mpi_seconds(mpi, [&] {
      for (std::int64_t round = 0; round < rounds; ++round) {
        if (me == 0) {
          const auto stamp = static_cast<std::uint64_t>(round);
          set_stamp(buffer.data(), stamp);
          mpi.send(buffer.data(), size, last);
          mpi.receive(buffer.data(), size, last);
          right += stamp_of(buffer.data()) == stamp + 1;
        } else if (me == last) {
          mpi.receive(buffer.data(), size, 0);
          set_stamp(buffer.data(), stamp_of(buffer.data()) + 1);
          mpi.send(buffer.data(), size, 0);
        }
      }
    });
    require_arrival(is_pattern(buffer.data(), bytes) && (me != 0 || right == rounds));
    return seconds;
  });
}

double mpi_stream(std::int64_t bytes, std::int64_t count) {
  return mpi_trial([=](const GrappaMpiBench& mpi) {
    const int me = this_locale();
    const int last = locale_count() - 1;
    const std::int64_t at_a_time =
        std::clamp<std::int64_t>(std::min(count, kBytesAtATime / bytes), 1, kMessagesAtATime);
    std::vector<std::byte> buffers;
    for (std::int64_t i = 0; i < at_a_time; ++i) {
      const std::vector<std::byte> one = make_pattern(bytes);
      buffers.insert(buffers.end(), one.begin(), one.end());
    }
    const auto size = static_cast<std::size_t>(bytes);
    const auto message = [&](std::int64_t i) { return buffers.data() + i * bytes; };
    std::uint64_t sum = 0;
    const double seconds = mpi_seconds(mpi, [&] {
      for (std::int64_t done = 0; done < count; done += at_a_time) {
        const std::int64_t now = std::min(at_a_time, count - done);
        if (me == 0) {
          for (std::int64_t i = 0; i < now; ++i)
            set_stamp(message(i), static_cast<std::uint64_t>(done + i));
          mpi.send_many(buffers.data(), size, static_cast<int>(now), last);
        } else if (me == last) {
          mpi.receive_many(buffers.data(), size, static_cast<int>(now), 0);
          for (std::int64_t i = 0; i < now; ++i) sum += stamp_of(message(i));
        }
      }
      char answer = 0;
      if (me == 0) mpi.receive(&answer, 1, last);
      if (me == last) mpi.send(&answer, 1, 0);
    });
    require_arrival(me != last || sum == sum_of_stamps(count));
    for (std::int64_t i = 0; i < at_a_time; ++i) require_arrival(is_pattern(message(i), bytes));
    return seconds;
  });
}

}  // namespace grappa::bench
