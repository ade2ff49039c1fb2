// grappa datalog: programs in Datalog over facts in files.

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/output_options.hpp"
#include "cli/report.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/input.hpp"
#include "grappa/query/datalog/engine.hpp"
#include "grappa/query/datalog/facts.hpp"

namespace grappa::cli {
namespace {

namespace datalog = query::datalog;

constexpr const char* kDatalogDescription =
    "Computes the relations of a program in Datalog, in the syntax of Soufflé.\n\n"
    "Facts of relations with .input come from NAME.facts in the folder of -F, a line each, "
    "separated by tabs, or else from NAME.csv; plain, .gz or .zst. Relations with .output are "
    "written to NAME.csv in the folder of -D, separated by tabs, in order; with -D - to standard "
    "output. .printsize prints how many tuples a relation has. Rules may negate and aggregate what "
    "does not depend on them; of tuples that compete, as for shortest paths, the best is kept by "
    "subsumption (<=). There are no components, records and algebraic data types.\n\n"
    "  .decl edge(x: number, y: number)\n"
    "  .input edge\n"
    "  .decl path(x: number, y: number)\n"
    "  .output path\n"
    "  path(x, y) :- edge(x, y).\n"
    "  path(x, z) :- path(x, y), edge(y, z).";

/// What computes terms recurses as deep as they are.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

std::string read_program_text(const std::string& path) {
  io::Input input = io::Input::open(path);
  if (!input.whole()) input.read_all();
  return std::string(*input.whole());
}

class Datalog {
 public:
  int execute(const Arguments& arguments);

 private:
  /// A relation, where it goes.
  struct Output {
    std::size_t relation;
    datalog::FileOptions options;
    std::unique_ptr<io::OutputFile> file;  // null: standard output
  };

  void find_outputs(const datalog::Program& program);
  std::vector<std::string> inputs(const datalog::Program& program) const;
  void run_task();
  void show(const datalog::Answer& answer);

  std::string path_;
  std::string facts_ = ".";
  std::string folder_ = ".";
  std::int64_t trials_ = 1;
  datalog::Source source_;
  std::vector<Output> outputs_;
  OutputOptions output_;
  std::optional<Report> report_;
};

int Datalog::execute(const Arguments& arguments) {
  CommandLine line("datalog", "PROGRAM", kDatalogDescription);
  line.add_positional("PROGRAM", path_, "the program; - for standard input");
  line.add_text("Data", "-F,--fact-dir", "DIR", facts_, "the folder with facts");
  line.add_text("Data", "-D,--output-dir", "DIR", folder_,
                "the folder for what the program gives; - is standard output");
  line.add_count("Measuring", "--trials", "N", trials_, 1, 1'000'000,
                 "compute it N times; the last answer is written");
  output_.add_options(line, OutputOptions::kMetrics);
  if (!line.parse(arguments)) return 0;
  line.config().stack_bytes = std::max(line.config().stack_bytes, kStackBytes);
  try {
    source_ = {path_ == "-" ? "standard input" : path_, read_program_text(path_), facts_};
    const datalog::Program program = datalog::read_program(source_.name, source_.text);
    find_outputs(program);
    output_.open_for_run(line.config(), inputs(program));
    for (Output& of : outputs_)
      if (!of.options.is_standard) of.file = std::make_unique<io::OutputFile>(of.options.filename);
    report_.emplace(!output_.wants_summary(), output_.quiet());
    report_->set("/kernel", "datalog");
    run(line.config(), [this] { run_task(); });
  } catch (const datalog::ProgramError& error) {
    // With the place below, on lines of its own.
    fmt::print(stderr, "grappa: {}\n", error.what());
    return 2;
  }
  for (Output& of : outputs_)
    if (of.file) of.file->commit();
  output_.commit(*report_);
  return 0;
}

void Datalog::find_outputs(const datalog::Program& program) {
  bool uses_standard_output = false;
  for (std::size_t i = 0; i < program.relations.size(); ++i) {
    const datalog::Relation& relation = program.relations[i];
    for (datalog::FileOptions options : relation.outputs) {
      options.is_standard |= folder_ == "-";
      uses_standard_output |= options.is_standard;
      if (!options.is_standard) {
        if (options.filename.empty()) options.filename = relation.name + ".csv";
        options.filename = datalog::path_in(folder_, options.filename);
        output_.add_other({".output " + relation.name, options.filename});
      }
      outputs_.push_back({i, options, nullptr});
    }
    uses_standard_output |= relation.prints_size;
  }
  if (uses_standard_output) output_.add_other({"the program", "-"});
}

std::vector<std::string> Datalog::inputs(const datalog::Program& program) const {
  std::vector<std::string> all{path_};
  for (const datalog::Relation& of : program.relations)
    if (of.input) all.push_back(datalog::facts_path(of, facts_));
  return all;
}

void Datalog::run_task() {
  datalog::Engine engine;
  double load_seconds = 0;
  for (std::int64_t trial = 1; trial <= trials_; ++trial) {
    const std::uint64_t start = internal::now_ns();
    engine.run(source_, [&](const datalog::Answer& answer) {
      const double seconds = static_cast<double>(internal::now_ns() - start) * 1e-9;
      load_seconds = answer.load_seconds;
      report_->at("/trials").push_back({{"seconds", seconds - answer.load_seconds}});
      if (trial == trials_) show(answer);
    });
  }
  report_->set("/load_seconds", load_seconds);
  output_.take_metrics("datalog", *report_);
}

void Datalog::show(const datalog::Answer& answer) {
  for (std::size_t i = 0; i < answer.program.relations.size(); ++i) {
    const datalog::Relation& of = answer.program.relations[i];
    if (!of.prints_size && of.outputs.empty()) continue;
    const auto size = static_cast<std::int64_t>(answer.size(i));
    report_->set("/result/sizes/" + of.name, size);
    if (of.prints_size) standard_output().print("{}\t{}\n", of.name, size);
  }
  for (const Output& of : outputs_) {
    const std::string& name = answer.program.relations[of.relation].name;
    if (of.file) {
      answer.write(of.relation, of.options, [&](std::string_view text) { of.file->write(text); });
      continue;
    }
    standard_output().print("---------------\n{}\n===============\n", name);
    answer.write(of.relation, of.options,
                 [](std::string_view text) { standard_output().write(text); });
    standard_output().print("===============\n");
  }
}

}  // namespace

int run_datalog(const Arguments& arguments) {
  Datalog command;
  return command.execute(arguments);
}

}  // namespace grappa::cli
