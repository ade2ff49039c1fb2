#include "grappa/transport/watch/watch_socket.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

constexpr int kBacklog = 256;

void send_at_once(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Descriptor listen_on(int family, std::uint16_t& port) {
  Descriptor descriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!descriptor) return descriptor;
  sockaddr_storage address{};
  socklen_t size = sizeof(sockaddr_in);
  address.ss_family = static_cast<sa_family_t>(family);  // any address, any port
  if (family == AF_INET6) {
    const int off = 0;
    setsockopt(descriptor.number(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    size = sizeof(sockaddr_in6);
  }
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(descriptor.number(), generic, size) != 0 ||
      listen(descriptor.number(), kBacklog) != 0 ||
      getsockname(descriptor.number(), generic, &size) != 0) {
    return Descriptor();
  }
  // The port is at the same place in both families.
  port = ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  return descriptor;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  Descriptor old(std::exchange(other.number_, -1));
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

WatchSocket::WatchSocket(Descriptor connected) : descriptor_(std::move(connected)) {
  send_at_once(descriptor_.number());
}

WatchSocket WatchSocket::connect(const std::string& address, std::uint16_t port) {
  WatchSocket result;
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    return result;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  result.descriptor_ =
      Descriptor(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (result.closed()) return result;
  send_at_once(result.number());
  if (::connect(result.number(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS)
    result.fail(errno);
  return result;
}

short WatchSocket::events() const {
  return static_cast<short>(unsent_.empty() ? POLLIN : POLLIN | POLLOUT);
}

void WatchSocket::send(std::string_view bytes) {
  if (closed()) return;
  unsent_ += bytes;
  write_unsent();
}

void WatchSocket::write_unsent() {
  while (!closed() && !unsent_.empty()) {
    const ssize_t count =
        ::send(number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      unsent_.erase(0, static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;  // also while the connection is being made
    } else if (errno != EINTR) {
      // What the other side has sent before is still to be read, and more telling than this.
      unsent_.clear();
    }
  }
}

void WatchSocket::move_bytes(std::size_t most) {
  write_unsent();
  std::array<char, 4096> block;
  while (!closed() && most > 0) {
    const ssize_t count = recv(number(), block.data(), std::min(most, block.size()), MSG_DONTWAIT);
    if (count > 0) {
      received.append(block.data(), static_cast<std::size_t>(count));
      most -= static_cast<std::size_t>(count);
    } else if (count == 0) {
      fail(0);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void WatchSocket::fail(int error) {
  why_ = error == 0 || error == ECONNRESET || error == EPIPE ? "its connection was closed"
                                                             : std::strerror(error);
  close();
}

void WatchSocket::close() { descriptor_ = Descriptor(); }

WatchListener::WatchListener() {
  descriptor_ = listen_on(AF_INET6, port_);
  if (!descriptor_) descriptor_ = listen_on(AF_INET, port_);
  if (!descriptor_) {
    throw Error(fmt::format("cannot listen on a TCP port: {}", std::strerror(errno)));
  }
}

Descriptor WatchListener::accept() const {
  return Descriptor(accept4(number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

}  // namespace grappa::internal
