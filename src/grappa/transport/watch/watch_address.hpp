#pragma once

// Where a process of a job can be reached by the others, and what people call it.
//
//   WatchAddress mine = local_address(port);
//   WatchAddress theirs = WatchAddress::from_text(text);       // what to_text() of another was
//   for (const std::string& address : theirs.reachable_from(mine)) connect(address, theirs.port);

#include <cstdint>
#include <string>
#include <vector>

namespace grappa::internal {

struct WatchAddress {
  std::string host;     // its name, for messages
  std::string machine;  // the same for processes that share a network stack
  long pid = 0;
  std::uint16_t port = 0;
  std::vector<std::string> addresses;  // in numbers, IPv4 and IPv6, without loopback

  std::string to_text() const;
  static WatchAddress from_text(const std::string& text);

  /// The addresses to try from the process at `other`, in this order: loopback on the same machine.
  std::vector<std::string> reachable_from(const WatchAddress& other) const;
};

/// The address of this process, which listens on `port`.
WatchAddress local_address(std::uint16_t port);

}  // namespace grappa::internal
