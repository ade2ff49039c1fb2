#include "grappa/transport/watch/watch_frame.hpp"

namespace grappa::internal {
namespace {

struct Header {
  std::uint32_t bytes;
  WatchFrame::Kind kind;
};

struct VerdictHeader {
  std::int32_t status;
  std::int32_t silent;
};

}  // namespace

std::string to_bytes(WatchFrame::Kind kind, std::string_view content) {
  content = content.substr(0, kMaxContent);
  Header header{};
  header.bytes = static_cast<std::uint32_t>(content.size());
  header.kind = kind;
  return to_content(header).append(content);
}

std::optional<WatchFrame> take_frame(std::string& received, bool& malformed) {
  if (received.size() < sizeof(Header)) return std::nullopt;
  const auto header = from_content<Header>(received);
  malformed = header.bytes > kMaxContent || header.kind > WatchFrame::Kind::kReport;
  const std::size_t end = sizeof header + header.bytes;
  if (malformed || received.size() < end) return std::nullopt;
  WatchFrame frame{header.kind, received.substr(sizeof header, header.bytes)};
  received.erase(0, end);
  return frame;
}

std::string to_content(const Verdict& verdict) {
  return to_content(VerdictHeader{verdict.status, verdict.silent ? 1 : 0}) + verdict.text;
}

Verdict to_verdict(std::string_view content) {
  const auto header = from_content<VerdictHeader>(content);
  content.remove_prefix(std::min(sizeof header, content.size()));
  return {header.status, header.silent != 0, std::string(content)};
}

}  // namespace grappa::internal
