#include "bench/query_pipelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bench/measure.hpp"
#include "grappa/base/error.hpp"
#include "grappa/container/array_spans.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/parallel/forall.hpp"

namespace grappa::bench {
namespace {

using Term = std::int32_t;
using Row = std::uint32_t;

constexpr Term kNone = -1;  // in an answer: NULL

// Bodies of loops take views: what is captured by value stays in registers.

/// The table.
struct Triples {
  std::span<const Term> s;
  std::span<const Term> p;
  std::span<const Term> o;
  Term terms;

  std::int64_t rows() const { return std::ssize(s); }
  /// f(s, p, o, row) of all rows, by all cores.
  template <class F>
  void for_each(F f) const {
    forall_here(0, rows(), [all = *this, f](std::int64_t i) {
      const auto row = static_cast<std::size_t>(i);
      f(all.s[row], all.p[row], all.o[row], static_cast<Row>(row));
    });
  }
};

/// What each core has of something, and no other core writes.
template <class T>
class OfCores {
 public:
  OfCores() : cells_(static_cast<std::size_t>(cores_per_locale())) {}

  class View {
   public:
    explicit View(OfCores& of) : cells_(of.cells_.data()) {}
    T& mine() const { return cells_[this_core()].value; }
    template <class F>
    void for_each(F f) const {
      for (int core = 0; core < cores_per_locale(); ++core) f(cells_[core].value);
    }

   private:
    typename OfCores::Cell* cells_;
  };
  View view() { return View(*this); }

 private:
  struct alignas(64) Cell {
    T value{};
  };
  std::vector<Cell> cells_;
};

/// The least and the greatest of some terms.
struct TermRange {
  Term least = std::numeric_limits<Term>::max();
  Term greatest = kNone;

  void add(Term term) {
    least = std::min(least, term);
    greatest = std::max(greatest, term);
  }
  void add(const TermRange& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
  bool has(Term term) const { return least <= term && term <= greatest; }
  std::size_t size() const { return greatest < least ? 0 : place_of(greatest) + 1; }
  std::size_t place_of(Term term) const { return static_cast<std::size_t>(term - least); }
};

TermRange range_over(OfCores<TermRange>& parts) {
  TermRange all;
  parts.view().for_each([&](const TermRange& part) { all.add(part); });
  return all;
}

/// Which terms are in a set: a view of flags.
class TermSet {
 public:
  using Flags = Replica<std::uint8_t>;
  explicit TermSet(const Owned<Flags>& flags) : has_(flags->data()) {}
  void add(Term term) const { std::atomic_ref(has_[term]).store(1, std::memory_order_relaxed); }
  bool has(Term term) const { return has_[term] != 0; }

 private:
  std::uint8_t* has_;
};

/// The subjects of that class.
Owned<TermSet::Flags> subjects_of(const Triples& triples, Term type, Term of_class) {
  Owned<TermSet::Flags> flags = TermSet::Flags::create(triples.terms);
  triples.for_each([=, found = TermSet(flags)](Term s, Term p, Term o, Row) {
    if (p == type && o == of_class) found.add(s);
  });
  return flags;
}

/// Rows that have the same term are a chain: a view of what comes behind each row.
class Chains {
 public:
  explicit Chains(const Owned<Replica<Row>>& next) : next_of_(next->data()) {}

  /// Several cores may insert; `first` is 0 where there is none.
  void insert(Row& first, Row row) const {
    next_of_[row] = std::atomic_ref(first).exchange(row + 1, std::memory_order_relaxed);
  }
  template <class F>
  void for_each(Row first, const F& f) const {
    for (Row at = first; at != 0; at = next_of_[at - 1]) f(at - 1);
  }

 private:
  Row* next_of_;
};

// ---- Query 2 ------------------------------------------------------------------------------------

/// The texts of numbers in the query have this order.
struct ConstantsOf2 {
  Term creator;
  std::array<Term, 8> attributes;  // the seventh is the year, the last one need not be there
  Term type;
  Term of_class;
};
constexpr std::size_t kYear = 6;
constexpr std::size_t kOptional = 7;

using Paper = std::array<Row, 8>;       // the chain of each attribute
using PaperRow = std::array<Term, 10>;  // the paper, its author, its attributes

/// Rows from the attribute on, for each of its values.
template <std::size_t attribute, class F>
void add_rows(const Triples& triples, const Chains& chains, const Paper& paper, PaperRow& row,
              const F& emit) {
  if constexpr (attribute == std::tuple_size_v<Paper>) {
    emit(row);
  } else {
    const auto with = [&](Term value) {
      row[2 + attribute] = value;
      add_rows<attribute + 1>(triples, chains, paper, row, emit);
    };
    chains.for_each(paper[attribute], [&](Row at) { with(triples.o[at]); });
    if (attribute == kOptional && paper[attribute] == 0) with(kNone);
  }
}

/// For each core, and each year in its order, its rows: so they are sorted.
using RowsByYear = std::vector<std::vector<PaperRow>>;

OfCores<RowsByYear> papers_of_2(const Triples& triples, const ConstantsOf2& constants) {
  OfCores<TermRange> paper_parts;
  OfCores<TermRange> year_parts;
  const Owned<TermSet::Flags> flags = TermSet::Flags::create(triples.terms);
  const TermSet is_paper(flags);
  triples.for_each([=, papers = paper_parts.view()](Term s, Term p, Term o, Row) {
    if (p != constants.type || o != constants.of_class) return;
    is_paper.add(s);
    papers.mine().add(s);
  });
  const TermRange range = range_over(paper_parts);

  const Owned<Replica<Paper>> papers =
      Replica<Paper>::create(static_cast<std::int64_t>(range.size()));
  const Owned<Replica<Row>> next = Replica<Row>::create_for_overwrite(triples.rows());
  Paper* const paper_at = papers->data();
  const Chains chains(next);
  triples.for_each([=, years = year_parts.view()](Term s, Term p, Term o, Row row) {
    const auto attribute = std::ranges::find(constants.attributes, p);
    if (attribute == constants.attributes.end() || !is_paper.has(s)) return;
    const auto place = static_cast<std::size_t>(attribute - constants.attributes.begin());
    chains.insert(paper_at[range.place_of(s)][place], row);
    if (place == kYear) years.mine().add(o);
  });
  const TermRange years = range_over(year_parts);

  OfCores<RowsByYear> found;
  triples.for_each([=, found = found.view()](Term s, Term p, Term o, Row) {
    if (p != constants.creator || !is_paper.has(s)) return;
    PaperRow row{s, o};
    add_rows<0>(triples, chains, paper_at[range.place_of(s)], row, [&](const PaperRow& whole) {
      RowsByYear& mine = found.mine();
      if (mine.empty()) mine.resize(years.size());
      mine[years.place_of(whole[2 + kYear])].push_back(whole);
    });
  });
  return found;
}

// ---- Query 4 ------------------------------------------------------------------------------------

struct ConstantsOf4 {
  Term creator;
  Term name;
  Term journal;
  Term type;
  Term article;
};

/// An author's name, and a journal in which that author has an article.
struct NameInJournal {
  Term name;
  Term journal;
};

using NamesInJournals = std::vector<NameInJournal>;

/// The names of each journal, side by side.
class NamesOfJournals {
 public:
  NamesOfJournals(Term terms, const OfCores<NamesInJournals>::View& pairs)
      : begin_(static_cast<std::size_t>(terms) + 1) {
    pairs.for_each([&](const NamesInJournals& part) {
      for (const NameInJournal& pair : part) ++begin_[static_cast<std::size_t>(pair.journal) + 1];
    });
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    names_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    pairs.for_each([&](const NamesInJournals& part) {
      for (const NameInJournal& pair : part)
        names_[next[static_cast<std::size_t>(pair.journal)]++] = pair.name;
    });
  }

  struct View {
    std::span<const std::uint32_t> begin;
    std::span<const Term> names;
    std::span<const Term> of(Term journal) const {
      const auto place = static_cast<std::size_t>(journal);
      return names.subspan(begin[place], begin[place + 1] - begin[place]);
    }
  };
  View view() const { return {begin_, names_}; }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<Term> names_;
};

/// Two names in a word, that are never both the first term.
using NamePair = std::uint64_t;

/// Pairs go to parts by their hashes, so that the table of a part stays in a cache.
constexpr int kPartBits = 9;
using PartsOfPairs = std::array<std::vector<NamePair>, std::size_t{1} << kPartBits>;

struct DistinctPairs {
  std::int64_t count = 0;
  Term first = std::numeric_limits<Term>::max();
  Term last = kNone;

  void add(const DistinctPairs& other) {
    count += other.count;
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

DistinctPairs distinct_of(const OfCores<PartsOfPairs>::View& parts, std::size_t part) {
  std::size_t pairs = 0;
  parts.for_each([&](const PartsOfPairs& of_core) { pairs += of_core[part].size(); });
  std::vector<NamePair> table(std::bit_ceil(pairs + pairs / 2 + 1));
  DistinctPairs found;
  parts.for_each([&](const PartsOfPairs& of_core) {
    for (const NamePair pair : of_core[part]) {
      std::size_t place = mix(pair) & (table.size() - 1);
      while (table[place] != 0 && table[place] != pair) place = (place + 1) & (table.size() - 1);
      if (table[place] == pair) continue;
      table[place] = pair;
      found.add({1, static_cast<Term>(pair >> 32), static_cast<Term>(pair)});
    }
  });
  return found;
}

DistinctPairs pairs_of_4(const Triples& triples, const ConstantsOf4& constants) {
  const auto flags = subjects_of(triples, constants.type, constants.article);
  const TermSet is_article(flags);
  const Owned<Replica<Row>> next = Replica<Row>::create_for_overwrite(triples.rows());
  const Owned<Replica<Row>> names = Replica<Row>::create(triples.terms);
  const Owned<Replica<Row>> journals = Replica<Row>::create(triples.terms);
  const Chains chains(next);
  Row* const names_of = names->data();
  Row* const journals_of = journals->data();
  triples.for_each([=](Term s, Term p, Term, Row row) {
    if (p == constants.name)
      chains.insert(names_of[s], row);
    else if (p == constants.journal && is_article.has(s))
      chains.insert(journals_of[s], row);
  });

  OfCores<NamesInJournals> authors;
  triples.for_each([=, authors = authors.view()](Term s, Term p, Term o, Row) {
    if (p != constants.creator || !is_article.has(s)) return;
    chains.for_each(journals_of[s], [&](Row journal) {
      chains.for_each(names_of[o], [&](Row name) {
        authors.mine().push_back({triples.o[name], triples.o[journal]});
      });
    });
  });
  const NamesOfJournals names_of_journals(triples.terms, authors.view());

  OfCores<PartsOfPairs> parts;
  authors.view().for_each([&](const NamesInJournals& part) {
    forall_here(0, std::ssize(part),
                [pairs = std::span(part), all = names_of_journals.view(),
                 parts = parts.view()](std::int64_t i) {
                  const auto [name, journal] = pairs[static_cast<std::size_t>(i)];
                  PartsOfPairs& mine = parts.mine();
                  for (const Term other : all.of(journal)) {
                    if (name >= other) continue;
                    const NamePair pair =
                        static_cast<NamePair>(name) << 32 | static_cast<std::uint32_t>(other);
                    mine[mix(pair) >> (64 - kPartBits)].push_back(pair);
                  }
                });
  });

  OfCores<DistinctPairs> found;
  forall_here(0, std::tuple_size_v<PartsOfPairs>, {.grain = 1},
              [parts = parts.view(), found = found.view()](std::int64_t part) {
                found.mine().add(distinct_of(parts, static_cast<std::size_t>(part)));
              });
  DistinctPairs all;
  found.view().for_each([&](const DistinctPairs& some) { all.add(some); });
  return all;
}

// ---- Query 9 ------------------------------------------------------------------------------------

/// The predicates of triples that have a person, as subject or object.
Owned<TermSet::Flags> predicates_of_9(const Triples& triples, Term type, Term person) {
  const auto persons = subjects_of(triples, type, person);
  Owned<TermSet::Flags> flags = TermSet::Flags::create(triples.terms);
  triples.for_each(
      [is_person = TermSet(persons), found = TermSet(flags)](Term s, Term p, Term o, Row) {
        if ((is_person.has(s) || is_person.has(o)) && !found.has(p)) found.add(p);
      });
  return flags;
}

// -------------------------------------------------------------------------------------------------

/// The numbers of the text that something is compared with, in their order. UsageError where they
/// are not so many.
template <std::size_t count>
std::array<Term, count> constants_of(const QueryOfSet& query) {
  std::array<Term, count> found{};
  std::size_t next = 0;
  const std::string_view text = query.text;
  for (std::size_t at = text.find("= "); at != text.npos; at = text.find("= ", at + 1)) {
    Term term = 0;
    if (std::from_chars(text.data() + at + 2, text.data() + text.size(), term).ec != std::errc())
      continue;
    if (next < count) found[next] = term;
    ++next;
  }
  if (next != count)
    throw UsageError(
        fmt::format("bench queries: --baseline pipelines: {} is not query {} of "
                    "--set sp2bench",
                    query.file, query.name));
  return found;
}

template <class... Terms>
void add_row(Rows& rows, const Terms&... terms) {
  rows.push_back({std::to_string(terms)...});
}

double run_2(const Triples& triples, const QueryOfSet& query, Rows& rows) {
  const auto terms = constants_of<11>(query);
  ConstantsOf2 constants{terms[0], {}, terms[9], terms[10]};
  std::copy_n(terms.begin() + 1, constants.attributes.size(), constants.attributes.begin());
  std::optional<OfCores<RowsByYear>> found;
  const double seconds = seconds_of([&] { found = papers_of_2(triples, constants); });
  found->view().for_each([&](const RowsByYear& years) {
    for (const auto& papers : years)
      for (const PaperRow& paper : papers) {
        auto& row = rows.emplace_back();
        for (const Term term : paper)
          row.push_back(term == kNone ? std::nullopt : std::optional(std::to_string(term)));
      }
  });
  return seconds;
}

double run_4(const Triples& triples, const QueryOfSet& query, Rows& rows) {
  const auto terms = constants_of<10>(query);
  const ConstantsOf4 constants{terms[0], terms[1], terms[2], terms[4], terms[5]};
  DistinctPairs found;
  const double seconds = seconds_of([&] { found = pairs_of_4(triples, constants); });
  add_row(rows, found.count, found.first, found.last);
  return seconds;
}

double run_9(const Triples& triples, const QueryOfSet& query, Rows& rows) {
  const auto terms = constants_of<4>(query);
  Owned<TermSet::Flags> flags;
  const double seconds = seconds_of([&] { flags = predicates_of_9(triples, terms[0], terms[1]); });
  const TermSet found(flags);
  for (Term term = 0; term < triples.terms; ++term)
    if (found.has(term)) add_row(rows, term);
  return seconds;
}

using RunPipelines = double (*)(const Triples&, const QueryOfSet&, Rows&);

RunPipelines pipelines_of(const std::string& name) {
  if (name == "2") return run_2;
  if (name == "4") return run_4;
  return name == "9" ? run_9 : nullptr;
}

}  // namespace

QueryPipelines::QueryPipelines(query::Database& database) {
  std::array<std::vector<Term>, 3> columns;
  database.execute("select s, p, o from triples", [&](query::Answer& answer) {
    for (const query::Type& type : answer.types)
      if (type != query::kInt32)
        throw UsageError("bench queries: --baseline pipelines needs --set sp2bench");
    answer.for_each_batch([&](const query::Batch& batch) {
      batch.for_each([&](std::size_t row) {
        for (std::size_t c = 0; c < columns.size(); ++c)
          columns[c].push_back(batch.columns[c].at<Term>(row));
      });
    });
  });
  for (const auto& column : columns)
    for (const Term term : column) {
      if (term < 0 || term == std::numeric_limits<Term>::max())
        throw UsageError(fmt::format("bench queries: --baseline pipelines: {} is no term", term));
      terms_ = std::max(terms_, term + 1);
    }
  const auto kept = [](const std::vector<Term>& values) {
    Column column = GlobalArray<Term>::create_for_overwrite(std::ssize(values));
    write_span(*column, 0, values);
    return column;
  };
  subjects_ = kept(columns[0]);
  predicates_ = kept(columns[1]);
  objects_ = kept(columns[2]);
}

bool QueryPipelines::has(const QueryOfSet& query) { return pipelines_of(query.name) != nullptr; }

double QueryPipelines::run(const QueryOfSet& query, Rows& rows) const {
  const Triples triples{subjects_->locale_part(), predicates_->locale_part(),
                        objects_->locale_part(), terms_};
  return pipelines_of(query.name)(triples, query, rows);
}

}  // namespace grappa::bench
