#include "grappa/io/input.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/io/compression/byte_stream.hpp"
#include "grappa/io/compression/compression.hpp"
#include "grappa/io/compression/gzip.hpp"

namespace grappa::io {
namespace {

internal::Mapping padded_memory(std::size_t bytes) {
  return internal::Mapping::reserve({.bytes = bytes + kPadding, .purpose = "input"});
}

// Maps the file over the front of a zeroed mapping, so that there is padding behind it even where
// the file fills its last page.
internal::Mapping map_file(int descriptor, std::size_t bytes, const std::string& name) {
  internal::Mapping memory = padded_memory(bytes);
  void* mapped = ::mmap(memory.data(), bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    throw InputError(name, 0, fmt::format("cannot read: {}", std::strerror(errno)));
  }
  ::madvise(memory.data(), bytes, MADV_SEQUENTIAL);
  return memory;
}

// Even of nothing gzip and zstd make some bytes: an empty file is none of theirs.
void check_claimed_compression(const std::string& name, std::string_view first_bytes) {
  const Compression claimed = compression_of_path(name);
  const auto refuse = [&](std::string_view ending, std::string_view format) {
    throw InputError(name, 0,
                     first_bytes.empty() ? fmt::format("is empty, which no {} file is", ending)
                                         : fmt::format("named {} but not {} data", ending, format));
  };
  if (claimed == Compression::kGzip && !is_gzip(first_bytes)) refuse(".gz", "gzip");
  if (claimed == Compression::kZstd && !is_zstd(first_bytes)) refuse(".zst", "zstd");
}

}  // namespace

Input Input::open(const std::string& path, std::size_t whole_bytes) {
  ExaminedFile file(path);
  return open(file, whole_bytes);
}

Input Input::open(ExaminedFile& file, std::size_t whole_bytes) {
  file.check();
  Input input(file.name());
  input.may_be_empty_ = file.may_be_empty();
  if (file.is_on_disk()) {
    check_claimed_compression(file.path(), file.start());
    input.hold(map_file(file.descriptor(), file.bytes(), input.name_), file.bytes());
    input.guard_ = internal::ShrinkGuard(input.mapping_.data(), file.bytes());
    input.choose_decoder(whole_bytes);
    return input;
  }
  auto stream = std::make_unique<DescriptorStream>(file.take_descriptor(), input.name_);
  const std::string_view first = stream->peek();
  check_claimed_compression(file.path(), first);
  if (first.empty()) input.check_not_empty();
  if (is_gzip(first)) {
    input.stream_ = gunzip(std::move(stream), input.name_);
  } else if (is_zstd(first)) {
    input.stream_ = unzstd(std::move(stream), input.name_);
  } else {
    input.stream_ = std::move(stream);
  }
  return input;
}

Input Input::from_memory(std::string_view bytes, std::string name) {
  Input input(std::move(name));
  // Not a mapping: a sanitizer watches the end of this.
  input.copy_ = std::make_unique<char[]>(bytes.size() + kPadding);
  std::copy(bytes.begin(), bytes.end(), input.copy_.get());
  input.data_ = input.copy_.get();
  input.size_ = bytes.size();
  input.choose_decoder(kWholeGzipBytes);
  return input;
}

void Input::hold(internal::Mapping memory, std::size_t size) {
  guard_ = {};
  mapping_ = std::move(memory);
  data_ = reinterpret_cast<const char*>(mapping_.data());
  size_ = size;
}

void Input::choose_decoder(std::size_t whole_bytes) {
  check_not_empty();
  const std::string_view bytes = *whole();
  if (is_gzip(bytes)) {
    std::size_t size = 0;
    if (auto text = gunzip_whole(bytes, whole_bytes, kPadding, &size)) {
      hold(std::move(*text), size);
      check_not_empty();
      return;
    }
    stream_ = gunzip(std::make_unique<MemoryStream>(bytes), name_);
  } else if (is_zstd(bytes)) {
    stream_ = unzstd(std::make_unique<MemoryStream>(bytes), name_);
  }
}

void Input::check_not_empty() const {
  if (size_ == 0 && !may_be_empty_) throw InputError(name_, 0, "is empty");
}

std::optional<std::string_view> Input::whole() const noexcept {
  if (stream_) return std::nullopt;
  return std::string_view(data_, size_);
}

void Input::read_all() {
  read_all([](std::string_view) { return std::numeric_limits<std::uint64_t>::max(); });
}

void Input::read_all(const std::function<std::uint64_t(std::string_view first)>& most) {
  if (!stream_) return;
  internal::Mapping content;
  std::size_t filled = read_up_to(kFirstBytes, 0, content);
  if (filled == kFirstBytes) {
    constexpr std::uint64_t kNoLimit = std::numeric_limits<std::size_t>::max() / 4;
    const std::string_view first(reinterpret_cast<const char*>(content.data()), filled);
    filled = read_up_to(std::min(most(first), kNoLimit) + 1, filled, content);
  }
  stream_.reset();
  hold(std::move(content), filled);
  check_not_empty();
}

std::size_t Input::read_up_to(std::size_t size, std::size_t filled, internal::Mapping& content) {
  constexpr std::size_t kLeast = std::size_t{16} << 20;
  std::size_t capacity = content ? content.size() - kPadding : 0;
  while (filled < size) {
    if (filled == capacity) {
      capacity = std::max(2 * capacity, kLeast);
      internal::Mapping larger = padded_memory(capacity);
      if (filled > 0) std::memcpy(larger.data(), content.data(), filled);
      content = std::move(larger);
    }
    const std::size_t wanted = std::min(size, capacity) - filled;
    const std::size_t n = stream_->read(reinterpret_cast<char*>(content.data()) + filled, wanted);
    filled += n;
    if (n < wanted) break;
  }
  return filled;
}

}  // namespace grappa::io
