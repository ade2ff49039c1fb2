#pragma once

// Datalog programs, computed on all locales.
//
//   query::datalog::Engine engine;
//   engine.run({.name = "paths.dl", .text = text, .facts = "facts"}, [&](const auto& answer) {
//     answer.write(0, {}, sink);
//   });
//
// Facts may be in memory, too: engine.run(source, show, facts), and there is no file of those.
//
// Made and used by the task that was given to run, which it makes switch. Errors: ProgramError for
// what is wrong with the program, InputError for facts.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/query/datalog/columns.hpp"
#include "grappa/query/datalog/program.hpp"
#include "grappa/query/exec/leaders.hpp"
#include "grappa/query/io/row_writer.hpp"

namespace grappa::query::datalog {

class Fixpoint;

/// what() begins with the file, the line and the column, and shows the place on lines below.
class ProgramError : public UsageError {
 public:
  using UsageError::UsageError;
};

struct Source {
  std::string name;  // of the file, for errors
  std::string text;
  std::string facts;  // the folder that they are in

  static constexpr auto kMembers = std::tuple(&Source::name, &Source::text, &Source::facts);
};

/// A program whose relations are complete.
struct Answer {
  const Program& program;
  double load_seconds;  // that reading facts has taken
  std::function<std::size_t(std::size_t relation)> size;
  /// Its tuples, in order (answer.hpp).
  std::function<void(std::size_t relation, const FileOptions& options, const TextSink& sink)> write;
  std::function<std::vector<TupleColumn>(std::size_t relation)> columns;
};

/// Parsed and checked: what it reads and gives. ProgramError.
Program read_program(const std::string& name, const std::string& text);

class Engine {
 public:
  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void run(const Source& source, const std::function<void(const Answer& answer)>& show,
           const std::vector<MemoryFacts>& facts = {});

 private:
  struct Local;
  Leaders<Local> leaders_;
};

}  // namespace grappa::query::datalog
