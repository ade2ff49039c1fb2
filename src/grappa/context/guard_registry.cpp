#include "grappa/context/guard_registry.hpp"

#include <atomic>
#include <mutex>

namespace grappa::internal {

struct GuardedRangeEntry {
  std::atomic<std::uintptr_t> begin{0};  // 0: not in use
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::size_t> slot_bytes{0};
  std::atomic<std::size_t> guard_bytes{0};
  std::atomic<std::size_t> stack_bytes{0};
  std::atomic<const char*> meaning{nullptr};
  GuardedRangeEntry* next = nullptr;  // set before the entry is published
};

namespace {

// How far below its stack's slot a stack pointer still counts as an overflow of that stack: a frame
// that was not compiled with -fstack-clash-protection may have gone past the guard before it
// touched it.
constexpr std::uintptr_t kOvershoot = 64 * 1024;

std::atomic<GuardedRangeEntry*> entries{nullptr};
std::mutex writers;

GuardedRangeEntry* unused_entry() {
  for (auto* entry = entries.load(); entry != nullptr; entry = entry->next) {
    if (entry->begin.load() == 0) return entry;
  }
  auto* entry = new GuardedRangeEntry;
  entry->next = entries.load();
  entries.store(entry);
  return entry;
}

}  // namespace

GuardRegistration::GuardRegistration(const GuardedRange& range) {
  const std::lock_guard lock(writers);
  entry_ = unused_entry();
  entry_->end = range.end;
  entry_->slot_bytes = range.slot_bytes;
  entry_->guard_bytes = range.guard_bytes;
  entry_->stack_bytes = range.stack_bytes;
  entry_->meaning = range.meaning;
  entry_->begin = range.begin;
}

GuardRegistration::~GuardRegistration() {
  if (entry_ == nullptr) return;
  const std::lock_guard lock(writers);
  entry_->begin = 0;
}

bool is_in_task_stack(std::uintptr_t address) noexcept {
  for (auto* entry = entries.load(); entry != nullptr; entry = entry->next) {
    const std::uintptr_t begin = entry->begin.load();
    if (begin == 0 || address < begin || address >= entry->end.load()) continue;
    if (entry->meaning.load() == nullptr) return true;
  }
  return false;
}

std::size_t overflowed_stack_bytes(std::uintptr_t fault, std::uintptr_t stack_pointer) noexcept {
  for (auto* entry = entries.load(); entry != nullptr; entry = entry->next) {
    const std::uintptr_t begin = entry->begin.load();
    if (begin == 0 || fault < begin || fault >= entry->end.load()) continue;
    if (entry->meaning.load() != nullptr) continue;
    const std::size_t slot_bytes = entry->slot_bytes.load();
    const std::uintptr_t slot = fault - (fault - begin) % slot_bytes;
    if (fault - slot >= entry->guard_bytes.load()) continue;
    if (stack_pointer >= slot + slot_bytes || stack_pointer + kOvershoot < slot) continue;
    return entry->stack_bytes.load();
  }
  return 0;
}

const char* meaning_of_fault(std::uintptr_t fault) noexcept {
  for (auto* entry = entries.load(); entry != nullptr; entry = entry->next) {
    const std::uintptr_t begin = entry->begin.load();
    if (begin != 0 && fault >= begin && fault < entry->end.load()) {
      if (const char* meaning = entry->meaning.load()) return meaning;
    }
  }
  return nullptr;
}

}  // namespace grappa::internal
