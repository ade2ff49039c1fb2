// grappa sql: questions about tables in files.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/edge_tables.hpp"
#include "cli/interrupts.hpp"
#include "cli/output_options.hpp"
#include "cli/query_edges.hpp"
#include "cli/report.hpp"
#include "cli/sql_answers.hpp"
#include "cli/sql_completion.hpp"
#include "cli/sql_progress.hpp"
#include "cli/sql_shell.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/log.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/grappa.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/query/database.hpp"
#include "grappa/query/sql/lexer.hpp"
#include "grappa/query/sql/syntax_error.hpp"

namespace grappa::cli {
namespace {

constexpr const char* kSqlDescription =
    "Answers questions in SQL about tables in files.\n\n"
    "Without a query, on a terminal, it is a shell: statements end with a semicolon, .help lists "
    "its commands, Ctrl-C ends a query, Ctrl-D the shell. Elsewhere statements are read from "
    "standard input, all of them before the first is executed.\n\n"
    "A file is a table: its path in quotes, or a pattern of paths for several that are one table; "
    "--table gives it a name. Files are CSV, or separated by tabs, bars or semicolons, plain, .gz "
    "or "
    ".zst; delimiter, quotes, header and types are detected. Or they are Parquet, without columns "
    "that are nested, JSON with an object on each line (.jsonl, .ndjson, .json), or N-Triples "
    "(.nt). "
    "They are read once, by all cores and "
    "locales. A graph of any format is a table of its edges: edges('web.mtx') has the columns "
    "source, target and, where there are such, weight. The dialect is PostgreSQL's.\n\n"
    "The first of these makes the file of the others:\n\n"
    "  grappa sql \"select i id, i % 9 city, i % 90 age from generate_series(1, 999) t(i)\" "
    "-o people.csv\n"
    "  grappa sql \"select * from 'people.csv' limit 5\"\n"
    "  grappa sql \"describe select * from 'people.csv'\"\n"
    "  grappa sql \"select city, count(*), avg(age) from 'people.csv' group by city order by 2 "
    "desc\"\n"
    "  grappa sql \"select a.id, b.id from a join b using (age)\" --table a=people.csv "
    "--table b=people.csv\n"
    "  grappa sql \"select *, rank() over (partition by city order by age) from 'people.csv'\" "
    "-o ranked.csv\n"
    "  grappa sql \"copy (select * from read_csv('people.csv', nullstr='0')) to "
    "'people.parquet'\"";

/// The deepest recursion of a task is over an expression.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

std::string read_text(const std::string& path) {
  io::Input input = io::Input::open(path);
  if (!input.whole()) input.read_all();
  return std::string(*input.whole());
}

/// Commands of the shell, in what is no dialogue.
void refuse_shell_commands(std::string_view text) {
  const std::vector<query::sql::Token> tokens = query::sql::tokenize(text);
  const auto word = [&](std::size_t i) { return query::sql::written(text, tokens[i]); };
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (word(i) != "." || (i > 0 && word(i - 1) != ";")) continue;
    for (const ShellCommand& command : shell_commands())
      if (command.name.substr(1) == word(i + 1))
        throw query::sql::SyntaxError(
            text, {static_cast<std::uint32_t>(tokens[i].offset)},
            fmt::format("{} is a command of the shell on a terminal; here it is {}", command.name,
                        command.elsewhere));
  }
}

/// The files that the options and the statements name, as far as there are such.
std::vector<std::string> files_read(const std::vector<std::string>& tables,
                                    const std::string& text) {
  std::vector<std::string> files = files_of_query(text);
  for (const std::string& table : tables)
    std::ranges::move(io::files_there(table.substr(table.find('=') + 1)),
                      std::back_inserter(files));
  return files;
}

/// With less than this even small queries end by an error.
constexpr std::uint64_t kLeastMemory = std::uint64_t{16} << 20;

query::MemoryLimit memory_limit(const std::string& memory, const std::string& folder) {
  const std::optional<std::uint64_t> bytes = internal::parse_size(memory);
  if (!bytes || *bytes < kLeastMemory)
    throw UsageError(
        fmt::format("--memory {}: a size of at least 16MiB was expected, such as 8GiB", memory));
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw UsageError(fmt::format("--spill-folder {}: a folder was expected", folder));
  return {.bytes = *bytes, .spill_folder = folder};
}

class Sql {
 public:
  int execute(const Arguments& arguments);

 private:
  void take_options();
  void run_task();
  void answer_all(query::Database& database);

  std::string text_;
  std::string file_;
  std::vector<std::string> tables_;
  std::string format_ = "auto";
  bool explains_ = false;
  bool analyzes_ = false;
  bool is_shell_ = false;
  std::string memory_;
  std::string spill_folder_;
  query::MemoryLimit limit_;
  std::int64_t trials_ = 1;
  OutputOptions output_;
  std::optional<Report> report_;
  std::int64_t rows_ = 0;
};

int Sql::execute(const Arguments& arguments) {
  CommandLine line("sql", "QUERY", kSqlDescription);
  line.add_value("Query", "QUERY", text_, "statements, separated by semicolons");
  line.add_text("Query", "-f,--file", "FILE", file_, "read them from a file; - is standard input");
  line.add_texts("Query", "--table", "NAME=FILE", tables_, "a name for the table in a file");
  line.add_switch("Query", "--explain", explains_, "show how the query would be computed");
  line.add_switch("Query", "--analyze", analyzes_,
                  "compute it, and show what each operator has done");
  line.add_text("Memory", "--memory", "SIZE", memory_,
                "how much memory tables and queries may use on each locale, such as 8GiB: joins, "
                "groups and sorts that need more write it to temporary files, and of Parquet files "
                "columns that do not fit are read by each query. Other tables stay in memory, and "
                "have to fit; what they leave is for queries");
  line.add_text("Memory", "--spill-folder", "DIR", spill_folder_,
                "where these temporary files are; without it $TMPDIR, or /tmp. They have no names, "
                "and go with the process");
  line.unused_when("--spill-folder", [this] {
    return memory_.empty() ? "there is no --memory that bounds a query" : "";
  });
  line.add_count("Measuring", "--trials", "N", trials_, 1, 1'000'000,
                 "answer N times; the last answer is shown");
  line.add_choice(
      kOutputGroup, "--output", format_, kSqlFormats,
      "how rows are written: in a box for the eye, as CSV, or with tabs, as an array of JSON "
      "objects, or one object a line, or as Parquet; auto: in a box on a terminal, else by the "
      "name "
      "of -o, else CSV");
  output_.add_options(line, OutputOptions::kValues, "the rows of the answer");
  if (!line.parse(arguments)) return 0;
  take_options();
  line.config().stack_bytes = std::max(line.config().stack_bytes, kStackBytes);
  std::vector<std::string> inputs = files_read(tables_, text_);
  if (!file_.empty()) inputs.push_back(file_);
  output_.open_for_run(line.config(), inputs);
  report_.emplace(!output_.wants_summary(), output_.quiet());
  report_->set("/kernel", "sql");
  try {
    run(line.config(), [this] { run_task(); });
  } catch (const UsageError& error) {
    // A SyntaxError of another locale is one of these here.
    print_sql_error(error);
    return 2;
  }
  output_.commit(*report_);
  return 0;
}

void Sql::take_options() {
  if (!text_.empty() && !file_.empty())
    throw UsageError("sql: the query was given twice, the second time by -f");
  is_shell_ =
      text_.empty() && file_.empty() && isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (is_shell_) {
    if (output_.has_values() || explains_ || analyzes_ || trials_ > 1)
      throw UsageError("sql: -o, --explain, --analyze and --trials need a query, or -f FILE");
  } else if (text_.empty() && file_.empty()) {
    file_ = "-";
  }
  if (!file_.empty()) text_ = read_text(file_);
  refuse_shell_commands(text_);
  if (explains_ || analyzes_) text_ = (analyzes_ ? "EXPLAIN ANALYZE " : "EXPLAIN ") + text_;
  if (!memory_.empty()) limit_ = memory_limit(memory_, spill_folder_);
  std::set<std::string> names;
  for (const std::string& table : tables_) {
    const std::size_t at = table.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == table.size())
      throw UsageError(fmt::format("--table {}: NAME=FILE was expected", table));
    if (!names.insert(io::lower(table.substr(0, at))).second)
      throw UsageError(fmt::format("--table {}: there is a table of that name", table));
  }
}

void Sql::run_task() {
  query::Database database;
  read_graphs(database, output_.quiet());
  if (!output_.quiet())
    database.tell_notes_by([](const std::string& text) { internal::log_info("{}", text); });
  if (limit_.bytes > 0) database.limit_memory(limit_);
  for (const std::string& table : tables_) {
    const std::size_t at = table.find('=');
    database.add_file(table.substr(0, at), table.substr(at + 1));
  }
  if (is_shell_) {
    Interrupts interrupts;
    SqlShell shell(database, interrupts, format_, output_.quiet());
    shell.run();
    rows_ = shell.rows();
  } else {
    answer_all(database);
  }
  report_->set("/load_seconds", database.load_seconds());
  report_->set("rows", rows_);
  output_.take_metrics("sql", *report_);
}

void Sql::answer_all(query::Database& database) {
  const bool writes = output_.values() != nullptr || output_.wants_summary();
  for (std::int64_t trial = 1; trial <= trials_; ++trial) {
    rows_ = 0;
    SqlProgress progress(database.progress(), output_.quiet());
    const double loaded_before = database.load_seconds();
    const std::uint64_t start = internal::now_ns();
    database.execute(text_, [&](query::Answer& answer) {
      std::unique_ptr<query::RowWriter> writer;
      if (writes && trial == trials_) writer = sql_writer(format_, output_.values(), progress);
      rows_ += show_answer(answer, writer.get());
      standard_output().flush();  // it is seen before the next one is computed
    });
    const double seconds = static_cast<double>(internal::now_ns() - start) * 1e-9;
    report_->at("/trials").push_back(
        {{"seconds", seconds - (database.load_seconds() - loaded_before)}});
  }
}

}  // namespace

int run_sql(const Arguments& arguments) {
  Sql sql;
  return sql.execute(arguments);
}

}  // namespace grappa::cli
