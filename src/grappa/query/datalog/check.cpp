#include "grappa/query/datalog/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "grappa/base/text_values.hpp"
#include "grappa/query/datalog/rule_checker.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {
namespace {

/// So that a tuple has its place on a stack.
constexpr std::size_t kMostAttributes = 64;

class Checker {
 public:
  Checker(const ast::Program& tree, std::string_view text) : tree_(tree), text_(text) {}

  Program run() {
    for (const ast::TypeDeclaration& of : tree_.types) {
      if (is_base(of.name.text) || !types_.emplace(of.name.text, &of).second)
        fail(of.name.position, fmt::format("the type {} is there twice", of.name.text));
    }
    for (const ast::TypeDeclaration& of : tree_.types)
      for (const ast::Name& base : of.bases)
        if (kind_of(base) != kind_of(of.name))
          fail(base.position,
               fmt::format("{} is of another kind than {}", base.text, of.bases[0].text));
    for (const ast::Declaration& of : tree_.declarations) declare(of);
    for (const ast::Directive& of : tree_.directives) take(of);
    for (const ast::Rule& of : tree_.rules) add(of);
    for (const ast::Subsumption& of : tree_.subsumptions) add(of);
    return std::move(program_);
  }

 private:
  [[noreturn]] void fail(Position position, const std::string& message) const {
    throw sql::SyntaxError(text_, position, message);
  }

  // ---- Types

  static constexpr std::array<std::string_view, 4> kBases = {"number", "unsigned", "float",
                                                             "symbol"};
  static bool is_base(std::string_view name) {
    return std::ranges::find(kBases, name) != kBases.end();
  }

  Kind kind_of(const ast::Name& name) {
    // Down the first bases; the others have to be of the same kind.
    std::vector<const ast::TypeDeclaration*> chain;
    ast::Name at = name;
    std::optional<Kind> found;
    while (!found) {
      if (const auto base = std::ranges::find(kBases, at.text); base != kBases.end()) {
        found = static_cast<Kind>(base - kBases.begin());
      } else if (const auto known = kinds_.find(at.text); known != kinds_.end()) {
        found = known->second;
      } else {
        const auto type = types_.find(at.text);
        if (type == types_.end()) refuse_type(at);
        if (std::ranges::find(chain, type->second) != chain.end())
          fail(type->second->name.position, fmt::format("the type {} is made of itself", at.text));
        chain.push_back(type->second);
        at = type->second->bases[0];
      }
    }
    for (const ast::TypeDeclaration* const of : chain) kinds_[of->name.text] = *found;
    return *found;
  }

  [[noreturn]] void refuse_type(const ast::Name& name) const {
    std::vector<std::string_view> names(kBases.begin(), kBases.end());
    for (const auto& [known, type] : types_) names.push_back(known);
    fail(name.position,
         fmt::format("there is no type {}{}", name.text, internal::nearest_hint(name.text, names)));
  }

  // ---- Relations

  void declare(const ast::Declaration& of) {
    if (!numbers_.emplace(of.name.text, program_.relations.size()).second)
      fail(of.name.position, fmt::format("{} is declared twice", of.name.text));
    if (of.attributes.size() > kMostAttributes)
      fail(of.name.position, fmt::format("a relation has at most {} attributes", kMostAttributes));
    Relation made{.name = of.name.text, .position = of.name.position};
    std::set<std::string_view> names;
    for (const ast::Attribute& attribute : of.attributes) {
      if (!names.insert(attribute.name.text).second)
        fail(attribute.name.position,
             fmt::format("the attribute {} is there twice", attribute.name.text));
      made.attributes.push_back({attribute.name.text, kind_of(attribute.type)});
    }
    program_.relations.push_back(std::move(made));
  }

  // ---- Directives

  void take(const ast::Directive& of) {
    const RuleChecker names(program_.relations, text_);
    Relation& relation = program_.relations[names.find_relation(of.relation)];
    FileOptions options{.position = of.kind.position};
    for (const ast::Option& option : of.options) take(option, options);
    if (of.kind.text == "input") {
      if (relation.input)
        fail(of.kind.position, fmt::format("{} has an input already", relation.name));
      if (options.is_standard) fail(of.kind.position, "an input is a file");
      if (relation.attributes.empty())
        fail(of.kind.position, "a relation without attributes has no input");
      relation.input = options;
    } else if (of.kind.text == "output") {
      relation.outputs.push_back(options);
    } else {
      relation.prints_size = true;
    }
  }

  void take(const ast::Option& option, FileOptions& options) const {
    const std::string_view key = option.key.text;
    const auto flag = [&] {
      if (option.value != "true" && option.value != "false")
        fail(option.key.position, fmt::format("{} is true or false", key));
      return option.value == "true";
    };
    if (key == "IO") {
      if (option.value != "file" && option.value != "stdout")
        fail(option.key.position,
             fmt::format("IO={} is not supported: file and stdout are", option.value));
      options.is_standard = option.value == "stdout";
    } else if (key == "filename" || key == "name") {
      options.filename = option.value;
    } else if (key == "delimiter") {
      if (option.value.size() != 1 || option.value == "\n" || option.value == "\"")
        fail(option.key.position, "the delimiter is one character of ASCII");
      options.delimiter = option.value;
    } else if (key == "rfc4180") {
      options.is_rfc4180 = flag();
    } else if (key == "headers") {
      options.has_headers = flag();
    } else {
      constexpr std::array<std::string_view, 5> kKeys = {"IO", "filename", "delimiter", "rfc4180",
                                                         "headers"};
      fail(option.key.position,
           fmt::format("there is no option {}: IO, filename, delimiter, rfc4180 and headers are{}",
                       key, internal::nearest_hint(key, kKeys)));
    }
  }

  // ---- Rules

  void add(const ast::Rule& of) {
    std::vector<Conjunction> bodies(1);
    if (of.body) bodies = alternatives(of.body, text_);
    for (const ast::Atom& head : of.heads) {
      // Also of a rule that never holds, faults are named.
      if (bodies.empty()) RuleChecker(program_.relations, text_).find_relation(head.name);
      for (const Conjunction& body : bodies)
        program_.rules.push_back(RuleChecker(program_.relations, text_).rule(head, body));
    }
  }

  void add(const ast::Subsumption& of) {
    RuleChecker checker(program_.relations, text_);
    Relation& relation = program_.relations[checker.find_relation(of.less.name)];
    if (relation.dominance)
      fail(of.less.name.position,
           fmt::format("a second <= for {} is not supported", relation.name));
    relation.dominance = checker.dominance(of);
  }

  const ast::Program& tree_;
  std::string_view text_;
  Program program_;
  std::map<std::string, const ast::TypeDeclaration*, std::less<>> types_;
  std::map<std::string, Kind, std::less<>> kinds_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

}  // namespace

Program check(const ast::Program& tree, std::string_view text) { return Checker(tree, text).run(); }

}  // namespace grappa::query::datalog
