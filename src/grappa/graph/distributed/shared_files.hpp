#pragma once

// Files that several locales are about to read.
//
//   check_same_files({"web.txt"}, exchange);
//
// Every locale must have them under the same path and with the same content (io/file_identity.hpp):
// InputError, naming the file, the locale and its host, otherwise. Called by one task, of locale 0;
// switches tasks.

#include <string>
#include <vector>

#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {

void check_same_files(const std::vector<std::string>& files, const Exchange& exchange);

}  // namespace grappa::graph
