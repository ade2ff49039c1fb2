#include "grappa/query/datalog/check.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/query/datalog/parser.hpp"
#include "grappa/query/datalog/stratify.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {
namespace {

/// "line:column: message" of the error that a program is refused with.
std::string error_of_program(const std::string& text) {
  try {
    stratify(check(parse(text), text), text);
  } catch (const sql::SyntaxError& error) {
    const std::string_view what = error.what();
    return std::string(what.substr(0, what.find('\n')));
  }
  return "no error";
}

std::string repeated_text(std::string_view pattern, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += pattern;
  return result;
}

const std::string kDeclarations =
    ".decl e(x: number, y: number) .decl s(t: symbol) .decl p(x: number) .decl f(v: float)\n";

TEST(Datalog, ProgramsThatAreRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      // Syntax.
      {"p(x) :- e(x, y)", "2:16: expected '.' or ',', found the end of the text"},
      {"p(1", "2:4: expected ',' or ')', found the end of the text"},
      {"p(x) :- e(x, ).", "2:14: expected an expression, found )"},
      {"p(x) :- x.", "2:10: expected a comparison, found ."},
      {"p(1) :- s(\"a).", "2:11: the string is not closed in its line"},
      {"p(1). /* ", "2:7: the comment is not closed; */ does that"},
      {"p(12ab).", "2:3: a number runs into letters"},
      {"p(1) ~", "2:6: the character ~ means nothing here"},
      {".decl q(x number)", "2:11: expected :, found number"},
      {"p(_).", "2:3: _ has no value, and one is needed here"},
      // What Soufflé has.
      {".comp C { }", "2:1: components are not supported"},
      {".type R = [a: number]", "2:11: records are not supported"},
      {".type A = B {a: number}", "2:13: algebraic data types are not supported"},
      {"p(x) :- e(x, [1, 2]).", "2:14: records are not supported"},
      {"#include \"a.dl\"", "2:1: #include is not supported: there is no preprocessor"},
      {".functor f(x: number): number", "2:1: .functor is not supported"},
      {".decl q(x: number) eqrel", "2:20: eqrel is not supported"},
      {"p($).", "2:3: algebraic data types and counters ($) are not supported"},
      // Names and numbers of attributes.
      {"q(1).", "2:1: q is not declared"},
      {"p(x) :- edge(x, _).", "2:9: edge is not declared"},
      {"p(1, 2).", "2:1: p has 1 attribute, here are 2"},
      {"p(x) :- e(x).", "2:9: e has 2 attributes, here are 1"},
      {".decl p(x: number)", "2:7: p is declared twice"},
      {".decl q(x: number, x: number)", "2:20: the attribute x is there twice"},
      {".decl q(x: nmber)", "2:12: there is no type nmber; the nearest is number"},
      {".type A <: B .type B <: A", "2:20: the type B is made of itself"},
      {".type A = number | symbol", "2:20: symbol is of another kind than number"},
      {".input q", "2:8: q is not declared"},
      {".input p(IO=sqlite)", "2:10: IO=sqlite is not supported: file and stdout are"},
      {".output p(delimter=\",\")",
       "2:11: there is no option delimter: IO, filename, delimiter, rfc4180 and headers are; the "
       "nearest is delimiter"},
      {"p(strln(\"a\")).", "2:3: there is no functor strln; the nearest is strlen"},
      {"p(strlen(\"a\", \"b\")).", "2:3: strlen takes 1 operand, here are 2"},
      // Kinds.
      {"p(\"a\").", "2:3: a number was expected, this is a symbol"},
      {"p(x) :- s(x).", "2:3: x is a symbol elsewhere, here it would be a number"},
      {"p(x) :- e(x, y), s(y).", "2:20: y is a number elsewhere, here it would be a symbol"},
      {"p(x) :- e(x, y), y < \"a\".", "2:22: a number was expected, this is a symbol"},
      {"p(1.5).", "2:3: a number was expected, this is a float"},
      {"s(\"a\" + \"b\").", "2:7: + does not give a symbol"},
      {"p(strlen(1)).", "2:10: a symbol was expected, this is a number"},
      {"p(9223372036854775808).", "2:3: 9223372036854775808 is out of the range of a number"},
      {"f(1.5) :- f(x), x % 2.0 = 0.0.", "2:19: % does not give a float"},
      // Variables that nothing binds.
      {"p(x).", "2:3: x is not grounded: no atom gives it a value"},
      {"p(x) :- !e(x, 1).", "2:3: x is not grounded: no atom gives it a value"},
      {"p(1) :- e(1, y), !e(z, y).", "2:21: z is not grounded: no atom gives it a value"},
      {"p(x) :- x < 3.", "2:3: x is not grounded: no atom gives it a value"},
      {"p(x) :- x = y + 1, y = x - 1.", "2:3: x is not grounded: no atom gives it a value"},
      {"p(n) :- n = count : { e(z, _), w < z }.",
       "2:32: w is not grounded: no atom gives it a value"},
      {"e(x, n) :- n = count : e(x, _).", "2:3: x is not grounded: no atom gives it a value"},
      // Strata.
      {"p(x) :- e(x, _), !p(x).",
       "2:19: the program is not stratifiable: all of p has to be known here, before p is (p needs "
       "p)"},
      {".decl q(x: number) q(x) :- e(x, _), !p(x). p(x) :- q(x).",
       "2:38: the program is not stratifiable: all of p has to be known here, before q is (q needs "
       "p needs q)"},
      {"p(n) :- n = sum x : { p(x) }.",
       "2:23: the program is not stratifiable: all of p has to be known here, before p is (p needs "
       "p)"},
      {"p(-0x8000000000000001).", "2:3: -0x8000000000000001 is out of the range of a number"},
      // Subsumption.
      {"e(x, a) <= p(b) :- a < b.", "2:12: both sides of <= have to be of the same relation"},
      {"e(x, 1) <= e(x, b) :- b < 1.", "2:6: a variable or _ was expected beside <="},
      {"s(a) <= s(b) :- a < b.", "2:17: only numbers can be compared behind <="},
  };
  for (const auto& [program, expected] : cases)
    EXPECT_EQ(error_of_program(kDeclarations + program), expected) << program;
}

TEST(Datalog, ProgramsThatAreNot) {
  for (const std::string_view program : {
           "p(1). p(-1). p(0x1F). p(0b11). p(-0x1F). p(-0b1). f(1). f(1.5e3). f(-2.5).",
           "p(x), p(y) :- e(x, y).",
           "p(x) :- e(x, y), (y > 3 ; x = 1, y = 2), !(e(y, x) ; e(x, x)).",
           "p(x) :- (x + 1) * 2 = y, e(y, x).",
           "p(x) :- e(a, b), x = a + b * 2 ^ 3 - (a band 7).",
           "p(n) :- e(x, _), n = count : { e(x, _) }.",
           "p(1 + sum y : { e(x, y), y > 1 }) :- e(x, _).",
           "p(min(x, y, 3)) :- e(x, y).",
           "s(cat(t, \"x\", to_string(x))) :- s(t), p(x), match(\"a.*\", t), !contains(\"b\", t).",
           "p(max y : { e(_, y) }) :- true.",
           ".type Node <: number .type Place = Node .decl q(x: Node) brie q(x) :- e(x, _).",
           "e(x, a) <= e(x, b) :- b < a.",
           "// a comment\n/* and\none more */ p(1).",
           "p(x) :- f(v), x = to_number(v), v > 1.",
           ".decl fact() fact() :- p(_). p(1) :- fact().",
       })
    EXPECT_EQ(error_of_program(kDeclarations + std::string(program)), "no error") << program;
}

TEST(Datalog, WhatIsNestedTooDeeplyIsRefused) {
  constexpr int kMany = 100'000;
  for (const std::string& program :
       {"p(" + repeated_text("(", kMany) + "1" + repeated_text(")", kMany) + ").",
        "p(x) :- " + repeated_text("(", kMany) + "p(x)" + repeated_text(")", kMany) + ".",
        "p(x) :- " + repeated_text("!", kMany) + "p(x).",
        "p(" + repeated_text("1 + ", kMany) + "1).", "p(" + repeated_text("1 ^ ", kMany) + "1).",
        "p(" + repeated_text("- ", kMany) + "1).",
        "p(1) :- 1 = " + repeated_text("count : { 1 = ", kMany)}) {
    const std::string error = error_of_program(kDeclarations + program);
    EXPECT_EQ(error.substr(error.find(' ') + 1), "nested more than 1000 levels deep");
  }
  const std::string deep = repeated_text("(1 + ", 200) + "1" + repeated_text(")", 200);
  EXPECT_EQ(error_of_program(kDeclarations + "p(" + deep + ")."), "no error");
}

TEST(Datalog, WhatBecomesTooLongIsRefused) {
  std::string body = "p(1) :- p(0)";
  for (int i = 0; i < 40; ++i) body += ", (p(1) ; p(2))";
  EXPECT_NE(error_of_program(kDeclarations + body + ".").find("the alternatives of this body"),
            std::string::npos);
  EXPECT_NE(error_of_program(kDeclarations + "p(1) :- p(0)" + repeated_text(", p(1)", 1000) + ".")
                .find("more than 1000 literals"),
            std::string::npos);
}

TEST(Datalog, AlternativesAndHeadsBecomeRules) {
  const std::string text = kDeclarations + "p(x), s(\"a\") :- e(x, y), (y = 1 ; !p(y), y > 2).";
  const Program program = check(parse(text), text);
  ASSERT_EQ(program.rules.size(), 4u);
  EXPECT_EQ(program.rules[0].body.size(), 2u);
  EXPECT_EQ(program.rules[1].body.size(), 3u);
  EXPECT_EQ(program.rules[1].body[1].kind, LiteralKind::kAbsent);
  EXPECT_EQ(program.relations[program.rules[3].head].name, "s");
}

TEST(Datalog, StrataComeInTheOrderOfTheirNeeds) {
  const std::string text =
      ".decl a(x: number) .decl b(x: number) .decl c(x: number) .decl d(x: number)\n"
      "a(x) :- b(x), !d(x). b(x) :- c(x). c(x) :- b(x). c(1). d(x) :- c(x), x > 1.";
  const std::vector<Stratum> strata = stratify(check(parse(text), text), text);
  ASSERT_EQ(strata.size(), 3u);
  EXPECT_EQ(strata[0].relations, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(strata[1].relations, std::vector<std::size_t>{3});
  EXPECT_EQ(strata[2].relations, std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace grappa::query::datalog
