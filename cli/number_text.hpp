#pragma once

// Numbers as -o has them.

#include <string>

namespace grappa::cli {

/// With as many digits as it takes to read the same number again: 17 significant ones; inf.
void append_number(std::string& line, double number);

}  // namespace grappa::cli
