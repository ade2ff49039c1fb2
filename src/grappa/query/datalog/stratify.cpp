#include "grappa/query/datalog/stratify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {
namespace {

struct Dependency {
  std::size_t on;
  bool needs_all;  // it is negated or aggregated
  Position position;
};

class Graph {
 public:
  explicit Graph(const Program& program) : edges_(program.relations.size()) {
    for (const Rule& rule : program.rules) add(rule.head, rule.body, false);
  }

  const std::vector<Dependency>& of(std::size_t relation) const { return edges_[relation]; }
  std::size_t size() const { return edges_.size(); }

  /// The component of each relation; those that it depends on have smaller numbers.
  std::vector<std::size_t> components() const {
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> component(size(), kNone);
    std::vector<std::size_t> number(size(), kNone);
    std::vector<std::size_t> lowest(size());
    std::vector<std::size_t> open;
    struct Visit {
      std::size_t relation;
      std::size_t next_edge;
    };
    std::size_t numbered = 0;
    std::size_t components = 0;
    for (std::size_t root = 0; root < size(); ++root) {
      if (number[root] != kNone) continue;
      std::vector<Visit> path{{root, 0}};
      while (!path.empty()) {
        const std::size_t at = path.back().relation;
        if (path.back().next_edge == 0 && number[at] == kNone) {
          number[at] = lowest[at] = numbered++;
          open.push_back(at);
        }
        if (path.back().next_edge < edges_[at].size()) {
          const std::size_t to = edges_[at][path.back().next_edge++].on;
          if (number[to] == kNone)
            path.push_back({to, 0});
          else if (component[to] == kNone)
            lowest[at] = std::min(lowest[at], number[to]);
          continue;
        }
        path.pop_back();
        if (!path.empty())
          lowest[path.back().relation] = std::min(lowest[path.back().relation], lowest[at]);
        if (lowest[at] != number[at]) continue;
        for (std::size_t member = kNone; member != at;) {
          member = open.back();
          open.pop_back();
          component[member] = components;
        }
        ++components;
      }
    }
    return component;
  }

  /// A shortest way from one relation to another.
  std::vector<std::size_t> path(std::size_t from, std::size_t to) const {
    std::vector<std::size_t> before(size(), size());
    std::vector<std::size_t> queue{from};
    before[from] = from;
    for (std::size_t i = 0; before[to] == size(); ++i) {
      for (const Dependency& edge : edges_[queue[i]]) {
        if (before[edge.on] != size()) continue;
        before[edge.on] = queue[i];
        queue.push_back(edge.on);
      }
    }
    std::vector<std::size_t> way{to};
    while (way.back() != from) way.push_back(before[way.back()]);
    std::ranges::reverse(way);
    return way;
  }

 private:
  void add(std::size_t head, const std::vector<Literal>& body, bool in_aggregate) {
    for (const Literal& of : body) {
      if (of.kind == LiteralKind::kAtom || of.kind == LiteralKind::kAbsent)
        edges_[head].push_back(
            {of.relation, in_aggregate || of.kind == LiteralKind::kAbsent, of.position});
      if (of.aggregate) add(head, of.aggregate->body, true);
    }
  }

  std::vector<std::vector<Dependency>> edges_;
};

}  // namespace

std::vector<Stratum> stratify(const Program& program, std::string_view text) {
  const Graph graph(program);
  const std::vector<std::size_t> component = graph.components();
  std::vector<Stratum> strata(component.empty() ? 0 : std::ranges::max(component) + 1);
  for (std::size_t relation = 0; relation < component.size(); ++relation) {
    strata[component[relation]].relations.push_back(relation);
    for (const Dependency& edge : graph.of(relation)) {
      if (!edge.needs_all || component[edge.on] != component[relation]) continue;
      std::string cycle = program.relations[relation].name;
      for (const std::size_t of : graph.path(edge.on, relation))
        cycle += fmt::format(" needs {}", program.relations[of].name);
      throw sql::SyntaxError(
          text, edge.position,
          fmt::format("the program is not stratifiable: all of {} has to be known here, before {} "
                      "is ({})",
                      program.relations[edge.on].name, program.relations[relation].name, cycle));
    }
  }
  for (std::size_t rule = 0; rule < program.rules.size(); ++rule)
    strata[component[program.rules[rule].head]].rules.push_back(rule);
  return strata;
}

}  // namespace grappa::query::datalog
