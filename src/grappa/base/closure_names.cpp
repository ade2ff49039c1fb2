#include "grappa/base/closure_names.hpp"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

// Types are the process's, and so are their names. Entries and texts stay for ever: a signal
// handler may be at them.
struct Entry {
  const std::type_info& type;
  std::atomic<const char*> text{nullptr};
  Entry* next;
};
std::atomic<Entry*> entries{nullptr};
std::mutex writers;

Entry* find(const std::type_info& type) noexcept {
  Entry* entry = entries.load(std::memory_order_acquire);
  while (entry != nullptr && entry->type != type) entry = entry->next;
  return entry;
}

}  // namespace

std::string place_prefix(const std::source_location* where) {
  return where == nullptr || where->line() == 0
             ? ""
             : fmt::format("{}:{}: ", where->file_name(), where->line());
}

std::string closure_name(const std::type_info& closure) {
  const Entry* entry = find(closure);
  return entry == nullptr ? demangled_type_name(closure) : entry->text.load();
}

const char* closure_name_now(const std::type_info& closure) noexcept {
  const Entry* entry = find(closure);
  return entry == nullptr ? closure.name() : entry->text.load();
}

bool keep_closure_name(const std::type_info& closure, std::string_view name) {
  const std::lock_guard lock(writers);
  Entry* entry = find(closure);
  if (entry != nullptr && name == entry->text.load()) return true;
  // Whoever reads the former one at this moment may go on: names stay, each of them once.
  static auto* const names = new std::set<std::string, std::less<>>;
  const char* const text = names->emplace(name).first->c_str();
  if (entry != nullptr) {
    entry->text = text;
  } else {
    entries.store(new Entry{closure, text, entries.load()}, std::memory_order_release);
  }
  return true;
}

bool keep_closure_name(const std::type_info& closure, const std::source_location& where) {
  const std::string type = demangled_type_name(closure);
  const bool is_lambda = type.find("{lambda") != std::string::npos ||  // GCC
                         type.find("'lambda") != std::string::npos;    // Clang
  return keep_closure_name(closure, is_lambda && where.line() != 0
                                        ? fmt::format("{}:{}", where.file_name(), where.line())
                                        : type);
}

}  // namespace grappa::internal
