#pragma once

// The files of an LDBC Graphalytics data set, found from the name of any of them.
//
//   GraphFiles files = find_ldbc_files("data/example.e.gz");   // example.v.gz or .v or .v.zst ...

#include <optional>
#include <string>
#include <tuple>

#include "grappa/graph/io/internal/io_names.hpp"
#include "grappa/io/examined_file.hpp"

namespace grappa::graph::io {

/// Names of the files of a graph; only LDBC's has more than one.
struct GraphFiles {
  std::optional<std::string> edges = {};       // of LDBC: whether it is there, opening shows
  std::optional<std::string> vertices = {};    // if it is there
  std::optional<std::string> properties = {};  // if it is there

  static constexpr auto kMembers =
      std::tuple(&GraphFiles::edges, &GraphFiles::vertices, &GraphFiles::properties);
};

GraphFiles find_ldbc_files(const std::string& path);

/// What the line "graph.NAME.directed = true|false" of the properties says. InputError for a file
/// that cannot be read or another value.
std::optional<bool> ldbc_directed(ExaminedFile& properties);

}  // namespace grappa::graph::io
