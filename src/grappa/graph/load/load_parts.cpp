#include "grappa/graph/load/load_parts.hpp"

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/io/internal/formats/readers.hpp"
#include "grappa/graph/load/internal/ask_locales.hpp"
#include "grappa/graph/load/internal/name_merge.hpp"
#include "grappa/graph/load/internal/shared_files.hpp"
#include "grappa/graph/load/internal/shared_text.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {
namespace {

/// What every locale is told.
struct Assignment {
  LoadOptions options;
  io::GraphFiles files;  // that it reads
  Sharing sharing = Sharing::kParts;
  std::string text;  // kText: what errors call it
  static constexpr auto kMembers =
      std::tuple(&Assignment::options, &Assignment::files, &Assignment::sharing, &Assignment::text);
};

/// What a locale works with while it reads its part.
struct Job {
  Assignment assigned;
  std::optional<GraphInput> own;  // locale 0 has that of the caller
  GraphInput* input = nullptr;
  ParallelFor parallel;
};
using Jobs = LocaleState<Job>;

/// What a locale says of its part besides the edges.
struct Report {
  io::PartFacts facts;
  std::int64_t vertex_count = 0;
  std::int64_t edge_count = 0;
  bool directed = true;
  bool needs_simplify = false;
  std::string note;
  static constexpr auto kMembers =
      std::tuple(&Report::facts, &Report::vertex_count, &Report::edge_count, &Report::directed,
                 &Report::needs_simplify, &Report::note);
};

/// The files that every locale reads.
std::vector<const io::ExaminedFile*> common_files(const GraphInput& input, Sharing sharing) {
  std::vector<const io::ExaminedFile*> files;
  if (input.edges && sharing == Sharing::kParts) files.push_back(&*input.edges);
  if (input.vertices) files.push_back(&*input.vertices);
  if (input.properties) files.push_back(&*input.properties);
  return files;
}

/// Reads this locale's part into `list`.
Report read_part(const Job& job, const SharedText& text, EdgeList& list) {
  Report report;
  try {
    std::unique_ptr<io::BlockSource> source;
    if (job.assigned.sharing == Sharing::kText) source = text.source(job.assigned.text);
    list = load_edge_part(*job.input, this_locale(), locale_count(), report.facts,
                          std::move(source), job.parallel);
  } catch (...) {
    if (job.assigned.sharing == Sharing::kText) text.stop();
    throw;
  }
  report.vertex_count = list.vertex_count;
  report.edge_count = std::ssize(list.edges);
  report.directed = list.directed;
  report.needs_simplify = list.needs_simplify;
  report.note = list.note;
  return report;
}

class PartsLoader {
 public:
  PartsLoader(GraphInput& input, EdgeParts& list)
      : input_(input),
        list_(list),
        sharing_(locale_count() == 1 ? Sharing::kNone : sharing_of(input)),
        exchange_(Exchange::create()),
        team_(CoreTeam::create()),
        jobs_(Jobs::create()),
        text_(SharedText::create()) {}

  void load() {
    if (sharing_ == Sharing::kNone) return read_alone();
    if (sharing_ == Sharing::kText) text_->open(open_text(input_));
    start_jobs();
    take_reports(ask_locales(*exchange_, [jobs = *jobs_, text = *text_, part = *list_.part] {
      return read_part(*jobs, text, *part);
    }));
  }

 private:
  void read_alone() {
    EdgeParts whole = parts_of(load_edge_list(input_, team_->parallel_for()));
    whole.source = std::move(list_.source);
    list_ = std::move(whole);
  }

  /// As errors call it; nothing if it is generated.
  std::string file() const { return input_.edges ? input_.edges->name() : ""; }

  void start_jobs() {
    const auto path = [](const auto& of) { return of ? std::optional(of->path()) : std::nullopt; };
    const bool all_read_edges = sharing_ == Sharing::kParts;
    tell_locales(*exchange_,
                 Assignment{.options = input_.options,
                            .files = {.edges = all_read_edges ? path(input_.edges) : std::nullopt,
                                      .vertices = path(input_.vertices),
                                      .properties = path(input_.properties)},
                            .sharing = sharing_,
                            .text = file()});
    (*jobs_)->input = &input_;
    const std::vector<SeenFiles> seen =
        ask_locales(*exchange_, [jobs = *jobs_, exchange = *exchange_, team = *team_] {
          Job& mine = *jobs;
          mine.assigned = told<Assignment>(exchange);
          mine.parallel = team.parallel_for();
          if (mine.input != nullptr) return SeenFiles();
          mine.input = &mine.own.emplace(mine.assigned.options, mine.assigned.files);
          return see_files(common_files(*mine.input, mine.assigned.sharing));
        });
    check_same_files(common_files(input_, sharing_), seen);
  }

  /// What all parts have said.
  void take_reports(const std::vector<Report>& reports) {
    std::vector<io::PartFacts> facts;
    for (const Report& report : reports) {
      facts.push_back(report.facts);
      list_.edge_count += report.edge_count;
    }
    const Report& first = reports.front();
    list_.directed = first.directed;
    list_.needs_simplify = first.needs_simplify;
    list_.note = first.note;
    if (input_.edges) io::check_whole(file(), facts);
    if (first.facts.own_numbers) {
      merge_names(list_, file());
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

  GraphInput& input_;
  EdgeParts& list_;
  const Sharing sharing_;
  const Owned<Exchange> exchange_;
  const Owned<CoreTeam> team_;
  const Owned<Jobs> jobs_;
  const Owned<SharedText> text_;
};

}  // namespace

EdgeParts load_edge_parts(GraphInput& input) {
  EdgeParts list = EdgeParts::create();
  list.source = input.options.path;
  PartsLoader(input, list).load();
  return list;
}

}  // namespace grappa::graph
