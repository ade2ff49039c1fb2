#include "grappa/tasking/doorbell.hpp"

#include "grappa/tasking/scheduler.hpp"

namespace grappa::internal {

void Doorbell::wait() {
  while (!rung_.exchange(false, std::memory_order_seq_cst)) {
    Scheduler& scheduler = *core_.scheduler;
    waiter_.store(&scheduler.current(), std::memory_order_seq_cst);
    scheduler.suspend("a call from outside of the run");
  }
}

}  // namespace grappa::internal
