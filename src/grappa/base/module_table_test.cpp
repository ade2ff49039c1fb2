#include "grappa/base/module_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

using testing::HasSubstr;

constexpr int kConstant = 7;

std::string refusal(ModuleTable& table, const std::string& text) {
  try {
    table.adopt(text, "locale 3");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ModuleTable, TheProgramComesFirstAndHasABuildId) {
  const ModuleTable table;
  ASSERT_GE(table.modules().size(), 2u);  // it needs the C library at least
  EXPECT_EQ(table.modules().front().name, "program");
  EXPECT_FALSE(table.modules().front().build_id.empty());
}

TEST(ModuleTable, IdsLeadBackToAddresses) {
  const ModuleTable table;
  for (const void* address :
       {static_cast<const void*>(&kConstant), reinterpret_cast<const void*>(&refusal),
        reinterpret_cast<const void*>(&std::string::npos)}) {
    EXPECT_EQ(table.address_of(table.id_of(address)), address);
  }
  EXPECT_LT(table.id_of(&kConstant), std::uint64_t{1} << 48);  // the program is module 0
}

TEST(ModuleTable, AnotherOrderIsAdopted) {
  ModuleTable mine;
  const ModuleTable::Module last = mine.modules().back();
  mine.adopt(last.name + "\t" + last.build_id + "\n", "locale 0");
  ASSERT_EQ(mine.modules().size(), 1u);
  EXPECT_EQ(mine.id_of(reinterpret_cast<const void*>(last.low)), 0u);
  EXPECT_THROW(mine.id_of(&kConstant), UsageError);  // not in the table any more
}

TEST(ModuleTable, ItsOwnTableChangesNothing) {
  ModuleTable table;
  const std::uint64_t id = table.id_of(&kConstant);
  EXPECT_EQ(refusal(table, ModuleTable().to_text()), "");
  EXPECT_EQ(table.id_of(&kConstant), id);
}

TEST(ModuleTable, DifferencesAreNamed) {
  ModuleTable table;
  EXPECT_THAT(refusal(table, "program\t0123abcd\n"),
              testing::AllOf(HasSubstr("locale 3 runs another build of program (0123abcd)"),
                             HasSubstr(table.modules().front().build_id)));
  EXPECT_THAT(refusal(table, "libmissing.so.1\tff\n"),
              HasSubstr("locale 3 has loaded libmissing.so.1"));
}

TEST(ModuleTable, WhatIsInNoModuleIsRefused) {
  const ModuleTable table;
  const auto on_heap = std::make_unique<int>(1);
  EXPECT_THROW(table.id_of(on_heap.get()), UsageError);
  EXPECT_THROW(table.address_of(std::uint64_t{500} << 48), UsageError);
  EXPECT_THROW(table.address_of((std::uint64_t{1} << 48) - 1), UsageError);
}

}  // namespace
}  // namespace grappa::internal
