#include "bench/query_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "grappa/base/error.hpp"

namespace grappa::bench {
namespace {

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw UsageError(fmt::format("{}: cannot be read", path.string()));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// 3a behind 2, and before 3b and 10.
std::pair<double, std::string> place_of_query(const QueryOfSet& query) {
  return {std::strtod(query.name.c_str(), nullptr), query.name};
}

}  // namespace

QuerySet open_query_set(const std::string& folder) {
  QuerySet set;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() == ".parquet") {
      set.tables.emplace_back(path.stem().string(), path.string());
    } else if (path.extension() == ".sql") {
      std::filesystem::path answer = path;
      answer.replace_extension(".json");
      QueryOfSet& query = set.queries.emplace_back();
      query.name = path.stem().string();
      query.file = path.string();
      query.text = text_of_file(path);
      query.is_ordered = query.text.find("-- any order") == std::string::npos;
      query.expected = rows_of_json(text_of_file(answer));
      if (!query.is_ordered) std::ranges::sort(query.expected);
    }
  }
  if (error) throw UsageError(fmt::format("{}: {}", folder, error.message()));
  if (set.tables.empty() || set.queries.empty())
    throw UsageError(fmt::format("{}: there are no tables (.parquet) and queries (.sql)", folder));
  std::ranges::sort(set.tables);
  std::ranges::sort(set.queries, {}, place_of_query);
  return set;
}

std::string default_folder_of(const std::string& name_of_set) {
  // One that is relative is to be ignored, says the XDG Base Directory Specification.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return (std::filesystem::path(cache) / "grappa" / name_of_set).string();
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return (std::filesystem::path(home) / ".cache/grappa" / name_of_set).string();
  throw UsageError("bench queries: there is no home for the tables: --data names a folder");
}

}  // namespace grappa::bench
