#pragma once

// For tests: a function that runs on a stack of its own and can be left and resumed.
//
//   StackPool pool(64 * 1024, StackMode::kGuarded);
//   TestFiber fiber(pool, [](TestFiber& self) { ...; self.suspend(); ... });
//   while (!fiber.finished()) fiber.resume();
//
// resume() is called from outside, suspend() by the function; both come back when the other side
// switches. Exception state is moved as a scheduler does it.

#include <functional>
#include <utility>

#include "grappa/context/exception_state.hpp"
#include "grappa/context/stack_pool.hpp"
#include "grappa/context/switch.hpp"

namespace grappa::internal {

class TestFiber {
 public:
  using Body = std::function<void(TestFiber&)>;

  TestFiber(StackPool& pool, Body body)
      : pool_(pool),
        stack_(pool.allocate()),
        body_(std::move(body)),
        context_(make_context(stack_.low, stack_.bytes, &TestFiber::run, this,
                              stack_color(stack_.index))) {}
  ~TestFiber() {
    destroy_context(context_);
    pool_.release(stack_);
  }
  TestFiber(const TestFiber&) = delete;
  TestFiber& operator=(const TestFiber&) = delete;

  void resume() { switch_context(outside_, context_); }

  void suspend() {
    ExceptionState& live = ExceptionState::of_this_thread();
    ExceptionState kept;
    const bool handling = !ExceptionState::idle(live);
    if (handling) kept = ExceptionState::take(live);
    switch_context(context_, outside_);
    if (handling) ExceptionState::restore(live, kept);
  }

  bool finished() const { return finished_; }
  const Stack& stack() const { return stack_; }
  const Context& context() const { return context_; }

 private:
  static void run(void* fiber) {
    auto& self = *static_cast<TestFiber*>(fiber);
    self.body_(self);
    self.finished_ = true;
    switch_final(self.outside_);
  }

  StackPool& pool_;
  Stack stack_;
  Body body_;
  Context context_;
  Context outside_;
  bool finished_ = false;
};

}  // namespace grappa::internal
