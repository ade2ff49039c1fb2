#include "grappa/query/datalog/fixpoint.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grappa/query/datalog/answer.hpp"
#include "grappa/query/datalog/check.hpp"
#include "grappa/query/datalog/parser.hpp"
#include "grappa/query/exec/test_relations.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {
namespace {

using Numbers = std::vector<std::int64_t>;
using Relations = std::vector<std::set<Numbers>>;

/// Naive evaluation of rules over numbers: all rules again and again, until nothing is new. Negated
/// relations come before those that negate them, in the order of declarations.
class Naive {
 public:
  explicit Naive(const Program& program) : program_(program), relations_(program.relations.size()) {
    for (std::size_t level = 0; level < relations_.size(); ++level)
      for (bool changed = true; changed;) {
        changed = false;
        for (const Rule& rule : program.rules)
          if (rule.head <= level) changed |= apply(rule);
      }
  }
  const Relations& relations() const { return relations_; }

 private:
  using Values = std::map<int, std::int64_t>;

  bool apply(const Rule& rule) {
    std::set<Numbers> found;
    match(rule, 0, {}, found);
    const std::size_t before = relations_[rule.head].size();
    relations_[rule.head].merge(found);
    return relations_[rule.head].size() > before;
  }

  void match(const Rule& rule, std::size_t literal, const Values& values,
             std::set<Numbers>& found) {
    if (literal == rule.body.size()) {
      Numbers tuple;
      for (const Term& of : rule.arguments) tuple.push_back(value(of, values));
      found.insert(tuple);
      return;
    }
    const Literal& of = rule.body[literal];
    if (of.kind == LiteralKind::kAtom) {
      for (const Numbers& tuple : relations_[of.relation])
        if (const auto more = unified(of, tuple, values)) match(rule, literal + 1, *more, found);
    } else if (of.kind == LiteralKind::kAbsent) {
      for (const Numbers& tuple : relations_[of.relation])
        if (unified(of, tuple, values)) return;
      match(rule, literal + 1, values, found);
    } else {
      const std::int64_t a = value(of.arguments[0], values);
      const std::int64_t b = value(of.arguments[1], values);
      if (of.comparison == Comparison::kLess ? a < b : a != b)
        match(rule, literal + 1, values, found);
    }
  }

  static std::optional<Values> unified(const Literal& of, const Numbers& tuple, Values values) {
    for (std::size_t i = 0; i < tuple.size(); ++i) {
      const Term& term = of.arguments[i];
      if (term.term == TermKind::kIgnored) continue;
      if (term.term == TermKind::kVariable && values.emplace(term.variable, tuple[i]).second)
        continue;
      if (value(term, values) != tuple[i]) return {};
    }
    return values;
  }

  static std::int64_t value(const Term& term, const Values& values) {
    return term.term == TermKind::kVariable ? values.at(term.variable)
                                            : static_cast<std::int64_t>(term.constant);
  }

  const Program& program_;
  Relations relations_;
};

Relations semi_naive(const Program& program, const std::string& text, const Team& team) {
  Fixpoint fixpoint(program, text, team);
  fixpoint.end_inserting();
  fixpoint.run();
  Relations all(program.relations.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t shard = 0; shard < Sharding{}.shards(); ++shard) {
      const TupleSet& set = fixpoint.store(i).set(shard);
      for (std::size_t row = 0; row < set.rows(); ++row)
        if (set.is_live(row))
          all[i].emplace(set.row(row), set.row(row) + program.relations[i].attributes.size());
    }
  }
  return all;
}

/// A program over four relations of pairs, in which later ones may negate earlier ones.
std::string random_program(std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  std::string text;
  for (int i = 0; i < 4; ++i) text += fmt::format(".decl r{}(x: number, y: number)\n", i);
  const std::size_t facts = 5 + below(40);
  const std::size_t values = 3 + below(12);
  for (std::size_t i = 0; i < facts; ++i)
    text +=
        fmt::format("r{}({}, {}).\n", below(10) < 8 ? 0 : below(4), below(values), below(values));
  for (std::size_t rule = 0; rule < 6; ++rule) {
    const std::size_t head = 1 + below(3);
    std::vector<std::string> bound;
    const auto variable = [&] { return std::string(1, static_cast<char>('a' + below(4))); };
    std::string body;
    const std::size_t atoms = 1 + below(3);
    for (std::size_t i = 0; i < atoms; ++i) {
      std::string arguments[2];
      for (std::string& of : arguments) {
        const std::size_t kind = below(12);
        of = kind == 0 ? "_" : kind == 1 ? std::to_string(below(values)) : variable();
        if (kind > 1) bound.push_back(of);
      }
      body += fmt::format("{}r{}({}, {})", i > 0 ? ", " : "", below(head + 1), arguments[0],
                          arguments[1]);
    }
    const auto known = [&] { return bound.empty() ? "1" : bound[below(bound.size())]; };
    if (below(3) == 0)
      body += fmt::format(", {} {} {}", known(), below(2) == 0 ? "<" : "!=", known());
    if (below(3) == 0) {
      const std::string first = known();
      body += fmt::format(", !r{}({}, {})", below(head), first, below(4) == 0 ? "_" : known());
    }
    text += fmt::format("r{}({}, {}) :- {}.\n", head, known(), known(), body);
  }
  return text;
}

TEST(Fixpoint, GivesWhatNaiveEvaluationGives) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = random_program(random);
    const Program program = check(parse(text), text);
    const Relations expected = Naive(program).relations();
    EXPECT_EQ(semi_naive(program, text, test::two_threads()), expected) << text;
    EXPECT_EQ(semi_naive(program, text, Team{.parallel = io::serial_for()}), expected) << text;
  }
}

TEST(Fixpoint, ClosesLargerGraphs) {
  constexpr std::size_t kVertices = 1000;
  std::mt19937_64 random(7);
  std::string text =
      ".decl e(x: number, y: number) .decl p(x: number, y: number)\n"
      "p(x, y) :- e(x, y). p(x, z) :- p(x, y), p(y, z).\n";
  std::vector<std::vector<std::size_t>> edges(kVertices);
  for (std::size_t i = 0; i < 1200; ++i) {
    const std::size_t from = random() % kVertices;
    edges[from].push_back(random() % kVertices);
    text += fmt::format("e({}, {}).\n", from, edges[from].back());
  }
  std::set<Numbers> expected;
  for (std::size_t from = 0; from < kVertices; ++from) {
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t to : edges[at])
        if (expected.insert({static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)})
                .second)
          open.push_back(to);
    }
  }
  const Program program = check(parse(text), text);
  EXPECT_EQ(semi_naive(program, text, test::two_threads())[1], expected);
}

/// The lines of a relation, with ; between them.
std::string answer_of(const std::string& text, std::string_view name) {
  const Program program = check(parse(text), text);
  const Team team = test::two_threads();
  Fixpoint fixpoint(program, text, team);
  fixpoint.end_inserting();
  fixpoint.run();
  std::string answer;
  for (std::size_t i = 0; i < program.relations.size(); ++i)
    if (program.relations[i].name == name)
      write_tuples(program.relations[i], fixpoint.store(i), fixpoint.symbols(), team, {},
                   [&](std::string_view some) { answer += some; });
  for (char& c : answer)
    if (c == '\n') c = ';';
  return answer;
}

/// r of one attribute, of what the term gives.
std::string value_of(const std::string& kind, const std::string& term) {
  return answer_of(".decl r(x: " + kind + ") r(" + term + ").", "r");
}

TEST(Fixpoint, ComputesTerms) {
  EXPECT_EQ(value_of("number", "1 + 2 * 3 - 8 / 3 - 2 ^ 3 ^ 0"), "3;");
  EXPECT_EQ(value_of("number", "-7 / 2"), "-3;");
  EXPECT_EQ(value_of("number", "-7 % 3"), "-1;");
  EXPECT_EQ(value_of("number", "-2 ^ 2"), "-4;");
  EXPECT_EQ(value_of("number", "9223372036854775807 + 1"), "-9223372036854775808;");
  EXPECT_EQ(value_of("number", "(6 band 3) bor (8 bxor 12) + bnot 0"), "3;");
  EXPECT_EQ(value_of("number", "-16 bshr 2"), "-4;");
  EXPECT_EQ(value_of("unsigned", "bnot 0 bshr 60"), "15;");
  EXPECT_EQ(value_of("unsigned", "18446744073709551615"), "18446744073709551615;");
  EXPECT_EQ(value_of("float", "1 / 4"), "0.25;");
  EXPECT_EQ(value_of("float", "to_float(\"2.5\") * 2"), "5;");
  EXPECT_EQ(value_of("number", "to_number(\"17\") + to_number(2.9)"), "19;");
  EXPECT_EQ(value_of("number", "max(1, 7, 3) - min(4, 2)"), "5;");
  EXPECT_EQ(value_of("number", "strlen(\"abc\") + (1 land 0) + (1 lor 0)"), "4;");
  EXPECT_EQ(value_of("symbol", "cat(\"a\", to_string(-5), substr(\"hello\", 1, 3))"), "a-5ell;");
  EXPECT_EQ(value_of("symbol", "substr(\"hello\", 3, 100)"), "lo;");
  EXPECT_EQ(value_of("symbol", "\"\""), ";");
}

TEST(Fixpoint, RefusesWhatHasNoResult) {
  EXPECT_THROW(value_of("number", "1 / (1 - 1)"), sql::SyntaxError);
  EXPECT_THROW(value_of("number", "to_number(\"x\")"), sql::SyntaxError);
  EXPECT_EQ(value_of("number", "-9223372036854775808 / (0 - 1)"), "-9223372036854775808;");
}

TEST(Fixpoint, Aggregates) {
  const std::string facts =
      ".decl e(x: number, y: number) .decl r(x: number, y: number)\n"
      ".decl v(x: number) e(1, 2). e(1, 5). e(2, 5). v(1). v(2). v(3).\n";
  EXPECT_EQ(answer_of(facts + "r(x, n) :- v(x), n = count : { e(x, _) }.", "r"), "1\t2;2\t1;3\t0;");
  EXPECT_EQ(answer_of(facts + "r(x, s) :- v(x), s = sum y : { e(x, y) }.", "r"), "1\t7;2\t5;3\t0;");
  EXPECT_EQ(answer_of(facts + "r(x, min y : { e(x, y) }) :- v(x).", "r"), "1\t2;2\t5;");
  EXPECT_EQ(answer_of(facts + "r(x, s) :- v(x), s = max y + z : { e(x, y), e(_, z) }.", "r"),
            "1\t10;2\t10;");
  // Pairs count, not values.
  EXPECT_EQ(answer_of(facts + "r(0, n) :- n = sum y : { e(_, y) }.", "r"), "0\t12;");
  EXPECT_EQ(answer_of(facts + "r(x, 2) :- v(x), 2 = count : { e(x, _) }.", "r"), "1\t2;");
  EXPECT_EQ(answer_of(facts + ".decl m(v: float) m(mean y : { e(_, y) }) :- true.", "m"), "4;");
  EXPECT_EQ(answer_of(facts + "v(n) :- 0 = sum x : { v2(x) }, n = 9. .decl v2(x: number)", "v"),
            "1;2;3;9;");
}

TEST(Fixpoint, KeepsTheBestBySubsumption) {
  EXPECT_EQ(answer_of(".decl e(x: number, y: number, d: number) .decl p(x: number, d: number)\n"
                      "e(1, 2, 10). e(1, 3, 1). e(3, 2, 2). e(2, 4, 1). e(4, 1, 1). p(1, 0).\n"
                      "p(y, a + b) :- p(x, a), e(x, y, b).\n"
                      "p(x, a) <= p(x, b) :- b < a.",
                      "p"),
            "1\t0;2\t3;3\t1;4\t4;");
}

TEST(Fixpoint, SymbolsMadeOnTheWay) {
  EXPECT_EQ(
      answer_of(".decl w(s: symbol) w(\"\"). w(cat(s, c)) :- w(s), letter(c), strlen(s) < 2.\n"
                ".decl letter(c: symbol) letter(\"a\"). letter(\"b\").\n"
                ".decl r(s: symbol) r(s) :- w(s), match(\"a.|b\", s), s > \"aa\".",
                "r"),
      "ab;b;");
}

TEST(Fixpoint, RelationsWithoutAttributes) {
  EXPECT_EQ(
      answer_of(".decl yes() .decl no() .decl p(x: number) p(1). yes() :- p(1), !no().", "yes"),
      "();");
  EXPECT_EQ(answer_of(".decl yes() .decl p(x: number) yes() :- p(1).", "yes"), "");
}

}  // namespace
}  // namespace grappa::query::datalog
