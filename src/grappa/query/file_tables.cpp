#include "grappa/query/file_tables.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/query/io/read_columns.hpp"
#include "grappa/query/table_file.hpp"
#include "grappa/query/table_memory.hpp"
#include "grappa/query/table_sample.hpp"

namespace grappa::query {
namespace {

/// Of what other tables leave, for columns of files.
constexpr std::uint64_t kShare = 2;

/// Columns that are being read: keeps the values of those that there is memory for.
class ColumnKeeper {
 public:
  /// `left`: so many bytes may be kept, of all of them.
  ColumnKeeper(Table& table, const std::vector<std::size_t>& columns, MemoryBudget* budget,
               std::uint64_t left)
      : table_(table), left_(left) {
    for (const std::size_t column : columns)
      kept_[column].charge = MemoryCharge(budget, MemoryUse::kTables);
  }

  /// Any core.
  void take(std::size_t block, std::size_t column, ColumnBlock values) {
    const std::size_t bytes = bytes_of(values, table_.blocks[block].rows);
    const std::lock_guard guard(lock_);
    Kept& of = kept_.at(column);
    if (of.fits && bytes <= left_ && of.charge.try_add(bytes)) {
      table_.blocks[block].columns[column] = std::move(values);
      left_ -= bytes;
    } else if (of.fits) {
      of.fits = false;
      left_ += of.bytes;
      of.charge.clear();
      drop_column(table_, column);
    }
    of.bytes += bytes;
  }

  struct Kept {
    MemoryCharge charge{};
    std::uint64_t bytes = 0;  // of all its values
    bool fits = true;
  };
  std::map<std::size_t, Kept>& columns() { return kept_; }

  static void drop_column(Table& table, std::size_t column) {
    for (Block& block : table.blocks) {
      ColumnBlock& values = block.columns[column];
      ColumnBlock known;
      known.type = values.type;
      known.range = values.range;
      values = std::move(known);
    }
  }

 private:
  Table& table_;
  std::uint64_t left_;
  std::mutex lock_;
  std::map<std::size_t, Kept> kept_;
};

/// What locales tell one another of a column.
struct ReadPart {
  std::uint64_t bytes;
  bool fits;
};

}  // namespace

std::shared_ptr<const Table> FileTables::open(const TableSource& source,
                                              const std::function<Table()>& make) {
  const auto known = std::ranges::find(open_, source, &OpenTable::source);
  if (known != open_.end()) return known->table;
  OpenTable open{source, std::make_shared<Table>(make()), {}};
  const Table& table = *open.table;
  if (table.file) {
    open.table->sample.columns.resize(table.columns.size());
    for (const Column& column : table.columns) {
      // A text takes as much as its reference, and some bytes where it is long.
      const std::size_t bytes_of_value =
          size_of(column.type.physical()) * (column.type.is_text() ? 2 : 1);
      open.columns.emplace_back().bytes = static_cast<std::uint64_t>(table.rows) * bytes_of_value /
                                          static_cast<std::uint64_t>(team_.locales);
    }
  }
  return open_.emplace_back(std::move(open)).table;
}

void FileTables::forget_changed() {
  ++statement_;
  const bool has_files =
      std::ranges::any_of(open_, [](const OpenTable& open) { return open.table->file != nullptr; });
  if (!has_files) return;
  forget_if([&](const TableSource& source) {
    const OpenTable& open = *std::ranges::find(open_, source, &OpenTable::source);
    if (open.table->file == nullptr) return false;
    try {
      open.table->file->check_unchanged();
      return false;
    } catch (const InputError&) {
      return true;
    }
  });
}

void FileTables::forget_if(const std::function<bool(const TableSource&)>& is_gone) {
  std::vector<std::uint8_t> gone;
  if (team_.locale == 0)
    for (const OpenTable& open : open_) gone.push_back(is_gone(open.source) ? 1 : 0);
  const std::vector<std::uint8_t> same = team_.gather(std::move(gone))[0];
  std::size_t i = 0;
  std::erase_if(open_, [&](const OpenTable&) { return same[i++] != 0; });
}

bool FileTables::load_for(const RelationPtr& relation) {
  const std::vector<Place> missing = missing_for(relation);
  if (missing.empty()) return false;
  if (budget() != nullptr) most_bytes_ = bytes_for_columns();
  const std::vector<Place> keep = fitting(missing);
  bool is_new = false;
  for (std::size_t t = 0; t < open_.size(); ++t) {
    std::vector<std::size_t> unknown;
    std::vector<std::size_t> again;
    for (const Place& of : missing)
      if (of.table == t && !state(of).is_known) unknown.push_back(of.column);
    for (const Place& of : keep)
      if (of.table == t && state(of).is_known) again.push_back(of.column);
    if (!unknown.empty()) read(open_[t], unknown, DistinctCounting::kWanted);
    if (!again.empty()) read(open_[t], again, DistinctCounting::kLeftOut);
    is_new |= !unknown.empty();
  }
  return is_new;
}

std::vector<FileTables::Place> FileTables::missing_for(const RelationPtr& relation) {
  std::set<std::pair<std::size_t, std::size_t>> found;
  std::set<const Relation*> seen;
  const auto visit = [&](const auto& self, const RelationPtr& of) -> void {
    if (!seen.insert(of.get()).second) return;
    if (of->table && of->table->file) {
      const auto open = std::ranges::find(open_, of->table, &OpenTable::table);
      for (const std::size_t column : of->table_columns)
        found.emplace(static_cast<std::size_t>(open - open_.begin()), column);
    }
    for (const RelationPtr& input : of->inputs) self(self, input);
  };
  visit(visit, relation);
  std::vector<Place> missing;
  for (const auto& [table, column] : found) {
    const Place place{table, column};
    state(place).used = statement_;
    if (!state(place).is_in_memory) missing.push_back(place);
  }
  return missing;
}

std::vector<FileTables::Place> FileTables::fitting(std::vector<Place> missing) {
  if (budget() == nullptr) return missing;
  // So that as many as possible are there.
  std::ranges::stable_sort(missing, {}, [&](const Place& of) { return state(of).bytes; });
  std::vector<Place> fit;
  std::uint64_t bytes = 0;
  for (const Place& of : missing) {
    bytes += state(of).bytes;
    while (bytes_in_memory() + bytes > most_bytes_ && drop_oldest()) {
    }
    if (bytes_in_memory() + bytes > most_bytes_) break;
    fit.push_back(of);
  }
  return fit;
}

std::uint64_t FileTables::bytes_for_columns() const {
  std::uint64_t least = UINT64_MAX;
  for (const auto& left : team_.gather(std::vector<std::uint64_t>{budget()->left()}))
    least = std::min(least, left[0]);
  return (least + bytes_in_memory()) / kShare;
}

std::uint64_t FileTables::bytes_in_memory() const {
  std::uint64_t bytes = 0;
  for (const OpenTable& open : open_)
    for (const State& column : open.columns) bytes += column.is_in_memory ? column.bytes : 0;
  return bytes;
}

bool FileTables::drop_oldest() {
  OpenTable* table = nullptr;
  std::size_t oldest = 0;
  for (OpenTable& open : open_) {
    for (std::size_t c = 0; c < open.columns.size(); ++c) {
      const State& of = open.columns[c];
      if (!of.is_in_memory || of.used == statement_) continue;
      if (table != nullptr && table->columns[oldest].used <= of.used) continue;
      table = &open;
      oldest = c;
    }
  }
  if (table == nullptr) return false;
  drop(*table, oldest);
  return true;
}

void FileTables::drop(OpenTable& open, std::size_t column) {
  ColumnKeeper::drop_column(*open.table, column);
  open.columns[column].charge.clear();
  open.columns[column].is_in_memory = false;
}

void FileTables::read(OpenTable& open, const std::vector<std::size_t>& columns,
                      DistinctCounting counting) {
  Table& table = *open.table;
  ColumnKeeper keeper(table, columns, budget(),
                      most_bytes_ - std::min(most_bytes_, bytes_in_memory()));
  std::optional<SampledColumns> sampled;
  try {
    if (counting == DistinctCounting::kWanted) sampled.emplace(team_, table, columns);
    const auto take = [&](std::size_t block, std::size_t column, ColumnBlock values) {
      if (sampled) sampled->add(block, column, values);
      keeper.take(block, column, std::move(values));
    };
    read_columns(table, columns, counting, take, team_.parallel, team_.exchange, team_.progress);
    if (sampled) sampled->add_to(table.sample);
  } catch (...) {
    for (const std::size_t column : columns) drop(open, column);
    throw;
  }
  std::vector<ReadPart> mine;
  for (const std::size_t column : columns) {
    const ColumnKeeper::Kept& kept = keeper.columns().at(column);
    mine.push_back({kept.bytes, kept.fits});
  }
  const std::vector<std::vector<ReadPart>> all = team_.gather(std::move(mine));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    State& state = open.columns[columns[i]];
    state.is_known = true;
    state.is_in_memory = true;
    state.bytes = 0;
    state.charge = std::move(keeper.columns().at(columns[i]).charge);
    for (const std::vector<ReadPart>& part : all) {
      state.bytes = std::max(state.bytes, part[i].bytes);
      state.is_in_memory = state.is_in_memory && part[i].fits;
    }
    if (!state.is_in_memory) drop(open, columns[i]);
  }
}

}  // namespace grappa::query
