#include "grappa/graph/distributed/mail.hpp"

#include <algorithm>
#include <utility>

#include "grappa/message/aggregator.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa::graph {

/// A piece of what a locale sends; its bytes follow.
struct Mail::PieceMessage {
  Replica<Box*> box;
  std::uint64_t from;
  std::uint64_t at;
  std::uint64_t total;
  std::uint64_t size;  // of the piece; the batch is padded
  void operator()(internal::RunContext&) const {
    std::vector<std::byte>& bytes = (**box.data())[from];
    if (bytes.size() != total) bytes.resize(total);
    std::memcpy(bytes.data() + at, this + 1, size);
  }
};

Mail Mail::create() {
  Mail mail;
  mail.box_ = Replica<Box*>::create(1);
  on_all_locales(
      [box = mail.box_] { *box.data() = new Box(static_cast<std::size_t>(locale_count())); });
  return mail;
}

void Mail::destroy() {
  on_all_locales([box = box_] { delete *box.data(); });
  box_.destroy();
}

void Mail::send_bytes(int locale, std::span<const std::byte> bytes) const {
  send_joining(internal::enclosing_scope(), locale, bytes);
}

void Mail::broadcast(std::span<const std::byte> bytes) const {
  CompletionEvent arrived;
  for (int locale = 0; locale < locale_count(); ++locale)
    send_joining(&arrived.share(), locale, bytes);
  arrived.wait();
}

void Mail::send_joining(internal::CompletionShare* scope, int locale,
                        std::span<const std::byte> bytes) const {
  if (locale == this_locale()) {
    (**box_.data())[static_cast<std::size_t>(locale)].assign(bytes.begin(), bytes.end());
    return;
  }
  internal::Aggregator& messages = *internal::here().messages;
  const std::size_t most = messages.largest_message() - sizeof(PieceMessage);
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    const std::span<const std::byte> piece = bytes.subspan(at, std::min(most, bytes.size() - at));
    messages.send_with_tail(first_core_of(locale),
                            PieceMessage{box_, static_cast<std::uint64_t>(this_locale()), at,
                                         bytes.size(), piece.size()},
                            piece.data(), piece.size(), scope);
  }
}

std::vector<std::byte> Mail::take_bytes(int from) const {
  return std::exchange((**box_.data())[static_cast<std::size_t>(from)], {});
}

}  // namespace grappa::graph
