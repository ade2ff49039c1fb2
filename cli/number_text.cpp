#include "cli/number_text.hpp"

#include <array>
#include <charconv>
#include <limits>

namespace grappa::cli {

void append_number(std::string& line, double number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number, std::chars_format::general,
                                 std::numeric_limits<double>::max_digits10);
  line.append(digits.begin(), end.ptr);
}

}  // namespace grappa::cli
