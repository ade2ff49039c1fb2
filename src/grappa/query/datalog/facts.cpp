#include "grappa/query/datalog/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/datalog/functor.hpp"
#include "grappa/query/io/text_reader.hpp"

namespace grappa::query::datalog {
namespace {

namespace fs = std::filesystem;

/// As which SQL's reader reads it.
Type type_of(Kind kind) {
  switch (kind) {
    case Kind::kNumber:
      return kInt64;
    case Kind::kUnsigned:
      return Type::decimal(20, 0);
    case Kind::kFloat:
      return kDouble;
    case Kind::kSymbol:
      return kText;
  }
  __builtin_unreachable();
}

class Loading {
 public:
  Loading(std::size_t relation, const Program& program, std::string path, Fixpoint& fixpoint)
      : number_(relation),
        relation_(program.relations[relation]),
        path_(std::move(path)),
        fixpoint_(fixpoint) {}

  TextOptions options() const {
    const FileOptions& given = *relation_.input;
    TextOptions made;
    const bool is_csv = given.is_rfc4180 ||
                        (given.filename.empty() &&
                         fs::path(path_).filename().string().starts_with(relation_.name + ".csv"));
    made.delimiter = given.delimiter ? (*given.delimiter)[0] : is_csv ? ',' : '\t';
    made.quote = is_csv ? '"' : '\0';
    made.header = given.has_headers;
    for (const Attribute& of : relation_.attributes) {
      made.names.push_back(of.name);
      made.types.emplace_back(of.name, type_of(of.kind));
      made.type_words.emplace_back(name_of(of.kind));
    }
    return made;
  }

  void insert(const Block& block, int core) const {
    std::array<Word, 64> tuple;
    std::vector<Vector> columns(block.columns.size());
    for (std::size_t begin = 0; begin < block.rows; begin += kBatchRows) {
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = block.columns[c].vector(begin);
      const std::size_t rows = std::min(kBatchRows, block.rows - begin);
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t c = 0; c < columns.size(); ++c) tuple[c] = word(columns[c], row, c, core);
        fixpoint_.insert(core, number_, tuple.data());
      }
    }
  }

  void check_columns(std::size_t found) const {
    if (found != relation_.attributes.size())
      throw InputError(path_, 1,
                       fmt::format("{} has {} attributes, here are {} columns", relation_.name,
                                   relation_.attributes.size(), found));
  }

 private:
  Word word(const Vector& column, std::size_t row, std::size_t c, int core) const {
    const Kind kind = relation_.attributes[c].kind;
    if (kind == Kind::kSymbol)
      return fixpoint_.symbols().intern(
          column.is_valid(row) ? column.at<TextRef>(row).view() : std::string_view(), core);
    if (!column.is_valid(row)) fail(c, "is missing");
    if (kind == Kind::kFloat) {
      const double value = column.at<double>(row);
      return std::bit_cast<Word>(value == 0 ? 0.0 : value);
    }
    if (kind == Kind::kNumber) return std::bit_cast<Word>(column.at<std::int64_t>(row));
    const Int128 value = column.at<Int128>(row);
    if (value < 0 || value > Int128{~Word{0}}) fail(c, "is no unsigned of 64 bits");
    return static_cast<Word>(value);
  }

  [[noreturn]] void fail(std::size_t column, std::string_view what) const {
    throw InputError(path_, 0,
                     fmt::format("a value of {} {}", relation_.attributes[column].name, what));
  }

  std::size_t number_;
  const Relation& relation_;
  std::string path_;
  Fixpoint& fixpoint_;
};

/// The words of arrays.
class Inserting {
 public:
  Inserting(const MemoryFacts& facts, const Program& program, Fixpoint& fixpoint)
      : facts_(facts),
        number_(number_of(facts.relation, program)),
        relation_(program.relations[number_]),
        fixpoint_(fixpoint) {
    if (facts.columns.size() != relation_.attributes.size())
      throw UsageError(fmt::format("facts of {}: it has {} attributes, here are {} columns",
                                   relation_.name, relation_.attributes.size(),
                                   facts.columns.size()));
    for (std::size_t c = 0; c < facts.columns.size(); ++c)
      if (facts.columns[c].type != stored_type_of(relation_.attributes[c].kind))
        fail(c, fmt::format("a {}: it is {}", name_of(relation_.attributes[c].kind),
                            name_of(facts.columns[c].type)));
  }

  void insert(std::size_t begin, std::size_t end, int core) const {
    std::array<Word, 64> tuple;
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t c = 0; c < facts_.columns.size(); ++c) tuple[c] = word(row, c, core);
      fixpoint_.insert(core, number_, tuple.data());
    }
  }

 private:
  static std::size_t number_of(const std::string& name, const Program& program) {
    const auto found = std::ranges::find(program.relations, name, &Relation::name);
    if (found == program.relations.end())
      throw UsageError(fmt::format("facts: the program has no relation {}", name));
    return static_cast<std::size_t>(found - program.relations.begin());
  }

  static Type stored_type_of(Kind kind) { return kind == Kind::kUnsigned ? kInt64 : type_of(kind); }

  Word word(std::size_t row, std::size_t c, int core) const {
    const MemoryColumn& column = facts_.columns[c];
    const bool is_there = column.valid == nullptr || column.valid[row] != 0;
    const Kind kind = relation_.attributes[c].kind;
    if (kind == Kind::kSymbol) {
      const auto* const ends = static_cast<const std::int64_t*>(column.values);
      const std::string_view text(column.text_bytes + ends[row],
                                  static_cast<std::size_t>(ends[row + 1] - ends[row]));
      return fixpoint_.symbols().intern(is_there ? text : std::string_view(), core);
    }
    if (!is_there) fail(c, "a value in each row");
    if (kind == Kind::kFloat) {
      const double value = static_cast<const double*>(column.values)[row];
      return std::bit_cast<Word>(value == 0 ? 0.0 : value);
    }
    const std::int64_t value = static_cast<const std::int64_t*>(column.values)[row];
    if (kind == Kind::kUnsigned && value < 0) fail(c, fmt::format("an unsigned: {}", value));
    return std::bit_cast<Word>(value);
  }

  [[noreturn]] void fail(std::size_t column, const std::string& expected) const {
    throw UsageError(fmt::format("facts of {}: column {}: expected {}", relation_.name,
                                 facts_.columns[column].name, expected));
  }

  const MemoryFacts& facts_;
  std::size_t number_;
  const Relation& relation_;
  Fixpoint& fixpoint_;
};

}  // namespace

std::string path_in(const std::string& folder, const std::string& name) {
  return folder == "." ? name : (fs::path(folder) / name).string();
}

std::string facts_path(const Relation& relation, const std::string& folder) {
  if (!relation.input->filename.empty()) return path_in(folder, relation.input->filename);
  std::error_code ignored;
  for (const char* const kind : {".facts", ".csv"}) {
    for (const char* const compression : {"", ".gz", ".zst"}) {
      std::string path = path_in(folder, relation.name + kind + compression);
      if (fs::exists(path, ignored)) return path;
    }
  }
  return path_in(folder, relation.name + ".facts");
}

void load_facts(std::size_t relation, const Program& program, const std::string& folder,
                const Team& team, Fixpoint& fixpoint) {
  const std::string path = facts_path(program.relations[relation], folder);
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) == 0) return;
  const Loading loading(relation, program, path, fixpoint);
  const Table table = load_text({path}, loading.options(), team.parallel, team.exchange);
  loading.check_columns(table.columns.size());
  std::atomic<std::size_t> next = 0;
  team.on_cores([&](int core) {
    for (std::size_t i = next++; i < table.blocks.size(); i = next++)
      loading.insert(table.blocks[i], core);
  });
}

void insert_facts(const MemoryFacts& facts, const Program& program, const Team& team,
                  Fixpoint& fixpoint) {
  const Inserting inserting(facts, program, fixpoint);
  const auto rows = static_cast<std::size_t>(facts.rows);
  std::atomic<std::size_t> next = 0;
  team.on_cores([&](int core) {
    for (std::size_t begin = next.fetch_add(kBatchRows); begin < rows;
         begin = next.fetch_add(kBatchRows)) {
      stop_if_cancelled();
      inserting.insert(begin, std::min(rows, begin + kBatchRows), core);
    }
  });
}

}  // namespace grappa::query::datalog
