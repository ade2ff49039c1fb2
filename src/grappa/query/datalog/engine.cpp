#include "grappa/query/datalog/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/base/clock.hpp"
#include "grappa/query/datalog/answer.hpp"
#include "grappa/query/datalog/check.hpp"
#include "grappa/query/datalog/facts.hpp"
#include "grappa/query/datalog/fixpoint.hpp"
#include "grappa/query/datalog/parser.hpp"
#include "grappa/query/datalog/stratify.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::query::datalog {
namespace {

/// What all locales know of it.
struct Task {
  Source source;
  std::vector<std::string> in_memory;  // relations, with facts of the locale of the program

  static constexpr auto kMembers = std::tuple(&Task::source, &Task::in_memory);
};

/// f(), with the name of the file in front of what is wrong in it.
template <class F>
auto with_name(const std::string& name, const F& f) {
  try {
    return f();
  } catch (const sql::SyntaxError& error) {
    throw ProgramError(fmt::format("{}:{}", name, error.what()));
  }
}

}  // namespace

Program read_program(const std::string& name, const std::string& text) {
  return with_name(name, [&] {
    Program program = check(parse(text), text);
    stratify(program, text);
    return program;
  });
}

struct Engine::Local {
  Team team;

  void run(const Task& task, const std::function<void(const Answer& answer)>& show,
           const std::vector<MemoryFacts>& facts) {
    const Source& source = task.source;
    Program program = read_program(source.name, source.text);
    const auto is_in_memory = [&task](const Relation& relation) {
      return std::ranges::count(task.in_memory, relation.name) != 0;
    };
    for (Relation& relation : program.relations)
      if (is_in_memory(relation)) relation.input.emplace();  // rules count on facts
    with_name(source.name, [&] {
      Fixpoint fixpoint(program, source.text, team);
      const std::uint64_t start = internal::now_ns();
      for (std::size_t i = 0; i < program.relations.size(); ++i) {
        const Relation& relation = program.relations[i];
        if (relation.input && !is_in_memory(relation))
          load_facts(i, program, source.facts, team, fixpoint);
      }
      for (const MemoryFacts& of : facts) insert_facts(of, program, team, fixpoint);
      fixpoint.end_inserting();
      const double load_seconds = static_cast<double>(internal::now_ns() - start) * 1e-9;
      fixpoint.run();
      if (!show) return;
      const Answer answer{
          program, load_seconds,
          [&](std::size_t relation) { return fixpoint.store(relation).rows(); },
          [&](std::size_t relation, const FileOptions& options, const TextSink& sink) {
            write_tuples(program.relations[relation], fixpoint.store(relation), fixpoint.symbols(),
                         team, options, sink);
          },
          [&](std::size_t relation) {
            return tuple_columns(program.relations[relation], fixpoint.store(relation),
                                 fixpoint.symbols(), team);
          }};
      show(answer);
    });
  }
};

Engine::Engine()
    : leaders_([](const Team& team) { return std::make_unique<Local>(Local{team}); }) {}

Engine::~Engine() = default;

void Engine::run(const Source& source, const std::function<void(const Answer& answer)>& show,
                 const std::vector<MemoryFacts>& facts) {
  Task task{source, {}};
  for (const MemoryFacts& of : facts) task.in_memory.push_back(of.relation);
  try {
    leaders_.run(
        task, [&](Local& here) { here.run(task, show, facts); },
        [](Local& there, const Task& same) { there.run(same, {}, {}); });
  } catch (const QueryError& said_elsewhere) {
    throw ProgramError(said_elsewhere.what());
  }
}

}  // namespace grappa::query::datalog
