// bench queries: queries about tables in memory, beside another system's answers to them.
//
// The sets are TPC-H and TPC-DS, with the tables that DuckDB makes and the parameters of validation
// runs, the Star Schema Benchmark, whose tables are made of TPC-H's, SP²Bench, 17 questions about a
// table of triples (bench/baselines/sp2bench.py), ClickBench, 43 about hits of web pages
// (bench/baselines/clickbench.py), and 27 joins of 4 to 17 relations about films, as the Join Order
// Benchmark has them (bench/baselines/job.py). They are made where they are not there
// (bench/baselines/query_sets.py), and loaded from Parquet; where memory is bounded, columns that
// do not fit stay there. A trial is a query from its text to its whole answer in memory, asked once
// before, so that it is hot, however long the other system's turn was. Baselines,
// from PyPI: `duckdb`, `polars` and `spark`, each in a process of Python, with as many threads as
// there are cores (bench/baselines/query_systems.py); a query that the system's SQL has not is left
// out of what is compared. Or, of three queries of SP²Bench, programs of their own
// (query_pipelines.hpp). Check: the whole first answer of each query is that of the set, and so is
// the baseline's every time; later ones have as many rows.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/baseline_process.hpp"
#include "bench/measure.hpp"
#include "bench/query_answers.hpp"
#include "bench/query_pipelines.hpp"
#include "bench/query_set.hpp"
#include "bench/registry.hpp"
#include "cli/run_report.hpp"
#include "grappa/base/text_values.hpp"
#include "grappa/base/topology.hpp"
#include "grappa/grappa.hpp"
#include "grappa/query/database.hpp"

namespace grappa::bench {
namespace {

/// The deepest recursion of a task is over an expression.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

/// The baseline that is no process.
constexpr const char* kPipelines = "pipelines";
/// The one that has a bound for its memory.
constexpr const char* kBounded = "duckdb";

/// An answer of the baseline, which is checked.
struct Answered {
  double seconds = 0;
  std::string lacks;  // why it has not the query, if so
};
using Baseline = std::function<Answered(const QueryOfSet&)>;

/// Seconds of the trials of a query.
struct TimesOfQuery {
  std::vector<double> ours;
  std::vector<double> baseline;  // empty where there is none
  std::string lacks;             // why the baseline has none
};

class Queries final : public Benchmark {
 public:
  Queries() : Benchmark("queries", "queries about tables in memory, beside another system") {}

  void add_options(Options& options) override {
    options.add_choice("--set", set_,
                       {"tpch", "tpcds", "ssb", "sp2bench", "sp2bench-texts", "clickbench", "job"},
                       "TPC-H, TPC-DS, the Star Schema Benchmark, SP²Bench, of integers or of "
                       "texts, ClickBench, or joins of many relations, as the Join Order "
                       "Benchmark's");
    options.add_number(
        "--scale", scale_, 0.001, 1000,
        "of the tables; 1: about a gigabyte; a million triples of SP²Bench, or hits of "
        "ClickBench; 350,000 films of joins");
    options.add(
        "--data", folder_,
        "a folder with the tables; made where it is not there. Else one in ~/.cache/grappa");
    options.add("--queries", queries_, "which, by their numbers; else all");
    options.add("--memory", memory_,
                "how much both may use, such as 1GiB: columns that do not fit are read from the "
                "files, and what queries keep goes to others. Without it there is no bound");
    options.add_trials(trials_);
    options.add_choice("--baseline", baseline_, {kBounded, "polars", "spark", kPipelines},
                       "also, in turn: DuckDB or Polars, in Python (scripts/setup --baselines), "
                       "Spark (scripts/setup --spark), or programs written for one query each: 2, "
                       "4 and 9 of SP²Bench, of integers");
    options.add_count("--limit", limit_, 1, 1'000'000,
                      "seconds that a baseline may take for one answer");
  }

  void run(const Config& base_config, Report& report) override {
    if (!memory_.empty()) memory_bytes_ = bytes_of_memory();
    if (!baseline_.empty() && baseline_ != kBounded && memory_bytes_ > 0)
      throw UsageError(
          fmt::format("bench queries: --baseline {} has no bound for --memory", baseline_));
    Config config = base_config;
    config.stack_bytes = std::max(config.stack_bytes, kStackBytes);
    const QuerySet set = chosen(open_query_set(folder_of_set(report)));
    std::unique_ptr<BaselineProcess> baseline;
    if (!baseline_.empty() && !has_pipelines()) {
      config.stall_ns = 0;  // who waits for a baseline keeps its core
      const int threads =
          internal::cores_of_each_locale(config, static_cast<int>(internal::usable_cpus().size()));
      baseline = std::make_unique<BaselineProcess>(
          query_baseline(baseline_, threads, memory_bytes_), std::vector<std::string>{}, limit_);
    }
    grappa::run(config, [&] {
      if (!baseline_.empty() && locale_count() > 1)
        throw UsageError(fmt::format("bench queries: --baseline {} needs one locale", baseline_));
      cli::print_cores(report);
      measure(set, baseline.get(), report);
    });
  }

 private:
  /// Made if it is not there.
  std::string folder_of_set(Report& report) {
    if (folder_.empty()) folder_ = default_folder_of(fmt::format("{}-{}", set_, scale_));
    if (std::filesystem::exists(folder_)) return folder_;
    report.progress().show(fmt::format("making {}", folder_));
    const auto parent = std::filesystem::absolute(folder_).parent_path();
    std::filesystem::create_directories(parent);
    BaselineProcess generator(query_set_generator(set_), {}, limit_);
    generator.ask(fmt::format("make {} {}", scale_, std::filesystem::absolute(folder_).string()));
    return folder_;
  }

  std::uint64_t bytes_of_memory() const {
    const std::uint64_t bytes = internal::parse_size(memory_).value_or(0);
    if (bytes == 0)
      throw UsageError(fmt::format("--memory {}: a size was expected, such as 1GiB", memory_));
    return bytes;
  }

  bool has_pipelines() const { return baseline_ == kPipelines; }

  QuerySet chosen(QuerySet set) const {
    if (has_pipelines()) {
      std::erase_if(set.queries, std::not_fn(QueryPipelines::has));
      if (set.queries.empty())
        throw UsageError("bench queries: --baseline pipelines needs --set sp2bench");
    }
    if (queries_.empty()) return set;
    for (const std::string& name : queries_) {
      if (std::ranges::find(set.queries, name, &QueryOfSet::name) == set.queries.end())
        throw UsageError(fmt::format("--queries {}: {} has none of that name{}", name, folder_,
                                     has_pipelines() ? " for --baseline pipelines" : ""));
    }
    std::erase_if(set.queries, [&](const QueryOfSet& query) {
      return std::ranges::find(queries_, query.name) == queries_.end();
    });
    return set;
  }

  void measure(const QuerySet& set, BaselineProcess* process, Report& report) const {
    query::Database database;
    if (memory_bytes_ > 0) database.limit_memory({.bytes = memory_bytes_});
    for (const auto& [name, file] : set.tables) database.add_file(name, file);
    // Columns are read when they are first named.
    for (const auto& [name, file] : set.tables)
      database.execute("select * from " + name + " limit 0");
    report.set("/load_seconds", database.load_seconds());
    report.line("Tables", "{}, loaded in {:.2f} s", fact("data", folder_), database.load_seconds());
    const Baseline baseline = loaded_baseline(process, database, report);
    Table table(report, "queries",
                {{"Query", "{}", 6, true},
                 {"Seconds", "{:.4f}", 9},
                 {"Baseline", "{}", 9},
                 {"Ratio", "{}", 6}});
    TimesOfQuery all;
    std::size_t lacking = 0;
    for (const QueryOfSet& query : set.queries) {
      const TimesOfQuery times = measure_query(database, query, baseline);
      add(table, query.name, times);
      if (!times.lacks.empty()) {
        ++lacking;
        continue;
      }
      add_up(all.ours, times.ours);
      add_up(all.baseline, times.baseline);
    }
    const std::size_t compared = set.queries.size() - lacking;
    if (compared > 0) add(table, "all", all);
    report.set("/trials", trials_json(all.ours));
    if (baseline) {
      report.set("/baseline/trials", trials_json(all.baseline));
      if (compared > 0) report.set("/ratio", median(all.baseline) / median(all.ours));
      report.line("Ratio", "how many times as long the baseline takes");
      if (lacking > 0)
        report.line("All", "{} of {} queries, those that the baseline has",
                    fact("/baseline/queries", compared), set.queries.size());
    }
    report.line(
        "Checked", "{}",
        fact("checked", true,
             "the whole first answer of each query, numbers that are not whole to a 10^9th"));
  }

  /// Nothing where none was asked for.
  Baseline loaded_baseline(BaselineProcess* process, query::Database& database,
                           Report& report) const {
    if (has_pipelines()) {
      std::shared_ptr<QueryPipelines> pipelines;
      const double seconds =
          seconds_of([&] { pipelines = std::make_shared<QueryPipelines>(database); });
      say_loaded("a program for each query", seconds, report);
      return [pipelines](const QueryOfSet& query) {
        Rows found;
        pipelines->run(query, found);
        require_equal(kPipelines, query, std::exchange(found, {}));
        return Answered{.seconds = pipelines->run(query, found), .lacks = {}};
      };
    }
    if (process == nullptr) return {};
    const nlohmann::json loaded = process->ask("load " + folder_);
    say_loaded(process->system(), loaded.at("seconds").get<double>(), report);
    return [process](const QueryOfSet& query) {
      const nlohmann::json said = process->ask("run " + query.file);
      if (said.contains("lacks"))
        return Answered{.seconds = 0, .lacks = said.at("lacks").get<std::string>()};
      require_equal(process->name(), query,
                    rows_of_json(process->text(said.at("bytes").get<std::size_t>())), true);
      return Answered{.seconds = said.at("seconds").get<double>(), .lacks = {}};
    };
  }
  static void say_loaded(const std::string& baseline, double seconds, Report& report) {
    report.line("Baseline", "{}, which has loaded them in {:.2f} s",
                fact("/baseline/name", baseline), fact("/baseline/load_seconds", seconds));
  }

  TimesOfQuery measure_query(query::Database& database, const QueryOfSet& query,
                             const Baseline& baseline) const {
    Rows found;
    database.execute(query.text, [&](query::Answer& answer) {
      answer.for_each_batch([&](const query::Batch& batch) { append_rows(found, batch); });
    });
    require_equal("Grappa", query, std::move(found));
    std::string lacks;
    std::function<double()> theirs;
    if (baseline) {
      theirs = [&] {
        Answered answered = baseline(query);
        lacks = std::move(answered.lacks);
        return answered.seconds;
      };
    }
    const auto ours = [&] {
      run_query(database, query);
      return run_query(database, query);
    };
    PairedTrials trials = run_paired(trials_, ours, theirs);
    if (!lacks.empty()) trials.baseline.clear();
    return {std::move(trials.ours), std::move(trials.baseline), std::move(lacks)};
  }

  static double run_query(query::Database& database, const QueryOfSet& query) {
    std::size_t rows = 0;
    const double seconds = seconds_of([&] {
      database.execute(query.text, [&](query::Answer& answer) {
        answer.for_each_batch([&](const query::Batch& batch) { rows += batch.count; });
      });
    });
    if (rows != query.expected.size())
      throw Error(fmt::format("bench queries: {} has {} rows, and {} at another time", query.file,
                              query.expected.size(), rows));
    return seconds;
  }

  static void require_equal(const std::string& system, const QueryOfSet& query, Rows found,
                            bool may_be_rounded = false) {
    if (!query.is_ordered) std::ranges::sort(found);
    if (const auto difference = difference_of(query.expected, found, may_be_rounded))
      throw Error(
          fmt::format("bench queries: {} answers {} with {}", system, query.file, *difference));
  }

  static void add_up(std::vector<double>& all, const std::vector<double>& more) {
    all.resize(more.size());
    std::ranges::transform(all, more, all.begin(), std::plus<>());
  }

  static void add(Table& table, const std::string& name, const TimesOfQuery& times) {
    const double ours = median(times.ours);
    if (times.baseline.empty()) {
      nlohmann::json& row =
          table.add(fact("query", name), fact("seconds", ours), "–",
                    times.lacks.empty() ? "–" : fmt::format("  ({})", times.lacks));
      row["trials"] = trials_json(times.ours);
      if (!times.lacks.empty()) row["lacks"] = times.lacks;
      return;
    }
    const double theirs = median(times.baseline);
    nlohmann::json& row =
        table.add(fact("query", name), fact("seconds", ours),
                  fact("baseline_seconds", theirs, fmt::format("{:.4f}", theirs)),
                  fact("ratio", theirs / ours, fmt::format("{:.2f}", theirs / ours)));
    row["trials"] = trials_json(times.ours);
    row["baseline_trials"] = trials_json(times.baseline);
  }

  std::string set_ = "tpch";
  double scale_ = 1;
  std::string folder_;
  std::vector<std::string> queries_;
  std::string memory_;
  std::uint64_t memory_bytes_ = 0;
  int trials_ = 5;
  std::string baseline_;
  int limit_ = 600;
};

const Queries queries;

}  // namespace
}  // namespace grappa::bench
