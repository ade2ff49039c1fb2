#include "grappa/graph/checkpoint/internal/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "grappa/base/error.hpp"
#include "grappa/graph/checkpoint/internal/content_hash.hpp"
#include "grappa/graph/checkpoint/internal/durable_file.hpp"

namespace grappa::graph {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::string_view kPrefix = "part-";
constexpr std::size_t kIdDigits = 16;

std::uint64_t bytes_of(std::int64_t vertices, std::span<const ArrayPiece> arrays) {
  std::uint64_t bytes = 0;
  for (const ArrayPiece& array : arrays)
    bytes += static_cast<std::uint64_t>(vertices * array.element_bytes);
  return bytes;
}

/// Reads a file from its beginning to its end, hashing it.
class PartReader {
 public:
  explicit PartReader(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0)
      fail(
          fmt::format("a part of the checkpoint is missing: {}; every locale "
                      "must see the whole folder",
                      std::strerror(errno)));
  }
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  ~PartReader() { ::close(descriptor_); }

  std::uint64_t size() const {
    struct stat status{};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  void read(std::span<std::byte> out) {
    for (std::size_t done = 0; done < out.size();) {
      const ssize_t n = ::read(descriptor_, out.data() + done, out.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(fmt::format("cannot read: {}", std::strerror(errno)));
      if (n == 0) fail("damaged: it is shorter than the manifest says");
      done += static_cast<std::size_t>(n);
    }
    hash_.add(out);
  }
  void skip(std::uint64_t bytes) {
    buffer_.resize(kBlockBytes);
    while (bytes > 0) {
      const std::size_t n = std::min<std::uint64_t>(bytes, kBlockBytes);
      read(std::span(buffer_).first(n));
      bytes -= n;
    }
  }

  std::uint64_t hash() const { return hash_.value(); }
  [[noreturn]] void fail(const std::string& message) const { throw InputError(path_, 0, message); }

 private:
  const std::string& path_;
  int descriptor_;
  ContentHash hash_;
  std::vector<std::byte> buffer_;
};

bool is_part_name(std::string_view name) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kDecimal = "0123456789";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  return name.size() > kIdDigits + 1 &&
         name.substr(0, kIdDigits).find_first_not_of(kHex) == std::string_view::npos &&
         name[kIdDigits] == '-' &&
         name.substr(kIdDigits + 1).find_first_not_of(kDecimal) == std::string_view::npos;
}

}  // namespace

Manifest::Part write_part(const std::string& folder, const std::string& name, std::int64_t begin,
                          std::int64_t end, std::span<const ArrayPiece> arrays) {
  DurableFile file(folder + "/" + name);
  ContentHash hash;
  for (const ArrayPiece& array : arrays) {
    std::span<const std::byte> bytes(array.data,
                                     static_cast<std::size_t>((end - begin) * array.element_bytes));
    hash.add(bytes);
    file.write(bytes);
  }
  file.finish();
  return {name, begin, end, bytes_of(end - begin, arrays), hash.value()};
}

void read_part(const std::string& folder, const Manifest::Part& part, std::int64_t begin,
               std::int64_t end, std::span<const ArrayPiece> arrays) {
  const std::string path = folder + "/" + part.file;
  PartReader file(path);
  if (file.size() != part.bytes || part.bytes != bytes_of(part.end - part.begin, arrays)) {
    file.fail(fmt::format("damaged: {} bytes, the manifest says {}", file.size(), part.bytes));
  }
  const std::int64_t first = std::clamp(part.begin, begin, end);
  const std::int64_t last = std::clamp(part.end, begin, end);
  for (const ArrayPiece& array : arrays) {
    const auto bytes = [&](std::int64_t vertices) {
      return static_cast<std::uint64_t>(vertices * array.element_bytes);
    };
    if (first >= last) {
      file.skip(bytes(part.end - part.begin));
      continue;
    }
    file.skip(bytes(first - part.begin));
    file.read({array.data + bytes(first - begin), bytes(last - first)});
    file.skip(bytes(part.end - last));
  }
  if (file.hash() != part.hash) file.fail("damaged: its content does not match its checksum");
}

void remove_other_parts(const std::string& folder, const std::string& id) {
  std::error_code error;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_part_name(name) && name.substr(kPrefix.size(), kIdDigits) != id)
      old.push_back(entry.path());
  }
  // Another locale may have been quicker.
  for (const auto& path : old) std::filesystem::remove(path, error);
}

std::string part_name(const std::string& id, int locale) {
  return fmt::format("{}{}-{}", kPrefix, id, locale);
}

}  // namespace grappa::graph
