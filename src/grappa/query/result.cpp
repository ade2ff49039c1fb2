#include "grappa/query/result.hpp"

#include <cstring>
#include <span>
#include <type_traits>

#include "grappa/io/parallel_for.hpp"
#include "grappa/parallel/cancellation.hpp"

namespace grappa::query {
namespace {

using Texts = LocaleState<std::vector<TextArena>>;

/// The arrays of a column, as locales tell one another.
struct ArraysOfColumn {
  ColumnArray values;
  std::optional<GlobalArray<bool>> valid;
};

/// Values on their way into an array: from index `begin` on, so many.
struct Stretch {
  std::int64_t begin;
  std::int64_t count;
};

/// Values one after the other, also booleans.
template <class T>
class Flat {
 public:
  explicit Flat(std::size_t count) : values_(std::make_unique<T[]>(count)), count_(count) {}
  std::span<T> all() const { return {values_.get(), count_}; }

 private:
  std::unique_ptr<T[]> values_;
  std::size_t count_;
};

/// Writes elements at their locales.
template <class T>
class Spreading {
 public:
  Spreading(const Team& team, const GlobalArray<T>& array)
      : team_(team),
        array_(array),
        mine_(array.locale_part()),
        of_locale_(array.block() * team.cores) {}

  /// Any core. Texts are copied.
  void put(std::int64_t begin, std::span<const T> values, TextArena& texts) const {
    while (!values.empty()) {
      const std::int64_t locale = begin / of_locale_;
      const auto count = static_cast<std::size_t>(std::min<std::int64_t>(
          static_cast<std::int64_t>(values.size()), (locale + 1) * of_locale_ - begin));
      const std::span<const T> some = values.first(count);
      if (locale == team_.locale)
        write(begin, some, texts);
      else
        send(static_cast<int>(locale), begin, some);
      begin += static_cast<std::int64_t>(count);
      values = values.subspan(count);
    }
  }
  /// When all were put. By the leaders of all locales.
  void end(TextArena& texts) const {
    team_.meet([&](std::span<const std::byte> bytes) {
      while (!bytes.empty()) {
        Stretch stretch;
        std::memcpy(&stretch, take(bytes, sizeof stretch), sizeof stretch);
        const Flat<T> values(static_cast<std::size_t>(stretch.count));
        const std::size_t size = values.all().size_bytes();
        std::memcpy(static_cast<void*>(values.all().data()), take(bytes, size), size);
        if constexpr (std::is_same_v<T, TextRef>) {
          for (TextRef& text : values.all())
            if (!text.is_short())
              text = text.moved_to(reinterpret_cast<const char*>(take(bytes, text.size())));
        }
        write(stretch.begin, values.all(), texts);
      }
    });
  }

 private:
  static const std::byte* take(std::span<const std::byte>& bytes, std::size_t size) {
    const std::byte* const begin = bytes.data();
    bytes = bytes.subspan(size);
    return begin;
  }
  void write(std::int64_t begin, std::span<const T> values, TextArena& texts) const {
    T* const to = mine_.data() + (begin - array_.locale_begin());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, TextRef>)
        to[i] = texts.keep(values[i]);
      else
        to[i] = values[i];
    }
  }
  void send(int locale, std::int64_t begin, std::span<const T> values) const {
    team_.exchange.add(locale, Stretch{begin, static_cast<std::int64_t>(values.size())});
    team_.exchange.add_all(locale, values);
    if constexpr (std::is_same_v<T, TextRef>) {
      for (const TextRef& text : values)
        if (!text.is_short()) team_.exchange.add_all(locale, std::span(text.data(), text.size()));
    }
  }

  const Team& team_;
  GlobalArray<T> array_;
  std::span<T> mine_;
  std::int64_t of_locale_;  // elements
};

/// What value_of(vector, row in it) is for all rows.
template <class T, class ValueOf>
Flat<T> flat_values(const ColumnBlock& column, std::size_t rows, const ValueOf& value_of) {
  Flat<T> values(rows);
  for (std::size_t begin = 0; begin < rows; begin += kBatchRows) {
    const Vector vector = column.vector(begin);
    for (std::size_t i = 0; i < std::min(kBatchRows, rows - begin); ++i)
      values.all()[begin + i] = value_of(vector, i);
  }
  return values;
}

/// The rows of this locale: `first` is the index of the first one.
class SpreadRows {
 public:
  SpreadRows(const Team& team, Table& table, std::int64_t first, std::vector<TextArena>& texts)
      : team_(team), table_(table), texts_(texts) {
    texts_.resize(table.blocks.size() + 1);
    for (const Block& block : table.blocks) {
      begins_.push_back(first);
      first += static_cast<std::int64_t>(block.rows);
    }
  }

  template <class T, class ValueOf>
  void spread(std::size_t column, const GlobalArray<T>& array, const ValueOf& value_of) {
    const Spreading<T> spreading(team_, array);
    io::for_parts(
        team_.parallel, static_cast<std::int64_t>(begins_.size()), [&](std::int64_t part) {
          stop_if_cancelled();
          const auto b = static_cast<std::size_t>(part);
          const Block& block = table_.blocks[b];
          const Flat<T> values = flat_values<T>(block.columns[column], block.rows, value_of);
          spreading.put(begins_[b], values.all(), texts_[b]);
        });
    spreading.end(texts_.back());
  }

 private:
  const Team& team_;
  Table& table_;
  std::vector<TextArena>& texts_;  // [blocks], and of what arrives
  std::vector<std::int64_t> begins_;
};

ArraysOfColumn make_arrays(const Column& column, std::int64_t rows) {
  ArraysOfColumn made;
  with_element(column.type.physical(),
               [&]<class T>() { made.values.array = GlobalArray<T>::create_for_overwrite(rows); });
  return made;
}

}  // namespace

void spread(const Team& team, Table table, Result& result) {
  std::vector<ArraysOfColumn> arrays;
  std::vector<Texts> texts;
  if (team.locale == 0) {
    for (const Column& column : table.columns) {
      arrays.push_back(make_arrays(column, table.rows));
      result.values_.emplace_back(arrays.back().values);
      if (!column.facts.has_nulls) continue;
      arrays.back().valid = GlobalArray<bool>::create_for_overwrite(table.rows);
      result.valid_.emplace_back(*arrays.back().valid);
    }
    result.texts_ = Texts::create();
    texts.push_back(*result.texts_);
  }
  // Where it has failed, all learn it here.
  arrays = team.gather(std::move(arrays))[0];
  texts = team.gather(std::move(texts))[0];
  std::int64_t mine = 0;
  for (const Block& block : table.blocks) mine += static_cast<std::int64_t>(block.rows);
  const std::vector<std::vector<std::int64_t>> rows_of = team.gather(std::vector{mine});
  std::int64_t first = 0;
  for (int locale = 0; locale < team.locale; ++locale)
    first += rows_of[static_cast<std::size_t>(locale)][0];

  SpreadRows rows(team, table, first, *texts[0]);
  for (std::size_t c = 0; c < arrays.size(); ++c) {
    const auto& [values, valid] = arrays[c];
    std::visit(
        [&]<class T>(const GlobalArray<T>& array) {
          rows.spread(c, array, [](const Vector& vector, std::size_t row) {
            return vector.is_valid(row) ? vector.at<T>(row) : T{};
          });
        },
        values.array);
    if (valid)
      rows.spread(c, *valid,
                  [](const Vector& vector, std::size_t row) { return vector.is_valid(row); });
    for (Block& block : table.blocks) block.columns[c] = {};
    ArrayColumn& column = result.columns_.emplace_back();
    column.name = table.columns[c].name;
    column.type = table.columns[c].type;
    column.values = values;
    column.valid = valid;
  }
  result.rows_ = table.rows;
}

}  // namespace grappa::query
