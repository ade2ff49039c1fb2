#include "grappa/context/exception_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "grappa/context/stack_pool.hpp"
#include "grappa/context/test_fiber.hpp"

namespace grappa::internal {
namespace {

class ExceptionStateTest : public testing::Test {
 protected:
  // Resumes all in turn until all have ended.
  static void run_interleaved(std::vector<std::unique_ptr<TestFiber>>& fibers) {
    for (bool left = true; left;) {
      left = false;
      for (auto& fiber : fibers) {
        if (fiber->finished()) continue;
        fiber->resume();
        left = true;
      }
    }
  }

  StackPool pool_{128 * 1024, StackMode::kGuarded};
};

TEST_F(ExceptionStateTest, IsIdleOutsideOfHandlers) {
  const ExceptionState& live = ExceptionState::of_this_thread();
  EXPECT_TRUE(ExceptionState::idle(live));
  try {
    throw 1;
  } catch (int) {
    EXPECT_FALSE(ExceptionState::idle(live));
  }
  EXPECT_TRUE(ExceptionState::idle(live));
}

TEST_F(ExceptionStateTest, IsIdleOnlyWhenBothWordsAreZero) {
  EXPECT_TRUE(ExceptionState::idle(ExceptionState{}));
  EXPECT_FALSE(ExceptionState::idle(ExceptionState::kBusy));
  for (const unsigned uncaught : {1u, 2u, 255u, 256u, 65'535u})
    EXPECT_FALSE(ExceptionState::idle({nullptr, uncaught})) << uncaught;
  // Any address that a program may have.
  for (int bit = 16; bit < 64; ++bit) {
    const auto caught = reinterpret_cast<void*>(std::uintptr_t{1} << bit);
    EXPECT_FALSE(ExceptionState::idle({caught, 0})) << bit;
  }
}

TEST_F(ExceptionStateTest, CountsExceptionsInFlight) {
  ExceptionState& live = ExceptionState::of_this_thread();
  struct LooksWhileUnwinding {
    ExceptionState& state;
    unsigned& uncaught;
    ~LooksWhileUnwinding() { uncaught = state.uncaught; }
  };
  unsigned uncaught = 0;
  try {
    const LooksWhileUnwinding local{live, uncaught};
    throw 1;
  } catch (int) {
    EXPECT_EQ(live.uncaught, 0u);
  }
  EXPECT_EQ(uncaught, 1u);
}

TEST_F(ExceptionStateTest, TakeLeavesAnIdleStateAndRestoreBringsItBack) {
  ExceptionState& live = ExceptionState::of_this_thread();
  std::string rethrown;
  try {
    try {
      throw std::runtime_error("kept");
    } catch (...) {
      const ExceptionState kept = ExceptionState::take(live);
      EXPECT_TRUE(ExceptionState::idle(live));
      EXPECT_EQ(std::current_exception(), nullptr);
      ExceptionState::restore(live, kept);
      throw;
    }
  } catch (const std::exception& error) {
    rethrown = error.what();
  }
  EXPECT_EQ(rethrown, "kept");
}

TEST_F(ExceptionStateTest, TasksSuspendInsideCatchBlocksAndRethrow) {
  constexpr int kTasks = 20;
  std::vector<std::string> caught(kTasks);
  std::vector<std::unique_ptr<TestFiber>> fibers;
  for (int i = 0; i < kTasks; ++i) {
    fibers.push_back(std::make_unique<TestFiber>(pool_, [&caught, i](TestFiber& self) {
      try {
        try {
          throw std::runtime_error("task " + std::to_string(i));
        } catch (const std::exception&) {
          // Different numbers of switches, so that handlers end in another order than they began.
          for (int k = 0; k < (i * 7) % kTasks; ++k) self.suspend();
          throw;
        }
      } catch (const std::exception& error) {
        self.suspend();
        caught[static_cast<std::size_t>(i)] = error.what();
      }
    }));
  }
  run_interleaved(fibers);
  for (int i = 0; i < kTasks; ++i) {
    EXPECT_EQ(caught[static_cast<std::size_t>(i)], "task " + std::to_string(i));
  }
  EXPECT_TRUE(ExceptionState::idle(ExceptionState::of_this_thread()));
}

TEST_F(ExceptionStateTest, HandlersNestAcrossSwitches) {
  std::vector<std::string> trail;
  const auto body = [&trail](const std::string& name) {
    return [&trail, name](TestFiber& self) {
      try {
        throw std::runtime_error(name + " outer");
      } catch (const std::exception& outer) {
        self.suspend();
        try {
          throw std::runtime_error(name + " inner");
        } catch (const std::exception& inner) {
          self.suspend();
          trail.emplace_back(inner.what());
        }
        self.suspend();
        try {
          throw;
        } catch (const std::exception& again) {
          trail.emplace_back(again.what());
          EXPECT_EQ(&again, &outer);
        }
      }
    };
  };
  std::vector<std::unique_ptr<TestFiber>> fibers;
  fibers.push_back(std::make_unique<TestFiber>(pool_, body("a")));
  fibers.push_back(std::make_unique<TestFiber>(pool_, body("b")));
  run_interleaved(fibers);
  EXPECT_THAT(trail, testing::ElementsAre("a inner", "b inner", "a outer", "b outer"));
}

TEST_F(ExceptionStateTest, DestructorsMaySuspendDuringUnwinding) {
  struct SuspendsInDestructor {
    TestFiber& fiber;
    int& uncaught;
    ~SuspendsInDestructor() {
      fiber.suspend();
      uncaught = std::uncaught_exceptions();
    }
  };
  std::vector<int> uncaught(2, -1);
  std::vector<std::unique_ptr<TestFiber>> fibers;
  for (std::size_t i = 0; i < 2; ++i) {
    fibers.push_back(std::make_unique<TestFiber>(pool_, [&uncaught, i](TestFiber& self) {
      try {
        const SuspendsInDestructor local{self, uncaught[i]};
        throw 1;
      } catch (int) {
        self.suspend();
      }
    }));
  }
  fibers[0]->resume();
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  run_interleaved(fibers);
  EXPECT_THAT(uncaught, testing::Each(1));
}

}  // namespace
}  // namespace grappa::internal
