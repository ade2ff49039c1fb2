#include "grappa/transport/watch/handshake.hpp"

#include <gtest/gtest.h>

#include <string>

namespace grappa::internal {
namespace {

using Side = Handshake::Side;
using Status = Handshake::Status;

constexpr int kSize = 4;

struct Pair {
  Pair(const JobSecret& a, const JobSecret& b)
      : connects(a, Side::kConnects, 3, kSize, 1), accepts(b, Side::kAccepts, 1, kSize) {
    to_accepts = connects.greeting();
    to_connects = accepts.greeting();
  }
  // One exchange in both directions; the bytes come one by one when `slowly`.
  void exchange(bool slowly = false) {
    step(accepts, to_accepts, to_connects, accepted, slowly);
    step(connects, to_connects, to_accepts, connected, slowly);
  }
  static void step(Handshake& side, std::string& wire, std::string& back, Status& status,
                   bool slowly) {
    std::string received;
    while (!wire.empty()) {
      const std::size_t count = slowly ? 1 : wire.size();
      received += wire.substr(0, count);
      wire.erase(0, count);
      if (status == Status::kMore) status = side.take(received, back);
    }
    wire = received;
  }
  Handshake connects;
  Handshake accepts;
  std::string to_accepts;
  std::string to_connects;
  Status connected = Status::kMore;
  Status accepted = Status::kMore;
};

TEST(Handshake, TwoOfAJobRecognizeEachOther) {
  const JobSecret secret = make_job_secret();
  for (const bool slowly : {false, true}) {
    Pair pair(secret, secret);
    for (int i = 0; i < 3; ++i) pair.exchange(slowly);
    EXPECT_EQ(pair.accepted, Status::kDone);
    EXPECT_EQ(pair.connected, Status::kDone);
    EXPECT_EQ(pair.accepts.peer(), 3);
    EXPECT_EQ(pair.connects.peer(), 1);
  }
}

TEST(Handshake, AnotherSecretIsRefusedByBoth) {
  Pair pair(make_job_secret(), make_job_secret());
  for (int i = 0; i < 3; ++i) pair.exchange();
  EXPECT_EQ(pair.accepted, Status::kRefused);
  EXPECT_NE(pair.connected, Status::kDone);
}

TEST(Handshake, AServerThatDoesNotKnowTheSecretIsRefused) {
  const JobSecret secret = make_job_secret();
  Pair pair(secret, secret);
  pair.exchange();
  std::string forged(16, '\1');
  std::string answer;
  EXPECT_EQ(pair.connects.take(forged, answer), Status::kRefused);
}

TEST(Handshake, SomethingElseIsRefusedAtItsFirstByte) {
  Handshake accepts(make_job_secret(), Side::kAccepts, 1, kSize);
  std::string received = "S";
  std::string answer;
  EXPECT_EQ(accepts.take(received, answer), Status::kRefused);
  EXPECT_TRUE(answer.empty());
}

TEST(Handshake, AnOldProofIsWorthNothing) {
  const JobSecret secret = make_job_secret();
  Pair pair(secret, secret);
  std::string recorded = pair.to_accepts;
  pair.exchange();
  recorded += pair.to_accepts;  // greeting and proof, as they were sent
  Handshake later(secret, Side::kAccepts, 1, kSize);
  std::string answer;
  EXPECT_EQ(later.take(recorded, answer), Status::kRefused);
}

// Sends a process its own messages back.
TEST(Handshake, AMirrorIsRefused) {
  Handshake connects(make_job_secret(), Side::kConnects, 3, kSize, 1);
  std::string received = connects.greeting();
  std::string answer;
  ASSERT_EQ(connects.take(received, answer), Status::kMore);
  received = answer;
  EXPECT_EQ(connects.take(received, answer), Status::kRefused);
}

}  // namespace
}  // namespace grappa::internal
