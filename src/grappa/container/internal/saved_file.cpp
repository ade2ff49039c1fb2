#include "grappa/container/internal/saved_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace grappa::internal {
namespace {

constexpr std::string_view kFirstLine = "grappa container 1\n";
constexpr std::uint64_t kEnd = UINT64_MAX;

std::string_view bytes_of(const std::uint64_t& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

SavedFileWriter::SavedFileWriter(const std::string& path, std::string_view what) : file_(path) {
  file_.write(fmt::format("{}{}\n", kFirstLine, what));
}

void SavedFileWriter::write(std::span<const std::byte> block) {
  file_.write(bytes_of(block.size()));
  file_.write({reinterpret_cast<const char*>(block.data()), block.size()});
}

void SavedFileWriter::commit() {
  file_.write(bytes_of(kEnd));
  file_.commit();
}

SavedFileReader::SavedFileReader(const std::string& path, std::string_view what)
    : path_(path), file_(path, std::ios::binary) {
  if (!file_) throw UsageError(fmt::format("{}: {}", path, std::strerror(errno)));
  std::string first(kFirstLine.size(), ' ');
  std::string there;
  file_.read(first.data(), std::ssize(first));
  if (first != kFirstLine || !std::getline(file_, there))
    throw UsageError(fmt::format("{}: this is not a container that was saved", path));
  if (there != what) throw UsageError(fmt::format("{}: this is {}, not {}", path, there, what));
}

bool SavedFileReader::next(std::vector<std::byte>& block) {
  std::uint64_t bytes = 0;
  read(&bytes, sizeof bytes);
  if (bytes == kEnd) return false;
  // Not all at once: a damaged file may claim anything.
  block.clear();
  constexpr std::uint64_t kPiece = 1 << 24;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t piece = std::min(kPiece, bytes - done);
    block.resize(done + piece);
    read(block.data() + done, piece);
    done += piece;
  }
  return true;
}

void SavedFileReader::read(void* to, std::size_t bytes) {
  if (!file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
    refuse("the file is cut off");
}

void SavedFileReader::refuse(std::string_view why) const {
  throw UsageError(fmt::format("{}: {}", path_, why));
}

}  // namespace grappa::internal
