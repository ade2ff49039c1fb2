#include "grappa/query/datalog/answer.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grappa/query/datalog/number_literal.hpp"

namespace grappa::query::datalog {
namespace {

constexpr Word kSign = Word{1} << 63;

/// Words that compare as the values do, and back.
class Order {
 public:
  Order(const Relation& relation, const Store& store, const Symbols& symbols, std::size_t shards)
      : relation_(relation) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < relation.attributes.size(); ++i)
      if (relation.attributes[i].kind == Kind::kSymbol) columns.push_back(i);
    if (columns.empty()) return;
    for (std::size_t shard = 0; shard < shards; ++shard)
      for (std::size_t row = 0; row < store.set(shard).rows(); ++row)
        for (const std::size_t column : columns) ranks_[store.set(shard).row(row)[column]] = 0;
    std::vector<std::pair<std::string_view, Word>> sorted;
    for (const auto& [word, rank] : ranks_) sorted.emplace_back(symbols.text(word, 0), word);
    std::ranges::sort(sorted);
    for (const auto& [text, word] : sorted) {
      ranks_[word] = texts_.size();
      texts_.push_back(text);
    }
  }

  Word key(std::size_t column, Word word) const {
    switch (relation_.attributes[column].kind) {
      case Kind::kNumber:
        return word ^ kSign;
      case Kind::kUnsigned:
        return word;
      case Kind::kFloat:
        return (word & kSign) != 0 ? ~word : word ^ kSign;
      case Kind::kSymbol:
        return ranks_.at(word);
    }
    __builtin_unreachable();
  }

  void append(std::string& to, std::size_t column, Word key, bool in_quotes) const {
    const Kind kind = relation_.attributes[column].kind;
    if (kind == Kind::kSymbol) {
      append_text(to, texts_[key], in_quotes);
    } else {
      append_number(to, word(kind, key), kind);
    }
  }

  void append(TupleColumn& to, std::size_t column, Word key) const {
    if (to.are_symbols) {
      to.bytes.insert(to.bytes.end(), texts_[key].begin(), texts_[key].end());
      to.ends.push_back(std::ssize(to.bytes));
    } else {
      to.words.push_back(word(relation_.attributes[column].kind, key));
    }
  }

 private:
  static Word word(Kind kind, Word key) {
    if (kind == Kind::kNumber) return key ^ kSign;
    if (kind == Kind::kFloat) return (key & kSign) != 0 ? key ^ kSign : ~key;
    return key;
  }

  static void append_text(std::string& to, std::string_view text, bool in_quotes) {
    if (!in_quotes) {
      to += text;
      return;
    }
    to += '"';
    for (const char c : text) to.append(c == '"' ? 2 : 1, c);
    to += '"';
  }

  const Relation& relation_;
  std::unordered_map<Word, std::size_t> ranks_;
  std::vector<std::string_view> texts_;  // by rank
};

/// Sorts parts on all cores, and merges them.
template <class T, class Less>
void sort_all(std::vector<T>& rows, const Team& team, const Less& less) {
  constexpr std::size_t kFew = 10'000;
  const auto parts = rows.size() < kFew ? std::size_t{1} : static_cast<std::size_t>(team.cores);
  const auto border = [&](std::size_t part) {
    return rows.begin() + static_cast<std::ptrdiff_t>(rows.size() * std::min(part, parts) / parts);
  };
  io::for_parts(team.parallel, static_cast<std::int64_t>(parts), [&](std::int64_t part) {
    const auto i = static_cast<std::size_t>(part);
    std::sort(border(i), border(i + 1), less);
  });
  for (std::size_t width = 1; width < parts; width *= 2)
    for (std::size_t i = 0; i + width < parts; i += 2 * width)
      std::inplace_merge(border(i), border(i + width), border(i + 2 * width), less);
}

class Writing {
 public:
  Writing(const Relation& relation, const Store& store, const Symbols& symbols, const Team& team)
      : relation_(relation),
        store_(store),
        team_(team),
        shards_(Sharding{team.locale, team.locales}.shards()),
        order_(relation, store, symbols, shards_) {}

  const Order& order() const { return order_; }

  /// show(keys) for each tuple, in order.
  template <class F>
  void for_each(const F& show) const {
    switch (relation_.attributes.size()) {
      case 1:
        return sorted_by_value<1>(show);
      case 2:
        return sorted_by_value<2>(show);
      case 3:
        return sorted_by_value<3>(show);
      case 4:
        return sorted_by_value<4>(show);
      default:
        return sorted_by_place(show);
    }
  }

 private:
  template <class F>
  void for_each_row(const F& take) const {
    for (std::size_t shard = 0; shard < shards_; ++shard) {
      const TupleSet& set = store_.set(shard);
      for (std::size_t row = 0; row < set.rows(); ++row)
        if (set.is_live(row)) take(set.row(row));
    }
  }

  template <std::size_t N, class F>
  void sorted_by_value(const F& show) const {
    std::vector<std::array<Word, N>> rows;
    rows.reserve(store_.rows());
    for_each_row([&](const Word* row) {
      std::array<Word, N>& keys = rows.emplace_back();
      for (std::size_t i = 0; i < N; ++i) keys[i] = order_.key(i, row[i]);
    });
    sort_all(rows, team_, std::less<>());
    for (const std::array<Word, N>& keys : rows) show(keys.data());
  }

  template <class F>
  void sorted_by_place(const F& show) const {
    const std::size_t arity = relation_.attributes.size();
    std::vector<Word> keys;
    keys.reserve(store_.rows() * arity);
    std::vector<std::size_t> rows;
    for_each_row([&](const Word* row) {
      rows.push_back(keys.size());
      for (std::size_t i = 0; i < arity; ++i) keys.push_back(order_.key(i, row[i]));
    });
    const auto begin = [&](std::size_t at) { return keys.data() + at; };
    sort_all(rows, team_, [&](std::size_t a, std::size_t b) {
      return std::lexicographical_compare(begin(a), begin(a) + arity, begin(b), begin(b) + arity);
    });
    for (const std::size_t row : rows) show(begin(row));
  }

  const Relation& relation_;
  const Store& store_;
  const Team& team_;
  std::size_t shards_;
  Order order_;
};

}  // namespace

std::vector<TupleColumn> tuple_columns(const Relation& relation, const Store& store,
                                       const Symbols& symbols, const Team& team) {
  std::vector<TupleColumn> columns(relation.attributes.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i].are_symbols = relation.attributes[i].kind == Kind::kSymbol;
  const Writing writing(relation, store, symbols, team);
  writing.for_each([&](const Word* keys) {
    for (std::size_t i = 0; i < columns.size(); ++i) writing.order().append(columns[i], i, keys[i]);
  });
  return columns;
}

void write_tuples(const Relation& relation, const Store& store, const Symbols& symbols,
                  const Team& team, const FileOptions& options, const TextSink& sink) {
  const Writing writing(relation, store, symbols, team);
  const std::string delimiter = options.delimiter.value_or(options.is_rfc4180 ? "," : "\t");
  const std::size_t arity = relation.attributes.size();
  std::string text;
  const auto end_line = [&] {
    text += '\n';
    if (text.size() < kTextPiece) return;
    sink(text);
    text.clear();
  };
  if (options.has_headers) {
    for (std::size_t i = 0; i < arity; ++i) {
      if (i > 0) text += delimiter;
      text += relation.attributes[i].name;
    }
    end_line();
  }
  writing.for_each([&](const Word* keys) {
    if (arity == 0) text += "()";
    for (std::size_t i = 0; i < arity; ++i) {
      if (i > 0) text += delimiter;
      writing.order().append(text, i, keys[i], options.is_rfc4180);
    }
    end_line();
  });
  if (!text.empty()) sink(text);
}

}  // namespace grappa::query::datalog
