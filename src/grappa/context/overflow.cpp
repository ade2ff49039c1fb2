#include "grappa/context/overflow.hpp"

#include <fmt/format.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "grappa/base/error.hpp"
#include "grappa/base/last_words.hpp"
#include "grappa/base/module_table.hpp"
#include "grappa/context/guard_registry.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kLongestName = 512;  // of a task, in the message
constexpr std::array kSignals{SIGSEGV, SIGBUS};

struct Description {
  DescribeTask describe = nullptr;
  void* argument = nullptr;
};
thread_local Description description;

using Handlers = std::array<struct sigaction, kSignals.size()>;  // by signal

// What was there before the handler of watch_nowhere.
Handlers before_nowhere{};

// The process's handlers, and how many watches want ours. When somebody has put a handler on top of
// ours by the time the last watch ends, ours stays below it for good: that handler may call it, and
// to install it a second time would make them call each other without end.
struct Installation {
  std::mutex mutex;
  int watches = 0;
  Handlers previous{};
  std::array<bool, kSignals.size()> buried{};
};
Installation installation;

// A line of text on the stack, for signal handlers.
class Line {
 public:
  Line& operator<<(std::string_view text) noexcept {
    const std::size_t count = std::min(text.size(), sizeof(text_) - size_);
    std::memcpy(text_ + size_, text.data(), count);
    size_ += count;
    return *this;
  }

  Line& operator<<(std::size_t number) noexcept {
    char digits[20];
    char* first = digits + sizeof(digits);
    do {
      *--first = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << std::string_view(first,
                                     static_cast<std::size_t>(digits + sizeof(digits) - first));
  }

  std::string_view text() const noexcept { return {text_, size_}; }

 private:
  char text_[kLongestName + 256];
  std::size_t size_ = 0;
};

struct Registers {
  std::uintptr_t program_counter;
  std::uintptr_t stack_pointer;
};

Registers registers_of(const void* machine_context) noexcept {
  const auto& registers = static_cast<const ucontext_t*>(machine_context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(registers.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(registers.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {static_cast<std::uintptr_t>(registers.pc), static_cast<std::uintptr_t>(registers.sp)};
#endif
}

// The module that malloc is in. Who faults elsewhere holds none of its locks.
const ModuleTable::Module& allocator() {
  static const ModuleTable::Module found = [] {
    const auto address = reinterpret_cast<std::uintptr_t>(&std::malloc);
    const ModuleTable table;
    for (const ModuleTable::Module& module : table.modules()) {
      if (address >= module.low && address < module.high) return module;
    }
    ModuleTable::Module anywhere;
    anywhere.high = UINTPTR_MAX;
    return anywhere;
  }();
  return found;
}

bool may_be_allocating(const void* machine_context) noexcept {
  const std::uintptr_t at = registers_of(machine_context).program_counter;
  return at >= allocator().low && at < allocator().high;
}

// What runs on this thread.
class RunningTask {
 public:
  explicit RunningTask(const void* machine_context) noexcept
      : told_{name_, 0, kStackKnob, !may_be_allocating(machine_context)} {
    if (description.describe == nullptr) return;
    told_.size = sizeof(name_);
    description.describe(description.argument, told_);
  }
  std::string_view name() const noexcept {
    return told_.size == 0 ? "a task" : std::string_view(name_, told_.size);
  }
  const char* knob() const noexcept { return told_.knob; }

 private:
  char name_[kLongestName];
  TaskDescription told_;
};

[[noreturn]] void report(std::string_view task, std::size_t stack_bytes,
                         const char* knob) noexcept {
  Line line;
  line << "stack overflow in " << task.substr(0, kLongestName);
  if (stack_bytes == 0) {
    // that of a thread, of a size that nobody has told us
  } else if (stack_bytes % 1024 == 0) {
    line << ": stacks are " << stack_bytes / 1024 << " KiB";
  } else {
    line << ": stacks are " << stack_bytes << " B";
  }
  line << "; raise " << knob;
  fatal(line.text());
}

std::size_t index_of(int signal) noexcept {
  return static_cast<std::size_t>(std::find(kSignals.begin(), kSignals.end(), signal) -
                                  kSignals.begin());
}

// Hands a fault that is not ours to whoever had the signal before.
void pass_on(const Handlers& handlers, int signal, siginfo_t* info,
             void* machine_context) noexcept {
  const struct sigaction& previous = handlers[index_of(signal)];
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, machine_context);
  } else if (previous.sa_handler == SIG_DFL) {
    // The faulting instruction runs again and ends the process as it would have without us. A
    // signal that was sent (its code is not positive) does not come again by itself.
    sigaction(signal, &previous, nullptr);
    if (info->si_code <= 0) raise(signal);
  } else if (previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

void report_nowhere(const siginfo_t* info) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (info->si_code <= 0 || address < kNowhere || address >= kNowhereEnd) return;
  fatal(
      "Grappa was called outside a run, or on a thread that is not one of its cores: call it in "
      "the function given to grappa::run, or in a task that it starts");
}

void on_fault_outside(int signal, siginfo_t* info, void* machine_context) {
  report_nowhere(info);
  pass_on(before_nowhere, signal, info, machine_context);
}

// Whether the stack of the thread itself has ended: what is at the stack pointer can be used
// elsewhere.
bool is_below_thread_stack(std::uintptr_t fault, std::uintptr_t stack_pointer) noexcept {
  constexpr std::uintptr_t kFarthest = 64 * 1024;  // below: a frame that does not probe its pages
  constexpr std::uintptr_t kPage = 4096;
  return description.describe != nullptr && fault + kFarthest > stack_pointer &&
         fault < stack_pointer + kPage && !is_in_task_stack(fault) &&
         !is_in_task_stack(stack_pointer);
}

// Whether a fault that is passed on ends the process without a word about it.
bool ends_silently(int signal) noexcept {
  const struct sigaction& previous = installation.previous[index_of(signal)];
  const bool is_own =
      (previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction == &on_fault_outside;
  const struct sigaction& last = is_own ? before_nowhere[index_of(signal)] : previous;
  return (last.sa_flags & SA_SIGINFO) == 0 && last.sa_handler == SIG_DFL;
}

void on_fault(int signal, siginfo_t* info, void* machine_context) {
  const int saved_errno = errno;
  report_nowhere(info);
  if (info->si_code > 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const std::uintptr_t stack_pointer = registers_of(machine_context).stack_pointer;
    const std::size_t stack_bytes = overflowed_stack_bytes(address, stack_pointer);
    if (stack_bytes != 0 || is_below_thread_stack(address, stack_pointer)) {
      const RunningTask task(machine_context);
      report(task.name(), stack_bytes, task.knob());
    }
    if (const char* meaning = meaning_of_fault(address)) {
      const RunningTask task(machine_context);
      Line line;
      line << meaning << ", in " << task.name();
      fatal(line.text());
    }
    static std::atomic<bool> is_said{false};
    if (description.describe != nullptr && ends_silently(signal)) {
      // The first says it, and the signal ends the process after that.
      if (is_said.exchange(true)) leave_end_to_others(1);
      const RunningTask task(machine_context);
      Line line;
      line << "no memory is at an address that was used, in " << task.name();
      tell_last_words(line.text(), 128 + signal);
      write_last_line({"grappa: fatal: ", line.text()});
    }
  }
  pass_on(installation.previous, signal, info, machine_context);
  errno = saved_errno;
}

struct sigaction handler(void (*function)(int, siginfo_t*, void*)) noexcept {
  struct sigaction action{};
  action.sa_sigaction = function;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return action;
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &on_fault;
}

void install_handlers() {
  const std::lock_guard lock(installation.mutex);
  if (installation.watches++ != 0) return;
  allocator();  // looked up before a handler asks
  const struct sigaction ours = handler(&on_fault);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction before{};
    sigaction(kSignals[i], nullptr, &before);
    if (is_ours(before) || installation.buried[i]) continue;
    installation.previous[i] = before;
    sigaction(kSignals[i], &ours, nullptr);
  }
}

void remove_handlers() noexcept {
  const std::lock_guard lock(installation.mutex);
  if (--installation.watches != 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now{};
    sigaction(kSignals[i], nullptr, &now);
    installation.buried[i] = !is_ours(now);
    if (!installation.buried[i]) sigaction(kSignals[i], &installation.previous[i], nullptr);
  }
}

std::size_t alt_stack_bytes() {
  // The kernel's frame alone can be 11 KiB with wide vector registers; a sanitizer's handler that
  // we pass a fault on to prints a stack trace, and long names are taken apart on the stack.
  constexpr std::size_t kRoom = 256 * 1024;
  return kRoom + static_cast<std::size_t>(std::max(sysconf(_SC_MINSIGSTKSZ), 0L));
}

}  // namespace

void report_stack_overflow(const char* task, std::size_t stack_bytes, const char* knob) noexcept {
  report(task, stack_bytes, knob);
}

bool watch_nowhere() {
  static const bool installed = [] {
    const struct sigaction ours = handler(&on_fault_outside);
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      sigaction(kSignals[i], &ours, &before_nowhere[i]);
    return true;
  }();
  return installed;
}

AltStack::AltStack()
    : memory_(Mapping::reserve({.bytes = alt_stack_bytes(), .purpose = "a signal stack"})) {
  stack_t ours{};
  ours.ss_sp = memory_.data();
  ours.ss_size = memory_.size();
  if (sigaltstack(&ours, &previous_) != 0) {
    throw Error(fmt::format("cannot set an alternate signal stack: {}", strerror(errno)));
  }
}

AltStack::~AltStack() { sigaltstack(&previous_, nullptr); }

OverflowWatch::OverflowWatch(DescribeTask describe, void* argument)
    : previous_describe_(description.describe), previous_argument_(description.argument) {
  install_handlers();
  description = {describe, argument};
}

OverflowWatch::~OverflowWatch() {
  description = {previous_describe_, previous_argument_};
  remove_handlers();
}

}  // namespace grappa::internal
