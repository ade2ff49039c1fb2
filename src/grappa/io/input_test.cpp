#include "grappa/io/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "grappa/io/compression/compressor.hpp"
#include "grappa/io/compression/gzip.hpp"
#include "tests/support/files.hpp"

namespace grappa::io {
namespace {

std::string compressed(Compression compression, std::string_view text) {
  std::string out;
  const auto compressor =
      make_compressor(compression, [&](std::string_view bytes) { out += bytes; });
  compressor->write(text);
  compressor->finish();
  return out;
}

std::string all_of(Input input) {
  input.read_all();
  return std::string(*input.whole());
}

// Through the stream, in pieces of `piece` bytes.
std::string streamed(std::unique_ptr<ByteStream> stream, std::size_t piece) {
  std::string out;
  std::string buffer(piece, '\0');
  while (const std::size_t n = stream->read(buffer.data(), piece)) out.append(buffer, 0, n);
  return out;
}

std::string some_text(std::size_t lines) {
  std::mt19937 random(7);
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    text += std::to_string(random() % 100000) + "\t" + std::to_string(random() % 1000) + "\n";
  }
  return text;
}

using Unpack = std::unique_ptr<ByteStream> (*)(std::unique_ptr<ByteStream>, std::string);

struct Codec {
  Compression compression;
  Unpack unpack;
  const char* extension;
};
const Codec kCodecs[] = {{Compression::kGzip, gunzip, ".gz"}, {Compression::kZstd, unzstd, ".zst"}};

TEST(Input, PlainFile) {
  const TemporaryFolder folder;
  for (const std::size_t bytes : {1u, 4095u, 4096u, 4097u, 100000u}) {
    const std::string text(bytes, 'a');
    const Input input = Input::open(folder.write("a.txt", text));
    ASSERT_TRUE(input.whole());
    EXPECT_EQ(*input.whole(), text);
    for (std::size_t i = 0; i < kPadding; ++i) EXPECT_EQ(input.whole()->data()[bytes + i], '\0');
  }
}

TEST(Input, CompressedFiles) {
  const TemporaryFolder folder;
  const std::string text = some_text(50000);
  for (const Codec& codec : kCodecs) {
    const std::string bytes = compressed(codec.compression, text);
    EXPECT_EQ(all_of(Input::open(folder.write(std::string("a") + codec.extension, bytes))), text);
    EXPECT_EQ(all_of(Input::open(folder.write("no-extension", bytes))), text);
    EXPECT_EQ(all_of(Input::from_memory(bytes)), text);
    for (const std::size_t piece : {1u, 100u, 1000000u}) {
      EXPECT_EQ(streamed(codec.unpack(std::make_unique<MemoryStream>(bytes), "a"), piece), text);
    }
  }
}

TEST(Input, SeveralMembersAreOneText) {
  for (const Codec& codec : kCodecs) {
    const std::string bytes = compressed(codec.compression, "first\n") +
                              compressed(codec.compression, "") +
                              compressed(codec.compression, "second\n");
    EXPECT_EQ(all_of(Input::from_memory(bytes)), "first\nsecond\n");
    EXPECT_EQ(streamed(codec.unpack(std::make_unique<MemoryStream>(bytes), "a"), 3),
              "first\nsecond\n");
  }
}

TEST(Input, ZstdFramesThatAreSkipped) {
  const TemporaryFolder folder;
  const std::string skipped("\x50\x2a\x4d\x18\x04\0\0\0size", 12);
  const std::string bytes = skipped + compressed(Compression::kZstd, "first\n") + skipped +
                            compressed(Compression::kZstd, "second\n");
  EXPECT_EQ(all_of(Input::open(folder.write("a.zst", bytes))), "first\nsecond\n");
  EXPECT_THROW(all_of(Input::from_memory(skipped.substr(0, 9))), InputError);
}

TEST(Input, EveryTruncationIsAnError) {
  const std::string text = some_text(30);
  for (const Codec& codec : kCodecs) {
    const std::string bytes = compressed(codec.compression, text);
    for (std::size_t size = 4; size < bytes.size(); ++size) {
      EXPECT_THROW(all_of(Input::from_memory(bytes.substr(0, size))), InputError) << size;
    }
    expect_input_error([&] { all_of(Input::from_memory(bytes.substr(0, bytes.size() - 9))); }, 0,
                       "truncated");
    try {
      all_of(Input::from_memory(bytes.substr(0, 5)));
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("after")))
          << "there is nothing yet";
    }
  }
}

TEST(Input, DamageIsAnErrorOrHarmless) {
  const std::string text = some_text(30);
  for (const Codec& codec : kCodecs) {
    const std::string bytes = compressed(codec.compression, text);
    for (std::size_t i = 4; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      try {
        const std::string result = all_of(Input::from_memory(damaged));
        EXPECT_EQ(result, text) << i;
      } catch (const InputError& error) {
        EXPECT_EQ(error.file(), "memory");
      }
    }
  }
}

TEST(Input, GarbageBehindTheCompressedData) {
  const std::string gzip = compressed(Compression::kGzip, "text\n");
  EXPECT_EQ(all_of(Input::from_memory(gzip + std::string(600, '\0'))), "text\n");
  EXPECT_THROW(all_of(Input::from_memory(gzip + "garbage")), InputError);
  EXPECT_THROW(all_of(Input::from_memory(gzip + std::string(10, '\0') + "x")), InputError);
  EXPECT_THROW(all_of(Input::from_memory(compressed(Compression::kZstd, "text\n") + "garbage")),
               InputError);
}

TEST(Input, GunzipWholeGivesUpBeyondItsLimit) {
  const std::string bytes = compressed(Compression::kGzip, some_text(1000));
  std::size_t size = 0;
  EXPECT_FALSE(gunzip_whole(bytes, 100, 64, &size));
  const auto whole = gunzip_whole(bytes, 1 << 20, 64, &size);
  ASSERT_TRUE(whole);
  EXPECT_EQ(size, some_text(1000).size());
}

TEST(Input, WhatCannotBeOpened) {
  const TemporaryFolder folder;
  expect_input_error([&] { Input::open(folder.path("absent.txt")); }, 0, "No such file");
  expect_input_error([&] { Input::open(folder.path("")); }, 0, "is a directory");
  expect_input_error([&] { Input::open(folder.write("empty.txt", "")); }, 0, "is empty");
  expect_input_error([&] { Input::open(folder.write("a.txt", "x") + "/b"); }, 0, "Not a directory");
  expect_input_error([&] { Input::open(folder.write("a.gz", "1 2\n")); }, 0, "not gzip data");
  expect_input_error([&] { Input::open(folder.write("a.zst", "1 2\n")); }, 0, "not zstd data");
  expect_input_error([&] { Input::open(folder.write("b.gz", compressed(Compression::kGzip, ""))); },
                     0, "is empty");
  for (const char* name : {"c.gz", "c.zst"}) {
    ExaminedFile file(folder.write(name, ""), Empty::kAllowed);
    expect_input_error([&] { Input::open(file); }, 0, "is empty, which no ");
  }
}

// The process goes on, and what is read ends.
TEST(Input, FilesThatShrinkWhileTheyAreRead) {
  const TemporaryFolder folder;
  const std::string text = some_text(200000);
  {
    const std::string path = folder.write("a.txt", text);
    const Input input = Input::open(path);
    std::filesystem::resize_file(path, 5000);
    EXPECT_EQ(input.whole()->substr(0, 5000), text.substr(0, 5000));
    EXPECT_EQ(input.whole()->substr(5000), std::string(text.size() - 5000, '\0'));
  }
  for (const Codec& codec : kCodecs) {
    const std::string path =
        folder.write(std::string("a") + codec.extension, compressed(codec.compression, text));
    Input input = Input::open(path, 0);  // as a stream
    std::filesystem::resize_file(path, 5000);
    EXPECT_THROW(input.read_all(), InputError);
  }
}

TEST(Input, TakesNoMoreThanTheHeaderSays) {
  const auto read = [](std::uint64_t most) {
    Input input = Input::open("/dev/zero");
    input.read_all([most](std::string_view first) {
      EXPECT_EQ(first.size(), kFirstBytes);
      return most;
    });
    return input.whole()->size();
  };
  EXPECT_EQ(read(kFirstBytes + 100), kFirstBytes + 101);
  EXPECT_EQ(read(40 << 20), (40 << 20) + 1);
}

TEST(Input, UnreadableFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("secret.txt", "1 2\n");
  ::chmod(folder.path("").c_str(), 0755);
  ::chmod(path.c_str(), 0);
  // Root may read everything: be somebody else for a moment.
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;
  if (is_root && ::seteuid(kNobody) != 0) GTEST_SKIP() << "cannot become an ordinary user";
  expect_input_error([&] { Input::open(path); }, 0, "Permission denied");
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
}

}  // namespace
}  // namespace grappa::io
