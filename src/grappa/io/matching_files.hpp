#pragma once

// The files that a pattern of the shell names: "parts/*.csv.gz".
//
//   for (const std::string& path : matching_files("parts/*.csv")) use(path);
//   for (const std::string& path : matching_files("years/**/{january,june}.csv")) use(path);
//
// ** are folders in folders, as many as there are, or none; without those that begin with a dot and
// links to folders.
// In the order of their bytes. What is no pattern, or is the name of a file, is itself. InputError
// where no file matches. Any thread.

#include <string>
#include <vector>

namespace grappa::io {

std::vector<std::string> matching_files(const std::string& pattern);
/// None where no file matches.
std::vector<std::string> files_there(const std::string& pattern);

}  // namespace grappa::io
