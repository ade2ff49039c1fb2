#pragma once

// SipHash-2-4: a short keyed hash. Without the key one can neither make the hash of a text nor
// learn the key from hashes.
//
//   const JobSecret secret = make_job_secret();
//   const std::uint64_t proof = keyed_hash(secret, nonce);
//
// J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF, 2012.
// Thread safety: pure functions.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace grappa::internal {

using JobSecret = std::array<std::uint8_t, 16>;

/// From the system's random numbers. Throws Error when there are none.
JobSecret make_job_secret();

/// `count` random bytes.
std::string random_bytes(std::size_t count);

std::uint64_t keyed_hash(const JobSecret& key, std::string_view text) noexcept;

}  // namespace grappa::internal
