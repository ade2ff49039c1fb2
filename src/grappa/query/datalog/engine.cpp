#include "grappa/query/datalog/engine.hpp"

#include <fmt/format.h>

#include <utility>

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

  void run(const Source& source, const std::function<void(const Answer& answer)>& show) {
    const Program program = read_program(source.name, source.text);
    with_name(source.name, [&] {
      Fixpoint fixpoint(program, source.text, team);
      const std::uint64_t start = internal::now_ns();
      for (std::size_t i = 0; i < program.relations.size(); ++i)
        if (program.relations[i].input) load_facts(i, program, source.facts, team, fixpoint);
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
          }};
      show(answer);
    });
  }
};

Engine::Engine()
    : leaders_([](const Team& team) { return std::make_unique<Local>(Local{team}); }) {}

Engine::~Engine() = default;

void Engine::run(const Source& source, const std::function<void(const Answer& answer)>& show) {
  try {
    leaders_.run(
        source, [&](Local& here) { here.run(source, show); },
        [](Local& there, const Source& same) { there.run(same, {}); });
  } catch (const QueryError& said_elsewhere) {
    throw ProgramError(said_elsewhere.what());
  }
}

}  // namespace grappa::query::datalog
