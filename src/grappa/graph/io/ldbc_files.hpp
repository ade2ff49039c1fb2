#pragma once

// The files of an LDBC Graphalytics data set, found from the name of any of them.
//
//   LdbcFiles files = find_ldbc_files("data/example.e.gz");   // example.v.gz or .v or .v.zst ...

#include <optional>
#include <string>

namespace grappa::graph::io {

struct LdbcFiles {
  std::string edges;                      // the name at least; whether it is there, opening shows
  std::optional<std::string> vertices;    // if it is there
  std::optional<std::string> properties;  // if it is there
};

LdbcFiles find_ldbc_files(const std::string& path);

/// What the line "graph.NAME.directed = true|false" of the properties says. InputError for a file
/// that cannot be read or another value.
std::optional<bool> ldbc_directed(const std::string& properties);

}  // namespace grappa::graph::io
