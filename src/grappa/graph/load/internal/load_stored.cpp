#include "grappa/graph/load/internal/load_stored.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/io/internal/formats/stored_file.hpp"
#include "grappa/graph/io/internal/formats/stored_rows.hpp"
#include "grappa/graph/load/internal/ask_locales.hpp"
#include "grappa/graph/load/internal/shared_files.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {
namespace {

using io::RowFacts;
using io::RowsOf;
using io::StoredFile;
using io::StoredHeader;

/// Whether the graph that is wanted is the one in the file.
bool is_wanted(const StoredHeader& header, const LoadOptions& options, const BuildOptions& build) {
  const bool directed = header.directed != 0;
  return options.directed.value_or(directed) == directed && !(build.symmetrize && directed) &&
         (!build.simplify || header.simple != 0) && !changes_numbers(build.order) &&
         (build.split_degree == 0 || locale_count() == 1);
}

std::optional<StoredFile> open_wanted(const GraphInput& input, const BuildOptions& build) {
  if (input.format != Format::kGrappa || !input.edges->is_plain() ||
      compression_of_path(input.edges->path()) != Compression::kNone) {
    return std::nullopt;
  }
  const StoredFile file(*input.edges);
  return is_wanted(file.header(), input.options, build) ? std::optional(file) : std::nullopt;
}

/// The file, as every locale is told of it.
struct ToldFile {
  std::string path;
  StoredHeader header;
  static constexpr auto kMembers = std::tuple(&ToldFile::path, &ToldFile::header);
};

/// What a locale works with.
struct StoredLocal {
  std::optional<io::ExaminedFile> own;  // locale 0 has that of the caller
  std::optional<StoredFile> file;
  ParallelFor parallel;
};
using StoredLocals = LocaleState<StoredLocal>;

/// What a locale reports of some rows that it has read.
struct RowsReport {
  std::uint64_t arcs = 0;
  RowFacts facts;
};

const io::StoredRowsLayout& layout_of(const StoredFile& file, RowsOf rows) {
  return rows == RowsOf::kOut ? file.layout().out : file.layout().in;
}

/// Of this locale's vertices; they then count from 0.
RowsReport read_offsets(const Graph& graph, const GraphRows& rows, RowsOf which,
                        const StoredLocal& local) {
  const StoredFile& file = *local.file;
  const std::int64_t first = graph.locale_begin();
  const std::int64_t count = graph.locale_end() - first;
  const auto offsets = rows.offsets.span().first(static_cast<std::size_t>(count) + 1);
  const auto place = [&](std::int64_t i) {
    return layout_of(file, which).offsets.begin +
           static_cast<std::uint64_t>(first + i) * sizeof(std::uint64_t);
  };
  std::uint64_t base = 0;
  file.read(place(0), &base, sizeof base);
  // Each range reads its rows and the end of the last: into a vector of its own, as the next range
  // writes that place, too.
  for_ranges(local.parallel, std::max<std::int64_t>(count, 1), tuning::kEdgeGrain,
             [&](std::int64_t begin, std::int64_t end) {
               end = std::min(end, count);
               std::vector<std::uint64_t> piece(static_cast<std::size_t>(end - begin) + 1);
               file.read(place(begin), piece.data(), piece.size() * sizeof(std::uint64_t));
               io::check_offsets(piece, first + begin, file.header(), file.path());
               for (std::uint64_t& offset : piece) offset -= base;
               const std::size_t own = piece.size() - (end == count ? 0 : 1);
               std::copy_n(piece.begin(), own, offsets.begin() + begin);
             });
  return {.arcs = offsets.back(), .facts = {}};
}

/// The neighbors and weights of this locale's vertices, whose offsets are there.
RowsReport read_targets(const Graph& graph, const GraphRows& rows, RowsOf which,
                        const StoredLocal& local) {
  const StoredFile& file = *local.file;
  const io::StoredRowsLayout& layout = layout_of(file, which);
  const std::int64_t first = graph.locale_begin();
  const auto count = static_cast<std::size_t>(graph.locale_end() - first);
  const auto offsets = rows.offsets.span().first(count + 1);
  const std::uint64_t width = weight_bytes(graph.weight_type());
  VertexId* const targets = rows.targets.data();
  std::byte* const weights = width == 0 ? nullptr : rows.weights.data();
  std::uint64_t base = 0;  // this locale's first arc, in the file
  file.read(layout.offsets.begin + static_cast<std::uint64_t>(first) * sizeof base, &base,
            sizeof base);
  const io::RowCheck check(file.header(), graph.weight_type(), which, file.path());
  const auto arcs = static_cast<std::int64_t>(offsets.back());
  std::vector<RowFacts> found(
      static_cast<std::size_t>((arcs + tuning::kEdgeGrain - 1) / tuning::kEdgeGrain));
  for_ranges(local.parallel, arcs, tuning::kEdgeGrain, [&](std::int64_t from, std::int64_t to) {
    const auto begin = static_cast<std::uint64_t>(from);
    const auto end = static_cast<std::uint64_t>(to);
    if (width != 0)
      file.read(layout.weights.begin + (base + begin) * width, weights + begin * width,
                (end - begin) * width);
    io::visit_stored_ids(file.header(), [&]<class Id>(Id previous) {
      const auto read = [&](std::uint64_t arc, Id* ids, std::uint64_t how_many) {
        file.read(layout.targets.begin + (base + arc) * sizeof(Id), ids, how_many * sizeof(Id));
      };
      const auto checked = [&](const Id* of_locale) {
        found[begin / tuning::kEdgeGrain] =
            check.arcs(first, offsets, of_locale, weights, begin, end, previous);
      };
      if (begin > 0) read(begin - 1, &previous, 1);
      if constexpr (sizeof(Id) == sizeof(VertexId)) {
        Id* const here = reinterpret_cast<Id*>(targets);
        read(begin, here + begin, end - begin);
        checked(here);
      } else {
        std::vector<Id> piece(end - begin);
        read(begin, piece.data(), piece.size());
        checked(piece.data() - begin);
        std::ranges::transform(piece, targets + begin,
                               [](Id id) { return static_cast<VertexId>(id); });
      }
    });
  });
  RowsReport report{.arcs = offsets.back(), .facts = {}};
  for (const RowFacts& facts : found) report.facts.add(facts);
  return report;
}

/// In memory.
std::uint64_t bytes_of(const io::StoredRowsLayout& rows, std::uint64_t id_bytes,
                       bool with_weights) {
  return rows.offsets.bytes + rows.targets.bytes / id_bytes * sizeof(VertexId) +
         (with_weights ? rows.weights.bytes : 0);
}

}  // namespace

class StoredGraphLoader {
 public:
  StoredGraphLoader(const GraphInput& input, const StoredFile& file, const BuildOptions& build)
      : input_(input),
        file_(file),
        exchange_(Exchange::create()),
        team_(CoreTeam::create()),
        locals_(StoredLocals::create()),
        made_(Graph::of_vertices(static_cast<std::int64_t>(file.header().vertices))) {
    const StoredHeader& header = file.header();
    graph_.directed_ = header.directed != 0;
    graph_.has_in_rows_ = graph_.directed_ && build.in_edges;
    graph_.arc_count_ = static_cast<std::int64_t>(header.arcs);
    if (input.options.want_weights && header.weight_type != WeightType::kNone) {
      graph_.weight_type_ = header.weight_type;
      graph_.weight_range_ = header.weight_range();
    }
  }

  StoredGraph load() {
    open_everywhere();
    VertexNames names = io::read_unchanged(input_, [&] { return read(); });
    if (input_.options.progress) input_.options.progress(1.0);
    return {made_.release(), std::move(names), has_sums() ? "" : io::kWithoutSums};
  }

 private:
  void open_everywhere() {
    tell_locales(*exchange_, ToldFile{file_.path(), file_.header()});
    const io::ExaminedFile* const here = &*input_.edges;
    (*locals_)->file = file_;
    const std::vector<SeenFiles> seen =
        ask_locales(*exchange_, [exchange = *exchange_, locals = *locals_, team = *team_] {
          StoredLocal& mine = *locals;
          const auto file = told<ToldFile>(exchange);
          mine.parallel = team.parallel_for();
          if (this_locale() == 0) return SeenFiles();
          mine.own.emplace(file.path);
          mine.file.emplace(*mine.own, file.header);
          return see_files({&*mine.own});
        });
    check_same_files({here}, seen);
  }

  /// The graph; returns the names.
  VertexNames read() {
    RowFacts facts = read_rows(graph_.out_, RowsOf::kOut);
    count_edges(facts);
    check_sum(facts);
    if (graph_.has_in_rows_) {
      facts.add(read_rows(graph_.in_, RowsOf::kIn));
      if (facts.surplus != 0) refuse("damaged: the in-edges are not the out-edges reversed");
    }
    return io::read_stored_names(file_.header(), file_.read_at(), file_.path(),
                                 team_->parallel_for());
  }

  RowFacts read_rows(GraphRows& rows, RowsOf which) {
    rows.offsets =
        Replica<std::uint64_t>::create_for_overwrite(graph_.per_core_ * cores_per_locale() + 1);
    std::uint64_t most = 0;
    for (const RowsReport& report :
         ask_locales(*exchange_, [graph = graph_, rows, which, locals = *locals_] {
           return read_offsets(graph, rows, which, *locals);
         })) {
      most = std::max(most, report.arcs);
    }
    const auto width = static_cast<std::int64_t>(weight_bytes(graph_.weight_type_));
    const auto arcs = static_cast<std::int64_t>(most);
    rows.targets = Replica<VertexId>::create_for_overwrite(arcs);
    if (width != 0) rows.weights = Replica<std::byte>::create_for_overwrite(arcs * width);
    RowFacts facts;
    for (const RowsReport& report :
         ask_locales(*exchange_, [graph = graph_, rows, which, locals = *locals_] {
           return read_targets(graph, rows, which, *locals);
         })) {
      facts.add(report.facts);
    }
    return facts;
  }

  void count_edges(const RowFacts& facts) {
    const auto self_loops = static_cast<std::int64_t>(facts.self_loops);
    graph_.edge_count_ =
        graph_.directed_ ? graph_.arc_count_ : (graph_.arc_count_ + self_loops) / 2;
  }

  bool has_sums() const { return file_.header().has_sums(); }

  /// Of all rows by source.
  void check_sum(const RowFacts& facts) const {
    if (!has_sums() && graph_.directed_) return;
    const io::StoredSums sums = io::read_stored_sums(file_.header(), file_.read_at(), file_.path());
    if (facts.surplus != sums.of_arcs(graph_.weight_type_))
      refuse("damaged: its arcs do not agree with one another, or with their checksum");
  }

  [[noreturn]] void refuse(const char* why) const { throw InputError(file_.path(), 0, why); }

  const GraphInput& input_;
  const StoredFile file_;
  const Owned<Exchange> exchange_;
  const Owned<CoreTeam> team_;
  const Owned<StoredLocals> locals_;
  Owned<Graph> made_;
  Graph& graph_ = made_.handle();
};

std::optional<StoredGraph> load_stored_graph(GraphInput& input, const BuildOptions& build) {
  const std::optional<StoredFile> file = open_wanted(input, build);
  if (!file) return std::nullopt;
  if (input.options.want_weights)
    io::check_stored_weights(file->header(), input.options.least_weight, file->path());
  return StoredGraphLoader(input, *file, build).load();
}

std::optional<std::uint64_t> stored_graph_bytes(const GraphInput& input,
                                                const BuildOptions& build) {
  const std::optional<StoredFile> file = open_wanted(input, build);
  if (!file) return std::nullopt;
  const io::StoredLayout& layout = file->layout();
  const auto rows = [&](const io::StoredRowsLayout& of) {
    return bytes_of(of, file->header().id_bytes, input.options.want_weights);
  };
  return rows(layout.out) + (build.in_edges ? rows(layout.in) : 0) + layout.names.bytes +
         layout.name_bytes.bytes;
}

}  // namespace grappa::graph
