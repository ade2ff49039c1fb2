#pragma once

// The syntax tree of a Datalog program: what is written, before anything is known of its names.
//
// Nodes do not change and may be part of several trees. The parser bounds how deep they nest
// (parser.hpp).

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grappa/query/sql/name.hpp"

namespace grappa::query::datalog::ast {

using sql::Position;

struct Name {
  std::string text;
  Position position;
};

struct Expression;
struct Body;
using ExpressionPtr = std::shared_ptr<const Expression>;
using BodyPtr = std::shared_ptr<const Body>;

enum class ExpressionKind : std::uint8_t {
  kVariable,
  kIgnored,  // _
  kInteger,
  kFloat,
  kString,
  kCall,       // an operator or a functor
  kAggregate,  // text: its function
};

struct Expression {
  ExpressionKind kind{};
  Position position{};
  std::string text{};  // the name, the operator, or what is written; of a kString, its value
  std::vector<ExpressionPtr> arguments{};  // kAggregate: what it is of, unless it is a count
  BodyPtr body{};                          // kAggregate
  int height = 1;
};

struct Atom {
  Name name{};
  std::vector<ExpressionPtr> arguments{};
};

enum class BodyKind : std::uint8_t {
  kAtom,
  kComparison,  // text: its operator; two operands
  kTest,        // match, contains
  kTrue,
  kFalse,
  kNot,  // of one
  kAnd,
  kOr,
};

struct Body {
  BodyKind kind{};
  Position position{};
  Atom atom{};
  std::string text{};
  std::vector<ExpressionPtr> operands{};
  std::vector<BodyPtr> parts{};
  int height = 1;
};

/// heads :- body. A fact has no body.
struct Rule {
  std::vector<Atom> heads{};
  BodyPtr body{};
};

/// less <= more :- body. What stands on the left goes where the right one is, too.
struct Subsumption {
  Atom less{};
  Atom more{};
  BodyPtr body{};
};

struct Attribute {
  Name name{};
  Name type{};
};

struct Declaration {
  Name name{};
  std::vector<Attribute> attributes{};
};

/// Other names of a type; all of these are of one kind.
struct TypeDeclaration {
  Name name{};
  std::vector<Name> bases{};
};

struct Option {
  Name key{};
  std::string value{};
};

/// .input, .output, .printsize
struct Directive {
  Name kind{};  // without the dot
  Name relation{};
  std::vector<Option> options{};
};

struct Program {
  std::vector<TypeDeclaration> types{};
  std::vector<Declaration> declarations{};
  std::vector<Directive> directives{};
  std::vector<Rule> rules{};
  std::vector<Subsumption> subsumptions{};
};

}  // namespace grappa::query::datalog::ast
