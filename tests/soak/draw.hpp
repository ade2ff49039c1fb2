#pragma once

// What tasks and a model both can compute, and how they are compared.

#include <cstdint>
#include <string>

namespace soak {

[[noreturn]] void fail(const std::string& what);

template <class A, class B>
void require_equal(const A& got, const B& expected, const std::string& what) {
  if (got != static_cast<A>(expected)) {
    fail(what + ": " + std::to_string(got) + ", but the model has " + std::to_string(expected));
  }
}

/// Random numbers that tasks and the model both can compute.
struct Draw {
  std::uint64_t seed;
  std::uint64_t operator()(std::uint64_t i, std::uint64_t stream = 0) const {
    std::uint64_t x = seed + (i * 8 + stream + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  std::int64_t below(std::int64_t n, std::int64_t i, std::uint64_t stream = 0) const {
    return static_cast<std::int64_t>((*this)(static_cast<std::uint64_t>(i), stream) %
                                     static_cast<std::uint64_t>(n));
  }
};

}  // namespace soak
