// Statements that show or write rows, as local_database.hpp has them.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "grappa/base/text_values.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/io/output_check.hpp"
#include "grappa/io/output_file.hpp"
#include "grappa/io/unnamed_file.hpp"
#include "grappa/query/exec/executor.hpp"
#include "grappa/query/exec/profile.hpp"
#include "grappa/query/io/row_format.hpp"
#include "grappa/query/local_database.hpp"
#include "grappa/query/plan/estimate.hpp"
#include "grappa/query/sql/file_options.hpp"
#include "grappa/query/sql/syntax_error.hpp"
#include "grappa/query/table_builder.hpp"

namespace grappa::query {
namespace {

/// An answer of texts, such as a plan.
void show_texts(std::vector<std::string> names, const std::vector<std::vector<std::string>>& rows,
                const std::function<void(Answer& answer)>& show) {
  Answer answer;
  answer.types.assign(names.size(), kText);
  answer.names = std::move(names);
  answer.for_each_batch = [&](const std::function<void(const Batch&)>& take) {
    for (std::size_t begin = 0; begin < rows.size(); begin += kBatchRows) {
      const std::size_t count = std::min(kBatchRows, rows.size() - begin);
      std::vector<std::vector<TextRef>> columns(answer.names.size());
      Batch batch;
      batch.rows = batch.count = count;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t i = 0; i < count; ++i) columns[c].emplace_back(rows[begin + i][c]);
        batch.columns.push_back({.type = kText, .values = columns[c].data()});
      }
      take(batch);
    }
  };
  if (show) show(answer);
}

bool is_one_of(const std::string& path, const std::string& pattern) {
  std::error_code ignored;
  return std::ranges::any_of(io::files_there(pattern), [&](const std::string& file) {
    return std::filesystem::equivalent(file, path, ignored);
  });
}

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.0f} µs", std::max(seconds, 0.0) * 1e6);
}

std::string bytes_note(std::int64_t bytes, std::string_view what) {
  if (bytes == 0) return {};
  return fmt::format("; {} {}", internal::format_bytes(static_cast<std::uint64_t>(bytes)), what);
}

}  // namespace

void Database::Local::execute_node(const sql::Query& query, const std::string& text,
                                   const Show& show) {
  const Planned planned = plan(query, text);
  Answer answer;
  answer.names = planned.bound.names;
  answer.types = types_of(planned.bound.columns);
  bool computed = false;
  answer.for_each_batch = [&](const std::function<void(const Batch&)>& take) {
    computed = true;
    Executor(team).push(planned.relation, planned.bound.columns, take);
  };
  answer.collect = [&] {
    computed = true;
    Executor executor(team);
    return build_table(team, executor.open(planned.relation, planned.bound.columns), answer.names,
                       planned.bound.columns);
  };
  if (show) show(answer);
  // The other locales do not know whether anybody asks.
  if (!computed && team.locales > 1) answer.for_each_batch([](const Batch&) {});
}

void Database::Local::execute_node(const sql::Describe& node, const std::string& text,
                                   const Show& show) {
  const Planned planned = outline(node.query, text);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < planned.bound.names.size(); ++i)
    rows.push_back({planned.bound.names[i], name_of(planned.bound.columns[i]->type)});
  show_texts({"column_name", "column_type"}, rows, show);
}

void Database::Local::execute_node(const sql::ShowTables&, const std::string&, const Show& show) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, table] : catalog.tables) rows.push_back({name});
  for (const auto& [name, view] : catalog.views) rows.push_back({name});
  std::ranges::sort(rows);
  show_texts({"name"}, rows, show);
}

void Database::Local::execute_node(const sql::Box<sql::Explain>& node, const std::string& text,
                                   const Show& show) {
  const auto* query = std::get_if<sql::Query>(&node->statement.node);
  if (query == nullptr)
    throw sql::SyntaxError(text, node->statement.position, "EXPLAIN takes a query");
  const Planned planned = plan(*query, text);
  Estimates estimates;
  // Where nothing is bounded, what operators have is counted all the same.
  QueryMemory unbounded(SIZE_MAX, io::temporary_folder());
  Profile profile;
  if (node->is_analyze) {
    Team watched = team;
    if (watched.memory == nullptr) watched.memory = &unbounded;
    watched.sent_bytes = &profile.sent_counter();
    Executor(watched, &profile).push(planned.relation, planned.bound.columns, [](const Batch&) {});
  }
  const std::string tree = tree_of(planned.relation, [&](const RelationPtr& relation) {
    std::string note = fmt::format("  [about {:.0f} rows", estimates.of(relation).rows);
    if (node->is_analyze)
      note += fmt::format("; {} rows, {}{}{}{}", team.sum(profile.rows(*relation)),
                          time_text(profile.seconds(*relation)),
                          bytes_note(team.sum(profile.memory(*relation)), "of memory"),
                          bytes_note(team.sum(profile.spilled(*relation)), "spilled"),
                          bytes_note(team.sum(profile.sent(*relation)), "sent"));
    return note + "]";
  });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0; at < tree.size();) {
    const std::size_t end = tree.find('\n', at);
    rows.push_back({tree.substr(at, end - at)});
    at = end + 1;
  }
  show_texts({"plan"}, rows, show);
}

void Database::Local::execute_node(const sql::CopyTo& node, const std::string& text, const Show&) {
  const std::string& path = node.file.path;
  const RowFormat format = sql::written_format(node.file, text);
  const Planned planned = plan(node.query, text);
  std::unique_ptr<io::OutputFile> file;
  std::unique_ptr<RowWriter> writer;
  if (team.locale == 0) {
    std::vector<std::string> inputs;
    for (const std::string& read : paths_read)
      std::ranges::move(io::files_there(read), std::back_inserter(inputs));
    io::check_outputs({{"COPY", path}}, inputs);
    file = std::make_unique<io::OutputFile>(path);
    writer = row_writer(format, [&](std::string_view bytes) { file->write(bytes); }, team.parallel);
    writer->begin(planned.bound.names, types_of(planned.bound.columns));
  }
  Executor(team).push(planned.relation, planned.bound.columns, [&](const Batch& batch) {
    if (writer != nullptr) writer->rows(batch);
  });
  if (writer != nullptr) writer->end();
  // Whoever has failed says so before the file is there.
  team.meet([](std::span<const std::byte>) {});
  if (file != nullptr) file->commit();
  forget(path);
}

void Database::Local::forget(const std::string& path) {
  files.forget_if([&](const TableSource& source) {
    return std::ranges::any_of(source.paths,
                               [&](const std::string& read) { return is_one_of(path, read); });
  });
}

}  // namespace grappa::query
