#include "grappa/transport/watch/keyed_hash.hpp"

#include <sys/random.h>

#include <bit>
#include <cstddef>
#include <cstring>

#include "grappa/base/error.hpp"

namespace grappa::internal {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  void rounds(int count) noexcept {
    for (; count > 0; --count) {
      v0 += v1;
      v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  }

  void take(std::uint64_t word) noexcept {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
};

// Least significant byte first, as the algorithm says, on any machine.
std::uint64_t word_of(const void* bytes, std::size_t count) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i)
    word |= std::uint64_t{static_cast<const std::uint8_t*>(bytes)[i]} << (8 * i);
  return word;
}

}  // namespace

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  // Up to 256 bytes come whole, without interruption.
  if (getrandom(bytes.data(), count, 0) != static_cast<ssize_t>(count))
    throw Error("the system provides no random numbers");
  return bytes;
}

JobSecret make_job_secret() {
  JobSecret secret;
  std::memcpy(secret.data(), random_bytes(secret.size()).data(), secret.size());
  return secret;
}

std::uint64_t keyed_hash(const JobSecret& key, std::string_view text) noexcept {
  const std::uint64_t k0 = word_of(key.data(), 8);
  const std::uint64_t k1 = word_of(key.data() + 8, 8);
  State state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
              k1 ^ 0x7465646279746573};
  const std::size_t whole = text.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) state.take(word_of(text.data() + i, 8));
  state.take(word_of(text.data() + whole, text.size() - whole) | std::uint64_t{text.size() & 0xff}
                                                                     << 56);
  state.v2 ^= 0xff;
  state.rounds(4);
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace grappa::internal
