#pragma once

// Grappa: program one machine or a cluster as a single shared memory.
//
// This header is the whole public interface below the frameworks; docs/tutorial.md teaches it step
// by step. Everything is in namespace grappa; what is in grappa::internal need not be named, and
// may change.

#include "grappa/base/config.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/base/version.hpp"
#include "grappa/container/array_algorithms.hpp"
#include "grappa/container/binned_updates.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/container/global_hash_map.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/delegate/awaitable.hpp"
#include "grappa/delegate/bulk.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/delegate/remote_full_empty.hpp"
#include "grappa/memory/global_address.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/send_span.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/sync/awaitable.hpp"
#include "grappa/sync/barrier.hpp"
#include "grappa/sync/completion_event.hpp"
#include "grappa/sync/condition_variable.hpp"
#include "grappa/sync/full_empty.hpp"
#include "grappa/sync/full_empty_pointer.hpp"
#include "grappa/sync/mutex.hpp"
#include "grappa/sync/semaphore.hpp"
#include "grappa/tasking/coroutine.hpp"
