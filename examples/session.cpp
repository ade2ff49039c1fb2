// A session: threads of the program call into one run, which keeps its memory between the calls.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

using namespace grappa;

bool use_session() {
  constexpr std::int64_t kWords = 1 << 16;
  constexpr int kThreads = 4;
  Session session;
  const GlobalArray<std::int64_t> counts =
      session.call([] { return GlobalArray<std::int64_t>::create(kWords); });

  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&session, counts] {
      session.call([counts] { counts.forall([](std::int64_t, std::int64_t& count) { ++count; }); });
    });
  }
  for (std::thread& thread : threads) thread.join();

  const std::int64_t sum =
      session.call([counts] { return reduce(counts, std::int64_t{0}, std::plus<>()); });
  std::printf("%d threads, %lld increments\n", kThreads, static_cast<long long>(sum));

  SessionCall endless(session, [] {
    for (;;) cancellation_point();
  });
  endless.cancel();
  bool was_cancelled = false;
  try {
    endless.get();
  } catch (const Cancelled&) {
    was_cancelled = true;
  }
  return sum == kThreads * kWords && was_cancelled;
}

int main() {
  if (is_follower()) return serve();  // of the processes of a job the first has the session
  const int status = use_session() ? 0 : 1;
  end_job(status);
  return status;
}
