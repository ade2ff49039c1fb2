#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "grappa/base/text_values.hpp"
#include "grappa/query/datalog/grammar.hpp"

namespace grappa::query::datalog {

void Grammar::directive(ast::Program& program) {
  if (at(".decl")) return declaration(program);
  if (at(".type")) return type_declaration(program);
  if (at_any({".input", ".output", ".printsize"})) return io_directive(program);
  if (at_any({".comp", ".init", ".override"})) fail_unsupported("components are");
  if (at_any({".number_type", ".symbol_type"}))
    fail(position(), fmt::format("{} is not supported: .type NAME <: {} is", word(),
                                 at(".number_type") ? "number" : "symbol"));
  fail_unsupported(fmt::format("{} is", word()));
}

void Grammar::refuse_directive() const {
  constexpr std::array<std::string_view, 5> kNames{"decl", "type", "input", "output", "printsize"};
  fail(position(), fmt::format("there is no .{}{}", word(1),
                               grappa::internal::nearest_hint(word(1), kNames, ".")));
}

std::vector<ast::Name> Grammar::names(std::string_view what) {
  std::vector<ast::Name> all;
  do {
    all.push_back(expect_name(what));
    if (at(".") && at(TokenKind::kWord, 1) && peek(1).offset == peek().offset + 1)
      fail_unsupported("components are");
  } while (accept(","));
  return all;
}

void Grammar::declaration(ast::Program& program) {
  ++next_;
  const std::vector<ast::Name> declared = names("the name of a relation");
  for (const ast::Name& name : declared)
    if (is_functor(name.text) || is_test(name.text))
      fail(name.position, fmt::format("{} is the name of a functor", name.text));
  std::vector<ast::Attribute> attributes;
  expect("(");
  if (!accept(")")) {
    do {
      ast::Attribute attribute{.name = expect_name("the name of an attribute")};
      expect(":");
      attribute.type = expect_name("a type");
      attributes.push_back(std::move(attribute));
    } while (accept(","));
    if (!accept(")")) fail_expected("',' or ')'");
  }
  // How Soufflé keeps a relation is its affair; what a relation means is not.
  while (at_any({"btree", "brie", "inline", "no_inline", "magic", "no_magic", "btree_delete"}))
    ++next_;
  if (at_any({"eqrel", "overridable"})) fail_unsupported(fmt::format("{} is", word()));
  if (at("choice")) fail_unsupported("choice-domain is");
  for (const ast::Name& name : declared) program.declarations.push_back({name, attributes});
}

void Grammar::type_declaration(ast::Program& program) {
  ++next_;
  ast::TypeDeclaration made{.name = expect_name("the name of a type")};
  if (!accept("<:") && !accept("=")) fail_expected("'<:' or '='");
  do {
    if (at("[")) fail_unsupported("records are");
    made.bases.push_back(expect_name("a type"));
    if (at("{")) fail_unsupported("algebraic data types are");
  } while (accept("|"));
  program.types.push_back(std::move(made));
}

void Grammar::io_directive(ast::Program& program) {
  const ast::Name kind{std::string(word().substr(1)), position()};
  ++next_;
  const std::vector<ast::Name> relations = names("the name of a relation");
  std::vector<ast::Option> options;
  if (accept("(")) {
    do {
      ast::Option option{.key = expect_name("an option")};
      expect("=");
      if (at(TokenKind::kString))
        option.value = unquoted(text_, peek());
      else if (at(TokenKind::kWord) || at(TokenKind::kInteger))
        option.value = word();
      else
        fail_expected("a value");
      ++next_;
      options.push_back(std::move(option));
    } while (accept(","));
    if (!accept(")")) fail_expected("',' or ')'");
  }
  for (const ast::Name& relation : relations)
    program.directives.push_back({kind, relation, options});
}

}  // namespace grappa::query::datalog
