#pragma once

// A task: a closure waiting to run, in one cache line.
//
// Closures of up to Task::kInlineBytes that are plain bytes lie in the slot itself; others are
// moved to the heap and freed after they ran. So tasks are moved between cores of a locale as plain
// bytes. To another locale their type sends them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "grappa/tasking/closure.hpp"

namespace grappa::internal {

struct CompletionShare;
struct Core;
struct Task;

/// On which stack a task runs: one of Config::stack_bytes, or of Config::large_stack_bytes.
enum class StackClass : std::uint8_t { kNormal, kLarge };
inline constexpr std::size_t kStackClasses = 2;

struct TaskType {
  /// Runs a copy of the closure and frees what the storage refers to; the storage itself may be
  /// used for something else as soon as the closure runs.
  void (*run)(const void* storage);
  const std::type_info* closure;  // names the task in messages
  /// Public tasks: sends the closure to a core of another locale, as a message that counts as work
  /// of the task's event, and frees what the slot refers to. nullptr: the task stays in its locale.
  void (*send)(Core& from, int to, Task& task) = nullptr;
  StackClass stack = StackClass::kNormal;
};

struct alignas(64) Task {
  static constexpr std::size_t kInlineBytes = 40;

  const TaskType* type = nullptr;
  CompletionShare* scope = nullptr;  // already counts this task
  std::uint64_t event = 0;           // of a public task: its event's id, for thieves
  alignas(8) std::byte storage[kInlineBytes];
};
static_assert(sizeof(Task) == 64);

/// The share that counts a public task, and the core of that share, in the word of Task::scope:
/// such a task may wait in the queue of another core than the one that counts it.
class CountedScope {
 public:
  CountedScope(CompletionShare* scope, int core)
      : bits_(reinterpret_cast<std::uintptr_t>(scope) | static_cast<std::uint64_t>(core) << kBits) {
  }
  static CountedScope of(const Task& task) { return CountedScope(task.scope); }

  int core() const { return static_cast<int>(bits_ >> kBits); }
  /// For that core only.
  CompletionShare* scope() const {
    return reinterpret_cast<CompletionShare*>(bits_ & ((std::uint64_t{1} << kBits) - 1));
  }
  /// For Task::scope; not to be followed.
  CompletionShare* packed() const { return reinterpret_cast<CompletionShare*>(bits_); }

 private:
  explicit CountedScope(CompletionShare* packed)
      : bits_(reinterpret_cast<std::uintptr_t>(packed)) {}

  static constexpr int kBits = 48;  // of an address in user space; 16 are left for the core
  std::uint64_t bits_;
};

template <class F>
inline constexpr bool kFitsTask =
    kIsSendable<F> && sizeof(F) <= Task::kInlineBytes && alignof(F) <= 8;

/// Calls `use` with the closure in a task's storage or a copy of it, and frees what the storage
/// refers to. What a task goes on with after a switch lies together on its stack like this.
template <class F, class Use>
void consume_closure(const void* storage, const Use& use) {
  if constexpr (kFitsTask<F>) {
    F closure(*std::launder(reinterpret_cast<const F*>(storage)));
    use(closure);
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

template <class F, StackClass kStack = StackClass::kNormal>
struct TaskRunner {
  static void run(const void* storage) {
    consume_closure<F>(storage, [](F& closure) { closure(); });
  }
  static constexpr TaskType kType{&run, &typeid(F), nullptr, kStack};
};

/// A task that runs `f`, moved or copied. The caller has counted it in `scope`.
template <class Given, class F = std::remove_cvref_t<Given>>
Task make_task(Given&& f, CompletionShare* scope, const TaskType& type = TaskRunner<F>::kType) {
  Task task;
  task.type = &type;
  task.scope = scope;
  if constexpr (kFitsTask<F>) {
    std::memcpy(task.storage, static_cast<const void*>(&f), sizeof f);
  } else {
    F* heap = new F(std::forward<Given>(f));
    std::memcpy(task.storage, static_cast<const void*>(&heap), sizeof(F*));
  }
  return task;
}

}  // namespace grappa::internal
