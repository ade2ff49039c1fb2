#include "grappa/base/module_table.hpp"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

constexpr const char* kProgram = "program";

std::size_t padded_to_4(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

// The build id in a segment of notes, or an empty string.
std::string build_id_in(const std::byte* at, std::size_t bytes) {
  const std::byte* const end = at + bytes;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::byte* name = at + sizeof note;
    const std::byte* content = name + padded_to_4(note.n_namesz);
    const std::byte* next = content + padded_to_4(note.n_descsz);
    if (next > end) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string text;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        text += fmt::format("{:02x}", static_cast<unsigned>(content[i]));
      }
      return text;
    }
    at = next;
  }
  return {};
}

int add_module(dl_phdr_info* info, std::size_t, void* list) {
  auto& modules = *static_cast<std::vector<ModuleTable::Module>*>(list);
  ModuleTable::Module module;
  const std::string path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  // The kernel's own library is not a file, and no two kernels need to have the same.
  if (path.rfind("linux-", 0) == 0) return 0;
  module.name = modules.empty() ? kProgram : path.substr(path.rfind('/') + 1);
  module.low = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD) {
      module.low = std::min(module.low, start);
      module.high = std::max(module.high, start + part.p_memsz);
    } else if (part.p_type == PT_NOTE && module.build_id.empty()) {
      module.build_id = build_id_in(reinterpret_cast<const std::byte*>(start), part.p_memsz);
    }
  }
  if (module.low < module.high) modules.push_back(std::move(module));
  return 0;
}

}  // namespace

ModuleTable::ModuleTable() { dl_iterate_phdr(&add_module, &modules_); }

std::string ModuleTable::to_text() const {
  std::string text;
  for (const Module& module : modules_) {
    text += fmt::format("{}\t{}\n", module.name, module.build_id);
  }
  return text;
}

void ModuleTable::adopt(const std::string& text, const std::string& whose) {
  std::vector<Module> ordered;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    const Module wanted{line.substr(0, tab), line.substr(tab + 1), 0, 0};
    const auto same_name = std::find_if(modules_.begin(), modules_.end(),
                                        [&](const Module& m) { return m.name == wanted.name; });
    if (same_name == modules_.end()) {
      throw UsageError(
          fmt::format("{} has loaded {}, which this process has not", whose, wanted.name));
    }
    if (!same_name->is_same_build(wanted)) {
      throw UsageError(fmt::format(
          "{} runs another build of {} ({}) than this process ({}); a package chooses by "
          "the processor, and GRAPPA_PROCESSOR=x86-64-v2 makes all choose the same",
          whose, wanted.name, wanted.build_id, same_name->build_id));
    }
    ordered.push_back(*same_name);
  }
  modules_ = std::move(ordered);
}

std::uint64_t ModuleTable::id_of(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (value >= modules_[i].low && value < modules_[i].high)
      return static_cast<std::uint64_t>(i) << kOffsetBits | (value - modules_[i].low);
  }
  throw UsageError(
      "a message type lies in a shared library that was loaded after the run began; load it "
      "before");
}

const void* ModuleTable::address_of(std::uint64_t id) const {
  const std::uint64_t index = id >> kOffsetBits;
  const std::uint64_t offset = id & ((std::uint64_t{1} << kOffsetBits) - 1);
  if (index >= modules_.size() || offset >= modules_[index].high - modules_[index].low) {
    throw UsageError(fmt::format("{:#x} names nothing in the modules of this process", id));
  }
  return reinterpret_cast<const void*>(modules_[index].low + offset);
}

}  // namespace grappa::internal
