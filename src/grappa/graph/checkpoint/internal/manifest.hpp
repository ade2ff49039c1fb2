#pragma once

// What a checkpoint is of, and which files hold it: DIR/manifest.
//
//   write_manifest("DIR", manifest);              // replaces the one before, or does nothing
//   Manifest again = read_manifest("DIR");        // InputError if it is not whole
//
// A folder holds one checkpoint: the manifest, and the parts that it names, each a piece of all
// arrays for a range of vertices. A checkpoint exists from the moment when its manifest replaces
// the one before; parts that no manifest names are garbage.
//
// The file, little-endian:
//   "GRAPPACP", version, length, contents as below (bytes.hpp), hash of all that
//
// Errors: InputError for a manifest that is missing, damaged or of another version, Error for one
// that cannot be written.

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace grappa::graph {

/// What tells one graph from another.
struct GraphFingerprint {
  std::int64_t vertices = 0;
  std::int64_t arcs = 0;
  std::uint64_t structure = 0;  // a hash of all arcs, whatever their order

  friend bool operator==(const GraphFingerprint&, const GraphFingerprint&) = default;
};

struct Manifest {
  struct Array {
    std::string name;
    std::int64_t element_bytes = 0;
    static constexpr auto kMembers = std::tuple(&Array::name, &Array::element_bytes);
  };
  struct Scalar {
    std::string name;
    std::uint64_t bits = 0;
    static constexpr auto kMembers = std::tuple(&Scalar::name, &Scalar::bits);
  };
  struct Part {
    std::string file;        // in the folder
    std::int64_t begin = 0;  // the vertices
    std::int64_t end = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0;
    static constexpr auto kMembers =
        std::tuple(&Part::file, &Part::begin, &Part::end, &Part::bytes, &Part::hash);
  };

  std::string kernel;
  std::string options;  // those that change the meaning: "damping 0.85"
  GraphFingerprint graph;
  std::int64_t iteration = 0;
  std::vector<Scalar> scalars;
  std::vector<Array> arrays;
  std::vector<Part> parts;  // by ascending vertices

  static constexpr auto kMembers =
      std::tuple(&Manifest::kernel, &Manifest::options, &Manifest::graph, &Manifest::iteration,
                 &Manifest::scalars, &Manifest::arrays, &Manifest::parts);
};

std::string manifest_path(const std::string& folder);
bool has_manifest(const std::string& folder);
Manifest read_manifest(const std::string& folder);
void write_manifest(const std::string& folder, const Manifest& manifest);

}  // namespace grappa::graph
