// Which closures, values and results the scan refuses, in runs of each kind.

#include "grappa/message/payload_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>
#include <typeinfo>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/message/test_network.hpp"

namespace grappa::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Carrier {
  std::uint64_t before = 7;
  const void* pointer = nullptr;
};

int zero_variable = 0;
int set_variable = 5;
constexpr int kConstant = 5;
void some_function() {}

class PayloadScan : public testing::Test {
 protected:
  PayloadScan() : network_({.cores = 1, .scan = PayloadScanner::Extent::kEverything}) {
    network_.enter(0);
  }

  template <class F>
  std::string refusal(const F& closure) {
    try {
      network_.core(0).messages->check_payload(closure, std::source_location::current());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  TestNetwork network_;
};

TEST_F(PayloadScan, NamesTheClosureThePlaceAndTheByteOfAPointerToTheHeap) {
  const auto heap = std::make_unique<int>(1);
  EXPECT_THAT(
      refusal(Carrier{.pointer = heap.get()}),
      AllOf(HasSubstr("payload_scan_test.cpp:"), HasSubstr("Carrier"), HasSubstr("at byte 8"),
            HasSubstr("stack, heap, variables or code"), HasSubstr("GlobalAddress")));
}

TEST_F(PayloadScan, RefusesLambdasThatCaptureByReference) {
  int local = 0;
  EXPECT_NE(refusal([&local] { ++local; }), "");
}

TEST_F(PayloadScan, RefusesPointersIntoTheStackOfTheSendingTask) {
  TestEvent event(network_.core(0));
  std::string said;
  network_.spawn(
      0,
      [this, &said] {
        int local = 0;
        said = refusal([&local] { ++local; });
      },
      &event.share);
  network_.settle();
  EXPECT_THAT(said, HasSubstr("a stack of this process, as [&] captures it"));
}

TEST_F(PayloadScan, RefusesWhatHasJustBeenMapped) {
  constexpr std::size_t kBytes = 1 << 20;
  for (int round = 0; round < 3; ++round) {
    void* mapping =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapping, MAP_FAILED);
    EXPECT_THAT(refusal(Carrier{.pointer = static_cast<char*>(mapping) + kBytes / 2}),
                HasSubstr("stack, heap, variables or code"));
    munmap(mapping, kBytes);
  }
}

void expect_blocks_refused() {
  constexpr std::size_t kBytes = 100'000;  // below what malloc maps by itself
  PayloadScanner scanner(PayloadScanner::Extent::kEverything);
  std::vector<std::unique_ptr<char[]>> blocks;
  for (int block = 0; block < 50; ++block) {
    blocks.push_back(std::make_unique<char[]>(kBytes));
    const void* const pointer = blocks.back().get();
    const PayloadScanner::Payload payload{&pointer, sizeof pointer, typeid(pointer), "value",
                                          "that is sent here"};
    EXPECT_THROW(scanner.check(payload, nullptr), UsageError) << block;
  }
}

TEST(PayloadScanner, RefusesBlocksForWhichTheHeapHasJustGrown) {
  expect_blocks_refused();
  std::thread(expect_blocks_refused).join();  // which has a heap of its own
}

TEST_F(PayloadScan, PassesSharedMappings) {
  void* mapping = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  EXPECT_EQ(refusal(Carrier{.pointer = mapping}), "");
  munmap(mapping, 4096);
}

TEST_F(PayloadScan, RefusesAddressesOfTheProgram) {
  EXPECT_NE(refusal(Carrier{.pointer = &zero_variable}), "");
  EXPECT_NE(refusal(Carrier{.pointer = &set_variable}), "");
  EXPECT_NE(refusal(Carrier{.pointer = &kConstant}), "");
  EXPECT_NE(refusal([function = &some_function] { function(); }), "");
}

TEST_F(PayloadScan, PassesValuesAndNull) {
  EXPECT_EQ(refusal(Carrier{.pointer = nullptr}), "");
  EXPECT_EQ(refusal(Carrier{.before = 123456, .pointer = nullptr}), "");
  EXPECT_EQ(refusal(Carrier{.before = ~std::uint64_t{0}, .pointer = nullptr}), "");
  EXPECT_EQ(refusal([] {}), "");
}

TEST_F(PayloadScan, PassesPointersMarkedAsGlobalAddresses) {
  const auto heap = std::make_unique<int>(1);
  const auto marked = reinterpret_cast<std::uint64_t>(heap.get()) | std::uint64_t{1} << 63;
  EXPECT_EQ(refusal(Carrier{.before = marked, .pointer = nullptr}), "");
}

struct Padded {
  char small;
  alignas(16) const void* pointer;  // fifteen bytes of padding before it, eight behind
};

TEST_F(PayloadScan, WhatLiesInThePaddingIsNotPartOfTheClosure) {
  const auto heap = std::make_unique<int>(1);
  const void* pointer = heap.get();
  alignas(Padded) unsigned char raw[sizeof(Padded)] = {};
  std::memcpy(raw + 8, &pointer, sizeof pointer);
  EXPECT_EQ(refusal(*std::launder(reinterpret_cast<Padded*>(raw))), "");
}

static_assert(!kMayHoldPointer<std::uint64_t>);
static_assert(!kMayHoldPointer<std::array<double, 4>>);
static_assert(kMayHoldPointer<int*>);
static_assert(kMayHoldPointer<std::string_view>);
static_assert(kMayHoldPointer<std::pair<int, Carrier>>);
static_assert(!kMayHoldPointer<std::optional<std::uint64_t>>);
static_assert(kMayHoldPointer<std::optional<int*>>);
static_assert(kMayHoldPointer<std::pair<long, int*>>);
static_assert(!kMayHoldReference<Carrier>);
static_assert(kMayHoldReference<decltype([&x = set_variable] { ++x; })>);

TEST_F(PayloadScan, RefusesPointersInValuesAndResults) {
  Aggregator& messages = *network_.core(0).messages;
  const auto heap = std::make_unique<int>(1);
  const Carrier carrier{.pointer = heap.get()};
  EXPECT_THROW(messages.check_value(carrier, std::source_location::current()), UsageError);
  EXPECT_THROW(messages.check_result(carrier), UsageError);
  EXPECT_NO_THROW(messages.check_result(Carrier{}));
  EXPECT_THROW(messages.check_result(std::optional(carrier)), UsageError);
  EXPECT_NO_THROW(messages.check_result(std::optional<Carrier>()));
}

/// What check_body says in a run that scans no more than that.
class PayloadScanOfBodies : public testing::TestWithParam<PayloadScanner::Extent> {
 protected:
  PayloadScanOfBodies() : network_({.cores = 1, .scan = GetParam()}) { network_.enter(0); }

  template <class F>
  std::string refusal(const F& closure) {
    try {
      network_.at(0).check_body(closure, std::source_location::current());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  TestNetwork network_;
};
INSTANTIATE_TEST_SUITE_P(On, PayloadScanOfBodies,
                         testing::Values(PayloadScanner::Extent::kReferencesInBodies,
                                         PayloadScanner::Extent::kBodies),
                         [](const auto& test) {
                           return test.param == PayloadScanner::Extent::kBodies ? "Locales"
                                                                                : "OneLocale";
                         });

TEST_P(PayloadScanOfBodies, RefusesReferencesToStacks) {
  int of_thread = 0;
  EXPECT_THAT(refusal([&of_thread] { ++of_thread; }),
              AllOf(HasSubstr("payload_scan_test.cpp:"), HasSubstr("as [&] captures it"),
                    HasSubstr("delegate::increment")));
  TestEvent event(network_.core(0));
  std::string said;
  network_.spawn(
      0,
      [this, &said, &event] {
        int of_task = 0;
        // Also where another task sends the closure.
        network_.spawn(
            0, [this, &said, &of_task] { said = refusal([&of_task] { ++of_task; }); },
            &event.share);
        network_.core(0).scheduler->yield_to_main();
      },
      &event.share);
  network_.settle();
  EXPECT_THAT(said, HasSubstr("as [&] captures it"));
}

TEST_P(PayloadScanOfBodies, PointersToOtherMemoryAreRightOnOneLocaleOnly) {
  const bool right = GetParam() == PayloadScanner::Extent::kReferencesInBodies;
  const auto heap = std::make_unique<int>(1);
  EXPECT_EQ(refusal(Carrier{.pointer = heap.get()}).empty(), right);
  EXPECT_EQ(refusal([to = heap.get()] { ++*to; }).empty(), right);
  EXPECT_EQ(refusal([&to = *heap] { ++to; }).empty(), right);
  EXPECT_EQ(refusal(Carrier{.pointer = &kConstant}).empty(), right);
}

TEST_P(PayloadScanOfBodies, OnlyStacksAreLookedForInWhatStaysOnItsLocale) {
  int of_thread = 0;
  const auto heap = std::make_unique<int>(1);
  const auto check = [this](const auto& closure) {
    network_.at(0).check_body(closure, std::source_location::current(), false);
  };
  EXPECT_THROW(check([&of_thread] { ++of_thread; }), UsageError);
  EXPECT_NO_THROW(check([&to = *heap] { ++to; }));
}

TEST_P(PayloadScanOfBodies, NumbersThatLookLikeAddressesPassWhereThereIsNoPointer) {
  int local = 0;
  const auto number = reinterpret_cast<std::uint64_t>(&local);
  EXPECT_EQ(refusal([number] { return number; }), "");
  EXPECT_NE(refusal([number, &x = set_variable] { return number + ++x; }), "");
}

TEST_P(PayloadScanOfBodies, LooksAtNothingElse) {
  const auto heap = std::make_unique<int>(1);
  EXPECT_NO_THROW(network_.at(0).check_payload(Carrier{.pointer = heap.get()},
                                               std::source_location::current()));
}

TEST(PayloadScanOff, NothingIsLookedAtWithoutAScanner) {
  TestNetwork network({.cores = 1});
  const auto heap = std::make_unique<int>(1);
  EXPECT_NO_THROW(
      network.at(0).check_payload(Carrier{.pointer = heap.get()}, std::source_location::current()));
}

}  // namespace
}  // namespace grappa::internal
