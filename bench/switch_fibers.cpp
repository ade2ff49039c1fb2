// Boost.Fiber beside `bench context-switch`, where the build has it.

#include <fmt/format.h>

#include "bench/switch_baselines.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"

#ifdef GRAPPA_BENCH_BOOST_FIBER
#include <boost/fiber/all.hpp>
#endif

namespace grappa::bench {

FiberRing::FiberRing(const Config& config, const SwitchOrder& order)
    : pool_(config.stack_bytes, config.stacks) {
  std::vector<internal::Stack> by_number;
  for (std::size_t i = 0; i < order.size(); ++i) by_number.push_back(pool_.allocate());
  for (const std::uint32_t number : order) stacks_.push_back(by_number[number]);
}

FiberRing::~FiberRing() {
  for (const internal::Stack& stack : stacks_) pool_.release(stack);
}

#ifdef GRAPPA_BENCH_BOOST_FIBER

namespace {

/// A stack allocator of Boost.Context that hands out given stacks, one after the other.
struct GivenStacks {
  const internal::Stack** next;

  boost::context::stack_context allocate() const {
    const internal::Stack& stack = *(*next)++;
    const std::size_t color = internal::stack_color(stack.index);
    boost::context::stack_context result;
    result.size = stack.bytes - color;
    result.sp = static_cast<std::byte*>(stack.low) + result.size;
    return result;
  }
  void deallocate(boost::context::stack_context& /*stack*/) const {}
};

/// Shared by the fibers of a trial.
struct Turns {
  std::int64_t started = 0;
  bool go = false;
  std::int64_t done = 0;
  std::int64_t turns = 0;
};

double go_round(const std::vector<internal::Stack>& stacks, std::int64_t rounds) {
  const auto count = static_cast<std::int64_t>(stacks.size());
  const internal::Stack* next = stacks.data();
  Turns shared;
  std::vector<boost::fibers::fiber> fibers;
  fibers.reserve(stacks.size());
  for (std::int64_t i = 0; i < count; ++i) {
    fibers.emplace_back(boost::fibers::launch::post, std::allocator_arg, GivenStacks{&next},
                        [&shared, rounds] {
                          ++shared.started;
                          while (!shared.go) boost::this_fiber::yield();
                          for (std::int64_t k = 0; k < rounds; ++k) {
                            boost::this_fiber::yield();
                            ++shared.turns;
                          }
                          ++shared.done;
                        });
  }
  while (shared.started < count) boost::this_fiber::yield();
  const std::uint64_t start = internal::now_ns();
  shared.go = true;
  while (shared.done < count) boost::this_fiber::yield();
  const std::uint64_t end = internal::now_ns();
  for (boost::fibers::fiber& fiber : fibers) fiber.join();
  if (shared.turns != count * rounds) throw Error("bench context-switch: Boost.Fiber lost turns");
  // The fiber that measures yields, too.
  return static_cast<double>(end - start) /
         (static_cast<double>(count + 1) * static_cast<double>(rounds + 1));
}

}  // namespace

bool FiberRing::available() { return true; }

double FiberRing::trial(std::int64_t rounds) {
  // A thread of its own: Boost.Fiber keeps a scheduler for each thread that ever had a fiber.
  double ns = 0;
  std::exception_ptr error;
  std::thread([&] {
    try {
      ns = go_round(stacks_, rounds);
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
  return ns;
}

#else

bool FiberRing::available() { return false; }

double FiberRing::trial(std::int64_t /*rounds*/) {
  throw Error("bench context-switch: this build has no Boost.Fiber");
}

#endif

}  // namespace grappa::bench
