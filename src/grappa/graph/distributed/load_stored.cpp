#include "grappa/graph/distributed/load_stored.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grappa/graph/distributed/bytes.hpp"
#include "grappa/graph/distributed/carried_error.hpp"
#include "grappa/graph/distributed/shared_files.hpp"
#include "grappa/graph/generate/generator.hpp"
#include "grappa/graph/io/file_identity.hpp"
#include "grappa/graph/io/stored_file.hpp"
#include "grappa/graph/io/stored_rows.hpp"
#include "grappa/graph/io/unchanged_files.hpp"
#include "grappa/graph/locales.hpp"
#include "grappa/graph/runtime_parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {
namespace {

using io::RowFacts;
using io::RowsOf;
using io::StoredFile;
using io::StoredHeader;

// What one core reads and checks at a time: it stays in its cache.
constexpr std::int64_t kPiece = 1 << 17;

bool is_plain_file(const std::string& path) {
  const io::FileIdentity file = io::identify_file(path);
  return file.error == 0 && file.regular && !file.compressed && file.bytes > 0 &&
         compression_of_path(path) == Compression::kNone;
}

/// Whether the graph that is wanted is the one in the file.
bool is_wanted(const StoredHeader& header, const LoadOptions& options, const BuildOptions& build) {
  const bool directed = header.directed != 0;
  return options.directed.value_or(directed) == directed && !(build.symmetrize && directed) &&
         (!build.simplify || header.simple != 0) && !changes_numbers(build.order) &&
         (build.split_degree == 0 || locale_count() == 1);
}

std::unique_ptr<StoredFile> open_wanted(const LoadOptions& options, const BuildOptions& build) {
  if (options.path == "-") return nullptr;
  if (options.format == Format::kAuto && is_generator(options.path)) return nullptr;
  if (format_to_load(options) != Format::kGrappa || !is_plain_file(options.path)) return nullptr;
  auto file = std::make_unique<StoredFile>(options.path);
  return is_wanted(file->header(), options, build) ? std::move(file) : nullptr;
}

/// What a locale works with.
struct StoredLocal {
  std::unique_ptr<StoredFile> file;
  ParallelFor parallel;
};
using StoredLocals = LocaleState<StoredLocal>;

/// What a locale reports of some rows that it has read.
struct RowsReport {
  std::uint64_t arcs = 0;
  RowFacts facts;
};

/// Sends locale 0 what read() returns, or what it throws.
template <class Read>
void send_report(const Exchange& exchange, const Read& read) {
  ByteWriter out;
  try {
    const RowsReport report = read();
    out.put(true);
    out.put(report);
  } catch (...) {
    out = {};
    out.put(false);
    out.put_span(std::span<const std::byte>(CarriedError(std::current_exception()).bytes()));
  }
  exchange.send(0, out.bytes());
}

/// Of all locales; throws what the first has thrown.
std::vector<RowsReport> take_reports(const Exchange& exchange) {
  std::vector<RowsReport> reports;
  std::optional<CarriedError> error;
  for (int locale = 0; locale < locale_count(); ++locale) {
    const std::vector<std::byte> bytes = exchange.take<std::byte>(locale);
    ByteReader in(bytes);
    if (in.get<bool>()) {
      reports.push_back(in.get<RowsReport>());
    } else if (!error) {
      error.emplace(std::span(bytes).last(in.bytes_left()));
    }
  }
  if (error) error->rethrow();
  return reports;
}

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
  for_ranges(local.parallel, std::max<std::int64_t>(count, 1), kPiece,
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
  std::vector<RowFacts> found(static_cast<std::size_t>((arcs + kPiece - 1) / kPiece));
  for_ranges(local.parallel, arcs, kPiece, [&](std::int64_t from, std::int64_t to) {
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
        found[begin / kPiece] =
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
  StoredGraphLoader(const StoredFile& file, const LoadOptions& options, const BuildOptions& build)
      : file_(file),
        options_(options),
        exchange_(Exchange::create()),
        team_(CoreTeam::create()),
        locals_(StoredLocals::create()),
        made_(Graph::of_vertices(static_cast<std::int64_t>(file.header().vertices))) {
    const StoredHeader& header = file.header();
    graph_.directed_ = header.directed != 0;
    graph_.has_in_rows_ = graph_.directed_ && build.in_edges;
    graph_.arc_count_ = static_cast<std::int64_t>(header.arcs);
    if (options.want_weights && header.weight_type != WeightType::kNone) {
      graph_.weight_type_ = header.weight_type;
      graph_.weight_range_ = header.weight_range();
    }
  }

  StoredGraph load() {
    if (locale_count() > 1) check_same_files({file_.path()}, *exchange_);
    open_everywhere();
    const io::FileStates before({file_.path()});
    try {
      RowFacts facts = read_rows(graph_.out_, RowsOf::kOut);
      count_edges(facts);
      check_sum(facts);
      if (graph_.has_in_rows_) {
        facts.add(read_rows(graph_.in_, RowsOf::kIn));
        if (facts.surplus != 0) refuse("damaged: the in-edges are not the out-edges reversed");
      }
      VertexNames names = read_names();
      before.check();
      if (options_.progress) options_.progress(1.0);
      return {made_.release(), std::move(names), has_sums() ? "" : io::kWithoutSums};
    } catch (...) {
      before.check();
      throw;
    }
  }

 private:
  void open_everywhere() {
    ByteWriter path;
    path.put_text(file_.path());
    exchange_->broadcast(path.bytes());
    on_all_locales([exchange = *exchange_, locals = *locals_, team = *team_] {
      const std::vector<std::byte> bytes = exchange.take<std::byte>(0);
      locals->parallel = team.parallel_for();
      send_report(exchange, [&] {
        locals->file = std::make_unique<StoredFile>(ByteReader(bytes).get_text());
        return RowsReport();
      });
    });
    take_reports(*exchange_);
  }

  RowFacts read_rows(GraphRows& rows, RowsOf which) {
    rows.offsets =
        Replica<std::uint64_t>::create_for_overwrite(graph_.per_core_ * cores_per_locale() + 1);
    on_all_locales([graph = graph_, rows, which, exchange = *exchange_, locals = *locals_] {
      send_report(exchange, [&] { return read_offsets(graph, rows, which, *locals); });
    });
    std::uint64_t most = 0;
    for (const RowsReport& report : take_reports(*exchange_)) most = std::max(most, report.arcs);
    const auto width = static_cast<std::int64_t>(weight_bytes(graph_.weight_type_));
    const auto arcs = static_cast<std::int64_t>(most);
    rows.targets = Replica<VertexId>::create_for_overwrite(arcs);
    if (width != 0) rows.weights = Replica<std::byte>::create_for_overwrite(arcs * width);
    on_all_locales([graph = graph_, rows, which, exchange = *exchange_, locals = *locals_] {
      send_report(exchange, [&] { return read_targets(graph, rows, which, *locals); });
    });
    RowFacts facts;
    for (const RowsReport& report : take_reports(*exchange_)) facts.add(report.facts);
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
    const io::StoredSums sums = io::read_stored_sums(file_.header(), read_at(), file_.path());
    if (facts.surplus != sums.of_arcs(graph_.weight_type_))
      refuse("damaged: its arcs do not agree with one another, or with their checksum");
  }

  [[noreturn]] void refuse(const char* why) const { throw InputError(file_.path(), 0, why); }

  io::ReadAt read_at() const {
    return [this](std::uint64_t begin, void* to, std::uint64_t bytes) {
      file_.read(begin, to, bytes);
    };
  }

  VertexNames read_names() const {
    return io::read_stored_names(file_.header(), read_at(), file_.path(), team_->parallel_for());
  }

  const StoredFile& file_;
  const LoadOptions& options_;
  const Owned<Exchange> exchange_;
  const Owned<CoreTeam> team_;
  const Owned<StoredLocals> locals_;
  Owned<Graph> made_;
  Graph& graph_ = made_.handle();
};

std::optional<StoredGraph> load_stored_graph(const LoadOptions& options,
                                             const BuildOptions& build) {
  const std::unique_ptr<StoredFile> file = open_wanted(options, build);
  if (!file) return std::nullopt;
  if (options.want_weights)
    io::check_stored_weights(file->header(), options.least_weight, options.path);
  return StoredGraphLoader(*file, options, build).load();
}

std::optional<std::uint64_t> stored_graph_bytes(const LoadOptions& options,
                                                const BuildOptions& build) {
  const std::unique_ptr<StoredFile> file = open_wanted(options, build);
  if (!file) return std::nullopt;
  const io::StoredLayout& layout = file->layout();
  const auto rows = [&](const io::StoredRowsLayout& of) {
    return bytes_of(of, file->header().id_bytes, options.want_weights);
  };
  return rows(layout.out) + (build.in_edges ? rows(layout.in) : 0) + layout.names.bytes +
         layout.name_bytes.bytes;
}

}  // namespace grappa::graph
