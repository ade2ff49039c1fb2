// The lines of files that have a word in them: grep [WORD FILE...]

#include <grappa/mapreduce.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace grappa;
using namespace grappa::mapreduce;

// What is wrong with a file is said in one line.
int main(int argc, char** argv) try {
  std::vector<std::string> files(argv + std::min(argc, 2), argv + argc);
  if (files.empty()) {
    files.emplace_back("/tmp/grappa-grep-example.txt");
    std::ofstream(files[0]) << "a haystack\na needle\nmore hay\nneedles\n";
  }
  bool right = true;
  run([&] {
    const ShortString<63> word(argc > 1 ? argv[1] : "needle");  // closures carry plain bytes
    const auto found = read_lines(files)
                           .filter([word](std::string_view line) {
                             return line.find(word.view()) != std::string_view::npos;
                           })
                           .collect();
    for (const std::string& line : found) std::printf("%s\n", line.c_str());
    right = argc > 1 || found == std::vector<std::string>{"a needle", "needles"};
  });
  if (argc < 3) std::remove(files[0].c_str());
  return right ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "grep: %s\n", error.what());
  return 2;
}
