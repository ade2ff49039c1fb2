#include "grappa/base/trace_text.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "grappa/base/error.hpp"
#include "grappa/base/trace_file.hpp"

namespace grappa::internal {
namespace {

struct NamedByItsType {};

class TraceFileTest : public testing::Test {
 protected:
  ~TraceFileTest() override { unlink(path_.c_str()); }

  nlohmann::json read() const { return nlohmann::json::parse(std::ifstream(path_)); }

  const std::string path_ =
      testing::TempDir() + "grappa_trace_" + std::to_string(getpid()) + ".json";
};

TEST_F(TraceFileTest, HasWhatTheCoreRecorded) {
  CoreRecorder recorder(1 << 16);
  recorder.start(Activity::kScheduling);
  recorder.enter(Activity::kProgram);
  recorder.name(&typeid(NamedByItsType));
  for (const std::uint64_t end = now_ns() + 10'000; now_ns() < end;) cpu_relax();
  recorder.enter(Activity::kIdle);
  recorder.note(TraceKind::kMark, "with \"quotes\"", 0, 4);
  recorder.note(TraceKind::kFlush, "full", 3, 1000);
  recorder.stop();
  TraceFile(path_).write({trace_of_core({2, 5}, recorder, TraceClock{})});

  int found = 0;
  const nlohmann::json trace = read();
  for (const auto& event : trace["traceEvents"]) {
    EXPECT_EQ(event["pid"], 3);
    if (event.contains("tid")) {
      EXPECT_EQ(event["tid"], 6);
    }
    if (event["name"] == "NamedByItsType") {
      EXPECT_EQ(event["cat"], "program");
      EXPECT_GE(event["dur"], 10.0);
      ++found;
    } else if (event["name"] == "with \"quotes\" 4") {
      EXPECT_EQ(event["args"]["number"], 4);
      ++found;
    } else if (event["name"] == "flush: full") {
      EXPECT_EQ(event["args"]["to"], 3);
      EXPECT_EQ(event["args"]["bytes"], 1000);
      ++found;
    }
  }
  EXPECT_EQ(found, 3);
}

TEST_F(TraceFileTest, RunsFollowOneAnother) {
  for (const char* name : {"first", "second", "third"})
    TraceFile(path_).write({std::string("{\"name\":\"") + name + "\"}"});
  EXPECT_EQ(read()["traceEvents"].size(), 3u);
  EXPECT_EQ(read()["traceEvents"][2]["name"], "third");
}

TEST_F(TraceFileTest, WhatWasThereBeforeIsReplaced) {
  const std::string other = path_ + ".old";
  std::ofstream(other) << std::string(10'000, 'x');
  TraceFile(other).write({"{}"});
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(other))["traceEvents"].size(), 1u);
  unlink(other.c_str());
}

TEST_F(TraceFileTest, IsNotThereWhenNothingWasWritten) {
  {
    const TraceFile unused(path_);
  }
  EXPECT_NE(access(path_.c_str(), F_OK), 0);
}

TEST_F(TraceFileTest, RefusesWhatCannotBeWritten) {
  EXPECT_THROW(TraceFile("/no such folder/trace.json"), UsageError);
}

TEST(TraceClock, GoesThroughBothPoints) {
  // The other clock is a second ahead, and a thousandth slower.
  const TraceClock clock =
      TraceClock::through(5'000'000'000, 4'000'000'000, 15'000'000'000, 14'010'000'000);
  EXPECT_EQ(clock.at(5'000'000'000), 4'000'000'000u);
  EXPECT_NEAR(static_cast<double>(clock.at(15'000'000'000)), 14'010'000'000.0, 10.0);
  EXPECT_NEAR(static_cast<double>(clock.at(4'000'000'000)), 2'999'000'000.0, 10.0);
}

}  // namespace
}  // namespace grappa::internal
