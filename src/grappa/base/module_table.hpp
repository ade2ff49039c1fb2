#pragma once

// The loaded modules of this process (the program and its shared libraries), so that the address of
// a constant or a function can be sent to another process of the same program.
//
//   ModuleTable table;                                // what is loaded now
//   std::uint64_t id = table.id_of(&kSomething);      // module and offset: the same everywhere
//   const void* there = table.address_of(id);         // in another process, at another address
//
// Modules are told apart by the build id that the linker wrote into them. An id is an index into
// the table in its upper 16 bits and the offset from the module's load address in the lower 48, so
// two processes understand one another when their tables list the same modules in the same order,
// which adopt() brings about.
//
// Thread safety: a table may be read from any thread once no one adopts.

#include <cstdint>
#include <string>
#include <vector>

namespace grappa::internal {

class ModuleTable {
 public:
  struct Module {
    std::string name;      // its file name without folders; of the program itself "program"
    std::string build_id;  // hexadecimal; empty when the linker wrote none
    std::uintptr_t low = 0;
    std::uintptr_t high = 0;  // one past the last byte that is mapped

    bool is_same_build(const Module& other) const {
      return name == other.name && build_id == other.build_id;
    }
  };

  /// The program first, then the libraries in the order in which they were loaded.
  ModuleTable();

  const std::vector<Module>& modules() const { return modules_; }

  /// Names of the modules and their builds, for another process to adopt.
  std::string to_text() const;

  /// Puts the modules into the order that `text`, the table of another process, has. Throws
  /// UsageError naming the module and `whose` process when one of them is not loaded here in the
  /// same build. Modules that only this process has are left out.
  void adopt(const std::string& text, const std::string& whose);

  /// Throws UsageError for an address in no module of the table: a library that was loaded later.
  std::uint64_t id_of(const void* address) const;

  /// Throws UsageError for an id that names no byte of a module of the table.
  const void* address_of(std::uint64_t id) const;

 private:
  static constexpr int kOffsetBits = 48;

  std::vector<Module> modules_;
};

}  // namespace grappa::internal
