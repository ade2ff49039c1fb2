#include "grappa/base/trace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "grappa/base/error.hpp"
#include "grappa/base/open_pipe.hpp"
#include "grappa/base/output_path.hpp"

namespace grappa::internal {
namespace {

constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
constexpr std::string_view kTail = "\n]}\n";

/// Whether this process writes the file for the first time.
bool is_new(const std::string& path) {
  static std::mutex mutex;
  static std::set<std::string> written;
  const std::lock_guard lock(mutex);
  return written.insert(path).second;
}

}  // namespace

TraceFile::TraceFile(std::string path)
    : path_(std::move(path)), created_(access(path_.c_str(), F_OK) != 0) {
  const auto open_already = descriptor_of(follow_links(path_));
  descriptor_ =
      open_already ? fcntl(*open_already, F_DUPFD_CLOEXEC, 0) : open_to_write(path_, O_CREAT);
  can_be_cut_ = !open_already;
  if (descriptor_ < 0)
    throw UsageError(fmt::format("--trace: {}: {}", path_, std::strerror(errno)));
}

TraceFile::~TraceFile() {
  close(descriptor_);
  if (created_) unlink(path_.c_str());
}

void TraceFile::write(const std::vector<std::string>& events) {
  // A pipe, a device or what is open already is just written to.
  const off_t end = can_be_cut_ ? lseek(descriptor_, 0, SEEK_END) : -1;
  const bool is_first = is_new(path_) || end < static_cast<off_t>(kTail.size());
  if (end >= 0) {
    const off_t start = is_first ? 0 : end - static_cast<off_t>(kTail.size());
    if (ftruncate(descriptor_, start) == 0) lseek(descriptor_, start, SEEK_SET);
  }
  created_ = false;
  std::string_view before = is_first ? kHead : ",\n";
  for (const std::string& text : events) {
    put(before);
    put(text);
    before = ",\n";
  }
  put(kTail);
}

void TraceFile::put(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error(fmt::format("--trace: {}: {}", path_, std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace grappa::internal
