#include "grappa/query/io/parquet/chunk_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>

#include "grappa/parallel/cancellation.hpp"
#include "grappa/query/column_builder.hpp"
#include "grappa/query/io/parquet/bit_reader.hpp"
#include "grappa/query/io/parquet/conversion.hpp"
#include "grappa/query/io/parquet/damage.hpp"
#include "grappa/query/io/parquet/page_reader.hpp"
#include "grappa/query/io/parquet/value_reader.hpp"

namespace grappa::query::parquet {
namespace {

template <class P, class T, class Convert>
class ChunkReader final : public ColumnReader {
 public:
  ChunkReader(std::string_view file, const FileColumn& column, const Chunk& chunk,
              std::int64_t rows, DistinctCounting counting, const Convert& convert)
      : column_(column),
        convert_(convert),
        pages_(file, chunk, column.is_optional()),
        rows_left_(rows),
        length_(column.element.stored == Stored::kFixedBytes
                    ? static_cast<std::size_t>(column.element.length)
                    : 0),
        builder_(column.type,
                 static_cast<std::size_t>(std::min<std::int64_t>(rows, std::int64_t{kBlockRows})),
                 counting) {}

  ColumnBlock next() override {
    while (rows_left_ > 0 && builder_.rows() < kBlockRows) {
      if (page_rows_left_ == 0) {
        stop_if_cancelled();
        next_page();
        continue;
      }
      const std::size_t n = std::min({page_rows_left_, kSome, kBlockRows - builder_.rows()});
      take_rows(n);
      page_rows_left_ -= n;
      rows_left_ -= static_cast<std::int64_t>(n);
    }
    std::ranges::fill(codes_, ColumnBuilder::kNoCode);
    return builder_.finish();
  }
  const DistinctSketch& sketch() const override { return builder_.sketch(); }

 private:
  static constexpr std::size_t kSome = 1024;  // values at a time
  static constexpr bool kIsText = std::is_same_v<T, TextRef>;
  static_assert(kBlockRows % kSome == 0);

  /// What is large, not on the stack.
  struct Buffers {
    P stored[kSome];
    T values[kSome];
    std::uint32_t indexes[kSome];
    std::uint32_t levels[kSome];
  };

  void take_dictionary(const Page& page) {
    if (has_dictionary_) throw Damage("there are two dictionaries");
    has_dictionary_ = true;
    const PageHeader& header = page.header;
    if (header.encoding != Encoding::kPlain && header.encoding != Encoding::kPlainDictionary)
      throw Damage("a dictionary was expected to be encoded plainly");
    // A value has a bit at least.
    if (static_cast<std::uint64_t>(header.values) / 8 > page.values.size())
      throw Damage("a dictionary has fewer values than it says");
    const auto count = static_cast<std::size_t>(header.values);
    values_.begin(Encoding::kPlain, page.values, count, length_);
    dictionary_.reserve(count);
    for (std::size_t done = 0; done < count; done += kSome) {
      const std::size_t n = std::min(kSome, count - done);
      values_.read(buffers_->stored, n);
      for (std::size_t i = 0; i < n; ++i) dictionary_.push_back(convert_(buffers_->stored[i]));
    }
    codes_.assign(kIsText ? count : 0, ColumnBuilder::kNoCode);
  }

  void next_page() {
    Page page;
    if (!pages_.next(page)) throw Damage(fmt::format("{} more rows were expected", rows_left_));
    if (page.header.kind == PageKind::kDictionary) return take_dictionary(page);
    const PageHeader& header = page.header;
    if (header.values > rows_left_)
      throw Damage(fmt::format("a page has {} rows where {} are left", header.values, rows_left_));
    page_rows_left_ = static_cast<std::size_t>(header.values);
    if (column_.is_optional()) levels_ = RunReader(page.levels, 1);
    begin_values(page, page_rows_left_);
  }

  void begin_values(const Page& page, std::size_t count) {
    // Of NULLs alone there may be nothing.
    has_values_ = !page.values.empty();
    by_dictionary_ = page.header.encoding == Encoding::kDictionary ||
                     page.header.encoding == Encoding::kPlainDictionary;
    if (by_dictionary_ && !has_dictionary_)
      throw Damage("a page has a dictionary that is not there");
    if (!has_values_) return;
    if (by_dictionary_)
      indexes_ = RunReader(page.values.substr(1), static_cast<unsigned char>(page.values[0]));
    else
      values_.begin(page.header.encoding, page.values, count, length_);
  }

  void take_rows(std::size_t n) {
    if (!column_.is_optional() || levels_.skip_all_of(1, n)) {
      read_values(n);
      return append_values(n);
    }
    if (levels_.skip_all_of(0, n)) {
      for (std::size_t i = 0; i < n; ++i) builder_.append_null();
      return;
    }
    levels_.read(buffers_->levels, n);
    std::size_t there = 0;
    for (std::size_t i = 0; i < n; ++i) there += buffers_->levels[i];
    if (there > 0) read_values(there);
    if (there == n) return append_values(n);
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (buffers_->levels[i] == 0)
        builder_.append_null();
      else
        append_value(next++);
    }
  }

  /// The next values, or the places of texts in the dictionary.
  void read_values(std::size_t n) {
    if (!has_values_) throw Damage("a page has fewer values than it says");
    if (!by_dictionary_) {
      values_.read(buffers_->stored, n);
      for (std::size_t i = 0; i < n; ++i) buffers_->values[i] = convert_(buffers_->stored[i]);
      return;
    }
    std::uint32_t* const indexes = buffers_->indexes;
    indexes_.read(indexes, n);
    std::uint32_t greatest = 0;
    for (std::size_t i = 0; i < n; ++i) greatest = std::max(greatest, indexes[i]);
    if (greatest >= dictionary_.size()) throw Damage("a value is not in its dictionary");
    if constexpr (!kIsText)
      for (std::size_t i = 0; i < n; ++i) buffers_->values[i] = dictionary_[indexes[i]];
  }

  void append_value(std::size_t i) {
    if constexpr (kIsText) {
      if (by_dictionary_) {
        const std::uint32_t index = buffers_->indexes[i];
        return builder_.append_again(dictionary_[index], codes_[index]);
      }
    }
    builder_.append(buffers_->values[i]);
  }
  void append_values(std::size_t n) {
    if constexpr (kIsText) {
      for (std::size_t i = 0; i < n; ++i) append_value(i);
    } else {
      builder_.append_all(buffers_->values, n);
    }
  }

  const FileColumn& column_;
  Convert convert_;
  PageReader pages_;
  std::int64_t rows_left_;
  std::size_t page_rows_left_ = 0;
  std::size_t length_;  // of fixed bytes
  ColumnBuilder builder_;
  ValueReader<P> values_;
  RunReader levels_;
  RunReader indexes_;
  bool has_dictionary_ = false;
  bool by_dictionary_ = false;  // the page
  bool has_values_ = false;     // the page
  std::vector<T> dictionary_;
  std::vector<Position> codes_;  // of its texts, in the block that is being built
  std::unique_ptr<Buffers> buffers_ = std::make_unique_for_overwrite<Buffers>();
};

}  // namespace

std::unique_ptr<ColumnReader> read_chunk(std::string_view file, const FileColumn& column,
                                         const Chunk& chunk, std::int64_t rows,
                                         DistinctCounting counting) {
  std::unique_ptr<ColumnReader> reader;
  with_conversion(column, [&]<class P, class T>(const auto& convert) {
    reader = std::make_unique<ChunkReader<P, T, std::decay_t<decltype(convert)>>>(
        file, column, chunk, rows, counting, convert);
  });
  return reader;
}

}  // namespace grappa::query::parquet
