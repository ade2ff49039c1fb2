// Which closures may travel. That the others are refused with readable words is the business of
// tests/closure_errors_test.py, since it takes a compiler.

#include "grappa/tasking/closure.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace grappa {
namespace {

struct TwoWords {
  long a;
  long b;
};

struct HasDestructor {
  ~HasDestructor() {}
  int value = 0;
};

TEST(Closure, PlainValuesMayTravel) {
  static_assert(kIsSendable<int>);
  static_assert(kIsSendable<const double>);
  static_assert(kIsSendable<TwoWords>);
  static_assert(kIsSendable<std::array<TwoWords, 3>>);
  const int a = 1;
  const auto by_value = [a] { return a; };
  auto changes_itself = [b = 2]() mutable { return ++b; };
  static_assert(kIsSendable<decltype(by_value)>);
  static_assert(kIsSendable<decltype(changes_itself)>);
  internal::require_closure<decltype(by_value)>();
}

TEST(Closure, PairsOfPlainValuesMayTravel) {
  // std::pair has an assignment operator that is not trivial, hence a specialization.
  static_assert(!std::is_trivially_copyable_v<std::pair<int, long>>);
  static_assert(kIsSendable<std::pair<int, long>>);
  static_assert(kIsSendable<std::pair<int, std::pair<char, double>>>);
  static_assert(kIsSendable<const std::pair<int, long>>);
  const std::pair<int, long> p{1, 2};
  const auto captures_pair = [p] { return p.second; };
  static_assert(kIsSendable<decltype(captures_pair)>);
}

TEST(Closure, OwnersOfMemoryMayNot) {
  static_assert(!kIsSendable<std::string>);
  static_assert(!kIsSendable<std::vector<int>>);
  static_assert(!kIsSendable<std::shared_ptr<int>>);
  static_assert(!kIsSendable<std::unique_ptr<int>>);
  static_assert(!kIsSendable<std::pair<int, std::string>>);
  static_assert(!kIsSendable<HasDestructor>);
  const std::string s;
  const auto captures_string = [s] { return s.size(); };
  static_assert(!kIsSendable<decltype(captures_string)>);
}

}  // namespace
}  // namespace grappa
