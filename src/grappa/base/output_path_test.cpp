#include "grappa/base/output_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace grappa::internal {
namespace {

TEST(DescriptorOf, NamesOfWhatIsOpen) {
  EXPECT_EQ(descriptor_of("-"), 1);
  EXPECT_EQ(descriptor_of("/dev/stdout"), 1);
  EXPECT_EQ(descriptor_of("/dev/stderr"), 2);
  EXPECT_EQ(descriptor_of("/dev/fd/63"), 63);
  EXPECT_EQ(descriptor_of("/proc/self/fd/7"), 7);
  for (const char* other : {"", "a", "1", "/dev/null", "/dev/fd/", "/dev/fd/x", "/dev/fd/-1"})
    EXPECT_EQ(descriptor_of(other), std::nullopt) << other;
}

TEST(FollowLinks, StopsAtWhatIsOpen) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "grappa_output_path_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink("/dev/stdout", folder / "out");
  std::filesystem::create_symlink("absent", folder / "link");
  EXPECT_EQ(descriptor_of(follow_links(folder / "out")), 1);
  EXPECT_EQ(follow_links(folder / "link"), folder / "absent");
  EXPECT_EQ(follow_links(folder / "absent"), folder / "absent");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace grappa::internal
