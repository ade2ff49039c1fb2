#pragma once

// Parallel loops.
//
//   forall(0, n, [=](int64_t i) { … });                     // iterations on any core of any locale
//   forall(table, n, [](int64_t& x) { ++x; });              // at the home core of each element
//   forall(table, n, [](int64_t i, int64_t& x) { x = i; });
//   forall_range(0, n, [=](int64_t first, int64_t last) { … });   // a whole grain at once
//   forall_here(0, n, [=](int64_t i) { … });                // by the cores of this locale only
//   forall(n, {.grain = 4096}, [=](int64_t i) { … });       // options come before the body
//   CompletionEvent event;
//   forall_async(event, n, [=](int64_t i) { … });           // goes on at once; event.wait() waits
//
// A loop returns when its iterations and all that they caused, anywhere and transitively, have
// finished: tasks spawned and asynchronous delegates sent in the body join the loop. Loops nest.
// The calling task takes part in the loop, and waiting switches tasks. A body that never blocks
// runs as a plain loop; where it blocks, other workers (at most Config::max_forall_workers a core)
// continue with the iterations that are left.
//
// The iterations of a loop over numbers are at first divided evenly among the cores. A core that
// has run out of work steals half of what another core of its locale has left or, if none has any,
// of a core of another locale (forall_here: only within the locale). So the number of an iteration
// does not tell where it runs, and a body must not hold pointers into the memory of a locale,
// except in forall_here. Loops over elements run at the elements' homes and nowhere else.
//
// LoopOptions::grain is the number of consecutive iterations that a worker claims at once. By
// default a loop is cut into about 256 units a core, of at most 1,024 iterations each; those of a
// long loop are multiples of 64, so that neighboring units do not write to the same cache line. A
// negative grain is a UsageError.
//
// Errors: what a body throws comes out of the loop as RemoteError (the first one, with the number
// of the others); the rest of its grain is skipped, the other grains still run. Debug builds refuse
// a loop over more elements than global_alloc returned (UsageError).

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "grappa/base/closure_names.hpp"
#include "grappa/memory/global_address.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/tasking/range.hpp"

namespace grappa {

/// How a loop is run.
struct LoopOptions {
  std::int64_t grain = 0;  // iterations that are claimed at once; 0: automatic
};

namespace internal {

/// Marks the worker that runs a unit which any core might have run. Keeps no value of its own: the
/// register would be one that the body, which is inlined, lacks.
class LoopMark {
 public:
  LoopMark(Core& me, const RangeDescriptor& range) : me_(me), range_(range) { add(1); }
  ~LoopMark() { add(-1); }
  LoopMark(const LoopMark&) = delete;
  LoopMark& operator=(const LoopMark&) = delete;

 private:
  void add(int n) const { me_.scheduler->current().loops += range_.reach != Reach::kCore ? n : 0; }

  Core& me_;
  const RangeDescriptor& range_;
};

/// Runs units of a range until none is left. B is called with the first and past-the-last
/// iteration.
template <class B>
struct RangeRunner {
  static void run(RangeDescriptor& range) {
    // A copy of its own: closures may have mutable state, and it stays in registers.
    B body(*static_cast<const B*>(range.closure));
    Core& me = here();
    me.ranges->start(range);
    RangeUnit unit;
    while (me.ranges->claim(range, unit)) {
      try {
        const LoopMark mark(me, range);
        body(unit.first, unit.last);
      } catch (...) {
        me.ledger->report(*range.scope, std::current_exception());
      }
      // While the unit is unfinished the descriptor cannot be recycled under us.
      me.scheduler->between_units();
      if (!me.ranges->finish_units(range, 1)) return;
    }
  }
  static void send(int to, const RangeDescriptor& range, std::int64_t begin, std::int64_t end);
  static constexpr RangeType kType{&run, &typeid(B), sizeof(B), alignof(B), &send};
};

template <class B>
struct StartRangeMessage {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t grain;
  Reach reach;
  B body;
  void operator()(RunContext& context) {
    context.core.ledger->add(*context.scope);
    context.core.ranges->publish({begin, end, grain, reach, &RangeRunner<B>::kType, &body},
                                 *context.scope);
  }
};

template <class B>
void RangeRunner<B>::send(int to, const RangeDescriptor& range, std::int64_t begin,
                          std::int64_t end) {
  here().messages->send(to,
                        StartRangeMessage<B>{begin, end, range.grain, range.reach,
                                             *static_cast<const B*>(range.closure)},
                        range.scope);
}

/// Starts [begin, end) on `core` as work of `scope`.
template <class B>
void start_range(CompletionShare& scope, int core, std::int64_t begin, std::int64_t end,
                 std::int64_t grain, Reach reach, const B& body) {
  if (begin >= end) return;
  here().messages->send(core, StartRangeMessage<B>{begin, end, grain, reach, body}, &scope);
  here().messages->flush_to(core);
}

/// Whether less than half a normal stack is left for what the calling task calls.
inline bool little_stack_left(const Core& me, const Worker& self) {
  const auto low = reinterpret_cast<std::uintptr_t>(self.stack.low);
  const auto used_to = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return used_to - low < me.locale.config.stack_bytes / 2;
}

/// Runs [begin, end) on the calling task, visible to other workers and to thieves within reach.
/// Deep in its stack the task leaves all of it to them, so that loops may nest in a recursion.
template <class B>
void run_range_inline(CompletionShare& scope, std::int64_t begin, std::int64_t end,
                      std::int64_t grain, Reach reach, const B& body) {
  if (begin >= end) return;
  Core& me = here();
  me.ledger->add(scope);
  RangeDescriptor& range =
      me.ranges->publish({begin, end, grain, reach, &RangeRunner<B>::kType, &body}, scope);
  Worker& self = me.scheduler->current();
  if (little_stack_left(me, self)) return;
  CompletionShare* outer = self.scope;
  const std::type_info* task = self.task;
  self.scope = &scope;
  self.task = &typeid(B);
  RangeRunner<B>::run(range);
  self.scope = outer;
  self.task = task;
}

inline constexpr std::int64_t kMaxUnits = std::int64_t{1} << 31;

inline std::int64_t choose_grain(std::int64_t n, int cores, std::int64_t wanted) {
  std::int64_t grain = wanted;
  if (grain <= 0) {
    grain = std::clamp<std::int64_t>(n / (std::int64_t{256} * cores), 1, 1024);
    if (n >= std::int64_t{64 * 8} * cores) grain = (grain + 63) / 64 * 64;
  }
  return std::max(grain, (n - 1) / kMaxUnits + 1);
}

/// end - begin; throws UsageError when that is more than an int64_t holds.
std::int64_t loop_length(std::int64_t begin, std::int64_t end, const CallSite& where);

/// Throws UsageError for a negative number of iterations.
void require_count(std::int64_t n, const CallSite& where);

/// Throws UsageError for a negative grain.
void require_grain(const LoopOptions& options, const CallSite& where);

/// No core.
inline constexpr int kNobody = -1;

/// Divides [begin, end) among the cores within reach, in order. `mine`: the calling core, if its
/// task takes part in the loop, or kNobody.
template <class B>
void start_loop(CompletionShare& scope, int mine, Reach reach, std::int64_t begin, std::int64_t end,
                LoopOptions options, const B& body, const CallSite& where) {
  require_closure<B>();
  require_grain(options, where);
  if (begin >= end) return;
  name_closure<B>(where);
  Core& me = here();
  me.messages->check_body(body, where, reach == Reach::kAnywhere);
  const int first_core = reach == Reach::kAnywhere ? 0 : me.locale.first_core();
  const int cores = reach == Reach::kAnywhere ? me.locale.core_count() : me.locale.cores_each;
  const std::int64_t n = loop_length(begin, end, where);
  const std::int64_t grain = choose_grain(n, cores, options.grain);
  const std::int64_t units = (n - 1) / grain + 1;
  const auto start_of = [&](int k) {
    const std::int64_t unit = units * k / cores;
    return unit == units ? end : begin + unit * grain;
  };
  for (int k = 0; k < cores; ++k) {
    if (first_core + k != mine)
      start_range(scope, first_core + k, start_of(k), start_of(k + 1), grain, reach, body);
  }
  const int k = mine - first_core;
  if (k >= 0 && k < cores)
    run_range_inline(scope, start_of(k), start_of(k + 1), grain, reach, body);
}

template <class B>
void run_loop(Reach reach, std::int64_t begin, std::int64_t end, LoopOptions options, const B& body,
              const CallSite& where) {
  const int mine = here().id;  // before the event: outside a run, the process ends here
  CompletionEvent done;
  start_loop(done.share(), mine, reach, begin, end, options, body, where);
  done.wait();
}

template <class F>
struct EachIteration {
  [[no_unique_address]] F f;
  void operator()(std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) f(i);
  }
};

/// The part of a loop over heap elements at one core: iterations are blocks of the heap.
template <class T, class F>
struct EachElementOfBlocks {
  std::uint64_t first_byte;  // linear, of the whole region
  std::uint64_t last_byte;
  std::uint64_t first_block;  // of this core
  std::uint32_t cores;
  std::int32_t shift;
  [[no_unique_address]] F f;

  void operator()(std::int64_t first, std::int64_t last) {
    Core& me = here();
    const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
    std::byte* segment = me.memory_base + me.locale.memory->heap_offset(me.index);
    for (std::int64_t k = first; k < last; ++k) {
      const std::uint64_t block = first_block + static_cast<std::uint64_t>(k) * cores;
      const std::uint64_t from = std::max(block << shift, first_byte);
      const std::uint64_t to = std::min((block + 1) << shift, last_byte);
      std::byte* at = segment + ((block / cores) << shift) + (from & mask);
      for (std::uint64_t byte = from; byte < to;
           byte += GlobalAddress<T>::kLinearStride, at += GlobalAddress<T>::kLinearStride) {
        T& element = *reinterpret_cast<T*>(at);
        if constexpr (std::invocable<F&, std::int64_t, T&>) {
          f(static_cast<std::int64_t>((byte - first_byte) / GlobalAddress<T>::kLinearStride),
            element);
        } else {
          f(element);
        }
      }
    }
  }
};

/// Elements in a plain array at one core.
template <class T, class F>
struct EachElementOfArray {
  LocalReference base;
  [[no_unique_address]] F f;
  void operator()(std::int64_t first, std::int64_t last) {
    T* elements = reinterpret_cast<T*>(base.resolve(here()));
    for (std::int64_t i = first; i < last; ++i) {
      if constexpr (std::invocable<F&, std::int64_t, T&>) {
        f(i, elements[i]);
      } else {
        f(elements[i]);
      }
    }
  }
};

/// A loop over n elements from `base` on.
template <class T, class F>
void start_loop_at(CompletionShare& scope, int mine, GlobalAddress<T> base, std::int64_t n,
                   LoopOptions options, const F& body, const CallSite& where) {
  require_element_body<F, T>();
  require_closure<F>();
  require_count(n, where);
  require_grain(options, where);
  if (n == 0) return;
  Core& me = here();
  me.messages->check_body(body, where);
  if (!base.is_linear()) {
    const auto home = base.place();
    name_closure<EachElementOfArray<T, F>>(where);
    start_range(scope, home.core, 0, n, choose_grain(n, 1, options.grain), Reach::kCore,
                EachElementOfArray<T, F>{home.local, body});
    return;
  }
  if constexpr (kChecksEveryAccess)
    require_allocated(base.raw(), (base + (n - 1)).raw(), GlobalAddress<T>::kShift);
  name_closure<EachElementOfBlocks<T, F>>(where);
  const int shift = std::max(GlobalAddress<T>::kShift, me.locale.memory->block_shift());
  const std::uint64_t first = base.raw();
  const std::uint64_t last =
      first + static_cast<std::uint64_t>(n) * GlobalAddress<T>::kLinearStride;
  const std::uint64_t first_block = first >> shift;
  const std::uint64_t blocks = ((last - 1) >> shift) - first_block + 1;
  const auto cores = static_cast<std::uint64_t>(me.locale.core_count());
  const std::int64_t in_block = std::int64_t{1} << (shift - GlobalAddress<T>::kShift);
  const std::int64_t grain = std::max<std::int64_t>(
      1, choose_grain(n / static_cast<std::int64_t>(cores), 1, options.grain) / in_block);
  const auto start = [&](std::uint64_t core, bool inline_here) {
    const std::uint64_t block = first_block + (core + cores - first_block % cores) % cores;
    if (block >= first_block + blocks) return;
    const auto count =
        static_cast<std::int64_t>((first_block + blocks - block + cores - 1) / cores);
    const EachElementOfBlocks<T, F> part{first, last, block, static_cast<std::uint32_t>(cores),
                                         shift, body};
    if (inline_here)
      run_range_inline(scope, 0, count, grain, Reach::kCore, part);
    else
      start_range(scope, static_cast<int>(core), 0, count, grain, Reach::kCore, part);
  };
  for (std::uint64_t core = 0; core < cores; ++core) {
    if (static_cast<int>(core) != mine) start(core, false);
  }
  if (mine >= 0) start(static_cast<std::uint64_t>(mine), true);
}

}  // namespace internal

/// body(i) for every i in [begin, end), on any core of any locale.
template <class F>
void forall(std::int64_t begin, std::int64_t end, LoopOptions options, F body,
            internal::CallSite where = internal::CallSite::current()) {
  internal::require_body<F>();
  internal::run_loop(internal::Reach::kAnywhere, begin, end, options,
                     internal::EachIteration<F>{body}, where);
}
template <class F>
void forall(std::int64_t begin, std::int64_t end, F body,
            internal::CallSite where = internal::CallSite::current()) {
  forall(begin, end, LoopOptions{}, body, where);
}
/// From 0 on. UsageError for a negative n.
template <class F>
void forall(std::int64_t n, LoopOptions options, F body,
            internal::CallSite where = internal::CallSite::current()) {
  internal::require_count(n, where);
  forall(0, n, options, body, where);
}
template <class F>
void forall(std::int64_t n, F body, internal::CallSite where = internal::CallSite::current()) {
  forall(n, LoopOptions{}, body, where);
}

/// body(first, last) for consecutive ranges of at most a grain that cover [begin, end).
template <class F>
void forall_range(std::int64_t begin, std::int64_t end, LoopOptions options, F body,
                  internal::CallSite where = internal::CallSite::current()) {
  internal::require_range_body<F>();
  internal::run_loop(internal::Reach::kAnywhere, begin, end, options, body, where);
}
template <class F>
void forall_range(std::int64_t begin, std::int64_t end, F body,
                  internal::CallSite where = internal::CallSite::current()) {
  forall_range(begin, end, LoopOptions{}, body, where);
}

/// As forall, by the cores of the calling locale only.
template <class F>
void forall_here(std::int64_t begin, std::int64_t end, LoopOptions options, F body,
                 internal::CallSite where = internal::CallSite::current()) {
  internal::require_body<F>();
  internal::run_loop(internal::Reach::kLocale, begin, end, options,
                     internal::EachIteration<F>{body}, where);
}
template <class F>
void forall_here(std::int64_t begin, std::int64_t end, F body,
                 internal::CallSite where = internal::CallSite::current()) {
  forall_here(begin, end, LoopOptions{}, body, where);
}
template <class F>
void forall_range_here(std::int64_t begin, std::int64_t end, LoopOptions options, F body,
                       internal::CallSite where = internal::CallSite::current()) {
  internal::require_range_body<F>();
  internal::run_loop(internal::Reach::kLocale, begin, end, options, body, where);
}
template <class F>
void forall_range_here(std::int64_t begin, std::int64_t end, F body,
                       internal::CallSite where = internal::CallSite::current()) {
  forall_range_here(begin, end, LoopOptions{}, body, where);
}

/// body(T&) or body(i, T&) for n elements from `base` on, each at its home core. UsageError for a
/// negative n.
template <class T, class F>
void forall(GlobalAddress<T> base, std::int64_t n, LoopOptions options, F body,
            internal::CallSite where = internal::CallSite::current()) {
  const int mine = internal::here().id;  // before the event, as in run_loop
  CompletionEvent done;
  internal::start_loop_at(done.share(), mine, base, n, options, body, where);
  done.wait();
}
template <class T, class F>
void forall(GlobalAddress<T> base, std::int64_t n, F body,
            internal::CallSite where = internal::CallSite::current()) {
  forall(base, n, LoopOptions{}, body, where);
}

/// The same loops as work of an event that somebody waits for: they start, and the caller goes on.
template <class F>
void forall_async(CompletionEvent& event, std::int64_t begin, std::int64_t end, LoopOptions options,
                  F body, internal::CallSite where = internal::CallSite::current()) {
  internal::require_body<F>();
  internal::start_loop(event.share(), internal::kNobody, internal::Reach::kAnywhere, begin, end,
                       options, internal::EachIteration<F>{body}, where);
}
template <class F>
void forall_async(CompletionEvent& event, std::int64_t begin, std::int64_t end, F body,
                  internal::CallSite where = internal::CallSite::current()) {
  forall_async(event, begin, end, LoopOptions{}, body, where);
}
template <class F>
void forall_async(CompletionEvent& event, std::int64_t n, LoopOptions options, F body,
                  internal::CallSite where = internal::CallSite::current()) {
  internal::require_count(n, where);
  forall_async(event, 0, n, options, body, where);
}
template <class F>
void forall_async(CompletionEvent& event, std::int64_t n, F body,
                  internal::CallSite where = internal::CallSite::current()) {
  forall_async(event, n, LoopOptions{}, body, where);
}
template <class T, class F>
void forall_async(CompletionEvent& event, GlobalAddress<T> base, std::int64_t n,
                  LoopOptions options, F body,
                  internal::CallSite where = internal::CallSite::current()) {
  internal::start_loop_at(event.share(), internal::kNobody, base, n, options, body, where);
}
template <class T, class F>
void forall_async(CompletionEvent& event, GlobalAddress<T> base, std::int64_t n, F body,
                  internal::CallSite where = internal::CallSite::current()) {
  forall_async(event, base, n, LoopOptions{}, body, where);
}

}  // namespace grappa
