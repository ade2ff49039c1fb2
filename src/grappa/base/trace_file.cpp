#include "grappa/base/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
constexpr std::string_view kTail = "\n]}\n";

/// The files that this process has written; with `more`, one more from now on.
bool is_written(const std::string& path, bool more = false) {
  static std::mutex mutex;
  static std::set<std::string> written;
  const std::lock_guard lock(mutex);
  if (more) written.insert(path);
  return written.contains(path);
}

}  // namespace

const char* trace_option(std::string_view path) {
  const char* variable = std::getenv("GRAPPA_TRACE");
  return variable != nullptr && path == variable ? "GRAPPA_TRACE" : "--trace";
}

TraceFile::TraceFile(std::string path)
    : path_(std::move(path)), file_(path_, trace_option(path_)) {}

// All but their end.
bool TraceFile::copy_earlier_runs() {
  if (!file_.replaces() || !is_written(path_)) return false;
  std::ifstream earlier(path_, std::ios::binary | std::ios::ate);
  std::streamoff left = earlier.tellg() - static_cast<std::streamoff>(kTail.size());
  if (!earlier || left <= 0) return false;
  earlier.seekg(0);
  std::array<char, 1 << 16> buffer;
  for (std::streamoff n = 0; left > 0; left -= n) {
    n = std::min<std::streamoff>(left, buffer.size());
    if (!earlier.read(buffer.data(), n))
      throw Error(fmt::format("{}: {}: cannot read the earlier runs", trace_option(path_), path_));
    file_.write({buffer.data(), static_cast<std::size_t>(n)});
  }
  return true;
}

void TraceFile::write(const std::vector<std::string>& events) {
  // A pipe, a device or what is open already is just written to.
  std::string_view before = copy_earlier_runs() ? ",\n" : kHead;
  for (const std::string& text : events) {
    file_.write(before);
    file_.write(text);
    before = ",\n";
  }
  file_.write(kTail);
  file_.commit();
  is_written(path_, true);
}

}  // namespace grappa::internal
