#include "grappa/query/io/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "grappa/base/error.hpp"
#include "grappa/io/matching_files.hpp"
#include "grappa/io/text/text_line.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/column_builder.hpp"
#include "grappa/query/io/all_gather.hpp"
#include "grappa/query/io/failures.hpp"
#include "grappa/query/io/line_format.hpp"
#include "grappa/query/io/text_piece_loader.hpp"
#include "grappa/query/io/text_pieces.hpp"

namespace grappa::query {
namespace {

struct Opened {
  Failures failures;
  std::optional<TextFormat> format;
  static constexpr auto kMembers = std::tuple(&Opened::failures, &Opened::format);
};

/// What a locale has loaded.
struct Part {
  Failures failures;
  std::vector<CandidateTypes> candidates;
  std::int64_t rows = 0;
  std::vector<PartialFacts> facts;
  std::vector<NewColumn> new_columns;
  static constexpr auto kMembers =
      std::tuple(&Part::failures, &Part::candidates, &Part::rows, &Part::facts, &Part::new_columns);
};

/// The part of a file that a locale has: the bytes at which its rows begin and end.
struct PartOfFile {
  std::uint64_t file;
  std::uint64_t begin;
  std::uint64_t stop;
  std::uint64_t end;
};

/// Whether what was guessed is where the rows before have ended. Where no row begins in the piece,
/// both are behind it.
template <class Position>
bool fits(Position guess, Position stop, Position end_before) {
  return guess == end_before || (guess >= stop && end_before >= stop);
}

class Loader {
 public:
  Loader(const std::vector<std::string>& paths, const TextOptions& options,
         const io::ParallelFor& parallel, const Exchange& exchange, Progress* progress)
      : parallel_(parallel), exchange_(exchange), progress_(progress) {
    plan_.options = options;
    open(paths);
    choose_types();
  }

  Table load() {
    Part mine;
    try {
      pieces_->cut(plan_.format, plan_.options);
      load_all();
    } catch (const InputError& error) {
      mine.failures.push_back(failure_of(error, 0));
    } catch (const Cancelled&) {
      mine.failures.push_back({.is_cancelled = true});
      loaded_.clear();
    }
    if (locale_count() > 1) agree_on_beginnings();
    if (mine.failures.empty()) mine = part();
    std::vector<Part> parts = all_gather(exchange_, mine);
    throw_failures(parts);
    if (widen(parts)) {
      try {
        reload();
        mine = part();
      } catch (const Cancelled&) {
        mine.failures = {{.is_cancelled = true}};
      }
      parts = all_gather(exchange_, mine);
      throw_failures(parts);
    }
    return table(parts);
  }

 private:
  struct Loaded {
    const TextPiece* piece;
    LoadedPiece rows;
  };

  void open(const std::vector<std::string>& paths) {
    Opened mine;
    try {
      std::vector<std::string> files;
      for (const std::string& path : paths)
        std::ranges::move(io::matching_files(path), std::back_inserter(files));
      pieces_.emplace(files);
      mine.format = pieces_->detect(plan_.options);
    } catch (const InputError& error) {
      mine.failures.push_back(failure_of(error, static_cast<std::uint64_t>(this_locale())));
    }
    std::vector<Opened> all = all_gather(exchange_, mine);
    std::vector<Failures> failures;
    for (const Opened& opened : all) failures.push_back(opened.failures);
    throw_first(failures);
    plan_.format = std::move(*all[0].format);
  }

  void choose_types() {
    const TextFormat& format = plan_.format;
    const TextOptions& options = plan_.options;
    const std::size_t columns = format.names.size();
    plan_.are_given.assign(columns, options.all_texts);
    for (const CandidateTypes& candidates : format.candidates)
      plan_.types.push_back(options.all_texts ? kText : candidates.best());
    if (options.types_in_order.size() > columns)
      throw InputError(pieces_->first_name(), 0,
                       fmt::format("has {}, and there are types of {}",
                                   io::counted(static_cast<std::int64_t>(columns), "column"),
                                   options.types_in_order.size()));
    for (std::size_t c = 0; c < options.types_in_order.size(); ++c) {
      plan_.types[c] = options.types_in_order[c];
      plan_.are_given[c] = true;
    }
    for (const auto& [name, type] : options.types) {
      const auto found = std::ranges::find(format.names, io::lower(name), io::lower);
      if (found == format.names.end()) {
        throw UsageError(fmt::format("{}: there is no column {} to be {}; there are {}",
                                     pieces_->first_name(), io::quoted(name), name_of(type),
                                     fmt::join(format.names, ", ")));
      }
      const auto c = static_cast<std::size_t>(found - format.names.begin());
      plan_.types[c] = type;
      plan_.are_given[c] = true;
    }
  }

  void load_all() {
    const std::vector<bool> all(plan_.types.size(), true);
    std::deque<TextPiece>& in_memory = pieces_->in_memory();
    for (const TextPiece& piece : in_memory) loaded_.push_back({&piece, {}});
    const auto n = static_cast<std::int64_t>(in_memory.size());
    if (progress_ != nullptr) progress_->begin(Progress::kLoading, pieces_->has_streams() ? 0 : n);
    std::mutex of_streams;
    std::deque<Loaded> loaded_from_streams;
    io::for_parts(parallel_, n + (pieces_->has_streams() ? cores_per_locale() : 0),
                  [&](std::int64_t i) {
                    stop_if_cancelled();
                    if (i < n) {
                      Loaded& mine = loaded_[static_cast<std::size_t>(i)];
                      mine.rows = load_piece(plan_, *mine.piece, mine.piece->begin, all);
                      if (progress_ != nullptr) ++progress_->done;
                      return;
                    }
                    while (const TextPiece* const piece = pieces_->next_of_streams()) {
                      cancellation_point();
                      Loaded mine{piece, load_piece(plan_, *piece, piece->begin, all)};
                      const std::lock_guard lock(of_streams);
                      loaded_from_streams.push_back(std::move(mine));
                    }
                  });
    std::ranges::move(loaded_from_streams, std::back_inserter(loaded_));
    // By files, and in these as the rows are; pieces in memory are in order.
    std::ranges::stable_sort(loaded_, {}, [](const Loaded& loaded) {
      return std::pair(loaded.piece->file, loaded.piece->lines_before);
    });
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      if (i == 0 || loaded_[i].piece->file != loaded_[i - 1].piece->file)
        settle(i, loaded_[i].rows.begin);
    }
  }

  /// Loads again what of a file begins where no row does; `begin` is where one does in its first
  /// piece.
  void settle(std::size_t first, const char* begin) {
    const std::size_t file = loaded_[first].piece->file;
    const std::vector<bool> all(plan_.types.size(), true);
    for (std::size_t i = first; i < loaded_.size() && loaded_[i].piece->file == file; ++i) {
      Loaded& loaded = loaded_[i];
      const char* const stop = loaded.piece->stop;
      if (loaded.piece->buffer == nullptr && !fits(loaded.rows.begin, stop, begin))
        loaded.rows = load_piece(plan_, *loaded.piece, begin, all);
      if (begin < stop) begin = loaded.rows.end;
    }
  }

  /// The same between locales, which takes a step for each guess that was wrong.
  void agree_on_beginnings() {
    while (true) {
      std::vector<PartOfFile> mine;
      std::vector<std::size_t> first_of_part;
      for (std::size_t i = 0; i < loaded_.size(); ++i) {
        const TextPiece& piece = *loaded_[i].piece;
        if (!pieces_->is_shared(piece.file)) continue;
        const auto offset = [&](const char* at) {
          return static_cast<std::uint64_t>(at - piece.text.data());
        };
        if (mine.empty() || mine.back().file != piece.file) {
          mine.push_back({piece.file, offset(loaded_[i].rows.begin), 0, 0});
          first_of_part.push_back(i);
        }
        mine.back().stop = offset(piece.stop);
        mine.back().end = std::max(mine.back().end, offset(loaded_[i].rows.end));
      }
      const auto all = all_gather(exchange_, mine);
      bool is_settled = true;
      for (std::size_t file = 0; file < pieces_->files(); ++file) {
        std::optional<std::uint64_t> end;
        for (std::size_t locale = 0; locale < all.size(); ++locale) {
          const auto part = std::ranges::find(all[locale], file, &PartOfFile::file);
          if (part == all[locale].end()) continue;
          if (end && !fits(part->begin, part->stop, *end)) {
            is_settled = false;
            if (static_cast<int>(locale) == this_locale()) {
              const std::size_t i =
                  first_of_part[static_cast<std::size_t>(part - all[locale].begin())];
              settle(i, loaded_[i].piece->text.data() + *end);
            }
            break;
          }
          end = std::max(end.value_or(0), part->end);
        }
      }
      if (is_settled) return;
    }
  }

  Part part() {
    Part mine;
    NewColumns added;
    mine.candidates = plan_.format.candidates;
    mine.facts.resize(plan_.types.size());
    for (const Loaded& loaded : loaded_) {
      mine.rows += static_cast<std::int64_t>(loaded.rows.rows);
      for (std::size_t c = 0; c < mine.facts.size(); ++c) {
        mine.candidates[c].narrow(loaded.rows.candidates[c]);
        mine.facts[c].add(loaded.rows.facts[c]);
      }
      added.merge(loaded.rows.new_columns.list());
      if (loaded.rows.problem && mine.failures.empty()) mine.failures.push_back(failure_in(loaded));
    }
    mine.new_columns = added.list();
    try {
      pieces_->check_unchanged();
    } catch (const InputError& error) {
      mine.failures = {failure_of(error, 0)};
    }
    return mine;
  }

  Failure failure_in(const Loaded& loaded) const {
    const auto& [position, message] = *loaded.rows.problem;
    const std::int64_t line = pieces_->line_of(*loaded.piece, position);
    constexpr int kBitsOfLine = 44;
    const auto order =
        std::uint64_t{loaded.piece->file} << kBitsOfLine | static_cast<std::uint64_t>(line);
    return {order, pieces_->name(loaded.piece->file), line, message};
  }

  static void throw_failures(const std::vector<Part>& parts) {
    std::vector<Failures> failures;
    for (const Part& part : parts) failures.push_back(part.failures);
    throw_first(failures);
  }

  /// Whether columns are to be loaded again, because they have values of other types, or for the
  /// first time, because the beginning of the file has not shown them.
  bool widen(const std::vector<Part>& parts) {
    const std::size_t known = plan_.types.size();
    add_columns(parts);
    reloaded_.assign(plan_.types.size(), true);
    for (std::size_t c = 0; c < known; ++c) {
      if (plan_.are_given[c]) continue;
      for (const Part& part : parts) plan_.format.candidates[c].narrow(part.candidates[c]);
      const Type type = plan_.format.candidates[c].best();
      reloaded_[c] = type != std::exchange(plan_.types[c], type);
    }
    return std::ranges::find(reloaded_, true) != reloaded_.end();
  }

  void add_columns(const std::vector<Part>& parts) {
    NewColumns added;
    for (const Part& part : parts) added.merge(part.new_columns);
    if (plan_.types.size() + added.list().size() > kMostKeys)
      throw InputError(pieces_->name(0), 0, kTooManyKeys);
    for (const NewColumn& of : added.list()) {
      plan_.format.keys.push_back(of.key);
      plan_.format.names.push_back(of.key);
      plan_.format.candidates.push_back(of.candidates);
      plan_.types.push_back(of.candidates.best());
      plan_.are_given.push_back(false);
    }
    if (!added.list().empty()) plan_.format.names = distinct_names(std::move(plan_.format.names));
  }

  void reload() {
    io::for_parts(parallel_, static_cast<std::int64_t>(loaded_.size()), [&](std::int64_t i) {
      stop_if_cancelled();
      Loaded& loaded = loaded_[static_cast<std::size_t>(i)];
      LoadedPiece again = load_piece(plan_, *loaded.piece, loaded.rows.begin, reloaded_);
      loaded.rows.facts.resize(reloaded_.size());
      loaded.rows.candidates.resize(reloaded_.size());
      for (Block& block : loaded.rows.blocks) block.columns.resize(reloaded_.size());
      for (std::size_t c = 0; c < reloaded_.size(); ++c) {
        if (!reloaded_[c]) continue;
        loaded.rows.facts[c] = again.facts[c];
        for (std::size_t b = 0; b < again.blocks.size(); ++b)
          loaded.rows.blocks[b].columns[c] = std::move(again.blocks[b].columns[c]);
      }
    });
  }

  Table table(const std::vector<Part>& parts) {
    Table table;
    for (const Part& part : parts) table.rows += part.rows;
    for (Loaded& loaded : loaded_)
      std::ranges::move(loaded.rows.blocks, std::back_inserter(table.blocks));
    for (std::size_t c = 0; c < plan_.types.size(); ++c) {
      PartialFacts facts;
      for (const Part& part : parts) facts.add(part.facts[c]);
      // Where all are NULL, nothing says of what type: they are texts.
      const bool has_no_type = plan_.types[c].id == TypeId::kNull;
      if (has_no_type) {
        for (Block& block : table.blocks) block.columns[c] = null_texts(block.rows);
      }
      table.columns.push_back(
          {plan_.format.names[c], has_no_type ? kText : plan_.types[c], facts.facts()});
    }
    return table;
  }

  static ColumnBlock null_texts(std::size_t rows) {
    ColumnBuilder builder(kText);
    for (std::size_t row = 0; row < rows; ++row) builder.append_null();
    return builder.finish();
  }

  LoadPlan plan_;
  const io::ParallelFor& parallel_;
  const Exchange& exchange_;
  Progress* progress_;
  std::optional<TextPieces> pieces_;
  std::deque<Loaded> loaded_;
  std::vector<bool> reloaded_;  // columns
};

}  // namespace

Table load_text(const std::vector<std::string>& paths, const TextOptions& options,
                const io::ParallelFor& parallel, const Exchange& exchange, Progress* progress) {
  return Loader(paths, options, parallel, exchange, progress).load();
}

}  // namespace grappa::query
