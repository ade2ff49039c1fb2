#pragma once

// The Parallel Boost Graph Library on the part of a graph that this process has.
//
//   PbglSystem system(files, {.vertices = n, .arcs = m, .weight_type = "uint8"});   // collective
//   system.prepare("sssp", 0);
//   const double seconds = system.run("sssp", 17);
//   print(system.first_vertex(), system.values());
//
// Every process of MPI_COMM_WORLD makes the same calls. Its vertices are a block of consecutive
// ones, and each has the rows of its own: the library's own distribution of compressed sparse rows.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grappa::bench {

/// Where the arrays of the graph are.
struct PbglFiles {
  std::string offsets;  // 64 bits each, [vertices + 1]
  std::string targets;  // 32 bits each, [arcs]
  std::string weights;  // of the type that the shape says, [arcs]
};

struct PbglShape {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
  std::string weight_type;  // "none", "uint8", "uint32", "float64"
};

class PbglSystem {
 public:
  PbglSystem(const PbglFiles& files, const PbglShape& shape);
  ~PbglSystem();
  PbglSystem(const PbglSystem&) = delete;
  PbglSystem& operator=(const PbglSystem&) = delete;

  /// The library and its version.
  static std::string name();

  /// Before runs of a kernel: throws where the library cannot run it on this graph. `delta`: the
  /// width of the buckets of "sssp"; 0: the library's own choice.
  void prepare(std::string_view kernel, double delta);

  /// Seconds of the library's call in this process.
  double run(std::string_view kernel, std::int64_t source);

  std::int64_t first_vertex() const;
  /// What was computed last, of the vertices of this process: depths and distances, infinite where
  /// there is no path; ranks; numbers that the vertices of a component have in common; dependencies
  /// of the source, halved.
  std::span<const double> values() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace grappa::bench
