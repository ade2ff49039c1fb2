#include "bench/chase_bare.hpp"

namespace grappa::bench {

BareChaseRing::BareChaseRing(const Config& config) : pool_(config.stack_bytes, config.stacks) {}

BareChaseRing::~BareChaseRing() {
  for (internal::Context& context : contexts_) internal::destroy_context(context);
  for (const internal::Stack& stack : stacks_) pool_.release(stack);
}

void BareChaseRing::entry(void* argument) {
  const Slot& slot = *static_cast<Slot*>(argument);
  Node* node = *slot.head;
  for (std::int64_t step = 0; step < slot.steps; ++step) {
    __builtin_prefetch(node);
    grappa_switch(slot.own, *slot.next);
    node = node->next;
  }
  *slot.head = node;
  for (;;) grappa_switch(slot.own, *slot.done);
}

void BareChaseRing::prepare(std::vector<Node*>& heads, std::int64_t steps) {
  const std::size_t count = heads.size();
  for (internal::Context& context : contexts_) internal::destroy_context(context);
  contexts_.clear();
  while (stacks_.size() < count) stacks_.push_back(pool_.allocate());
  slots_.resize(count);
  stack_pointers_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    void** next = &stack_pointers_[last ? 0 : i + 1];
    slots_[i] = {&heads[i], steps, &stack_pointers_[i], next, last ? &main_ : next};
    const internal::Stack& stack = stacks_[i];
    contexts_.push_back(internal::make_context(stack.low, stack.bytes, &entry, &slots_[i],
                                               internal::stack_color(stack.index)));
    stack_pointers_[i] = contexts_.back().sp;
  }
}

void BareChaseRing::run() { grappa_switch(&main_, stack_pointers_.front()); }

}  // namespace grappa::bench
