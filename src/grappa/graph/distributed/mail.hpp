#pragma once

// Messages of any length between locales.
//
//   Mail mail = Mail::create();
//   on_all_locales([mail] {
//     std::vector<std::uint64_t> numbers(10);
//     mail.send<std::uint64_t>(0, numbers);
//   });                                                                // all have arrived
//   std::vector<std::uint64_t> from_two = mail.take<std::uint64_t>(2);  // at locale 0
//   mail.destroy();
//
// From one locale to another there may be one message at a time, until it is taken. Sending joins
// the enclosing completion event and may switch tasks; take() never does. A handle, trivially
// copyable. create() and destroy() are called by one task and switch tasks. send() and take() are
// called on the first core of a locale, where on_all_locales runs its argument.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "grappa/container/replica.hpp"
#include "grappa/sync/completion_event.hpp"

namespace grappa::graph {

class Mail {
 public:
  static Mail create();
  void destroy();

  void send_bytes(int locale, std::span<const std::byte> bytes) const;
  /// Sends the same to every locale, and waits until it is there.
  void broadcast(std::span<const std::byte> bytes) const;
  /// What locale `from` has sent here; empty if nothing.
  std::vector<std::byte> take_bytes(int from) const;

  template <class T>
  void send(int locale, std::span<const T> values) const {
    send_bytes(locale, std::as_bytes(values));
  }
  template <class T>
  std::vector<T> take(int from) const {
    const std::vector<std::byte> bytes = take_bytes(from);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

 private:
  using Box = std::vector<std::vector<std::byte>>;  // [locales]
  struct PieceMessage;

  void send_joining(internal::CompletionShare* scope, int locale,
                    std::span<const std::byte> bytes) const;

  Replica<Box*> box_;
};

}  // namespace grappa::graph
