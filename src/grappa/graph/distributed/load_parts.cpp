#include "grappa/graph/distributed/load_parts.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/graph/distributed/bytes.hpp"
#include "grappa/graph/distributed/carried_error.hpp"
#include "grappa/graph/distributed/name_merge.hpp"
#include "grappa/graph/distributed/shared_files.hpp"
#include "grappa/graph/distributed/shared_text.hpp"
#include "grappa/graph/io/readers.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/runtime_parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {
namespace {

/// What a locale works with while it reads its part.
struct Job {
  LoadOptions options;
  Sharing sharing = Sharing::kParts;
  std::string text_name;  // kText
  ParallelFor parallel;
};
using Jobs = LocaleState<Job>;

/// What a locale reports of its part besides the edges, or why there is none.
struct Report {
  io::PartFacts facts;
  std::string noun;  // of facts
  std::int64_t vertex_count = 0;
  std::int64_t edge_count = 0;
  bool directed = true;
  bool needs_simplify = false;
  std::string note;
};

void put_options(ByteWriter& out, const LoadOptions& options) {
  out.put_text(options.path);
  out.put(options.format);
  out.put(options.directed.has_value());
  out.put(options.directed.value_or(false));
  out.put(options.want_weights);
  out.put(options.least_weight);
  out.put(options.seed);
  out.put(options.chunk_bytes);
  out.put(options.block_bytes);
}

LoadOptions get_options(ByteReader& in) {
  LoadOptions options;
  options.path = in.get_text();
  options.format = in.get<Format>();
  const bool has_direction = in.get<bool>();
  const bool directed = in.get<bool>();
  if (has_direction) options.directed = directed;
  options.want_weights = in.get<bool>();
  options.least_weight = in.get<double>();
  options.seed = in.get<std::uint64_t>();
  options.chunk_bytes = in.get<std::size_t>();
  options.block_bytes = in.get<std::size_t>();
  return options;
}

/// Reads this locale's part into `list`; returns the report, or the error, for locale 0.
std::vector<std::byte> read_part(const Job& job, const SharedText& text, EdgeList& list) {
  ByteWriter out;
  try {
    io::PartFacts facts;
    std::unique_ptr<io::BlockSource> source;
    if (job.sharing == Sharing::kText) source = text.source(job.text_name);
    list = load_edge_part(job.options, this_locale(), locale_count(), facts, std::move(source),
                          job.parallel);
    out.put(true);
    out.put(facts.edges);
    out.put(facts.last_line);
    out.put(facts.surplus);
    out.put(facts.rows);
    out.put(facts.announced_rows);
    out.put(facts.own_numbers);
    out.put(facts.header_line);
    out.put(facts.announced);
    out.put_text(facts.noun);
    out.put(list.vertex_count);
    out.put(list.edges.size());
    out.put(list.directed);
    out.put(list.needs_simplify);
    out.put_text(list.note);
  } catch (...) {
    if (job.sharing == Sharing::kText) text.stop();
    out = {};
    out.put(false);
    out.put_span(std::span<const std::byte>(CarriedError(std::current_exception()).bytes()));
  }
  return {out.bytes().begin(), out.bytes().end()};
}

std::optional<CarriedError> error_of(std::span<const std::byte> report) {
  ByteReader in(report);
  if (in.get<bool>()) return std::nullopt;
  return CarriedError(report.last(in.bytes_left()));
}

/// The one of the first line, if any is of a line; else that of the first locale.
void throw_first_error(std::span<const std::vector<std::byte>> reports) {
  std::optional<CarriedError> first;
  for (const std::vector<std::byte>& report : reports) {
    const std::optional<CarriedError> error = error_of(report);
    if (!error) continue;
    const bool is_earlier =
        !first || (error->line() > 0 && (first->line() == 0 || error->line() < first->line()));
    if (is_earlier) first = error;
  }
  if (first) first->rethrow();
}

/// Of a part that has been read.
Report get_report(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  in.get<bool>();
  Report report;
  report.facts.edges = in.get<std::int64_t>();
  report.facts.last_line = in.get<std::int64_t>();
  report.facts.surplus = in.get<std::int64_t>();
  report.facts.rows = in.get<std::int64_t>();
  report.facts.announced_rows = in.get<std::int64_t>();
  report.facts.own_numbers = in.get<bool>();
  report.facts.header_line = in.get<std::int64_t>();
  report.facts.announced = in.get<std::int64_t>();
  report.noun = in.get_text();
  report.vertex_count = in.get<std::int64_t>();
  report.edge_count = in.get<std::int64_t>();
  report.directed = in.get<bool>();
  report.needs_simplify = in.get<bool>();
  report.note = in.get_text();
  return report;
}

class PartsLoader {
 public:
  PartsLoader(const LoadOptions& options, EdgeParts& list)
      : options_(options),
        list_(list),
        exchange_(Exchange::create()),
        team_(CoreTeam::create()),
        jobs_(Jobs::create()),
        text_(SharedText::create()) {}

  void load() {
    if (locale_count() == 1) return read_alone();
    const LoadPlan plan = plan_load(options_);
    if (plan.sharing == Sharing::kNone) return read_alone();
    if (plan.sharing == Sharing::kText) text_->open(open_text(options_));
    if (!plan.files.empty()) check_same_files(plan.files, *exchange_);
    start_jobs(plan);
    on_all_locales([jobs = *jobs_, text = *text_, exchange = *exchange_, part = *list_.part] {
      exchange.send(0, read_part(*jobs, text, *part));
    });
    take_reports(plan);
  }

 private:
  void read_alone() {
    EdgeList& mine = **list_.part;
    mine = load_edge_list(options_, team_->parallel_for());
    list_.names = std::move(mine.names);
    list_.note = std::move(mine.note);
    list_.vertex_count = mine.vertex_count;
    list_.directed = mine.directed;
    list_.needs_simplify = mine.needs_simplify;
    list_.edge_count = static_cast<std::int64_t>(mine.edges.size());
  }

  void start_jobs(const LoadPlan& plan) {
    ByteWriter out;
    put_options(out, options_);
    out.put(plan.sharing);
    out.put_text(plan.text);
    exchange_->broadcast(out.bytes());
    on_all_locales([jobs = *jobs_, exchange = *exchange_, team = *team_] {
      const std::vector<std::byte> bytes = exchange.take<std::byte>(0);
      ByteReader in(bytes);
      Job& mine = *jobs;
      mine.options = get_options(in);
      mine.sharing = in.get<Sharing>();
      mine.text_name = in.get_text();
      mine.parallel = team.parallel_for();
    });
    (*jobs_)->options.progress = options_.progress;
  }

  /// What all parts have said; the first of their errors in the order of the file is thrown.
  void take_reports(const LoadPlan& plan) {
    std::vector<std::vector<std::byte>> reports;
    for (int locale = 0; locale < locale_count(); ++locale)
      reports.push_back(exchange_->take<std::byte>(locale));
    throw_first_error(reports);
    const Report first = get_report(reports.front());
    std::vector<io::PartFacts> facts;
    for (const std::vector<std::byte>& bytes : reports) {
      const Report report = get_report(bytes);
      facts.push_back(report.facts);
      facts.back().noun = first.noun;
      list_.edge_count += report.edge_count;
    }
    list_.directed = first.directed;
    list_.needs_simplify = first.needs_simplify;
    list_.note = first.note;
    const std::string& file =
        plan.sharing == Sharing::kText || plan.files.empty() ? plan.text : plan.files.front();
    if (!file.empty()) io::check_whole(file, facts);
    if (first.facts.own_numbers) {
      merge_names(list_, file);
    } else {
      list_.vertex_count = first.vertex_count;
      take_names();
    }
  }

  /// Every part has the names of all vertices.
  void take_names() {
    list_.names = std::move((*list_.part)->names);
    on_all_locales([part = *list_.part] { part->names = {}; });
  }

  const LoadOptions& options_;
  EdgeParts& list_;
  const Owned<Exchange> exchange_;
  const Owned<CoreTeam> team_;
  const Owned<Jobs> jobs_;
  const Owned<SharedText> text_;
};

}  // namespace

EdgeParts load_edge_parts(const LoadOptions& options) {
  EdgeParts list = EdgeParts::create();
  PartsLoader(options, list).load();
  return list;
}

}  // namespace grappa::graph
