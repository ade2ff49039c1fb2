#pragma once

// A Datalog program that is known to have a meaning: names are resolved, kinds decided, variables
// bound. check() makes it (check.hpp).
//
// A rule is a conjunction; alternatives and several heads have become rules of their own. What
// stands at an attribute of an atom that gives values is a variable, a constant or nothing:
// operands that are computed there have become equalities, and aggregates literals that give a
// variable its value. Variables have numbers, in their rule.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grappa/query/datalog/functor.hpp"
#include "grappa/query/sql/name.hpp"

namespace grappa::query::datalog {

/// A value of any kind; a symbol as symbols.hpp says.
using Word = std::uint64_t;

using sql::Position;

enum class TermKind : std::uint8_t { kVariable, kConstant, kIgnored, kCall };

struct Term {
  TermKind term{};
  Kind kind = Kind::kNumber;
  Position position{};
  int variable = -1;
  Word constant = 0;
  std::string text{};         // of a constant, as it is written; of a symbol, its value
  bool is_adaptable = false;  // an integer, which may be of any arithmetic kind
  const FunctorInfo* functor = nullptr;
  std::vector<Term> arguments{};
};

enum class Comparison : std::uint8_t {
  kEqual,
  kDifferent,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};
enum class Test : std::uint8_t { kMatch, kContains };

enum class LiteralKind : std::uint8_t {
  kAtom,
  kAbsent,  // a negated atom
  kComparison,
  kTest,
  kAggregate,
};

struct Aggregate;

struct Literal {
  LiteralKind kind{};
  Position position{};
  std::size_t relation = 0;
  std::vector<Term> arguments{};  // of an atom; operands
  Comparison comparison{};
  Test test{};
  bool is_negated = false;  // a test
  std::shared_ptr<const Aggregate> aggregate{};
  int result = -1;  // the variable that gets the value of the aggregate
};

enum class AggregateFunction : std::uint8_t { kCount, kSum, kMin, kMax, kMean };

struct Aggregate {
  AggregateFunction function{};
  Term target{};  // kIgnored for a count
  std::vector<Literal> body{};
  std::vector<int> outer{};  // variables that have to be bound before
};

struct Variable {
  std::string name{};  // empty: of none in the text
  Position position{};
  std::optional<Kind> kind{};
};

struct Rule {
  std::size_t head = 0;
  std::vector<Term> arguments{};
  std::vector<Literal> body{};
  std::vector<Variable> variables{};
  Position position{};
};

struct Attribute {
  std::string name;
  Kind kind;
};

/// Which file holds a relation, and how.
struct FileOptions {
  std::string filename{};  // empty: by the name of the relation
  std::optional<std::string> delimiter{};
  bool is_rfc4180 = false;
  bool has_headers = false;
  bool is_standard = false;  // standard output
  Position position{};
};

/// A tuple goes where there is one whose key is the same and that is more: a rule without a head,
/// over the variables of the lesser one, then of the greater one.
struct Dominance {
  std::vector<std::size_t> key{};  // attributes
  std::vector<Literal> condition{};
  int variables = 0;
  std::vector<int> less{};  // the variable of each attribute
  std::vector<int> more{};
};

struct Relation {
  std::string name{};
  Position position{};
  std::vector<Attribute> attributes{};
  std::optional<FileOptions> input{};
  std::vector<FileOptions> outputs{};
  bool prints_size = false;
  std::optional<Dominance> dominance{};
};

struct Program {
  std::vector<Relation> relations{};
  std::vector<Rule> rules{};
};

}  // namespace grappa::query::datalog
