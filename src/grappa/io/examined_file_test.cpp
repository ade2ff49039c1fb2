#include "grappa/io/examined_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "grappa/io/input.hpp"
#include "tests/support/files.hpp"

namespace grappa::io {
namespace {

std::string content_of(ExaminedFile& file) {
  Input input = Input::open(file);
  input.read_all();
  return std::string(*input.whole());
}

TEST(ExaminedFile, WhatIsOnDiskIsReadAsOftenAsWanted) {
  const TemporaryFolder folder;
  const std::string text(300000, 'a');
  ExaminedFile file(folder.write("a.txt", text));
  EXPECT_TRUE(file.is_plain());
  EXPECT_EQ(file.bytes(), text.size());
  EXPECT_EQ(file.start(), text.substr(0, file.start().size()));
  // It is open: its name is not needed any more.
  std::filesystem::remove(file.path());
  EXPECT_EQ(content_of(file), text);
  EXPECT_EQ(content_of(file), text);
  EXPECT_TRUE(file.identity().regular);
  file.check_unchanged();
}

TEST(ExaminedFile, NothingIsKnownOfAPipe) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const ExaminedFile file(path);
  file.check();
  EXPECT_FALSE(file.is_on_disk());
  EXPECT_FALSE(file.identity().regular);
  EXPECT_EQ(file.start(), "");
  EXPECT_FALSE(ExaminedFile("/dev/zero").is_on_disk());
}

TEST(ExaminedFile, NothingIsThrownBeforeTheContentIsWanted) {
  const TemporaryFolder folder;
  const ExaminedFile absent(folder.path("absent.txt"));
  EXPECT_EQ(absent.identity().error, ENOENT);
  expect_input_error([&] { absent.check(); }, 0, "cannot open: No such file");
  const ExaminedFile empty(folder.write("empty.txt", ""));
  EXPECT_EQ(empty.identity().error, 0);
  expect_input_error([&] { empty.check(); }, 0, "is empty");
  ExaminedFile(folder.path("empty.txt"), Empty::kAllowed).check();
}

TEST(ExaminedFile, FilesWithEqualContentAreOne) {
  const TemporaryFolder folder;
  const std::string text(100000, 'a');
  const auto identity = [&](std::string changed) {
    return ExaminedFile(folder.write("b.txt", changed)).identity();
  };
  EXPECT_EQ(identity(text), ExaminedFile(folder.write("a.txt", text)).identity());
  for (const std::size_t place : {std::size_t{0}, text.size() / 15 * 7, text.size() - 1}) {
    std::string other = text;
    other[place] = 'b';
    EXPECT_NE(identity(other), identity(text)) << place;
  }
}

}  // namespace
}  // namespace grappa::io
