#pragma once

// How two processes of a job recognize each other over a connection that anybody could have made.
//
// Both send a greeting with a random number. Then the one that connected proves with a keyed hash
// of both numbers and both ranks that it knows the secret of the job, and the other proves it in
// return. The secret itself never travels, and an old proof is worth nothing.
//
//   Handshake handshake(secret, Handshake::Side::kAccepts, rank, size);
//   socket.send(handshake.greeting());
//   use(handshake.take(received, answer));        // repeat until it is kDone or kRefused
//
// Thread safety: one thread at a time. It does no input or output, and waits for nothing.

#include <string>

#include "grappa/transport/watch/keyed_hash.hpp"

namespace grappa::internal {

class Handshake {
 public:
  enum class Side { kConnects, kAccepts };
  enum class Status { kMore, kDone, kRefused };

  /// `peer` is whom the side that connects expects to meet.
  Handshake(const JobSecret& secret, Side side, int rank, int size, int peer = -1);

  /// What to send first.
  const std::string& greeting() const { return greeting_; }

  /// Takes what has arrived from the front of `received`, and appends to `answer` what to send.
  Status take(std::string& received, std::string& answer);

  /// Who it is, when done.
  int peer() const { return peer_; }

 private:
  std::string proof_of(Side side, int from, int to) const;

  const JobSecret secret_;
  const Side side_;
  const int rank_;
  const int size_;
  int peer_;
  std::string greeting_;
  std::string their_greeting_;
};

}  // namespace grappa::internal
