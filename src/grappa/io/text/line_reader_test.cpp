#include "grappa/io/text/line_reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support/files.hpp"

namespace grappa::io {
namespace {

// All content, line numbers checked, by blocks; the first `lines` by next_line.
std::string read_back(LineReader& reader, int lines) {
  std::string all;
  std::string_view line;
  std::int64_t number = 0;
  while (number < lines && reader.next_line(line)) {
    ++number;
    EXPECT_EQ(reader.last_line(), number);
    all += std::string(line) + "\n";
  }
  std::string_view block;
  while (reader.next_block(block)) {
    EXPECT_EQ(reader.line_number(block.data()), std::count(all.begin(), all.end(), '\n') + 1);
    all += block;
    EXPECT_EQ(reader.line_number(block.data() + block.size() - 1),
              std::count(all.begin(), all.end() - 1, '\n') + 1);
  }
  return all;
}

// The reading end of a pipe into which `text` is written, as a path.
class Pipe {
 public:
  explicit Pipe(std::string text) {
    EXPECT_EQ(::pipe(ends_), 0);
    writer_ = std::thread([this, text = std::move(text)] {
      std::size_t written = 0;
      while (written < text.size()) {
        const ssize_t n = ::write(ends_[1], text.data() + written, text.size() - written);
        if (n <= 0) break;
        written += static_cast<std::size_t>(n);
      }
      ::close(ends_[1]);
    });
  }
  ~Pipe() {
    writer_.join();
    ::close(ends_[0]);
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

TEST(LineReader, BlocksOfEverySizeFromMemoryAndFromAPipe) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += std::string(static_cast<std::size_t>(i % 7), 'x') + "\n";
  text += "last";
  for (const std::size_t block_bytes : {1u, 2u, 3u, 10u, 64u, 1000u}) {
    for (const int lines : {0, 1, 5, 61, 100}) {
      LineReader reader(Input::from_memory(text), {.block_bytes = block_bytes});
      std::string expected = lines >= 61 ? text + "\n" : text;
      EXPECT_EQ(read_back(reader, lines), expected);

      const Pipe pipe(text);
      LineReader streamed(Input::open(pipe.path()), {.block_bytes = block_bytes});
      EXPECT_EQ(read_back(streamed, lines), expected);
    }
  }
}

TEST(LineReader, CarriageReturnsAndByteOrderMark) {
  LineReader reader(Input::from_memory("\xef\xbb\xbf"
                                       "a\r\nb\n\r\nc\r"),
                    {});
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next_line(line)) lines.emplace_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "", "c"}));
}

TEST(LineReader, OnlyAByteOrderMark) {
  LineReader reader(Input::from_memory("\xef\xbb\xbf"), {});
  std::string_view line;
  EXPECT_FALSE(reader.next_line(line));
}

TEST(LineReader, LineTooLong) {
  const std::string text = "ab\n" + std::string(5000, 'x') + "\n";
  const LineReaderOptions options{.block_bytes = 16, .max_line_bytes = 1000};
  std::string_view line;
  LineReader reader(Input::from_memory(text), options);
  EXPECT_TRUE(reader.next_line(line));
  expect_input_error([&] { reader.next_line(line); }, 2, "longer than 1000 bytes");

  const Pipe pipe(text);
  LineReader streamed(Input::open(pipe.path()), options);
  EXPECT_TRUE(streamed.next_line(line));
  expect_input_error([&] { streamed.next_line(line); }, 2, "longer than 1000 bytes");

  LineReader allowing(Input::from_memory(text), options);
  allowing.allow_long_lines();
  EXPECT_TRUE(allowing.next_line(line));
  EXPECT_TRUE(allowing.next_line(line));
  EXPECT_EQ(line.size(), 5000u);
}

TEST(LineReader, FractionGrowsToOne) {
  LineReader reader(Input::from_memory(std::string(1000, '\n')), {.block_bytes = 100});
  double before = -1;
  std::string_view block;
  while (reader.next_block(block)) {
    EXPECT_GT(reader.fraction(), before);
    before = reader.fraction();
  }
  EXPECT_EQ(before, 1.0);
}

TEST(SplitAtLines, PiecesEndBehindLineFeeds) {
  const std::string text = "a\nbb\nccc\ndddd";
  for (const std::size_t bytes : {0u, 1u, 2u, 3u, 5u, 9u, 100u}) {
    std::string joined;
    for (const std::string_view piece : split_at_lines(text, bytes)) {
      EXPECT_FALSE(piece.empty());
      joined += piece;
      EXPECT_TRUE(joined.size() == text.size() || joined.back() == '\n');
    }
    EXPECT_EQ(joined, text);
  }
  EXPECT_TRUE(split_at_lines("", 10).empty());
}

// Reads part after part, each by a reader of its own, behind `header` lines.
std::string read_parts(const std::string& text, int parts, int header, std::size_t block_bytes) {
  std::string all;
  for (int part = 0; part < parts; ++part) {
    LineReader reader(Input::from_memory(text), {.block_bytes = block_bytes});
    std::string_view line;
    for (int i = 0; i < header; ++i) {
      reader.next_line(line);
      if (part == 0) all += std::string(line) + "\n";
    }
    reader.restrict_to_part(part, parts);
    std::string_view block;
    while (reader.next_block(block)) {
      EXPECT_EQ(reader.line_number(block.data()), std::count(all.begin(), all.end(), '\n') + 1);
      EXPECT_TRUE(block.ends_with('\n') || all.size() + block.size() == text.size());
      EXPECT_GT(reader.fraction(), 0);
      all += block;
    }
    EXPECT_EQ(reader.fraction(), 1);
  }
  return all;
}

TEST(LineReader, PartsAreTheWholeOnceAndInOrder) {
  for (const std::string text :
       {"a\n", "a", "\n\n\n", "first\nsecond\n\nfourth, which is longer than all others\n5\n6"}) {
    for (const int parts : {1, 2, 3, 7, 100}) {
      for (const int header : {0, 1}) {
        for (const std::size_t block_bytes : {1, 6, 1000}) {
          EXPECT_EQ(read_parts(text, parts, header, block_bytes),
                    text + (header == 1 && text == "a" ? "\n" : ""))
              << parts << " parts, header " << header << ", blocks of " << block_bytes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace grappa::io
