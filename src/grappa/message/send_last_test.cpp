// Messages that their sender sends no other after: when they leave at once, and when they do not.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "grappa/message/test_network.hpp"
#include "grappa/message/test_note.hpp"

namespace grappa::internal {
namespace {

/// Answers with a note, as a delegate answers.
struct Question {
  Log* log;
  int value;
  int asker;
  void operator()(RunContext& context) const {
    context.core.messages->send_last(asker, Note{log, value}, nullptr, context.last);
  }
};

struct Large {
  Log* log;
  std::byte filler[1000];
  void operator()(RunContext&) const { log->push_back(static_cast<int>(filler[999])); }
};

/// Two locales of one core.
class SendLast : public testing::Test {
 protected:
  TestNetwork network{{.locales = 2}};
  Log log;
};

TEST_F(SendLast, LeavesAtOnceFromACoreThatHasNothingElseToDo) {
  network.at(0).send_last(1, Note{&log, 7}, nullptr);
  EXPECT_EQ(network.packets_in_flight(), 1u);
  network.settle();
  EXPECT_EQ(log, Log{7});
  EXPECT_EQ(network.count(kFlushIdle), 1u);
}

TEST_F(SendLast, BelongsToItsEvent) {
  TestEvent event(network.core(0));
  network.at(0).send_last(1, Note{&log, 7}, &event.share);
  EXPECT_EQ(event.share.pending, 1);
  network.settle();
  EXPECT_EQ(log, Log{7});
  EXPECT_EQ(event.share.pending, 0);
}

TEST_F(SendLast, DoesNotOvertakeWhatWaitsForItsDestination) {
  network.at(0).send(1, Note{&log, 1}, nullptr);
  network.at(0).send_last(1, Note{&log, 2}, nullptr);
  EXPECT_EQ(network.packets_in_flight(), 0u);
  network.settle();
  EXPECT_EQ(log, (Log{1, 2}));
  EXPECT_EQ(network.count(kPacketsSent), 1u);
}

TEST_F(SendLast, DoesNotOvertakeWhatWaitsInAnOpenPacket) {
  TestNetwork wide({.locales = 2, .cores = 2});
  Aggregator& messages = wide.at(0);
  // The chunk is full and lies in a packet that still has room.
  int sent = 0;
  while (wide.count(kFlushFull) == 0) messages.send(2, Note{&log, sent++}, nullptr);
  ASSERT_EQ(wide.packets_in_flight(), 0u);
  messages.send_last(3, Note{&log, -1}, nullptr);
  EXPECT_EQ(wide.packets_in_flight(), 0u);
  wide.settle();
  EXPECT_EQ(log.size(), static_cast<std::size_t>(sent) + 1);
}

TEST_F(SendLast, WaitsForOthersOfACoreThatHasWork) {
  TestEvent event(network.core(0));
  network.spawn(0, [] {}, &event.share);
  network.at(0).send_last(1, Note{&log, 7}, nullptr);
  EXPECT_EQ(network.packets_in_flight(), 0u);
  network.settle();
  EXPECT_EQ(log, Log{7});
}

TEST_F(SendLast, KeepsToItsCredit) {
  TestNetwork small({.locales = 2, .in_flight_bytes = 4096});
  Aggregator& messages = small.at(0);
  // The receiver runs nothing, so that no credit comes back.
  int sent = 0;
  for (; small.count(kOverflowChunks) == 0 && sent < 100'000; ++sent) {
    messages.send_last(1, Note{&log, sent}, nullptr);
    messages.flush();
  }
  EXPECT_LT(sent, 100'000);
  small.settle();
  ASSERT_EQ(log.size(), static_cast<std::size_t>(sent));
  for (int i = 0; i < sent; ++i) ASSERT_EQ(log[static_cast<std::size_t>(i)], i);
}

TEST_F(SendLast, LargeOnesTakeTheWayOfTheOthers) {
  Large large{&log, {}};
  large.filler[999] = std::byte{9};
  network.at(0).send_last(1, large, nullptr);
  EXPECT_EQ(network.packets_in_flight(), 0u);
  network.settle();
  EXPECT_EQ(log, Log{9});
}

TEST_F(SendLast, AnswersKnowWhetherTheyAreTheLast) {
  network.at(0).send_last(1, Question{&log, 1, 0}, nullptr);
  network.settle();
  // Question and answer, each in a packet of its own.
  EXPECT_EQ(network.count(kPacketsSent), 2u);
  for (int i = 2; i <= 9; ++i) network.at(0).send(1, Question{&log, i, 0}, nullptr);
  network.settle();
  EXPECT_EQ(log, (Log{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  // The eight travel together, and so do their answers.
  EXPECT_EQ(network.count(kPacketsSent), 4u);
}

TEST(SendLastOfTwoHops, GoesThroughTheLocaleThatForwards) {
  TestNetwork network({.locales = 9, .route = RoutePolicy::kTwoHop});
  Log log;
  for (int to = 1; to < 9; ++to) {
    network.at(0).send_last(to, Note{&log, to}, nullptr);
    network.settle();
  }
  EXPECT_EQ(log, (Log{1, 2, 3, 4, 5, 6, 7, 8}));
  // Four of them are in another row and column: message by message, not as whole packets.
  EXPECT_EQ(network.count(kMessagesForwarded), 4u);
}

}  // namespace
}  // namespace grappa::internal
