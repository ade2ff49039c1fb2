// How the processes of a job find one another, and send strangers away.

#include <cerrno>
#include <iterator>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/transport/watch/peer_watch.hpp"

namespace grappa::internal {
namespace {

using Kind = WatchFrame::Kind;

constexpr std::uint64_t kStrangerNs = 2'000'000'000;
constexpr std::uint64_t kAttemptNs = 500'000'000;
constexpr std::uint64_t kBetweenRoundsNs = 50'000'000;
constexpr std::size_t kMaxStrangers = 32;
constexpr std::size_t kStrangersBytes = 64;  // no part of a handshake is longer
constexpr std::size_t kMeetingBytes = 4096;

}  // namespace

void PeerWatch::meet_strangers() {
  for (;;) {
    Descriptor descriptor = listener_.accept();
    if (!descriptor) {
      const bool exhausted = errno == EMFILE || errno == ENFILE;
      if (exhausted && !strangers_.empty()) {
        strangers_.pop_front();
        continue;
      }
      accepts_ = !exhausted;
      return;
    }
    if (strangers_.size() == kMaxStrangers) strangers_.pop_front();
    strangers_.push_back(
        {WatchSocket(std::move(descriptor)),
         Handshake(options_.secret, Handshake::Side::kAccepts, options_.rank, options_.size),
         now_ns() + kStrangerNs});
    strangers_.back().link.send(strangers_.back().handshake.greeting());
  }
}

void PeerWatch::hear_strangers() {
  const std::uint64_t now = now_ns();
  for (auto stranger = strangers_.begin(); stranger != strangers_.end();) {
    WatchSocket& link = stranger->link;
    link.move_bytes(kStrangersBytes);
    std::string answer;
    const auto status = stranger->handshake.take(link.received, answer);
    link.send(answer);
    if (status == Handshake::Status::kDone) {
      Peer* peer = find(stranger->handshake.peer());
      // One that connects anew had not heard our proof.
      if (peer != nullptr && peer->addresses.empty() && !peer->confirmed)
        connected(*peer, std::move(link));
    }
    const bool over = status != Handshake::Status::kMore || link.closed() ||
                      now >= stranger->ends_ns || link.received.size() > kStrangersBytes;
    stranger = over ? strangers_.erase(stranger) : std::next(stranger);
  }
}

// The next step of our attempts to connect to a peer: one address at a time.
void PeerWatch::connect_to(Peer& peer) {
  const std::uint64_t now = now_ns();
  if (peer.handshake) {
    if (!peer.link.closed() && now < peer.attempt_ends_ns) return;
    peer.handshake.reset();
    peer.link.close();
    if (peer.attempts % peer.addresses.size() == 0) peer.next_attempt_ns = now + kBetweenRoundsNs;
  }
  if (now < peer.next_attempt_ns) return;
  const std::string& address = peer.addresses[peer.attempts++ % peer.addresses.size()];
  peer.link = WatchSocket::connect(address, addresses_[static_cast<std::size_t>(peer.rank)].port);
  peer.handshake.emplace(options_.secret, Handshake::Side::kConnects, options_.rank, options_.size,
                         peer.rank);
  peer.attempt_ends_ns = now + kAttemptNs;
  peer.link.send(peer.handshake->greeting());
}

void PeerWatch::greet(Peer& peer) {
  peer.link.move_bytes(kMeetingBytes);
  std::string answer;
  const auto status = peer.handshake->take(peer.link.received, answer);
  peer.link.send(answer);
  if (status == Handshake::Status::kRefused) peer.link.close();
  if (status != Handshake::Status::kDone) return;
  peer.handshake.reset();
  connected(peer, std::move(peer.link));
  confirmed(peer);
}

void PeerWatch::connected(Peer& peer, WatchSocket link) {
  peer.link = std::move(link);
  peer.connected = true;
  peer.silent_ns = 0;
  peer.link.send(to_bytes(Kind::kHeartbeat, to_content(own_report())));
  if (leaves_.load()) peer.link.send(to_bytes(Kind::kGoodbye, to_content(steps_.load() / 2)));
}

void PeerWatch::confirmed(Peer& peer) {
  if (std::exchange(peer.confirmed, true)) return;
  const std::lock_guard lock(mutex_);
  if (--unconnected_ > 0) return;
  listener_.close();  // nobody else is expected
  strangers_.clear();
  all_connected_.notify_all();
}

}  // namespace grappa::internal
