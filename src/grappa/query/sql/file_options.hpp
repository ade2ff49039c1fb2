#pragma once

// What COPY and the functions that read files say of a file.
//
//   const RowFormat format = written_format(copy.file, text);     // COPY … TO
//   const TableSource source = read_source(copy.file, text);      // COPY … FROM
//
// SyntaxError, at its place, for what is no option of the format, or no value of the option.

#include <string>
#include <string_view>
#include <vector>

#include "grappa/query/io/row_format.hpp"
#include "grappa/query/io/table_reader.hpp"
#include "grappa/query/sql/ast.hpp"

namespace grappa::query::sql {

/// The format is that of FORMAT, else what the file's name says.
RowFormat written_format(const CopiedFile& file, std::string_view text);

/// The format is that of FORMAT; else CSV where there are options, and detected where there are
/// none.
TableSource read_source(const CopiedFile& file, std::string_view text);

/// Of a graph, from which edges() takes its edges.
TableSource graph_with(const std::string& path, const std::vector<FileOption>& options,
                       std::string_view text);

TableSource source_with(const std::vector<std::string>& paths, TableFormat format,
                        const std::vector<FileOption>& options, std::string_view text);

}  // namespace grappa::query::sql
