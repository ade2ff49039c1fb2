#include "grappa/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "grappa/base/last_words.hpp"

namespace grappa {
namespace {

namespace local {
struct NotAnException {};
class OwnError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
}  // namespace local

TEST(Error, EverythingDerivesFromError) {
  EXPECT_THROW(throw UsageError("x"), Error);
  EXPECT_THROW(throw InputError("f", 1, "x"), Error);
  EXPECT_THROW(throw RemoteError("t", "x"), Error);
  EXPECT_THROW(throw Error("x"), std::runtime_error);
}

TEST(InputError, NamesFileLineAndColumn) {
  const InputError error("web.txt", 17, "one column", 4);
  EXPECT_STREQ(error.what(), "web.txt:17:4: one column");
  EXPECT_EQ(error.file(), "web.txt");
  EXPECT_EQ(error.line(), 17);
  EXPECT_EQ(error.column(), 4);
}

TEST(InputError, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(InputError("web.txt", 17, "m").what(), "web.txt:17: m");
  EXPECT_STREQ(InputError("web.txt", 0, "m").what(), "web.txt: m");
  EXPECT_STREQ(InputError("web.txt", 0, "m", 3).what(), "web.txt: m");
  EXPECT_STREQ(InputError("", 0, "m").what(), "m");
}

TEST(RemoteError, TellsTypeTextAndNumberOfOthers) {
  EXPECT_STREQ(RemoteError("std::runtime_error", "text", 3).what(),
               "remote error: std::runtime_error: text (and 3 more)");
  EXPECT_STREQ(RemoteError("std::runtime_error", "text").what(),
               "remote error: std::runtime_error: text");
  EXPECT_STREQ(RemoteError("int", "", 1).what(), "remote error: int (and 1 more)");
}

TEST(RemoteError, StandsForAnyException) {
  const RemoteError error =
      internal::to_remote_error(std::make_exception_ptr(local::OwnError("no luck")), 2);
  EXPECT_THAT(error.type_name(), testing::EndsWith("local::OwnError"));
  EXPECT_EQ(error.message(), "no luck");
  EXPECT_EQ(error.others(), 2u);

  const RemoteError bare =
      internal::to_remote_error(std::make_exception_ptr(local::NotAnException{}));
  EXPECT_THAT(bare.type_name(), testing::EndsWith("local::NotAnException"));
  EXPECT_EQ(bare.message(), "");
  EXPECT_EQ(internal::to_remote_error(std::make_exception_ptr(7)).type_name(), "int");
}

class BadQuery : public UsageError {
 public:
  using UsageError::UsageError;
};

TEST(RemoteError, SaysWhetherTheCallerIsToCorrectIt) {
  const RemoteError derived = internal::to_remote_error(std::make_exception_ptr(BadQuery("x")));
  EXPECT_TRUE(derived.type_name().ends_with("BadQuery (a grappa::UsageError)"));
  EXPECT_EQ(internal::exit_status_of(std::make_exception_ptr(derived)), 2);
  const RemoteError base = internal::to_remote_error(std::make_exception_ptr(UsageError("x")));
  EXPECT_EQ(base.type_name(), "grappa::UsageError");
  EXPECT_EQ(internal::exit_status_of(std::make_exception_ptr(base)), 2);
  const RemoteError other = internal::to_remote_error(std::make_exception_ptr(Cancelled()));
  EXPECT_EQ(internal::exit_status_of(std::make_exception_ptr(other)), 1);
}

TEST(RemoteError, DoesNotNestWhenItTravelsTwice) {
  const RemoteError first("std::bad_alloc", "no memory", 2);
  const RemoteError second = internal::to_remote_error(std::make_exception_ptr(first), 5);
  EXPECT_EQ(second.type_name(), "std::bad_alloc");
  EXPECT_EQ(second.message(), "no memory");
  EXPECT_EQ(second.others(), 7u);
}

TEST(RemoteError, NeedsAnErrorToStandFor) {
  EXPECT_THROW(internal::to_remote_error(nullptr), UsageError);
}

TEST(DescribeException, SaysTypeAndText) {
  EXPECT_EQ(internal::describe_exception(std::make_exception_ptr(std::out_of_range("index 9"))),
            "std::out_of_range: index 9");
  EXPECT_EQ(internal::describe_exception(std::make_exception_ptr(7)), "int");
  EXPECT_EQ(internal::describe_exception(std::make_exception_ptr(RemoteError("int", ""))),
            "remote error: int");
  EXPECT_EQ(internal::describe_exception(nullptr), "no error");
}

TEST(DemangledTypeName, IsTheNameInTheSource) {
  EXPECT_EQ(internal::demangled_type_name(typeid(UsageError)), "grappa::UsageError");
  EXPECT_EQ(internal::demangled_type_name(typeid(unsigned long)), "unsigned long");
  EXPECT_EQ(internal::demangled_type_name(typeid(std::string)), "std::string");
}

TEST(FatalDeathTest, WritesOneLineAndExitsWithOne) {
  EXPECT_EXIT(internal::fatal("the heap is full"), testing::ExitedWithCode(1),
              "^grappa: fatal: the heap is full\n$");
}

TEST(FatalDeathTest, OneOfSeveralThreadsWrites) {
  const auto fail = [] {
    // As in a job, where it takes a while to tell the others.
    internal::set_last_words_teller([](std::string_view, int) noexcept {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    });
    std::barrier together(4);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        together.arrive_and_wait();
        internal::fatal("a null address");
      });
    }
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(1), "^grappa: fatal: a null address\n$");
}

// ---- what nobody catches, in a program that has not started the runtime

// Compilers warn of a throw that stands in a noexcept function itself.
void raise(const auto& error) { throw error; }
void throw_uncaught(const auto& error) noexcept { raise(error); }

TEST(UncaughtDeathTest, AnErrorIsALineBeforeTheFirstRun) {
  EXPECT_EXIT(throw_uncaught(Error("no luck")), testing::ExitedWithCode(1),
              "^grappa: fatal: grappa::Error: no luck\n$");
}

TEST(UncaughtDeathTest, WhatTheCallerIsToCorrectHasStatusTwo) {
  EXPECT_EXIT(throw_uncaught(UsageError("wrong use")), testing::ExitedWithCode(2),
              "^grappa: fatal: grappa::UsageError: wrong use\n$");
  EXPECT_EXIT(throw_uncaught(InputError("web.txt", 17, "one column")), testing::ExitedWithCode(2),
              "^grappa: fatal: grappa::InputError: web.txt:17: one column\n$");
  EXPECT_EXIT(throw_uncaught(RemoteError("grappa::UsageError", "x")), testing::ExitedWithCode(2),
              "^grappa: fatal: remote error: grappa::UsageError: x\n$");
  EXPECT_EXIT(throw_uncaught(RemoteError("int", "")), testing::ExitedWithCode(1),
              "^grappa: fatal: remote error: int\n$");
}

TEST(UncaughtDeathTest, WhatElseTheProgramThrowsEndsAsUsualThen) {
  const auto throw_after_an_error = []() noexcept {
    EXPECT_THROW(throw UsageError("caught"), UsageError);
    raise(std::runtime_error("no luck"));
  };
  EXPECT_EXIT(throw_after_an_error(), testing::KilledBySignal(SIGABRT), "terminate called");
}

TEST(UncaughtDeathTest, AHandlerOfTheProgramStays) {
  const auto handler = [] { std::_Exit(77); };
  const auto set_before = [handler]() noexcept {
    std::set_terminate(handler);
    raise(UsageError("x"));
  };
  const auto set_after = [handler]() noexcept {
    const UsageError error("x");
    std::set_terminate(handler);
    raise(error);
  };
  EXPECT_EXIT(set_before(), testing::ExitedWithCode(77), "^$");
  EXPECT_EXIT(set_after(), testing::ExitedWithCode(77), "^$");
}

TEST(UncaughtDeathTest, TheTextOfAnErrorIsNothingATerminalObeys) {
  EXPECT_EXIT(throw_uncaught(Error("\033[2Ja\nb")), testing::ExitedWithCode(1),
              "^grappa: fatal: grappa::Error: .x1b\\[2Ja\nb\n$");
  const std::string begin(4000, 'x');
  EXPECT_EXIT(throw_uncaught(Error(begin + std::string(1 << 20, 'y'))), testing::ExitedWithCode(1),
              "^grappa: fatal: grappa::Error: x*y*…\n$");
}

TEST(FatalDeathTest, RunsNoExitHandlers) {
  const auto leave = [] {
    std::atexit([] { std::_Exit(99); });
    internal::fatal("end");
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(1), "grappa: fatal: end");
}

}  // namespace
}  // namespace grappa
