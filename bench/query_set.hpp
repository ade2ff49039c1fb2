#pragma once

// Tables, queries about them, and their answers, in a folder: see bench/baselines/query_sets.py.
//
//   const QuerySet set = open_query_set(folder);
//   for (const auto& [table, file] : set.tables) database.add_file(table, file);

#include <string>
#include <utility>
#include <vector>

#include "bench/query_answers.hpp"

namespace grappa::bench {

struct QueryOfSet {
  std::string name;  // such as 7, or 4.1
  std::string file;
  std::string text;
  bool is_ordered = true;  // else it has the words "any order", and its rows are to be sorted
  Rows expected;
};

struct QuerySet {
  std::vector<std::pair<std::string, std::string>> tables;  // names and Parquet files, sorted
  std::vector<QueryOfSet> queries;                          // by number
};

/// UsageError where there is no such folder, or it has no tables, or not a query with its answer.
QuerySet open_query_set(const std::string& folder);

/// Where a set is kept if nobody says another place: in $XDG_CACHE_HOME/grappa, or ~/.cache/grappa.
/// UsageError where neither is known.
std::string default_folder_of(const std::string& name_of_set);

}  // namespace grappa::bench
