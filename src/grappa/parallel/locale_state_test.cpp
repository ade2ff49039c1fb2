#include "grappa/parallel/locale_state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/test_machines.hpp"

namespace grappa {
namespace {

// Simulated locales share the process, and so this.
std::atomic<int> live_objects{0};

struct NamedObject {
  NamedObject() { ++live_objects; }
  explicit NamedObject(std::string its_name) : name(std::move(its_name)) { ++live_objects; }
  NamedObject(const NamedObject&) = delete;
  NamedObject& operator=(const NamedObject&) = delete;
  ~NamedObject() { --live_objects; }
  std::string name = "without a name";
};

TEST(LocaleState, EveryLocaleHasItsOwn) {
  test::on_machines([] {
    {
      const Owned<LocaleState<NamedObject>> states = LocaleState<NamedObject>::create(
          [] { return NamedObject("locale " + std::to_string(this_locale())); });
      EXPECT_EQ(live_objects, locale_count());
      on_all_cores([states = *states] {
        EXPECT_EQ(states->name, "locale " + std::to_string(this_locale()));
      });
    }
    EXPECT_EQ(live_objects, 0);
  });
}

TEST(LocaleState, TypesThatNeverTravel) {
  test::on_machines([] {
    const Owned<LocaleState<std::unique_ptr<int>>> states =
        LocaleState<std::unique_ptr<int>>::create();
    on_all_locales([states = *states] {
      EXPECT_EQ(*states, nullptr);
      *states = std::make_unique<int>(this_locale());
    });
    on_all_cores([states = *states] { EXPECT_EQ(**states, this_locale()); });
  });
}

TEST(LocaleState, WhatThrowsLeavesNothingBehind) {
  test::on_machines([] {
    const auto make = [] {
      if (this_locale() == locale_count() - 1) throw std::runtime_error("no room here");
      return NamedObject("made");
    };
    // The second takes the memory of the first.
    for (int i = 0; i < 2; ++i) {
      EXPECT_ANY_THROW((void)LocaleState<NamedObject>::create(make));
      EXPECT_EQ(live_objects, 0);
    }
  });
}

TEST(Owned, IsMovedAndGivenAway) {
  run(test::cluster(2, 1), [] {
    Owned<LocaleState<NamedObject>> first = LocaleState<NamedObject>::create();
    Owned<LocaleState<NamedObject>> second = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_TRUE(second);
    first = LocaleState<NamedObject>::create();
    EXPECT_EQ(live_objects, 4);
    first = std::move(second);  // what it had is destroyed
    EXPECT_EQ(live_objects, 2);
    LocaleState<NamedObject> handle = first.release();
    EXPECT_FALSE(first);
    first.reset();
    EXPECT_EQ(live_objects, 2);
    handle.destroy();
    EXPECT_EQ(live_objects, 0);
  });
}

TEST(Owned, DestroysWhenSomethingThrows) {
  test::on_machines([] {
    try {
      const Owned<LocaleState<NamedObject>> states = LocaleState<NamedObject>::create();
      on_all_locales([] { throw std::runtime_error("no luck"); });
    } catch (const std::exception&) {
    }
    EXPECT_EQ(live_objects, 0);
  });
}

TEST(Owned, OutlivesItsRun) {
  Owned<LocaleState<int>> states;
  run(test::cluster(2, 1), [&] { states = LocaleState<int>::create(); });
}

}  // namespace
}  // namespace grappa
