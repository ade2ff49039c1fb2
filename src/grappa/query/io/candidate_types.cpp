#include "grappa/query/io/candidate_types.hpp"

#include <bit>

#include "grappa/io/text/text_line.hpp"
#include "grappa/query/value_text.hpp"

namespace grappa::query {

bool holds(const Type& type, std::string_view text) {
  if (type.id == TypeId::kNull) return false;
  if (type.id == TypeId::kBoolean) {
    if (text.size() < 4 || text.size() > 5) return false;
    const std::string small = io::lower(text);
    return small == "true" || small == "false";
  }
  if (type.id == TypeId::kDecimal && text.find_first_of(".eE") != std::string_view::npos)
    return false;
  return with_physical(type.physical(), [&]<class T>() {
    T value;
    return parse(text, type, value);
  });
}

Type CandidateTypes::best() const {
  if (bits_ == kAll) return {};
  return kTypes[static_cast<std::size_t>(std::countr_zero(bits_))];
}

void CandidateTypes::narrow(std::string_view text) {
  for (std::size_t i = 0; i + 1 < kTypes.size(); ++i) {
    const auto bit = static_cast<std::uint8_t>(1U << i);
    if ((bits_ & bit) != 0 && !holds(kTypes[i], text)) bits_ &= static_cast<std::uint8_t>(~bit);
  }
}

}  // namespace grappa::query
