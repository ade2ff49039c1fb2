#include "grappa/io/output_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "grappa/base/file_place.hpp"
#include "grappa/io/input.hpp"
#include "tests/support/files.hpp"

namespace grappa::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(OutputFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  {
    OutputFile out(folder.path("a.txt"));
    out.write("first ");
    out.write("second");
    EXPECT_FALSE(std::filesystem::exists(folder.path("a.txt")));
    out.commit();
    EXPECT_EQ(out.bytes(), 12);
  }
  EXPECT_EQ(file_content(folder.path("a.txt")), "first second");
  EXPECT_THAT(folder.entries(), ElementsAre("a.txt"));
}

TEST(OutputFile, PartsAreWrittenByOthers) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.txt");
  {
    OutputFile out(path);
    out.write("first ");
    const auto place = out.place();
    ASSERT_TRUE(place);
    const grappa::internal::FileParts later(*place);
    const grappa::internal::FileParts sooner(*place);
    ASSERT_TRUE(later.is_open() && sooner.is_open());
    later.write(10, "rth");
    sooner.write(6, "then");
    out.note_written(7);
    EXPECT_EQ(out.bytes(), 13);
    EXPECT_FALSE(std::filesystem::exists(path));
    out.commit();
  }
  EXPECT_EQ(file_content(path), "first thenrth");
}

TEST(OutputFile, OnlyWhereItIsTheSameFileThereAreParts) {
  const TemporaryFolder folder;
  OutputFile out(folder.path("a.txt"));
  grappa::internal::FilePlace elsewhere = *out.place();
  ++elsewhere.inode;
  EXPECT_FALSE(grappa::internal::FileParts(elsewhere).is_open());
  elsewhere = *out.place();
  elsewhere.machine = "another";
  EXPECT_FALSE(grappa::internal::FileParts(elsewhere).is_open());
  EXPECT_FALSE(OutputFile(folder.path("a.gz")).place());
  EXPECT_FALSE(OutputFile("/dev/null").place());
  EXPECT_FALSE(OutputFile("-").place());
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  {
    OutputFile out(path);
    out.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(file_content(path), "old");
  EXPECT_THAT(folder.entries(), ElementsAre("a.txt"));
}

TEST(OutputFile, ReplacesAndKeepsPermissions) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  ::chmod(path.c_str(), 0640);
  OutputFile out(path);
  out.write("new");
  out.commit();
  EXPECT_EQ(file_content(path), "new");
  struct stat status;
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_THAT(folder.entries(), ElementsAre("a.txt"));
}

TEST(OutputFile, NewFilesObeyTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  OutputFile out(folder.path("a.txt"));
  out.commit();
  ::umask(before);
  struct stat status;
  ASSERT_EQ(::stat(folder.path("a.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(OutputFile, FollowsLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  std::filesystem::create_symlink("sub/b.txt", folder.path("a.txt"));
  for (const char* content : {"one", "two"}) {
    OutputFile out(folder.path("a.txt"));
    out.write(content);
    out.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("a.txt")));
    EXPECT_EQ(file_content(folder.path("sub/b.txt")), content);
  }
}

TEST(OutputFile, CompressesAsTheNameSays) {
  const TemporaryFolder folder;
  std::string text;
  for (std::int64_t i = 0; i < 300000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  for (const char* name : {"a.txt.gz", "a.txt.zst"}) {
    OutputFile out(folder.path(name));
    for (std::size_t i = 0; i < text.size(); i += 1000) out.write(text.substr(i, 1000));
    out.commit();
    EXPECT_LT(std::filesystem::file_size(folder.path(name)), text.size() / 2);
    Input input = Input::open(folder.path(name));
    input.read_all();
    EXPECT_TRUE(*input.whole() == text) << name << ": " << input.whole()->size() << " bytes";
  }
}

TEST(OutputFile, WhatCannotBeCreated) {
  const TemporaryFolder folder;
  EXPECT_THROW(OutputFile(folder.path("absent/a.txt")), UsageError);
  EXPECT_THROW(OutputFile(folder.path("")), UsageError);
  try {
    OutputFile out(folder.path("absent/a.txt"));
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("absent/a.txt: cannot create: No such file or directory"));
  }
  EXPECT_THAT(folder.entries(), IsEmpty());
}

TEST(OutputFile, DoesNotReplaceWhatNobodyMayWriteTo) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  ::chmod(path.c_str(), 0444);
  EXPECT_THROW(OutputFile{path}, UsageError);
  EXPECT_EQ(file_content(path), "old");
}

TEST(OutputFile, WritesToWhatIsOpenAlready) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "");
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(::write(descriptor, "before ", 7), 7);
  {
    OutputFile out("/dev/fd/" + std::to_string(descriptor));
    out.write("it");
    out.commit();
  }
  EXPECT_EQ(::write(descriptor, " behind", 7), 7);
  ::close(descriptor);
  EXPECT_EQ(file_content(path), "before it behind");
}

TEST(OutputFile, DevicesAreWrittenTo) {
  OutputFile out("/dev/null");
  out.write("x");
  out.commit();
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
}

TEST(OutputFile, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  OutputFile out("/dev/full");
  try {
    out.write("x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/dev/full: cannot write: No space left on device"));
  }
}

TEST(OutputFile, AFullDiskIsReportedWhenCompressing) {
  const TemporaryFolder folder;
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  std::filesystem::create_symlink("/dev/full", folder.path("a.gz"));
  OutputFile out(folder.path("a.gz"));
  const auto write = [&] {
    out.write("x");
    out.commit();
  };
  EXPECT_THROW(write(), Error);
}

}  // namespace
}  // namespace grappa::io
