#include "grappa/transport/watch/handshake.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace grappa::internal {
namespace {

constexpr std::string_view kMagic = "grappa-watch-1\r\n";
constexpr std::size_t kNonceBytes = 16;
constexpr std::size_t kGreetingBytes = kMagic.size() + kNonceBytes;

struct Proof {
  std::int32_t from;
  std::int32_t to;
  std::uint64_t hash;
};

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

Handshake::Handshake(const JobSecret& secret, Side side, int rank, int size, int peer)
    : secret_(secret),
      side_(side),
      rank_(rank),
      size_(size),
      peer_(peer),
      greeting_(std::string(kMagic) + random_bytes(kNonceBytes)) {}

std::string Handshake::proof_of(Side side, int from, int to) const {
  const bool mine_first = side_ == Side::kConnects;
  const std::string text = std::string(side == Side::kConnects ? "connects" : "accepts ") +
                           (mine_first ? greeting_ : their_greeting_) +
                           (mine_first ? their_greeting_ : greeting_) + bytes_of(from) +
                           bytes_of(to);
  return bytes_of(Proof{from, to, keyed_hash(secret_, text)});
}

Handshake::Status Handshake::take(std::string& received, std::string& answer) {
  if (their_greeting_.empty()) {
    // A stranger that says something else is sent away at its first byte.
    const std::size_t known = std::min(received.size(), kMagic.size());
    if (std::string_view(received).substr(0, known) != kMagic.substr(0, known))
      return Status::kRefused;
    if (received.size() < kGreetingBytes) return Status::kMore;
    their_greeting_ = received.substr(0, kGreetingBytes);
    received.erase(0, kGreetingBytes);
    if (side_ == Side::kConnects) answer += proof_of(side_, rank_, peer_);
  }
  if (received.size() < sizeof(Proof)) return Status::kMore;
  Proof proof;
  std::memcpy(&proof, received.data(), sizeof proof);
  const Side theirs = side_ == Side::kConnects ? Side::kAccepts : Side::kConnects;
  const bool plausible = proof.to == rank_ && proof.from != rank_ && proof.from >= 0 &&
                         proof.from < size_ && (peer_ < 0 || proof.from == peer_);
  if (!plausible || received.substr(0, sizeof proof) != proof_of(theirs, proof.from, proof.to))
    return Status::kRefused;
  received.erase(0, sizeof proof);
  peer_ = proof.from;
  if (side_ == Side::kAccepts) answer += proof_of(side_, rank_, peer_);
  return Status::kDone;
}

}  // namespace grappa::internal
