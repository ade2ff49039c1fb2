// A task: a closure waiting to run, in one cache line.
//
// Closures of up to Task::kInlineBytes lie in the slot itself; larger ones are copied to the heap
// and freed after they ran. Tasks are moved between cores of a locale as plain bytes, which is why
// a closure must be trivially copyable (see closure.hpp). To another locale their type sends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <typeinfo>

#include "grappa/tasking/closure.hpp"

namespace grappa {

struct CompletionShare;
struct Core;
struct Task;

struct TaskType {
  void (*run)(void* storage);     // runs the closure and frees what the slot refers to
  const std::type_info* closure;  // names the task in messages
  // Public tasks: sends the closure to a core of another locale, as a message that counts as work
  // of the task's event, and frees what the slot refers to. nullptr: the task stays in its locale.
  void (*send)(Core& from, int to, Task& task) = nullptr;
};

struct alignas(64) Task {
  static constexpr std::size_t kInlineBytes = 40;

  const TaskType* type = nullptr;
  CompletionShare* scope = nullptr;  // already counts this task
  std::uint64_t reserved = 0;
  alignas(8) std::byte storage[kInlineBytes];
};
static_assert(sizeof(Task) == 64);

namespace internal {

template <class F>
inline constexpr bool kFitsTask = sizeof(F) <= Task::kInlineBytes && alignof(F) <= 8;

/// Calls `use` with the closure in a task's storage, and frees what the storage refers to.
template <class F, class Use>
void consume_closure(void* storage, const Use& use) {
  if constexpr (kFitsTask<F>) {
    use(*std::launder(reinterpret_cast<F*>(storage)));
  } else {
    F* heap = nullptr;
    std::memcpy(static_cast<void*>(&heap), storage, sizeof(F*));
    struct Free {
      F* closure;
      ~Free() { delete closure; }
    } free_after{heap};
    use(*heap);
  }
}

template <class F>
struct TaskRunner {
  static void run(void* storage) {
    consume_closure<F>(storage, [](F& closure) { closure(); });
  }
  static constexpr TaskType kType{&run, &typeid(F)};
};

}  // namespace internal

/// A task that runs a copy of `f`. The caller has counted it in `scope`.
template <class F>
Task make_task(const F& f, CompletionShare* scope,
               const TaskType& type = internal::TaskRunner<F>::kType) {
  require_closure<F>();
  Task task;
  task.type = &type;
  task.scope = scope;
  if constexpr (internal::kFitsTask<F>) {
    std::memcpy(task.storage, static_cast<const void*>(&f), sizeof f);
  } else {
    F* heap = new F(f);
    std::memcpy(task.storage, static_cast<const void*>(&heap), sizeof(F*));
  }
  return task;
}

}  // namespace grappa
