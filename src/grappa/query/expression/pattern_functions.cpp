// LIKE and ILIKE.

#include <optional>

#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/kernels.hpp"
#include "grappa/query/expression/like_pattern.hpp"

namespace grappa::query {
namespace {

char escape_of(std::string_view text) {
  if (text.size() > 1) throw QueryError("ESCAPE takes one character of ASCII, or none");
  return text.empty() ? '\0' : text[0];
}

/// A pattern that is the same for all rows.
template <bool kAnyCase>
std::shared_ptr<void> prepare_like(const Expression& expression) {
  const Expressions& arguments = expression.arguments;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (!arguments[i]->is_constant() || arguments[i]->value.is_null()) return nullptr;
  const char escape = arguments.size() > 2 ? escape_of(arguments[2]->value.text()) : '\\';
  return std::make_shared<LikePattern>(arguments[1]->value.text(), escape, kAnyCase);
}

template <bool kAnyCase>
void like(const KernelCall& call) {
  auto* const out = static_cast<std::uint8_t*>(call.values);
  const Vector& texts = call.arguments[0];
  if (const auto* pattern = static_cast<const LikePattern*>(call.state)) {
    call.for_each([&](std::size_t row) {
      out[row] = pattern->matches(texts.at<TextRef>(row).view()) ? 1 : 0;
    });
    return;
  }
  call.for_each([&](std::size_t row) {
    const char escape =
        call.arguments.size() > 2 ? escape_of(call.arguments[2].at<TextRef>(row).view()) : '\\';
    const LikePattern pattern(call.arguments[1].at<TextRef>(row).view(), escape, kAnyCase);
    out[row] = pattern.matches(texts.at<TextRef>(row).view()) ? 1 : 0;
  });
}

}  // namespace

void add_pattern_functions(FunctionList& list) {
  for (const bool has_escape : {false, true}) {
    std::vector<Type> parameters{kText, kText};
    if (has_escape) parameters.push_back(kText);
    list.add({.name = "like",
              .parameters = parameters,
              .result = kBoolean,
              .kernel = like<false>,
              .can_fail = has_escape,
              .prepare = prepare_like<false>});
    list.add({.name = "ilike",
              .parameters = parameters,
              .result = kBoolean,
              .kernel = like<true>,
              .can_fail = has_escape,
              .prepare = prepare_like<true>});
  }
}

}  // namespace grappa::query
