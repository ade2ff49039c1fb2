#include "grappa/transport/watch/watch_address.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <sstream>

#include "grappa/base/this_machine.hpp"

namespace grappa::internal {
namespace {

constexpr std::size_t kMaxAddresses = 8;

// Processes with the same one reach each other by loopback.
std::string network_stack() {
  const std::string machine = this_machine();
  struct stat status{};
  stat("/proc/self/ns/net", &status);
  return fmt::format("{}/{}", machine.empty() ? "-" : machine, status.st_ino);
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name[0] == '\0' ? "unknown" : name.data();
}

// In numbers; empty for what is of no use: loopback, and addresses that need an interface named.
std::string usable_address(const sockaddr* address) {
  socklen_t size = sizeof(sockaddr_in);
  if (address->sa_family == AF_INET6) {
    const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
    if (IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) || IN6_IS_ADDR_LOOPBACK(&six->sin6_addr)) return {};
    size = sizeof(sockaddr_in6);
  } else if (address->sa_family != AF_INET) {
    return {};
  }
  std::array<char, NI_MAXHOST> text{};
  if (getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return {};
  return text.data();
}

std::vector<std::string> own_addresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, &freeifaddrs);
  std::vector<std::string> found;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
      if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != family) continue;
      if ((one->ifa_flags & IFF_LOOPBACK) != 0 || (one->ifa_flags & IFF_UP) == 0) continue;
      std::string address = usable_address(one->ifa_addr);
      if (!address.empty() && found.size() < kMaxAddresses) found.push_back(std::move(address));
    }
  }
  return found;
}

}  // namespace

std::string WatchAddress::to_text() const {
  std::string text = fmt::format("{}\n{}\n{} {}", host, machine, pid, port);
  for (const std::string& address : addresses) text += ' ' + address;
  return text;
}

WatchAddress WatchAddress::from_text(const std::string& text) {
  WatchAddress result;
  std::istringstream lines(text);
  std::getline(lines, result.host);
  std::getline(lines, result.machine);
  lines >> result.pid >> result.port;
  for (std::string address; lines >> address;) result.addresses.push_back(address);
  return result;
}

std::vector<std::string> WatchAddress::reachable_from(const WatchAddress& other) const {
  std::vector<std::string> result = addresses;
  if (machine == other.machine) result.insert(result.begin(), "127.0.0.1");
  return result;
}

WatchAddress local_address(std::uint16_t port) {
  return {host_name(), network_stack(), getpid(), port, own_addresses()};
}

}  // namespace grappa::internal
