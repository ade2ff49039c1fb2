#include "bench/switch_baselines.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <cerrno>
#include <cstring>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"

namespace grappa::bench {
namespace {

constexpr std::size_t kThreadStack = std::size_t{64} << 10;

void require_turns(std::int64_t found, std::int64_t expected, const char* what) {
  if (found != expected)
    throw Error(
        fmt::format("bench context-switch: {} lost turns: {} of {}", what, found, expected));
}

void wait_for(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

}  // namespace

// ---- the bare ring

BareRing::BareRing(const Config& config, const SwitchOrder& order)
    : pool_(config.stack_bytes, config.stacks), contexts_(order.size()), order_(order) {
  for (std::size_t i = 0; i < order.size(); ++i) stacks_.push_back(pool_.allocate());
  ring_.stack_pointers.resize(order.size());
}

BareRing::~BareRing() {
  for (internal::Context& context : contexts_) internal::destroy_context(context);
  for (const internal::Stack& stack : stacks_) pool_.release(stack);
}

template <bool kPrefetch>
void BareRing::entry(void* argument) {
  auto& ring = *static_cast<Ring*>(argument);
  for (;;) {
    ++ring.turns;
    const std::size_t self = ring.current;
    const std::size_t count = ring.stack_pointers.size();
    const std::size_t next = self + 1 == count ? 0 : self + 1;
    ring.current = next;
    if (ring.turns == ring.limit) {
      grappa_switch(&ring.stack_pointers[self], ring.main);
      continue;
    }
    if (kPrefetch) {
      std::size_t later = next + ring.distance;
      if (later >= count) later -= count;
      const char* saved = static_cast<const char*>(ring.stack_pointers[later]);
      __builtin_prefetch(saved - internal::kSavedBelow);
      __builtin_prefetch(saved + internal::kSavedAbove - 1);
    }
    grappa_switch(&ring.stack_pointers[self], ring.stack_pointers[next]);
  }
}

void BareRing::make_contexts(void (*start)(void*)) {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const internal::Stack& stack = stacks_[order_[i]];
    internal::destroy_context(contexts_[i]);
    contexts_[i] = internal::make_context(stack.low, stack.bytes, start, &ring_,
                                          internal::stack_color(stack.index));
    ring_.stack_pointers[i] = contexts_[i].sp;
  }
  ring_.current = 0;
}

void BareRing::go_round(std::int64_t turns) {
  ring_.turns = 0;
  ring_.limit = turns;
  grappa_switch(&ring_.main, ring_.stack_pointers[ring_.current]);
}

double BareRing::trial(std::int64_t rounds, std::size_t prefetch_distance) {
  const bool prefetch = prefetch_distance != 0 && prefetch_distance < order_.size();
  ring_.distance = prefetch_distance;
  make_contexts(prefetch ? &BareRing::entry<true> : &BareRing::entry<false>);
  const auto count = static_cast<std::int64_t>(order_.size());
  go_round(count);  // everybody has started, and is within the loop
  const std::int64_t turns = count * rounds;
  const std::uint64_t start = internal::now_ns();
  go_round(turns);
  const std::uint64_t end = internal::now_ns();
  require_turns(ring_.turns, turns, "the bare ring");
  return static_cast<double>(end - start) / static_cast<double>(turns);
}

// ---- threads

ThreadRing::ThreadRing(const SwitchOrder& order)
    : members_(std::make_unique<Member[]>(order.size())), count_(order.size()) {
  sem_init(&finished_, 0, 0);
  first_ = &members_[order.front()];
  for (std::size_t i = 0; i < count_; ++i) {
    Member& member = members_[order[i]];
    member.next = &members_[order[i + 1 == count_ ? 0 : i + 1]];
    member.ring = this;
    sem_init(&member.turn, 0, 0);
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kThreadStack);
  for (std::size_t i = 0; i < count_; ++i) {
    const int error = pthread_create(&members_[i].thread, &attributes, &entry, &members_[i]);
    if (error != 0) {
      pthread_attr_destroy(&attributes);
      stop(i);
      throw Error(fmt::format("the system allows {} threads: {}", i, strerror(error)));
    }
  }
  pthread_attr_destroy(&attributes);
}

ThreadRing::~ThreadRing() { stop(count_); }

void ThreadRing::stop(std::size_t started) {
  stopping_ = true;
  for (std::size_t i = 0; i < started; ++i) {
    sem_post(&members_[i].turn);
    pthread_join(members_[i].thread, nullptr);
  }
  for (std::size_t i = 0; i < count_; ++i) sem_destroy(&members_[i].turn);
  sem_destroy(&finished_);
}

void* ThreadRing::entry(void* argument) {
  auto& self = *static_cast<Member*>(argument);
  ThreadRing& ring = *self.ring;
  for (;;) {
    wait_for(self.turn);
    if (ring.stopping_) return nullptr;
    sem_post(++ring.turns_ == ring.limit_ ? &ring.finished_ : &self.next->turn);
  }
}

double ThreadRing::trial(std::int64_t rounds) {
  const auto turns = static_cast<std::int64_t>(count_) * rounds;
  turns_ = 0;
  limit_ = turns;
  const std::uint64_t start = internal::now_ns();
  sem_post(&first_->turn);
  wait_for(finished_);
  const std::uint64_t end = internal::now_ns();
  require_turns(turns_, turns, "the ring of threads");
  return static_cast<double>(end - start) / static_cast<double>(turns);
}

}  // namespace grappa::bench
