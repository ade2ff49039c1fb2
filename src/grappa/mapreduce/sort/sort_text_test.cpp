#include "grappa/mapreduce/sort/sort_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grappa/parallel/test_machines.hpp"
#include "tests/support/files.hpp"

namespace grappa::mapreduce {
namespace {

std::vector<std::string> random_lines(std::size_t n) {
  std::mt19937_64 random(11);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < n; ++i) {
    std::string line(random() % 20, 'x');  // which begin alike
    for (std::size_t k = random() % 6; k > 0; --k) line += static_cast<char>(random() % 250 + 11);
    lines.push_back(line);
  }
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

class SortTextTest : public test::OnMachines {
 protected:
  std::string sorted(const SortOptions& options) {
    io::OutputFile out(folder_.path("out"));
    run(config(), [&] { summary_ = sort_text(options, out); });
    out.commit();
    return io::file_content(folder_.path("out"));
  }

  const io::TemporaryFolder folder_;
  SortSummary summary_;
};

TEST_P(SortTextTest, LinesOfSeveralFiles) {
  std::vector<std::string> lines = random_lines(5000);
  const std::string all = text_of(lines);
  const std::size_t cut = all.find('\n', all.size() / 3) + 1;
  const std::string a = folder_.write("a", all.substr(0, cut));
  // Without its last line feed.
  const std::string b = folder_.write("b", all.substr(cut, all.size() - cut - 1));
  std::ranges::sort(lines);
  EXPECT_EQ(sorted({.paths = {a, b}}), text_of(lines));
  EXPECT_EQ(summary_.records, 5000);
  std::ranges::reverse(lines);
  EXPECT_EQ(sorted({.paths = {a, b}, .reverse = true}), text_of(lines));
}

// A plain file is in the memory of every locale, a compressed one in that of the one that reads it.
TEST_P(SortTextTest, PlainFilesAndCompressedOnes) {
  std::vector<std::string> lines = random_lines(4000);
  const std::span<const std::string> all = lines;
  SortOptions options;
  std::size_t first = 0;
  for (const char* name : {"a", "b.gz", "c", "d.gz"}) {
    io::OutputFile file(folder_.path(name));
    for (const std::string& line : all.subspan(first, 1000)) file.write(line + '\n');
    file.commit();
    options.paths.push_back(folder_.path(name));
    first += 1000;
  }
  std::ranges::sort(lines);
  EXPECT_EQ(sorted(options), text_of(lines));
  options.reverse = true;
  std::ranges::reverse(lines);
  EXPECT_EQ(sorted(options), text_of(lines));
}

// Many that agree in their first bytes, to any length, and in all of them; some with zeros.
TEST_P(SortTextTest, LinesThatBeginAlike) {
  std::mt19937_64 random(3);
  std::vector<std::string> lines;
  for (int i = 0; i < 3000; ++i) {
    std::string line = "2026-11-25 12:00:00 ";
    while (random() % 5 != 0 && line.size() < 400)
      line += random() % 3 == 0 ? std::string(3, '\0') : "the same";
    if (random() % 2 == 0) line.resize(random() % line.size());
    lines.push_back(line);
  }
  const std::string path = folder_.write("a", text_of(lines));
  std::ranges::sort(lines);
  EXPECT_EQ(sorted({.paths = {path}}), text_of(lines));
  std::ranges::reverse(lines);
  EXPECT_EQ(sorted({.paths = {path}, .reverse = true}), text_of(lines));
}

TEST_P(SortTextTest, ManyOfTheSameNumber) {
  std::mt19937_64 random(4);
  std::vector<std::pair<int, std::string>> numbered;
  for (int i = 0; i < 3000; ++i) {
    const int number = static_cast<int>(random() % 3) - 1;
    numbered.emplace_back(number,
                          "line " + std::to_string(random() % 500) + ' ' + std::to_string(number));
  }
  std::vector<std::string> lines;
  for (const auto& [number, line] : numbered) lines.push_back(line);
  const std::string path = folder_.write("a", text_of(lines));
  std::ranges::sort(numbered);
  std::string expected;
  for (const auto& [number, line] : numbered) expected += line + '\n';
  EXPECT_EQ(sorted({.paths = {path}, .by = SortOptions::By::kNumber, .column = 3}), expected);
}

TEST_P(SortTextTest, KeepsEveryByte) {
  const std::string path = folder_.write("a", "b\r\n\xef\xbb\xbf\n\na\n");
  EXPECT_EQ(sorted({.paths = {path}}), "\na\nb\r\n\xef\xbb\xbf\n");
  EXPECT_EQ(sorted({.paths = {folder_.write("empty", "")}}), "");
}

TEST_P(SortTextTest, ByNumbersAndThenByBytes) {
  const std::string path = folder_.write("a", "x 10 b\ny -2\nz 1e1\nw  0.5\nv -0\nu 0\n");
  EXPECT_EQ(sorted({.paths = {path}, .by = SortOptions::By::kNumber, .column = 2}),
            "y -2\nu 0\nv -0\nw  0.5\nx 10 b\nz 1e1\n");
  const std::string csv = folder_.write("b", "3,c\n-1,a\n,\n2,b");
  const SortOptions options{
      .paths = {csv}, .by = SortOptions::By::kNumber, .separator = ',', .skip_bad_records = 1};
  EXPECT_EQ(sorted(options), "-1,a\n2,b\n3,c\n");
  EXPECT_EQ(summary_.skipped, 1);
}

TEST_P(SortTextTest, Records) {
  std::mt19937_64 random(5);
  std::vector<std::string> records;
  for (int i = 0; i < 700; ++i) {
    std::string record(100, 'p');
    for (char& c : record) c = static_cast<char>(random());
    records.push_back(record);
  }
  std::string bytes;
  for (const std::string& record : records) bytes += record;
  const std::string path = folder_.write("a", bytes);
  std::ranges::sort(records);
  std::string expected;
  for (const std::string& record : records) expected += record;
  EXPECT_EQ(sorted({.paths = {path}, .by = SortOptions::By::kRecords}), expected);
}

GRAPPA_ON_MACHINES(SortTextTest);

TEST(SortText, NamesTheLineWithoutANumber) {
  const io::TemporaryFolder folder;
  const std::string path = folder.write("a", "1\n2\nx\n");
  run(test::threads(2), [&] {
    io::OutputFile out(folder.path("out"));
    io::expect_input_error(
        [&] { sort_text({.paths = {path}, .by = SortOptions::By::kNumber}, out); }, 3, "'x'");
  });
}

}  // namespace
}  // namespace grappa::mapreduce
