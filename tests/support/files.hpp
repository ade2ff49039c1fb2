#pragma once

// What tests of files share.
//
//   const TemporaryFolder folder;
//   const std::string path = folder.write("a.txt", "7\n");
//   expect_input_error([&] { read(path); }, 1, "1 column");

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/io/parallel_for.hpp"

namespace grappa::io {

// Runs the bodies from the last to the first.
inline const ParallelFor& backwards_for() {
  static const ParallelFor backwards = [](std::int64_t n,
                                          const std::function<void(std::int64_t)>& body) {
    for (std::int64_t i = n; i-- > 0;) body(i);
  };
  return backwards;
}

// Runs the bodies on three threads.
inline const ParallelFor& threaded_for() {
  static const ParallelFor threaded = [](std::int64_t n,
                                         const std::function<void(std::int64_t)>& body) {
    constexpr std::int64_t kThreads = 3;
    std::vector<std::thread> threads;
    for (std::int64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&body, n, t] {
        for (std::int64_t i = t; i < n; i += kThreads) body(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  };
  return threaded;
}

// `action` throws an InputError for that line (0: any) whose text contains `text`.
template <class Action>
void expect_input_error(const Action& action, std::int64_t line, std::string_view text) {
  try {
    action();
    FAIL() << "no error; expected: " << text;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(std::string(text)));
    EXPECT_EQ(error.line(), line) << error.what();
  }
}

// A new folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "grappa-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string path(std::string_view name) const { return (path_ / name).string(); }
  std::string write(std::string_view name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::set<std::string> entries() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace grappa::io
