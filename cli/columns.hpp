#pragma once

// What a kernel found, as arrays: for programs that take numbers and not text.
//
//   for (const ResultColumn& column : kernel.columns(in))
//     std::visit([&](const auto& values) { use(column.name, values); }, column.values);

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace grappa::cli {

/// Numbers of one kind, mostly one for each vertex, in ascending order of the vertices' names.
struct ResultColumn {
  using Values = std::variant<std::vector<double>, std::vector<std::uint8_t>,
                              std::vector<std::int32_t>, std::vector<std::uint32_t>,
                              std::vector<std::int64_t>, std::vector<std::uint64_t>>;

  std::string name;
  Values values;
  bool are_vertices = false;  // the numbers are those of vertices, which have names
};
using ResultColumns = std::vector<ResultColumn>;

}  // namespace grappa::cli
