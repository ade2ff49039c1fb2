#include "grappa/base/closure_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace grappa::internal {
namespace {

using testing::EndsWith;
using testing::StrEq;

struct Plain {};

template <class F>
std::string name_of(F, const std::source_location& where = std::source_location::current()) {
  name_closure<F>(where);
  return closure_name(typeid(F));
}

TEST(ClosureNames, ALambdaIsCalledByTheLineThatFirstStartedIt) {
  const auto lambda = [] {};
  const std::string line = std::to_string(__LINE__ + 1);
  const std::string name = name_of(lambda);
  EXPECT_THAT(name, EndsWith("closure_names_test.cpp:" + line));
  EXPECT_EQ(name_of(lambda), name);
  EXPECT_THAT(closure_name_now(typeid(lambda)), StrEq(name));
}

TEST(ClosureNames, OtherClosuresAreCalledByTheirType) {
  EXPECT_EQ(name_of(Plain{}), "grappa::internal::(anonymous namespace)::Plain");
  EXPECT_THAT(closure_name_now(typeid(Plain)),
              StrEq("grappa::internal::(anonymous namespace)::Plain"));
}

TEST(ClosureNames, WhatNobodyHasStartedHasANameToo) {
  struct Unheard {};
  EXPECT_THAT(closure_name(typeid(Unheard)), EndsWith("::Unheard"));
  EXPECT_THAT(closure_name_now(typeid(Unheard)), StrEq(typeid(Unheard).name()));
}

TEST(ClosureNames, AGivenNameMayChange) {
  struct Task {};
  keep_closure_name(typeid(Task), "main.cpp:1");
  keep_closure_name(typeid(Task), "main.cpp:2");
  EXPECT_EQ(closure_name(typeid(Task)), "main.cpp:2");
}

}  // namespace
}  // namespace grappa::internal
