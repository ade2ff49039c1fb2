#pragma once

// Text files, cut into pieces of whole lines that the cores of all locales read.
//
//   TextFiles files(paths, {});                  // on every locale
//   TextPiece piece;
//   while (files.next(piece)) use(piece.text);   // every core
//
// Plain files are mapped by every locale; taken as one text, in the order in which they are given,
// each core reads its part of it, so that the lines are in their order over the cores. A compressed
// file is read by one locale, others by others; what is no file on disk, by locale 0. Compressed
// files of moderate length are in memory as a whole (io/input.hpp); of others, one core
// decompresses a piece while the others work on theirs.
//
// Errors: InputError for what cannot be opened or read; empty files are allowed. Any core of the
// locale may call next() and line_number(); neither switches tasks.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/io/examined_file.hpp"
#include "grappa/io/input.hpp"
#include "grappa/io/text/line_reader.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::mapreduce::detail {

struct TextOptions {
  /// A text that comes piece by piece is read by the first core of the locale alone, so that its
  /// lines stay in their order; else by the core that is free.
  bool in_order = false;
  /// Carriage returns at the ends of lines are part of them.
  bool keep_returns = false;
  /// The first line of each file that is not blank is left out, with those before it.
  bool header = false;
  /// Pieces stay in memory as long as the files.
  bool keep = false;
};

/// Whole lines of a file; io::kPadding bytes behind them may be read.
struct TextPiece {
  std::string_view text;
  std::size_t file = 0;    // which of the files
  std::int64_t order = 0;  // of its first byte, among all bytes of all files
  // Where the text is a stream:
  std::int64_t lines_before = 0;
  std::shared_ptr<char[]> buffer;
};

class TextFiles {
 public:
  TextFiles(const std::vector<std::string>& paths, const TextOptions& options);

  const TextOptions& options() const { return options_; }
  /// Before the first piece is asked for.
  void leave_out_headers() { options_.header = true; }

  /// Its first core says how much of its part it has taken, whenever it takes a piece.
  void report_to(std::function<void(double)> progress) { progress_ = std::move(progress); }

  /// The next piece of the calling core; false when there is none.
  bool next(TextPiece& piece);
  /// About how many lines the calling core will be given of what is in memory: by those that its
  /// part begins with.
  std::size_t expected_lines() const;
  /// From the beginning again, at every core. UsageError where a stream has been read.
  void rewind();

  /// Of the first file, which locale 0 reads: some of it, a whole line at least.
  std::string_view beginning();

  /// The texts that every locale has; an empty one for a file that only one has.
  std::vector<std::string_view> shared() const;
  /// The same on locales of one machine that have opened the same files.
  std::string numbers() const;

  const std::string& name(const TextPiece& piece) const { return files_[piece.file].name; }
  /// Of the line at `position` in the piece.
  std::int64_t line_number(const TextPiece& piece, const char* position) const;
  /// Throws if a file has changed since it was opened.
  void check_unchanged() const;

 private:
  struct File {
    explicit File(const std::string& path) : examined(path, io::Empty::kAllowed) {}
    io::ExaminedFile examined;
    std::string name = examined.name();
    std::optional<io::Input> input;          // where all of it is in memory
    std::unique_ptr<io::LineReader> stream;  // where it is not; neither: another locale reads it
    std::int64_t lines = 0;                  // that have been read from the stream
    std::size_t bytes = 0;
  };
  /// Lines that begin in [begin, end) of a file.
  struct Range {
    std::size_t file;
    std::size_t begin;
    std::size_t end;
  };
  struct alignas(64) OfCore {
    std::vector<Range> ranges;
    std::size_t next = 0;
  };

  void open(File& file);
  std::string_view text(std::size_t file) const { return *files_[file].input->whole(); }
  bool next_of_stream(TextPiece& piece);
  void report(double fraction) const;

  std::deque<File> files_;
  std::vector<OfCore> cores_;  // [cores of the locale]
  TextOptions options_;
  std::function<void(double)> progress_;
  std::mutex streams_;  // and what follows
  std::vector<std::shared_ptr<char[]>> kept_;
  std::size_t stream_ = 0;  // the file whose stream is being read
  bool stream_began_ = false;
};

/// On every locale. Called by one task; switches tasks. `progress`: as that of DatasetOptions
/// (dataset.hpp), of the calling locale.
LocaleState<TextFiles> open_text_files(const std::vector<std::string>& paths,
                                       const TextOptions& options,
                                       std::function<void(double)> progress = {});

}  // namespace grappa::mapreduce::detail
