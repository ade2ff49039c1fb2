#include "grappa/transport/watch/peer_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/tasking/report_signal.hpp"

namespace grappa::internal {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr auto kPatience = 60s;

// The watches of a job, all in this process, and how each one ended.
class Job {
 public:
  explicit Job(int size, std::uint64_t lost_after_ns = 20 * kSecond) : size_(size) {
    verdicts_.resize(static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
      auto& verdict = verdicts_[static_cast<std::size_t>(rank)];
      futures_.push_back(verdict.get_future());
      watches_.push_back(std::make_unique<PeerWatch>(
          PeerWatch::Options{.rank = rank,
                             .size = size,
                             .secret = secret_,
                             .lost_after_ns = lost_after_ns,
                             .with_parent = false,
                             .end = [&verdict](const Verdict& end) { verdict.set_value(end); }}));
      addresses_.push_back(watches_.back()->address());
    }
  }

  std::vector<WatchAddress>& addresses() { return addresses_; }
  PeerWatch& operator[](int rank) { return *watches_[static_cast<std::size_t>(rank)]; }

  void start() {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank)
      threads.emplace_back([this, rank] { (*this)[rank].start(addresses_); });
    for (std::thread& thread : threads) thread.join();
  }

  const JobSecret& secret() const { return secret_; }

  void destroy(int rank) { watches_[static_cast<std::size_t>(rank)].reset(); }

  Verdict verdict_of(int rank) {
    auto& future = futures_[static_cast<std::size_t>(rank)];
    if (future.wait_for(kPatience) != std::future_status::ready) return {0, false, "no verdict"};
    return future.get();
  }
  bool has_ended(int rank) {
    return futures_[static_cast<std::size_t>(rank)].wait_for(0s) == std::future_status::ready;
  }

 private:
  const int size_;
  const JobSecret secret_ = make_job_secret();
  std::vector<std::promise<Verdict>> verdicts_;
  std::vector<std::future<Verdict>> futures_;
  std::vector<std::unique_ptr<PeerWatch>> watches_;
  std::vector<WatchAddress> addresses_;
};

TEST(PeerWatch, ALostOneIsNamedByAll) {
  Job job(4);
  job.start();
  job.destroy(2);
  for (const int rank : {0, 1, 3}) {
    const Verdict verdict = job.verdict_of(rank);
    EXPECT_EQ(verdict.status, 1);
    EXPECT_FALSE(verdict.silent);
    EXPECT_THAT(verdict.text, StartsWith("locale 2 (host "));
    EXPECT_THAT(verdict.text, HasSubstr("is lost: its connection was closed"));
    EXPECT_THAT(verdict.text, HasSubstr("process " + std::to_string(getpid())));
  }
}

// Some processes have no connection to the lost one and hear of it.
TEST(PeerWatch, NewsTravelsThroughALargeJob) {
  constexpr int kMany = 66;
  Job job(kMany, 0);
  for (int rank = 0; rank < kMany; ++rank) job[rank].start(job.addresses());
  std::this_thread::sleep_for(2s);  // without a limit of silence nobody waits for connections
  job.destroy(30);
  for (int rank = 0; rank < kMany; ++rank) {
    if (rank == 30) continue;
    EXPECT_THAT(job.verdict_of(rank).text, StartsWith("locale 30 ")) << rank;
  }
}

TEST(PeerWatch, AGoodbyeIsNoLoss) {
  Job job(3);
  job.start();
  job[1].say_goodbye(0);
  job.destroy(1);
  std::this_thread::sleep_for(3s);
  EXPECT_FALSE(job.has_ended(0));
  EXPECT_FALSE(job.has_ended(2));
}

TEST(PeerWatch, NobodyReturnsFromAMeetingBeforeAllHaveCome) {
  for (const int size : {2, 5, 66}) {
    Job job(size);
    job.start();
    std::atomic<int> came{0};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        if (rank == size / 2) std::this_thread::sleep_for(300ms);
        ++came;
        job[rank].meet();
        EXPECT_EQ(came, size) << rank;
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(PeerWatch, AMeetingDoesNotWaitForWhoIsGone) {
  Job job(3);
  job.start();
  job[1].say_goodbye(0);
  job.destroy(1);
  std::thread other([&] { job[2].meet(); });
  job[0].meet();
  other.join();
}

// What MPI_Finalize does not always come to.
TEST(PeerWatch, WhenAllHaveLeftTheEndComesByItself) {
  Job job(2);
  job.start();
  job[0].say_goodbye(0);
  job[1].say_goodbye(4);
  EXPECT_TRUE(job.verdict_of(0).silent);
  EXPECT_EQ(job.verdict_of(1).status, 4);
}

TEST(PeerWatch, AGoodbyeBeforeTheEndIsALoss) {
  Job job(2);
  job.start();
  {
    const PeerWatch::Step both(job[0]);
  }
  const PeerWatch::Step waits(job[0]);
  {
    const PeerWatch::Step both(job[1]);
  }
  job[1].say_goodbye(0);
  EXPECT_THAT(job.verdict_of(0).text, HasSubstr("locale 1 (host "));
}

TEST(PeerWatch, AGoodbyeMayOvertakeTheEndOfTheLastStep) {
  Job job(2);
  job.start();
  const PeerWatch::Step slow(job[0]);
  {
    const PeerWatch::Step done(job[1]);
  }
  job[1].say_goodbye(0);
  job.destroy(1);
  std::this_thread::sleep_for(3s);
  EXPECT_FALSE(job.has_ended(0));
}

// One that takes part in the handshake and says no more than that it is there.
TEST(PeerWatch, SilenceIsALoss) {
  Job job(2, kSecond);
  std::thread starts([&] { job[0].start(job.addresses()); });
  WatchSocket socket = WatchSocket::connect("127.0.0.1", job.addresses()[0].port);
  Handshake handshake(job.secret(), Handshake::Side::kConnects, 1, 2, 0);
  socket.send(handshake.greeting());
  Handshake::Status status = Handshake::Status::kMore;
  while (status == Handshake::Status::kMore && !socket.closed()) {
    socket.move_bytes(1000);
    std::string answer;
    status = handshake.take(socket.received, answer);
    socket.send(answer);
    std::this_thread::sleep_for(1ms);
  }
  ASSERT_EQ(status, Handshake::Status::kDone);
  socket.send(to_bytes(WatchFrame::Kind::kHeartbeat, to_content(RunReport{})));
  const Verdict verdict = job.verdict_of(0);
  EXPECT_THAT(verdict.text, StartsWith("locale 1 (host "));
  EXPECT_THAT(verdict.text, HasSubstr("is lost: no heartbeat for 1 s"));
  starts.join();
}

TEST(PeerWatch, OneThatNeverComesIsLost) {
  Job job(2, kSecond);
  std::thread starts([&] { job[0].start(job.addresses()); });
  const Verdict verdict = job.verdict_of(0);
  EXPECT_THAT(verdict.text, HasSubstr("locale 1 (host "));
  EXPECT_THAT(verdict.text, HasSubstr("GRAPPA_LOST_AFTER=0"));
  starts.join();
}

TEST(PeerWatch, StrangersAreSentAwayAndStopNobody) {
  Job job(2);
  const std::uint16_t port = job.addresses()[0].port;
  std::vector<WatchSocket> strangers;
  for (int i = 0; i < 100; ++i) {
    strangers.push_back(WatchSocket::connect("127.0.0.1", port));
    strangers.back().send(i % 2 == 0 ? "GET / HTTP/1.1\r\n\r\n" : "");
  }
  job.start();
  EXPECT_FALSE(job.has_ended(0));
  for (WatchSocket& stranger : strangers) {
    pollfd watched{stranger.number(), POLLIN, 0};
    while (!stranger.closed()) {
      ASSERT_EQ(poll(&watched, 1, 30'000), 1);
      stranger.move_bytes(1000);
    }
  }
  WatchSocket late = WatchSocket::connect("127.0.0.1", port);
  for (int i = 0; i < 1000 && !late.closed(); ++i) {
    late.move_bytes(1);
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(late.closed()) << "nobody is expected any more";
  EXPECT_FALSE(job.has_ended(0));
  EXPECT_FALSE(job.has_ended(1));
}

TEST(PeerWatch, AnotherJobsSecretIsRefused) {
  Job job(2);
  Job other(2);
  // Rank 1 of the other job takes the port of this one for that of its rank 0.
  std::vector<WatchAddress> mixed = job.addresses();
  other[1].set_lost_after(kSecond);
  std::thread intruder([&] { other[1].start(mixed); });
  EXPECT_THAT(other.verdict_of(1).text, HasSubstr("locale 0"));
  intruder.join();
  job.start();
  EXPECT_FALSE(job.has_ended(0));
}

class FakeRun final : public RunProbe {
 public:
  FakeRun(std::uint64_t sent, std::uint64_t received) {
    report_ = {.run = 1, .wakes = 0, .sent = sent, .received = received, .quiet = 1};
  }
  RunReport report() const override { return report_; }
  Waits waits() const override { return {2, "  core 0: a task waits for ever"}; }

 private:
  RunReport report_;
};

TEST(PeerWatch, ADeadlockIsDescribedOnce) {
  Job job(3, kSecond);
  job.start();
  const FakeRun a(3, 1), b(0, 1), c(0, 1);
  job[0].set_run(&a);
  job[1].set_run(&b);
  job[2].set_run(&c);
  const Verdict first = job.verdict_of(0);
  EXPECT_EQ(first.text,
            "fatal: deadlock: all 6 suspended tasks wait, and no message is in flight:\n"
            "  core 0: a task waits for ever\n  core 0: a task waits for ever\n"
            "  core 0: a task waits for ever");
  for (const int rank : {1, 2}) {
    const Verdict verdict = job.verdict_of(rank);
    EXPECT_TRUE(verdict.silent);
    EXPECT_EQ(verdict.status, 1);
  }
  for (const int rank : {0, 1, 2}) job[rank].set_run(nullptr);
}

TEST(PeerWatch, PassesOnTheWishForReports) {
  Job job(3, kSecond);
  job.start();
  ReportRequests requests;
  job[1].ask_for_reports();
  EXPECT_TRUE(requests.wait(60 * kSecond));
  for (const int rank : {0, 1, 2}) EXPECT_FALSE(job.has_ended(rank));
}

TEST(PeerWatch, APacketOnItsWayIsNoDeadlock) {
  Job job(2, kSecond);
  job.start();
  const FakeRun a(3, 1), b(0, 1);
  job[0].set_run(&a);
  job[1].set_run(&b);
  std::this_thread::sleep_for(2s);
  EXPECT_FALSE(job.has_ended(0));
  for (const int rank : {0, 1}) job[rank].set_run(nullptr);
}

// Watches another process, which dies, and ends because of that in a way of its own.
void end_after_a_loss() {
  const JobSecret secret = make_job_secret();
  std::vector<std::unique_ptr<PeerWatch>> watches;
  std::vector<WatchAddress> addresses;
  for (const int rank : {0, 1}) {
    watches.push_back(std::make_unique<PeerWatch>(PeerWatch::Options{.rank = rank,
                                                                     .size = 2,
                                                                     .secret = secret,
                                                                     .lost_after_ns = 60 * kSecond,
                                                                     .with_parent = false,
                                                                     .end = &end_process}));
    addresses.push_back(watches.back()->address());
  }
  const pid_t other = fork();
  if (other == 0) {
    watches[1]->start(addresses);
    pause();
  }
  watches[0]->start(addresses);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  fatal("half a packet has come");
}

TEST(PeerWatchDeathTest, TheLossIsWhatIsSaidOfAnEndThatComesOfIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_after_a_loss(), testing::ExitedWithCode(1),
              "^grappa: locale 1 .* is lost: its connection was closed\n$");
}

}  // namespace
}  // namespace grappa::internal
