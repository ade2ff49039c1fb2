#include "grappa/graph/io/internal/formats/ldbc_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "grappa/graph/io/format.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "grappa/io/text/text_line.hpp"

namespace grappa::graph::io {
namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// `base` with one of the compressions, `like` first, if there is such a file.
std::optional<std::string> find_compressed(const std::string& base, std::string_view like) {
  std::string same = base + std::string(like);
  if (exists(same)) return same;
  for (const char* ending : {"", ".gz", ".zst"}) {
    if (exists(base + ending)) return base + ending;
  }
  return std::nullopt;
}

}  // namespace

GraphFiles find_ldbc_files(const std::string& path) {
  const std::string_view plain = without_compression(path);
  const std::string_view compression = std::string_view(path).substr(plain.size());
  std::string_view stem = plain;
  for (const char* ending : {".v", ".e", ".V", ".E"}) {
    if (plain.ends_with(ending)) stem = plain.substr(0, plain.size() - 2);
  }
  GraphFiles files;
  const std::string base(stem);
  files.vertices = find_compressed(base + ".v", compression);
  files.edges = find_compressed(base + ".e", compression).value_or(base + ".e");
  if (exists(base + ".properties")) files.properties = base + ".properties";
  return files;
}

std::optional<bool> ldbc_directed(ExaminedFile& properties) {
  LineReader reader(Input::open(properties), {});
  std::string_view line;
  while (reader.next_line(line)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || line.starts_with('#')) continue;
    if (!trimmed(line.substr(0, equals)).ends_with(".directed")) continue;
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (value == "true") return true;
    if (value == "false") return false;
    reader.fail(reader.last_line(), fmt::format("expected true or false, found {}", quoted(value)));
  }
  return std::nullopt;
}

}  // namespace grappa::graph::io
