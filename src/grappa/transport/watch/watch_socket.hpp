#pragma once

// A TCP connection that never makes its owner wait, and the port that others connect to.
//
//   WatchSocket socket = WatchSocket::connect("10.0.0.3", 4711);
//   socket.send(bytes);
//   …                                          // poll(2) for socket.events()
//   socket.move_bytes(4096);
//   if (socket.closed()) refuse(socket.why());
//   std::string answer = std::move(socket.received);
//
// Thread safety: one thread at a time. Errors close the connection; none is thrown.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace grappa::internal {

/// A file descriptor with an owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

class WatchSocket {
 public:
  WatchSocket() = default;
  explicit WatchSocket(Descriptor connected);

  /// `address` in numbers. If nobody answers, closed() tells later.
  static WatchSocket connect(const std::string& address, std::uint16_t port);

  int number() const { return descriptor_.number(); }
  bool closed() const { return !descriptor_; }
  /// Why the other side is gone, in a few words.
  const std::string& why() const { return why_; }
  /// What poll(2) shall wait for.
  short events() const;

  /// Sends and receives what can be moved at once; at most `most` bytes are received.
  void move_bytes(std::size_t most);
  void send(std::string_view bytes);
  void close();
  bool has_unsent() const { return !unsent_.empty(); }

  std::string received;  // the reader takes it from the front

 private:
  void write_unsent();
  void fail(int error);

  Descriptor descriptor_;
  std::string unsent_;
  std::string why_;
};

/// Listens on a port of the system's choice, for IPv4 and, where there is one, IPv6. Throws Error.
class WatchListener {
 public:
  WatchListener();
  int number() const { return descriptor_.number(); }
  std::uint16_t port() const { return port_; }
  /// The next connection; an empty descriptor when there is none, and then errno says why.
  Descriptor accept() const;
  void close() { descriptor_ = Descriptor(); }
  bool is_open() const { return static_cast<bool>(descriptor_); }

 private:
  Descriptor descriptor_;
  std::uint16_t port_ = 0;
};

}  // namespace grappa::internal
