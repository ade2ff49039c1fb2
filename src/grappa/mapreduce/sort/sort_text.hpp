#pragma once

// Text files, or files of records, sorted into one.
//
//   io::OutputFile out("sorted.txt");
//   SortSummary sorted = sort_text({.paths = {"a.txt", "b.txt.gz"}}, out);
//   out.commit();
//
// Lines are in the order of their bytes, as `LC_ALL=C sort` has them; or in that of the number in
// one of their columns, and where that is the same in the order of their bytes. Records of 100
// bytes (as in the benchmark TeraSort, sortbenchmark.org, whose first ten bytes are the key) are in
// the order of their bytes. Numbers are compared as doubles, integers of up to 64 bits exactly. A
// byte order mark in front of a text is left out. All is kept in memory: the text, and for each
// line or record 24 bytes.
//
// Called by one task; switches tasks. InputError as that of read_lines (dataset.hpp), for a line
// without a number in the column or with an integer there that would be rounded, and for a file
// that is no whole number of records.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/io/output_file.hpp"

namespace grappa::mapreduce {

struct SortOptions {
  enum class By : std::uint8_t { kBytes, kNumber, kRecords };

  std::vector<std::string> paths;
  By by = By::kBytes;
  int column = 1;        // of kNumber, from 1
  char separator = ' ';  // ' ': blanks and tabs, any number of them
  bool reverse = false;
  std::int64_t skip_bad_records = 0;
  /// What is being done, and how much of it is done: 0 ... 1, or negative where that is not known.
  std::function<void(std::string_view step, double fraction)> progress = {};
};

struct SortSummary {
  std::int64_t records = 0;
  std::int64_t bytes = 0;  // written
  std::int64_t skipped = 0;
  double read_seconds = 0;
  double sort_seconds = 0;
  double write_seconds = 0;
};

SortSummary sort_text(const SortOptions& options, io::OutputFile& out);

}  // namespace grappa::mapreduce
