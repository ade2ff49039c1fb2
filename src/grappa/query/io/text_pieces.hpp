#pragma once

// Text files of rows, cut into pieces of whole rows that the cores of all locales load.
//
//   TextPieces pieces(paths);                              // on every locale
//   pieces.cut(format, options);
//   for (TextPiece& piece : pieces.in_memory()) use(piece);     // any core
//   while (auto piece = pieces.next_of_streams()) use(*piece);   // any core
//
// Plain files are mapped by every locale; each has a part of each. A compressed file is read by one
// locale, others by others, and what is no file on disk by locale 0. Compressed files of moderate
// length are in memory as a whole (io/input.hpp); others one core decompresses while the others
// load what came before.
//
// Where a piece in the middle of a text begins is a guess, as a line feed may stand in quotes: the
// reader compares it with where the piece before has ended, and begins again where it must. It is
// nearly always right: of the two beginnings that there can be, that is taken from which rows have
// their number of fields.
//
// Errors: InputError for what cannot be opened or read. None of it switches tasks.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/io/examined_file.hpp"
#include "grappa/io/input.hpp"
#include "grappa/query/io/json_lines.hpp"
#include "grappa/query/io/text_format.hpp"

namespace grappa::query {

struct TextPiece {
  std::size_t file = 0;   // which of the files
  std::string_view text;  // to its end; what has been read of a stream
  const char* begin = nullptr;
  const char* stop = nullptr;  // rows that begin before it belong to the piece
  /// The same bytes as they are in the file, where the text is made of them (json_lines.hpp).
  const char* origin = nullptr;
  // Of a stream:
  std::int64_t lines_before = 0;  // the text
  std::shared_ptr<char[]> buffer;
  std::shared_ptr<char[]> origin_buffer;
};

class TextPieces {
 public:
  explicit TextPieces(const std::vector<std::string>& paths);

  /// Of the first file with something in it, which locale 0 reads: its beginning.
  std::optional<TextFormat> detect(const TextOptions& options);
  const std::string& first_name() const { return files_.front().name; }

  /// `format` and `options` outlive this.
  void cut(const TextFormat& format, const TextOptions& options);

  std::deque<TextPiece>& in_memory() { return pieces_; }
  bool has_streams() const { return has_streams_; }
  /// Stays where it is.
  TextPiece* next_of_streams();
  std::deque<TextPiece>& of_streams() { return of_streams_; }

  const std::string& name(std::size_t file) const { return files_[file].name; }
  std::size_t files() const { return files_.size(); }
  /// Whether each locale has a part of the file.
  bool is_shared(std::size_t file) const { return files_[file].examined.is_plain(); }
  /// The number of the line in its file.
  std::int64_t line_of(const TextPiece& piece, const char* position) const;
  /// Throws if a file has changed since it was opened.
  void check_unchanged() const;

 private:
  struct File {
    explicit File(const std::string& path) : examined(path, io::Empty::kAllowed) {}
    io::ExaminedFile examined;
    std::string name = examined.name();
    std::optional<io::Input> input;  // nothing: another locale reads it
    std::optional<bool> has_lines;   // once it is known
    JsonLines lines;                 // that are made of others
    std::unique_ptr<char[]> made;    // of all that is in memory
    // Of a stream: what has been read and belongs to no piece.
    std::shared_ptr<char[]> rest;
    std::shared_ptr<char[]> rest_origin;  // of which lines are made
    std::size_t rest_bytes = 0;
    std::int64_t lines_before = 0;
    bool began = false;
    bool ended = false;
  };

  /// Whether lines are to be made of the text that begins so.
  bool makes_lines(File& file, std::string_view beginning) const;
  /// All of it, if it is in memory.
  std::optional<std::string_view> whole(File& file) const;
  /// Reads on, until there are `bytes` more or all.
  void read_more(File& file, std::size_t bytes);
  const char* begin_of(const File& file, std::string_view text) const;
  const char* guess_row(std::string_view text, std::size_t at) const;
  bool are_rows(std::string_view text, const char* begin) const;
  std::size_t whole_rows(std::string_view text, bool is_all, const char* begin) const;

  std::deque<File> files_;
  const TextFormat* format_ = nullptr;
  const TextOptions* options_ = nullptr;
  std::deque<TextPiece> pieces_;
  bool has_streams_ = false;
  std::mutex streams_;  // and what follows
  std::size_t stream_ = 0;
  std::deque<TextPiece> of_streams_;
};

}  // namespace grappa::query
