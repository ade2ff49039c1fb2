// Regular expressions, by RE2: their time is linear in the text, whatever the pattern.
//
// Options are letters, as PostgreSQL has them: i any case, c case matters, g all matches are
// replaced, l the pattern is a text, m, n and p the point matches no line break, and ^ and $ match
// at lines, s the contrary. Without options the point matches a line break.

#include <fmt/format.h>
#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

#include "grappa/query/expression/function_list.hpp"
#include "grappa/query/expression/text_kernels.hpp"

namespace grappa::query {
namespace {

struct RegexOptions {
  bool any_case = false;
  bool by_lines = false;
  bool is_literal = false;
  bool replaces_all = false;
};

RegexOptions regex_options(std::string_view letters, bool may_replace) {
  RegexOptions options;
  for (const char letter : letters) {
    if (letter == 'i' || letter == 'c') {
      options.any_case = letter == 'i';
    } else if (letter == 's' || letter == 'm' || letter == 'n' || letter == 'p') {
      options.by_lines = letter != 's';
    } else if (letter == 'l') {
      options.is_literal = true;
    } else if (letter == 'g' && may_replace) {
      options.replaces_all = true;
    } else {
      throw QueryError(fmt::format("'{}' is no option of a regular expression; there are {}",
                                   std::string_view(&letter, 1),
                                   may_replace ? "c, g, i, l, m, n, p, s" : "c, i, l, m, n, p, s"));
    }
  }
  return options;
}

/// PostgreSQL's \& for all of the match is RE2's \0.
std::string rewrite_of(std::string_view replacement) {
  std::string rewrite(replacement);
  for (std::size_t i = 0; i + 1 < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') continue;
    ++i;
    if (rewrite[i] == '&') rewrite[i] = '0';
  }
  return rewrite;
}

/// What SIMILAR TO takes, as a regular expression: % and _ are those of LIKE, ^, $ and the point
/// stand for themselves.
std::string from_similar(std::string_view pattern, std::string_view escape) {
  if (escape.size() > 1) throw QueryError("ESCAPE takes one character of ASCII, or none");
  std::string made;
  bool in_brackets = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (!escape.empty() && c == escape[0]) {
      if (++i == pattern.size()) throw QueryError("nothing follows the escape in the pattern");
      made += RE2::QuoteMeta(re2::StringPiece(&pattern[i], 1));
    } else if (in_brackets || c == '[') {
      in_brackets = c != ']';
      made += c;
    } else if (c == '%') {
      made += ".*";
    } else if (c == '_') {
      made += '.';
    } else if (c == '.' || c == '^' || c == '$' || c == '\\') {
      made += '\\';
      made += c;
    } else {
      made += c;
    }
  }
  return made;
}

class Regex {
 public:
  Regex(std::string_view pattern, std::string_view options, bool may_replace = false)
      : pattern_(pattern),
        letters_(options),
        options_(regex_options(options, may_replace)),
        compiled_(options_.by_lines && !options_.is_literal ? "(?m)" + pattern_ : pattern_,
                  compiler_options(options_)) {
    if (!compiled_.ok())
      throw QueryError(
          fmt::format("'{}' is no regular expression: {}", pattern_, compiled_.error()));
  }

  bool is_of(std::string_view pattern, std::string_view letters) const {
    return pattern == pattern_ && letters == letters_;
  }
  bool replaces_all() const { return options_.replaces_all; }
  const RE2& compiled() const { return compiled_; }
  /// Of a group, of which 0 is all; false if nothing matches.
  bool find(std::string_view text, std::int64_t group, std::string_view& found) const {
    constexpr int kMostGroups = 10;
    if (group < 0 || group >= kMostGroups || group > compiled_.NumberOfCapturingGroups())
      throw QueryError(fmt::format("'{}' has no group {}", pattern_, group));
    re2::StringPiece groups[kMostGroups];
    if (!compiled_.Match(text, 0, text.size(), RE2::UNANCHORED, groups,
                         static_cast<int>(group) + 1))
      return false;
    const re2::StringPiece& part = groups[group];
    found = {part.data(), part.size()};
    return true;
  }

 private:
  static RE2::Options compiler_options(const RegexOptions& options) {
    RE2::Options made;
    made.set_log_errors(false);
    made.set_case_sensitive(!options.any_case);
    made.set_dot_nl(!options.by_lines);
    made.set_literal(options.is_literal);
    return made;
  }

  std::string pattern_;
  std::string letters_;
  RegexOptions options_;
  RE2 compiled_;
};

/// How a function gets its regular expression: the pattern is the second argument, the options are
/// another one, or fixed.
enum class Dialect : std::uint8_t { kPlain, kAnyCase, kReplacing, kSimilar };

template <Dialect kDialect>
std::shared_ptr<Regex> make_regex(std::string_view pattern, std::string_view options) {
  if constexpr (kDialect == Dialect::kSimilar) {
    return std::make_shared<Regex>(from_similar(pattern, options), "");
  } else if constexpr (kDialect == Dialect::kAnyCase) {
    return std::make_shared<Regex>(pattern, "i");
  } else {
    return std::make_shared<Regex>(pattern, options, kDialect == Dialect::kReplacing);
  }
}
template <Dialect kDialect>
constexpr std::string_view kNoOptions = kDialect == Dialect::kSimilar ? "\\" : "";

/// Where both are the same for all rows. `kOptions` is the place of the options.
template <Dialect kDialect, std::size_t kOptions>
std::shared_ptr<void> prepare_regex(const Expression& call) {
  const auto is_known = [&](std::size_t i) {
    return call.arguments[i]->is_constant() && !call.arguments[i]->value.is_null();
  };
  const bool has_options = call.arguments.size() > kOptions;
  if (!is_known(1) || (has_options && !is_known(kOptions))) return nullptr;
  return make_regex<kDialect>(call.arguments[1]->value.text(),
                              has_options ? std::string_view(call.arguments[kOptions]->value.text())
                                          : kNoOptions<kDialect>);
}

/// The regular expression of each row.
template <Dialect kDialect, std::size_t kOptions>
class RegexOfRow {
 public:
  explicit RegexOfRow(const KernelCall& call)
      : call_(call), prepared_(static_cast<const Regex*>(call.state)) {}

  const Regex& operator()(std::size_t row) {
    if (prepared_ != nullptr) return *prepared_;
    const std::string_view pattern = text_argument(call_, 1, row);
    const std::string_view options = call_.arguments.size() > kOptions
                                         ? text_argument(call_, kOptions, row)
                                         : kNoOptions<kDialect>;
    if (!last_ || pattern != pattern_ || options != options_) {
      last_ = make_regex<kDialect>(pattern, options);
      pattern_ = pattern;
      options_ = options;
    }
    return *last_;
  }

 private:
  const KernelCall& call_;
  const Regex* prepared_;
  std::shared_ptr<Regex> last_;
  std::string pattern_;
  std::string options_;
};

template <Dialect kDialect, bool kWhole>
void matches(const KernelCall& call) {
  auto* const out = static_cast<std::uint8_t*>(call.values);
  RegexOfRow<kDialect, 2> regex(call);
  call.for_each([&](std::size_t row) {
    const std::string_view text = text_argument(call, 0, row);
    const RE2& compiled = regex(row).compiled();
    const bool found = kWhole ? RE2::FullMatch(text, compiled) : RE2::PartialMatch(text, compiled);
    out[row] = found ? 1 : 0;
  });
}

void replace_matches(const KernelCall& call) {
  RegexOfRow<Dialect::kReplacing, 3> regex(call);
  std::string changed;
  make_texts(call, [&](std::size_t row) -> std::string_view {
    const Regex& of_row = regex(row);
    const std::string rewrite = rewrite_of(text_argument(call, 2, row));
    if (std::string wrong; !of_row.compiled().CheckRewriteString(rewrite, &wrong))
      throw QueryError(fmt::format("'{}' is no replacement: {}", rewrite, wrong));
    changed.assign(text_argument(call, 0, row));
    if (of_row.replaces_all())
      RE2::GlobalReplace(&changed, of_row.compiled(), rewrite);
    else
      RE2::Replace(&changed, of_row.compiled(), rewrite);
    return changed;
  });
}

/// Without a match: an empty text, or NULL.
template <bool kNull>
void extract(const KernelCall& call) {
  RegexOfRow<Dialect::kPlain, 3> regex(call);
  make_texts(call, [&](std::size_t row) {
    std::string_view found;
    const std::int64_t group = call.arguments.size() > 2 ? number_argument(call, 2, row) : 0;
    const bool has_match = regex(row).find(text_argument(call, 0, row), group, found);
    if (kNull && (!has_match || found.data() == nullptr)) clear_bit(call.valid, row);
    return found;
  });
}

void count_matches(const KernelCall& call) {
  auto* const out = static_cast<std::int64_t*>(call.values);
  RegexOfRow<Dialect::kPlain, 2> regex(call);
  call.for_each([&](std::size_t row) {
    const std::string_view text = text_argument(call, 0, row);
    const RE2& compiled = regex(row).compiled();
    std::int64_t count = 0;
    re2::StringPiece match;
    for (std::size_t at = 0; at <= text.size();) {
      if (!compiled.Match(text, at, text.size(), RE2::UNANCHORED, &match, 1)) break;
      ++count;
      const auto end = static_cast<std::size_t>(match.data() + match.size() - text.data());
      at = match.empty() ? end + 1 : end;
    }
    out[row] = count;
  });
}

}  // namespace

void add_regular_expression_functions(FunctionList& list) {
  const auto add_test = [&](std::string_view name, std::size_t parameters, Kernel kernel,
                            std::shared_ptr<void> (*prepare)(const Expression&)) {
    list.add({.name = std::string(name),
              .parameters = std::vector<Type>(parameters, kText),
              .result = kBoolean,
              .kernel = kernel,
              .can_fail = true,
              .prepare = prepare});
  };
  constexpr auto kPrepare = prepare_regex<Dialect::kPlain, 2>;
  for (const std::size_t parameters : {std::size_t{2}, std::size_t{3}}) {
    add_test("regexp_matches", parameters, matches<Dialect::kPlain, false>, kPrepare);
    add_test("regexp_full_match", parameters, matches<Dialect::kPlain, true>, kPrepare);
    add_test("similar_to", parameters, matches<Dialect::kSimilar, true>,
             prepare_regex<Dialect::kSimilar, 2>);
    list.add({.name = "regexp_count",
              .parameters = std::vector<Type>(parameters, kText),
              .result = kInt64,
              .kernel = count_matches,
              .can_fail = true,
              .prepare = kPrepare});
    list.add({.name = "regexp_replace",
              .parameters = std::vector<Type>(parameters + 1, kText),
              .result = kText,
              .kernel = replace_matches,
              .can_fail = true,
              .prepare = prepare_regex<Dialect::kReplacing, 3>});
  }
  list.alias("regexp_like", "regexp_matches");
  add_test("regexp_matches_any_case", 2, matches<Dialect::kAnyCase, false>,
           prepare_regex<Dialect::kAnyCase, 2>);
  for (const std::vector<Type>& parameters :
       {std::vector<Type>{kText, kText}, {kText, kText, kInt64}, {kText, kText, kInt64, kText}}) {
    list.add({.name = "regexp_extract",
              .parameters = parameters,
              .result = kText,
              .kernel = extract<false>,
              .can_fail = true,
              .prepare = prepare_regex<Dialect::kPlain, 3>});
  }
  list.add({.name = "regexp_substr",
            .parameters = {kText, kText},
            .result = kText,
            .kernel = extract<true>,
            .can_fail = true,
            .makes_nulls = true,
            .prepare = prepare_regex<Dialect::kPlain, 3>});
}

}  // namespace grappa::query
