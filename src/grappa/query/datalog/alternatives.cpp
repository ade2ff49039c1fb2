#include <fmt/format.h>

#include <utility>

#include "grappa/query/datalog/rule_checker.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {
namespace {

constexpr std::size_t kMostLiterals = 1000;           // of a conjunction
constexpr std::size_t kMostInAlternatives = 100'000;  // of all of them

class Alternatives {
 public:
  explicit Alternatives(std::string_view text) : text_(text) {}

  std::vector<Conjunction> of(const ast::BodyPtr& body, bool is_negated) const {
    switch (body->kind) {
      case ast::BodyKind::kNot:
        return of(body->parts[0], !is_negated);
      case ast::BodyKind::kTrue:
      case ast::BodyKind::kFalse:
        if ((body->kind == ast::BodyKind::kTrue) != is_negated) return {{}};
        return {};
      case ast::BodyKind::kAnd:
      case ast::BodyKind::kOr:
        // Where it is negated, the one is the other of what is negated.
        return (body->kind == ast::BodyKind::kOr) != is_negated ? any_of(*body, is_negated)
                                                                : all_of(*body, is_negated);
      default:
        return {{{body, is_negated}}};
    }
  }

 private:
  std::vector<Conjunction> any_of(const ast::Body& body, bool is_negated) const {
    std::vector<Conjunction> all;
    for (const ast::BodyPtr& part : body.parts)
      for (Conjunction& one : of(part, is_negated)) all.push_back(std::move(one));
    return checked(std::move(all), body);
  }

  std::vector<Conjunction> all_of(const ast::Body& body, bool is_negated) const {
    std::vector<Conjunction> all(1);
    for (const ast::BodyPtr& part : body.parts) {
      const std::vector<Conjunction> choices = of(part, is_negated);
      if (choices.size() == 1) {
        for (Conjunction& one : all) one.insert(one.end(), choices[0].begin(), choices[0].end());
        continue;
      }
      std::vector<Conjunction> made;
      std::size_t literals = 0;
      for (const Conjunction& one : all) {
        for (const Conjunction& choice : choices) {
          made.push_back(one);
          made.back().insert(made.back().end(), choice.begin(), choice.end());
          if ((literals += made.back().size()) > kMostInAlternatives) refuse(body);
        }
      }
      all = std::move(made);
    }
    return checked(std::move(all), body);
  }

  std::vector<Conjunction> checked(std::vector<Conjunction> all, const ast::Body& body) const {
    std::size_t literals = 0;
    for (const Conjunction& one : all) {
      literals += one.size();
      if (one.size() > kMostLiterals)
        throw sql::SyntaxError(text_, body.position,
                               fmt::format("more than {} literals in a body", kMostLiterals));
    }
    if (literals > kMostInAlternatives) refuse(body);
    return all;
  }

  [[noreturn]] void refuse(const ast::Body& body) const {
    throw sql::SyntaxError(text_, body.position,
                           "the alternatives of this body are too many: give some of them a "
                           "relation of their own");
  }

  std::string_view text_;
};

}  // namespace

std::vector<Conjunction> alternatives(const ast::BodyPtr& body, std::string_view text) {
  return Alternatives(text).of(body, false);
}

}  // namespace grappa::query::datalog
