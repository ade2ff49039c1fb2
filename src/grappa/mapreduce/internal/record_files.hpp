#pragma once

// Files of records of equal size: arrays as programs keep them.
//
//   const auto files = open_record_files({"a.bin", "b.bin"}, 100);   // on every locale
//   files->each_part_of(begin, end, [](const RecordFiles::Part& part) {
//     for (std::int64_t i = part.begin; i < part.end; ++i) use(part.record(i));
//   });
//
// Every locale has all of each file: a plain one mapped, a compressed one decompressed.
//
// Errors: InputError for what cannot be read and for what is no whole number of records; empty
// files are allowed. Any core of the locale may call the const functions.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "grappa/base/each_slice.hpp"
#include "grappa/io/examined_file.hpp"
#include "grappa/io/input.hpp"
#include "grappa/parallel/locale_state.hpp"

namespace grappa::mapreduce::detail {

class RecordFiles {
 public:
  RecordFiles(const std::vector<std::string>& paths, std::size_t record_bytes);

  /// Records of all files.
  std::int64_t size() const { return size_; }

  /// Records of one file.
  struct Part {
    const std::string& file;
    std::string_view bytes;  // of the file
    std::size_t record_bytes;
    std::int64_t order;  // among the records of all files, of the first of the file
    std::int64_t begin;  // which of the file's are meant
    std::int64_t end;

    std::string_view record(std::int64_t i) const {
      return bytes.substr(static_cast<std::size_t>(i) * record_bytes, record_bytes);
    }
  };
  /// f(part) for each file that has some of the records [begin, end) of all.
  template <class F>
  void each_part_of(std::int64_t begin, std::int64_t end, F f) const {
    const auto count_of = [this](std::size_t i) {
      return files_[i].bytes().size() / record_bytes_;
    };
    grappa::internal::each_slice(
        files_.size(), begin, end, count_of,
        [&](std::size_t i, std::int64_t before, std::int64_t from, std::int64_t to) {
          const File& file = files_[i];
          f(Part{file.examined.name(), file.bytes(), record_bytes_, before, from, to});
        });
  }

  /// The bytes of each file.
  std::vector<std::string_view> shared() const;
  /// The same on locales of one machine that have opened the same files.
  std::string numbers() const;
  /// Throws if a file has changed since it was opened.
  void check_unchanged() const;

 private:
  struct File {
    explicit File(const std::string& path);
    std::string_view bytes() const { return *input.whole(); }
    io::ExaminedFile examined;
    io::Input input;
  };

  std::deque<File> files_;
  std::size_t record_bytes_;
  std::int64_t size_ = 0;
};

/// On every locale. Called by one task; switches tasks.
LocaleState<RecordFiles> open_record_files(const std::vector<std::string>& paths,
                                           std::size_t record_bytes);

}  // namespace grappa::mapreduce::detail
