"""What the examples in headers use and do not declare (header_examples_test.py).

An example becomes a function; OF_NAMESPACE and OF_HEADER hold its parameters. What stands in
PREAMBLE is there for all.
"""

PREAMBLE = """
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grappa/graph/structure/vertex_id.hpp"
#include "grappa/grappa.hpp"

namespace grappa {
// What somebody else's program does with what it gets.
template <class... T>
void use(T&&...);
template <class... T>
void refuse(T&&...);

struct Cell {
  double total;
  double add(double x);
};
struct Node {
  GlobalAddress<Node> child;
  bool is_leaf() const;
};
struct Item {
  std::int64_t value;
};
struct Message {
  std::uint64_t hub;
  void operator()() const;
};

GlobalAddress<GlobalAddress<Node>> next_of(GlobalAddress<Node> node);
Coroutine<> follow(GlobalAddress<Node> list);
ShortString<23> word(std::int64_t i);
std::int64_t index(std::int64_t i);
std::int64_t local_count();
extern std::int64_t total;
}  // namespace grappa

namespace grappa::graph {
// The least that a vertex program needs.
struct Program {
  using Gather = double;
  static Gather identity();
  static Gather combine(Gather a, Gather b);
  bool apply(VertexId v, Gather total) const;
  Gather scatter(VertexId v) const;
};
// The least that a program for edge_map needs.
struct EdgeProgram {
  bool update_atomic(VertexId v, const auto& arc) const { return true; }
};
}  // namespace grappa::graph

namespace grappa::cli {
int run_command(const std::vector<std::string>& arguments);
}  // namespace grappa::cli
"""

# Headers that examples use and do not name.
INCLUDES = [
    "grappa/base/trace_file.hpp",
    "grappa/graph/load/load_parts.hpp",
    "grappa/graph/framework/edge_map.hpp",
    "grappa/io/output_file.hpp",
    "grappa/mapreduce/dataset.hpp",
    "grappa/graph/structure/sample_vertices.hpp",
    "grappa/graph/algorithms/bfs/bfs.hpp",
]

OF_NAMESPACE = {
    "grappa": "std::int64_t n, GlobalArray<std::int64_t> table, Config config, "
              "internal::PacketBuffer* packet, std::size_t size, const std::string& text, "
              "const internal::JobSecret& secret",
    "grappa::io": "std::int64_t n, const ParallelFor& parallel, LineReader& reader",
    "grappa::graph": "Graph& graph, EdgeList& list, const ParallelFor& parallel, VertexId source, "
                     "VertexId v, VertexId w, std::int64_t n, const LoadOptions& options, "
                     "io::LineReader& reader",
    "grappa::query": "const Team& team, Pipeline pipeline, const Layout& layout, Batch& batch, "
                     "RelationPtr relation, Expressions columns, const Expressions& arguments, "
                     "const ExpressionPtr& condition, ColumnNumbers& numbers, "
                     "const std::vector<Type>& types, const std::vector<std::size_t>& places, "
                     "std::span<const Vector> keys, std::uint64_t* hashes, TextArena& texts, "
                     "std::string_view text, const std::string& file, const Exchange& exchange, "
                     "const io::ParallelFor& parallel, std::string& line",
    "grappa::query::parquet": "const std::string& bytes, std::string_view file, "
                              "const FileColumn& column, const RowGroup& group, "
                              "const Chunk& chunk, std::size_t count, std::int64_t rows",
    "grappa::query::sql": "std::string_view text, ColumnNumbers& numbers, RelationPtr relation",
    "grappa::query::datalog": "const Team& team, const Program& program, int core, "
                              "const Word* tuple, const Word* tuples, const Word* item, "
                              "Word* registers, Context& context, const TextSink& sink",
    "grappa::cli": "const Arguments& arguments, CommandLine& line, graph::Graph& graph, "
                   "GraphSource& source, Report& report, bool quiet, std::int64_t n, "
                   "io::OutputFile& file",
    "grappa::bench": "const std::vector<std::string>& files, int threads, int limit_seconds, "
                     "int bits, std::uint64_t seed, std::int64_t n, graph::Graph& graph, "
                     "graph::VertexId source",
}

OF_HEADER = {
    "bench/chase.hpp": "int bits, std::uint64_t seed",
    "bench/chase_figures.hpp": "const ChaseSettings& settings, double& rate",
    "bench/chase_lists.hpp": "void* memory, std::uint64_t seed",
    "bench/delay_line.hpp": "int tasks",
    "bench/query_answers.hpp": "const query::Batch& batch, const std::string& text, "
                               "const std::function<void(const std::string&)>& fail",
    "bench/query_pipelines.hpp": "query::Database& database, const QueryOfSet& query, double& seconds",
    "bench/query_set.hpp": "const std::string& folder, query::Database& database",
    "bench/graph500_validator.hpp": "const graph::BfsResult& bfs_result, "
                                       "const Graph500Input& input",
    "bench/hardware_counters.hpp": "const Config& config",
    "bench/switch_baselines.hpp": "const Config& config, const SwitchOrder& order, "
                                     "std::int64_t rounds",
    "bench/with_mpi.hpp": "double seconds",
    "cli/columns.hpp": "Kernel& kernel, const KernelInput& in",
    "cli/checkpoint_options.hpp": "std::int64_t trials",
    "cli/graph_source.hpp": "Progress& progress",
    "cli/line_editor.hpp": "const Interrupts& interrupts, Complete complete",
    "cli/sql_answers.hpp": "query::Answer& answer, io::OutputFile* file, SqlProgress& progress",
    "cli/sql_completion.hpp": "const std::vector<std::string>& names",
    "cli/sql_progress.hpp": "query::Database& database, bool quiet",
    "cli/sql_shell.hpp": "query::Database& database, Interrupts& interrupts, bool quiet",
    "cli/kernel.hpp": "const KernelEntry& entry, const Arguments& arguments",
    "cli/kernel_lists.hpp": "const KernelInput& in, const std::vector<double>& ranks",
    "cli/memory_check.hpp": "const graph::BuildOptions& build_options",
    "cli/output_options.hpp": "Config& config, const std::vector<std::string>& inputs",
    "cli/plot_axis.hpp": "const Chart& chart, double least, double greatest",
    "cli/report.hpp": "bool silent, bool quiet, double rate, "
                      "const std::vector<std::pair<int, double>>& ranks",
    "cli/series_report.hpp": "nlohmann::json& object",
    "cli/vertex_choice.hpp": "const graph::VertexNames& names",
    "grappa/base/core_recorder.hpp": "std::function<void()> closure",
    "grappa/base/each_slice.hpp": "const std::vector<std::vector<double>>& lists, "
                                  "std::int64_t first, std::int64_t last",
    "grappa/base/fast_divide.hpp": "std::uint64_t core_count, std::uint64_t address",
    "grappa/base/last_words.hpp": "void (&tell)(std::string_view, int) noexcept, "
                                      "void (&save)(void*) noexcept, int file, "
                                      "std::string_view message",
    "grappa/base/log.hpp": "std::string_view reason, bool quiet",
    "grappa/base/metrics.hpp": "internal::MetricsRegistry& registry",
    "grappa/base/module_table.hpp": "const int& kSomething",
    "grappa/base/optional_mutex.hpp": "int threads",
    "grappa/base/output_path.hpp": "const std::string& path, void (&write_to)(int)",
    "grappa/base/service_thread.hpp": "void (&drive)(), void (&serve)(), "
                                       "void (&run_tasks)()",
    "grappa/base/shrinking_files.hpp": "std::span<std::byte> mapping",
    "grappa/base/trace_file.hpp": "const std::string& text_of_core_0, "
                                  "const std::string& text_of_core_1",
    "grappa/base/trace_text.hpp": "TraceFile& file, CoreRecorder& recorder",
    "grappa/base/text_values.hpp": "std::span<const std::string_view> names",
    "grappa/container/array_algorithms.hpp": "GlobalArray<double> ranks, "
                                                 "GlobalArray<std::int64_t> degrees",
    "grappa/container/array_file.hpp": "GlobalArray<double> ranks",
    "grappa/container/array_sort.hpp": "GlobalArray<std::int64_t> keys",
    "grappa/container/array_spans.hpp": "GlobalArray<double> ranks, GlobalArray<double> other, "
                                            "GlobalArray<std::int64_t> counts",
    "grappa/container/cache.hpp": "GlobalArray<double> matrix, GlobalArray<double> totals, "
                                  "GlobalAddress<double> cells",
    "grappa/container/global_array.hpp": "std::int64_t i",
    "grappa/container/global_hash_set.hpp": "GlobalHashSet<std::int64_t> others",
    "grappa/container/internal/element_range.hpp": "GlobalArray<double> array, "
                                                   "const CallSite& where",
    "grappa/container/internal/gathered_values.hpp": "const std::vector<std::int64_t>& values, "
                                                     "CombinedRequest& request",
    "grappa/container/internal/key_index.hpp": "std::int64_t key, std::uint64_t hash",
    "grappa/container/internal/local_sort.hpp": "std::vector<double> to, "
                                                    "const std::vector<std::span<const double>> parts",
    "grappa/container/internal/phase_lock.hpp": "internal::PhaseLock& lock, int kGrow",
    "grappa/container/internal/saved_file.hpp": "const std::vector<std::int64_t>& values",
    "grappa/container/internal/span_call.hpp": "int core, std::vector<double> values",
    "grappa/container/internal/span_transfer.hpp": "const ElementRange<double>& range, "
                                                   "double* out, const double* values",
    "grappa/container/replica.hpp": "std::int64_t words, std::size_t w, std::uint64_t b",
    "grappa/context/exception_state.hpp": "Context& from, Context& to",
    "grappa/context/overflow.hpp": "void (&describe_running_task)(void*, TaskDescription&), "
                                      "Core& core",
    "grappa/context/stack_pool.hpp": "void (&entry)(void*), void* argument, const char* name",
    "grappa/context/switch.hpp": "const Stack& stack, void (&entry)(void*), void* argument",
    "grappa/delegate/awaitable.hpp": "GlobalAddress<Cell> cell, double x, "
                                         "GlobalAddress<int> p, GlobalAddress<int> q",
    "grappa/delegate/delegate.hpp": "GlobalAddress<std::int64_t> counter, "
                                        "GlobalAddress<Cell> cell, double x, std::int64_t i",
    "grappa/delegate/remote_full_empty.hpp": "std::int64_t i, std::int64_t j, std::int64_t k",
    "grappa/graph/checkpoint/checkpoint.hpp": "const PageRankOptions& options, "
                                                  "GlobalArray<double> rank, double change",
    "grappa/graph/checkpoint/internal/content_hash.hpp": "std::span<const std::byte> block, "
                                                    "std::span<const std::byte> another, "
                                                    "std::uint64_t expected",
    "grappa/graph/checkpoint/internal/durable_file.hpp": "std::span<const std::byte> bytes",
    "grappa/graph/checkpoint/internal/manifest.hpp": "const Manifest& manifest",
    "grappa/graph/checkpoint/internal/part_file.hpp": "std::int64_t begin, std::int64_t end, "
                                                 "std::span<const ArrayPiece> arrays",
    "grappa/graph/structure/collect.hpp": "const PageRankResult& pages, "
                                    "const ComponentsResult& components",
    "grappa/graph/build/internal/counting_sort.hpp": "std::int64_t classes, std::int64_t first, "
                                          "std::int64_t last, Replica<VertexId> key, "
                                          "Replica<std::int64_t> sorted",
    "grappa/graph/build/internal/degree_classes.hpp": "Replica<std::uint8_t> classes, std::int64_t degree",
    "grappa/graph/load/internal/ask_locales.hpp": "Exchange exchange",
    "grappa/graph/load/internal/carried_error.hpp": "Exchange exchange",
    "grappa/graph/load/internal/name_merge.hpp": "EdgeParts& list",
    "grappa/graph/load/internal/pack_names.hpp": "const VertexNames& names",
    "grappa/graph/load/internal/shared_files.hpp": "const io::ExaminedFile& file, "
                                              "const std::vector<SeenFiles>& seen",
    "grappa/graph/framework/edge_map.hpp": "Frontier& frontier, GlobalArray<VertexId> parent",
    "grappa/graph/framework/frontier.hpp": "const EdgeProgram& program",
    "grappa/graph/framework/vertex_map.hpp": "Frontier& touched, GlobalArray<double> rank",
    "grappa/graph/framework/vertex_view.hpp": "Frontiers& frontiers",
    "grappa/graph/generate/internal/counter_random.hpp": "std::uint64_t seed, std::uint64_t i",
    "grappa/graph/generate/internal/id_permutation.hpp": "std::uint64_t seed",
    "grappa/graph/generate/internal/kronecker.hpp": "std::uint64_t seed, std::uint64_t first, "
                                               "std::span<Edge> edges",
    "grappa/graph/structure/internal/halo.hpp": "Replica<double> values",
    "grappa/io/text/block_source.hpp": "std::unique_ptr<BlockSource> source",
    "grappa/io/compression/byte_stream.hpp": "int fd, char (&buffer)[4096]",
    "grappa/graph/io/internal/names/compact_ids.hpp": "UninitializedVector<Edge> edges",
    "grappa/io/compression/compressor.hpp": "std::function<void(std::string_view)> write_to_file, "
                                          "std::string_view bytes",
    "grappa/graph/io/internal/formats/edge_block.hpp": "std::string_view block, ChunkResult (&parse)"
                                          "(std::size_t, std::string_view, Edge*, double*)",
    "grappa/graph/io/internal/edge_hash.hpp": "std::uint64_t& sum, std::uint64_t low, std::uint64_t high, "
                                     "double weight",
    "grappa/graph/io/internal/formats/edge_lines.hpp": "std::string_view chunk, Edge* edges, double* weights",
    "grappa/graph/io/internal/formats/edge_reader.hpp": "const EdgeLineRules& rules, const ReadOptions& options",
    "grappa/graph/io/internal/formats/field_edges.hpp": "const FieldEdgeRules& rules, "
                                           "const ReadOptions& options",
    "grappa/io/text/fields.hpp": "std::string_view line",
    "grappa/io/compression/gzip.hpp": "std::string_view bytes",
    "grappa/graph/io/internal/names/id_index.hpp": "std::vector<std::uint64_t> names",
    "grappa/io/input.hpp": "char (&buffer)[4096]",
    "grappa/graph/io/internal/formats/leading_comments.hpp": "const FieldRules& rules",
    "grappa/io/unnamed_file.hpp": "std::span<const std::byte> bytes",
    "grappa/io/text/line_reader.hpp": "const std::string& path, std::string_view block, "
                                           "const char* bad",
    "grappa/io/text/parse_number.hpp": "const char* line",
    "grappa/graph/io/internal/formats/second_look.hpp": "const std::string& file",
    "grappa/graph/io/internal/formats/stored_file.hpp": "void* to, std::uint64_t bytes",
    "grappa/graph/io/internal/formats/stored_rows.hpp": "const StoredHeader& header, const std::string& file, "
                                           "std::int64_t first, "
                                           "std::span<const std::uint64_t> offsets, "
                                           "const std::uint32_t* targets, std::uint64_t begin, "
                                           "std::uint64_t end, std::uint32_t previous",
    "grappa/mapreduce/internal/local_sort.hpp": "Bulk<std::int64_t>& values, "
                                                "std::span<const std::span<std::int64_t>> parts",
    "grappa/mapreduce/internal/reduce_keys.hpp":
        "const detail::KeptSource<std::pair<std::string, std::int64_t>>& words, std::int64_t& skipped, "
        "const detail::CoreState<detail::KeyTable<std::string, std::int64_t>>& counts",
    "grappa/mapreduce/internal/resources.hpp": "std::int64_t most_skipped",
    "grappa/mapreduce/internal/sort_values.hpp": "const CoreState<Bulk<std::int64_t>>& values, "
                                                 "const Shuffle<std::int64_t>& shuffle",
    "grappa/mapreduce/internal/stage.hpp": "const ArraySource<int>& pipeline",
    "grappa/mapreduce/internal/terminals.hpp": "const ArraySource<int>& pipeline, "
                                               "const CoreState<Bulk<int>>& values, "
                                               "std::int64_t& skipped",
    "grappa/mapreduce/internal/text_files.hpp": "const std::vector<std::string>& paths",
    "grappa/mapreduce/internal/write_kept.hpp": "const CoreState<Bulk<int>>& values, "
                                                "io::OutputFile& out",
    "grappa/mapreduce/internal/combiner.hpp": "int& sum",
    "grappa/mapreduce/kmeans/internal/bounded_pass.hpp":
        "const PointBlocks& points, const MovingCenters& centers, Sums& sums, Sums& more_sums",
    "grappa/mapreduce/kmeans/internal/lanes.hpp": "const PointBlocks& blocks",
    "grappa/mapreduce/kmeans/internal/moving_centers.hpp":
        "const std::vector<double>& coordinates, const std::vector<double>& other_coordinates",
    "grappa/mapreduce/kmeans/internal/nearest.hpp": "const PointBlocks& blocks, const double* centers",
    "grappa/mapreduce/kmeans/internal/pass_plan.hpp":
        "std::int64_t blocks, bool (&move_centers)(), "
        "std::int64_t (&run)(PassPlan::Pass)",
    "grappa/mapreduce/kmeans/internal/point_file.hpp": "const CoreState<PointBlocks>& blocks",
    "grappa/mapreduce/kmeans/internal/starts.hpp": "const Points& points",
    "grappa/mapreduce/kmeans/internal/sums.hpp": "const PointBlocks& blocks, const double* centers",
    "grappa/mapreduce/internal/record_files.hpp": "std::int64_t begin, std::int64_t end",
    "grappa/mapreduce/sort/internal/text_bytes.hpp": "const Owned<LocaleState<TextFiles>>& files",
    "grappa/mapreduce/sort/internal/text_record.hpp": "const TextRecord& other",
    "grappa/graph/io/vertex_names.hpp": "std::string line",
    "grappa/graph/algorithms/coloring/internal/class_records.hpp": "std::uint32_t color, VertexId u, "
                                                 "std::span<const std::vector<ClassWord>> "
                                                 "all_words, std::uint32_t (&rank)(VertexId), "
                                                 "std::uint32_t* mark",
    "grappa/graph/algorithms/connected_components/internal/frequent_label.hpp": "const VertexId* labels",
    "grappa/graph/algorithms/triangles/internal/hub_matrix.hpp": "std::uint64_t* memory, const std::uint64_t* marks",
    "grappa/graph/algorithms/label_propagation/internal/label_counts.hpp": "std::int64_t degree, const VertexId* label, "
                                                "std::span<const VertexId> neighbors",
    "grappa/graph/algorithms/connected_components/internal/merge_borders.hpp": "Replica<VertexId> labels",
    "grappa/graph/algorithms/connected_components/internal/merge_forests.hpp": "Replica<VertexId> labels, "
                                                 "VertexId hooked",
    "grappa/graph/algorithms/triangles/internal/triangle_counter.hpp": "const TriangleOptions& options, "
                                                    "GlobalArray<std::uint64_t> counts",
    "grappa/graph/structure/internal/locale_parts.hpp": "Replica<double> rank, Replica<std::uint64_t> seen",
    "grappa/graph/framework/async_engine.hpp": "const Program& program",
    "grappa/graph/framework/programs/matrix_factorization.hpp": "std::int64_t users, std::size_t user, "
                                                     "std::size_t film",
    "grappa/graph/framework/pull_engine.hpp": "GlobalArray<Average::Point> position",
    "grappa/graph/framework/sync_engine.hpp": "const Program& program",
    "grappa/graph/framework/vertex_program.hpp": "GlobalArray<double> distance",
    "grappa/graph/framework/push_edges.hpp": "VertexId u",
    "grappa/graph/build/internal/renumber.hpp": "EdgeParts& list",
    "grappa/graph/build/internal/rows.hpp": "std::vector<std::uint64_t>& offsets, "
                                 "std::vector<VertexId>& targets, std::span<std::byte> weights",
    "grappa/graph/exec/rows_ahead.hpp": "const Adjacency& out, std::span<const VertexId> queue, "
                                       "std::int64_t first, std::int64_t last",
    "grappa/graph/algorithms/verification.hpp": "const BfsResult& result",
    "grappa/graph/exec/take_vertices.hpp": "std::int64_t first_word, std::int64_t last_word, "
        "const Adjacency& out, const Adjacency& in, std::uint64_t* seen, std::uint64_t* next, "
        "bool (*is_in_frontier)(VertexId)",
    "grappa/graph/exec/vertex_queue.hpp": "std::int64_t& tail, VertexId* queue",
    "grappa/memory/global_address.hpp": "int counter",
    "grappa/message/comm_thread.hpp": "Locale& locale, int processor",
    "grappa/message/serialized_message.hpp": "int core",
    "grappa/message/packet_assembler.hpp": "PacketAssembler& assembler, Chunk* chunk, "
                                               "int locale",
    "grappa/parallel/cancellation.hpp": "void (&compute)()",
    "grappa/parallel/forall.hpp": "GlobalAddress<std::int64_t> table",
    "grappa/parallel/session.hpp": "double (&compute)(GlobalArray<double>), "
                                   "bool (&user_has_had_enough)()",
    "grappa/parallel/whole_call.hpp": "void (*body)(void*), void* argument",
    "grappa/parallel/spawn.hpp": "CompletionEvent& event, GlobalAddress<Node> list, "
                                 "GlobalAddress<std::int64_t> counter",
    "grappa/base/file_place.hpp": "WholeFile& whole_file, const FilePlace* place, "
                                  "std::int64_t offset, std::string_view bytes",
    "grappa/base/external_wait.hpp": "int descriptor, char* out, std::size_t capacity",
    "grappa/query/block_builder.hpp": "const std::vector<Batch>& batches",
    "grappa/query/column_builder.hpp": "std::string_view name",
    "grappa/query/datalog/answer.hpp": "const Relation& relation, const Store& store, "
                                       "const Symbols& symbols",
    "grappa/query/datalog/check.hpp": "std::string_view text",
    "grappa/query/datalog/columns.hpp": "const std::vector<MemoryColumn>& columns, "
                                        "Engine& engine, const Source& source",
    "grappa/query/datalog/engine.hpp": "const std::string& text",
    "grappa/query/datalog/facts.hpp": "std::size_t relation, Fixpoint& fixpoint, "
                                      "const std::vector<MemoryColumn>& columns",
    "grappa/query/datalog/fixpoint.hpp": "std::string_view text, std::size_t relation",
    "grappa/query/datalog/lexer.hpp": "std::string_view text",
    "grappa/query/datalog/planner.hpp": "const Rule& rule, std::size_t driver, "
                                        "const PlanningPlaces& places",
    "grappa/query/datalog/router.hpp": "std::size_t bucket, "
                                       "void (&same)(std::size_t, const Word*, std::size_t)",
    "grappa/query/datalog/steps.hpp": "const RulePlan& plan, const TupleSet& set, "
                                      "std::size_t begin, std::size_t end",
    "grappa/query/datalog/store.hpp": "const Relation& relation, const Sharding& sharding, "
                                      "const ForEach& run",
    "grappa/query/datalog/stratify.hpp": "std::string_view text",
    "grappa/query/datalog/symbols.hpp": "int cores",
    "grappa/query/datalog/tuple_index.hpp": "Word key",
    "grappa/query/datalog/values.hpp": "const Term& term, Symbols& symbols",
    "grappa/query/memory_table.hpp": "const std::int32_t* ages",
    "grappa/query/plan/join_graph.hpp": "JoinCluster cluster, Estimates& estimates",
    "grappa/query/result.hpp": "Database& database",
    "grappa/query/file_tables.hpp": "const std::function<Table()>& read_schema, RelationPtr relation, "
                                    "RelationPtr (&plan_again)()",
    "grappa/query/table_file.hpp": "const Table& table, std::size_t group, std::size_t column",
    "grappa/query/table_sample.hpp": "Table& triples",
    "grappa/query/io/read_columns.hpp": "Table& table",
    "grappa/query/io/parquet/chunk_reader.hpp": "DistinctCounting counting, std::int64_t rows",
    "grappa/query/distinct_sketch.hpp": "const std::vector<std::uint64_t>& all, "
                                        "const DistinctSketch& of_another_core",
    "grappa/query/exec/aggregate_function.hpp": "std::int64_t most_rows, std::byte* state, "
                                                "std::byte* of_another_core, "
                                                "const AggregateCall& call, VectorBuffer& out, "
                                                "TextArena& texts",
    "grappa/query/exec/collected_bytes.hpp": "std::string_view bytes, TextArena& texts",
    "grappa/query/exec/collecting_functions.hpp": "const Expressions& arguments",
    "grappa/query/exec/covariance_functions.hpp": "const Expressions& arguments",
    "grappa/query/expression/date_fields.hpp": "std::int64_t day, std::int64_t timestamp",
    "grappa/query/expression/date_format.hpp": "std::string& line, std::int64_t& timestamp",
    "grappa/query/exec/ordered_bytes.hpp": "const Vector& vector, std::size_t row, bool is_descending, "
                                           "bool nulls_first, const std::string& other_key",
    "grappa/query/exec/group_table.hpp": "const RowLayout& layout, "
                                         "std::function<void(std::byte*)> start",
    "grappa/query/exec/hash_join.hpp": "JoinSpec spec, Pipeline build, Pipeline probe, "
                                     "ProbeSpec probe_spec",
    "grappa/query/exec/groups.hpp": "const Aggregation& plan, OperatorMemoryPtr memory, "
        "GroupTable* all, std::vector<std::byte*>& merged",
    "grappa/query/exec/made_once.hpp": "OperatorMemoryPtr memory, const RowLayout& layout, "
        "int cores, int core, std::span<const SortEntry> rows",
    "grappa/query/exec/operator_memory.hpp": "std::shared_ptr<std::atomic<std::int64_t>> "
        "spilled_bytes, RowStore& store, void (*spill)(RowStore&, const OperatorMemory&)",
    "grappa/query/exec/partitioned_join.hpp": "OperatorMemoryPtr memory, HashJoin& join, "
        "std::unique_ptr<PartitionedRows> left, JoinSpec spec, ProbeSpec probe",
    "grappa/query/exec/partitioned_rows.hpp": "OperatorMemoryPtr memory, int cores, "
        "std::size_t partition, std::size_t piece, Stage& stage",
    "grappa/query/exec/first_rows.hpp": "const RowOrder& order, const std::vector<std::size_t>& keys, "
                                        "RowStore& store, void (&keep)(Batch&, RowStore&), "
                                        "const std::vector<std::size_t>& text_offsets",
    "grappa/query/exec/row_order.hpp": "const RowLayout& layout, std::vector<std::byte*> rows",
    "grappa/query/exec/row_reader.hpp": "const RowLayout& layout, std::byte* const* rows, "
        "std::size_t count, Stage& next",
    "grappa/query/exec/sorted_runs.hpp": "OperatorMemoryPtr memory, const RowLayout& layout, "
        "int cores, int core, std::span<const SortEntry> sorted, const RowOrder& order, "
        "std::size_t most",
    "grappa/query/exec/spill_file.hpp": "std::span<const std::byte> rows, "
        "std::span<const std::byte> texts, std::span<std::byte> bytes",
    "grappa/query/exec/spilled_groups.hpp": "std::shared_ptr<const Groups> groups, int cores, "
        "int core, GroupTable* table, std::function<bool(const std::byte*)> is_shown",
    "grappa/query/exec/spilled_rows.hpp": "OperatorMemoryPtr memory, const RowLayout& layout, "
        "int cores, int core, std::size_t partition, const std::byte* row, RowStore& store",
    "grappa/query/memory_budget.hpp": "std::size_t bytes",
    "grappa/query/table_memory.hpp": "MemoryCharge& charge, const Table& table",
    "grappa/query/exec/chained_source.hpp": "Pipeline made, Pipeline first, Pipeline second",
    "grappa/query/exec/show_columns.hpp": "Stage& next",
    "grappa/query/exec/window_function.hpp": "WindowItem& item, ExpressionPtr column",
    "grappa/query/exec/window_partition.hpp": "const RowLayout& layout, "
                                              "std::span<std::byte* const> rows, "
                                              "const BoundWindow& function, std::size_t row",
    "grappa/query/exec/window_values.hpp": "const RowLayout& layout, "
                                           "std::vector<std::byte*>& rows, "
                                           "const BoundWindow& function",
    "grappa/query/exec/key_bits.hpp": "const Batch& batch, std::int64_t key, "
                                      "std::uint16_t* chosen",
    "grappa/query/exec/key_filter.hpp": "std::shared_ptr<const HashJoin> join, ColumnId column",
    "grappa/query/exec/leaders.hpp": "const std::string& text",
    "grappa/query/exec/zeroed_words.hpp": "std::size_t place, std::uint64_t address",
    "grappa/query/exec/pipeline.hpp": "std::shared_ptr<Source> source, MakeStage filter, "
                                      "std::unique_ptr<Stage> (&make_sink)(int)",
    "grappa/query/exec/row_exchange.hpp": "std::size_t row_bytes, const std::byte* row, int owner, "
                                          "const std::vector<std::size_t>& offsets, "
                                          "RowStore& received",
    "grappa/query/exec/row_layout.hpp": "const Vector& vector, VectorBuffer& out",
    "grappa/query/expression/evaluator.hpp": "ExpressionPtr expression, "
                                             "const ColumnPlaces& positions, Evaluator is_adult, "
                                             "Position* selected",
    "grappa/query/expression/evaluation_node.hpp": "ExpressionPtr expression, "
                                                   "const ColumnPlaces& positions",
    "grappa/query/expression/function_list.hpp": "FunctionList& list, Kernel length",
    "grappa/query/io/all_gather.hpp": "int mine",
    "grappa/query/io/csv_format.hpp": "std::string_view sample",
    "grappa/query/io/text_piece_loader.hpp": "TextFormat format, TextOptions options, "
                                             "const std::vector<bool>& are_given, "
                                             "const TextPiece& piece, "
                                             "const std::vector<bool>& all_columns",
    "grappa/query/io/text_pieces.hpp": "const std::vector<std::string>& paths, "
                                       "const TextFormat& format, const TextOptions& options",
    "grappa/query/io/text_format.hpp": "std::string_view text, const TextFormat& format",
    "grappa/query/io/text_field.hpp": "const char* text",
    "grappa/query/io/ascii.hpp": "std::string_view text",
    "grappa/query/io/line_format.hpp": "std::string_view sample, std::string_view key",
    "grappa/query/io/failures.hpp": "std::uint64_t order, void (&load_my_part)()",
    "grappa/query/io/parquet/chunk_writer.hpp": "const Block& block",
    "grappa/query/io/parquet/codec.hpp": "std::string_view compressed, std::span<char> page",
    "grappa/query/io/parquet/delta_reader.hpp": "std::int64_t* out",
    "grappa/query/io/parquet/file.hpp": "std::size_t group",
    "grappa/query/io/parquet/footer_writer.hpp": "const std::vector<SchemaElement>& columns, "
                                                 "const std::vector<WrittenGroup>& groups, "
                                                 "const std::vector<std::int64_t>& places",
    "grappa/query/io/parquet/run_reader.hpp": "std::uint32_t* out",
    "grappa/query/io/parquet/schema.hpp": "const Metadata& metadata",
    "grappa/query/io/parquet/value_reader.hpp": "std::int64_t* out",
    "grappa/query/sql/file_options.hpp": "const CopyTo& copy",
    "grappa/query/sql/table_functions.hpp": "const TableFunction& function, BindContext& context, "
                                            "const Catalog& catalog",
    "grappa/query/io/row_format.hpp": "io::OutputFile& out",
    "grappa/query/io/row_writer.hpp": "io::OutputFile& out, const std::vector<Batch>& batches",
    "grappa/query/expression/kernels.hpp": "const KernelCall& call",
    "grappa/query/expression/text_kernels.hpp": "const KernelCall& call",
    "grappa/query/progress.hpp": "Progress& progress, std::int64_t rows",
    "grappa/query/plan/decorrelate.hpp": "RelationPtr parts, RelationPtr average_of_part",
    "grappa/query/plan/relation.hpp": "RelationPtr people, ExpressionPtr age",
    "grappa/query/sql/bind_expression.hpp": "BindContext& context, const Scope& scope, "
                                            "FoundAggregates& found, const Expression& expression",
    "grappa/query/sql/bind_groups.hpp": "BindContext& context, const Select& select, const Scope& scope, "
                                        "const ExpressionBinder::Alias& alias, RelationPtr relation, "
                                        "SelectParts& parts",
    "grappa/query/sql/bind_join.hpp": "BindContext& context, const Scope* around, FromSource left, "
                                      "FromSource right, const JoinStep& step",
    "grappa/query/sql/change_rows.hpp": "const Change& change, const query::Table* table",
    "grappa/query/sql/select_parts.hpp": "ExpressionPtr value, sql::Position position, "
                                         "RelationPtr relation, ColumnNumbers& numbers",
    "grappa/query/io/json_lines.hpp": "std::string_view text, char* bytes",
    "grappa/query/sql/binder.hpp": "const Query& query, const Catalog& catalog",
    "grappa/query/sql/query_binder.hpp": "const Query& query, const Catalog& catalog",
    "grappa/query/sql/catalog.hpp": "std::shared_ptr<const Table> table, "
                                    "std::shared_ptr<const Table> (*load)(const TableSource&)",
    "grappa/query/sql/scope.hpp": "const Scope& around, ExpressionPtr names, ExpressionPtr ages, "
                                  "const ColumnReference& reference",
    "grappa/query/table.hpp": "const Table& table",
    "grappa/query/text_dictionary.hpp": "TextRef (*keep)(const TextRef&)",
    "grappa/query/text_arena.hpp": "const TextRef& of_a_batch",
    "grappa/query/sql/ast.hpp": "const Expression& value, const Expression& other_value, "
                                "const Query& query",
    "grappa/query/sql/token_stream.hpp": "TokenStream& tokens",
    "grappa/sync/awaitable.hpp": "CompletionEvent& event, FullEmpty<int>& word, Mutex& mutex",
    "grappa/sync/condition_variable.hpp": "Mutex& mutex, ConditionVariable& changed, "
                                              "std::vector<int>& letters, int x",
    "grappa/sync/mutex.hpp": "GlobalAddress<int> a",
    "grappa/tasking/doorbell.hpp": "Doorbell& doorbell",
    "grappa/tasking/coroutine.hpp": "GlobalAddress<Node> root",
    "grappa/tasking/activity_scope.hpp": "Core& core",
    "grappa/tasking/report_signal.hpp": "bool running, std::uint64_t timeout_ns, void (&report)()",
    "grappa/tasking/sampler.hpp": "Locale& locale, void (&run_it)()",
    "grappa/transport/mpi/mpi_transport.hpp": "MpiLibrary& mpi",
    "grappa/transport/packet.hpp": "Endpoint& endpoint, std::uint32_t length, "
                                       "const char* text, int destination",
    "grappa/transport/transport.hpp": "std::uint32_t (&fill)(std::byte*, std::size_t)",
    "grappa/transport/watch/deadlock_vote.hpp": "int rank, const RunReport& report",
    "grappa/transport/watch/handshake.hpp": "int rank, WatchSocket& socket, "
                                                "std::string& received, std::string& answer",
    "grappa/transport/watch/keyed_hash.hpp": "std::string_view nonce",
    "grappa/transport/watch/peer_watch.hpp": "std::vector<WatchAddress> (&all_gather)"
                                                 "(const WatchAddress&)",
    "grappa/transport/watch/watch_address.hpp": "std::uint16_t port, "
                                                    "void (&connect)(const std::string&, long)",
    "grappa/transport/watch/watch_socket.hpp": "std::string_view bytes",
}
