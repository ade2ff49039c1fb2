#include "grappa/query/sql/scanner.hpp"

#include <fmt/format.h>

#include <limits>

#include "grappa/base/utf8.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::sql {

Scanner::Scanner(std::string_view text, std::string_view what) : text_(text) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max())
    throw UsageError(fmt::format("a {} of 4 GiB and more", what));
  const std::size_t invalid = internal::find_invalid_utf8(text);
  if (invalid != std::string_view::npos)
    fail(invalid, fmt::format("expected UTF-8, found the byte 0x{:02X}",
                              static_cast<unsigned char>(text[invalid])));
}

void Scanner::fail(std::size_t offset, std::string_view message) const {
  throw SyntaxError(text_, {static_cast<std::uint32_t>(offset)}, message);
}

}  // namespace grappa::query::sql
