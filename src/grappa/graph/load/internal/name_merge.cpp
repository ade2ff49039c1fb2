#include "grappa/graph/load/internal/name_merge.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "grappa/base/serialize.hpp"
#include "grappa/graph/exec/locales.hpp"
#include "grappa/graph/io/internal/names/compact_ids.hpp"
#include "grappa/graph/load/internal/pack_names.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/exchange.hpp"

namespace grappa::graph {
namespace {

constexpr std::int64_t kSamplesPerLocale = 64;  // of each part, for each range

/// What a locale works with: as a part, and as the owner of a range of names.
struct Merging {
  VertexNames names;                          // of the part
  std::vector<std::int64_t> cuts;             // [locales + 1] the part's names of each range
  std::vector<VertexNames> given;             // [locales] what the parts have of the range
  VertexNames merged;                         // the range
  std::vector<std::vector<VertexId>> places;  // [locales] where each name of `given` stands
  VertexId first = 0;                         // the place of the first name of the range
};
using Mergings = LocaleState<Merging>;

/// The names of one part in short.
struct Extent {
  std::uint64_t first = 0;
  std::int64_t count = 0;
  bool is_range = true;
};

Extent extent_of(const VertexNames& names) {
  if (names.size() == 0) return {};
  if (!names.is_integer()) return {.count = names.size(), .is_range = false};
  const std::uint64_t first = names.integer(0);
  const std::uint64_t last = names.integer(static_cast<VertexId>(names.size() - 1));
  const bool is_range = last - first == static_cast<std::uint64_t>(names.size() - 1);
  return {first, names.size(), is_range};
}

/// The range that all parts together are, if they are one.
std::optional<Extent> common_range(std::vector<Extent> parts) {
  std::erase_if(parts, [](const Extent& part) { return part.count == 0; });
  if (parts.empty()) return Extent{};
  std::ranges::sort(parts, {}, &Extent::first);
  std::uint64_t end = parts.front().first;
  for (const Extent& part : parts) {
    if (!part.is_range || part.first > end) return std::nullopt;
    end = std::max(end, part.first + static_cast<std::uint64_t>(part.count));
  }
  return Extent{parts.front().first, static_cast<std::int64_t>(end - parts.front().first), true};
}

/// The heads of sorted lists, the smallest at the front.
class Heads {
 public:
  struct Head {
    std::size_t list;
    std::int64_t at;
  };

  explicit Heads(const std::vector<VertexNames>& lists) : later_{lists} {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists[i].size() > 0) heap_.push_back({i, 0});
    }
    std::ranges::make_heap(heap_, later_);
  }

  bool empty() const { return heap_.empty(); }
  Head pop() {
    std::ranges::pop_heap(heap_, later_);
    const Head head = heap_.back();
    if (head.at + 1 < later_.lists[head.list].size()) {
      ++heap_.back().at;
      std::ranges::push_heap(heap_, later_);
    } else {
      heap_.pop_back();
    }
    return head;
  }

 private:
  struct Later {
    const std::vector<VertexNames>& lists;
    bool operator()(const Head& a, const Head& b) const {
      return compare_names(lists[a.list], a.at, lists[b.list], b.at) > 0;
    }
  };

  Later later_;
  std::vector<Head> heap_;
};

/// The union of sorted lists; calls placed(list, place in the union) for their names, in order.
template <class Placed>
VertexNames merge_lists(const std::vector<VertexNames>& lists, const Placed& placed) {
  NameCollector all;
  Heads heads(lists);
  std::optional<Heads::Head> last;
  while (!heads.empty()) {
    const Heads::Head head = heads.pop();
    const bool is_new =
        !last || compare_names(lists[last->list], last->at, lists[head.list], head.at) != 0;
    if (is_new) all.add(lists[head.list], head.at);
    last = head;
    placed(head.list, static_cast<std::uint64_t>(all.size() - 1));
  }
  return all.take();
}

/// Evenly spaced names.
VertexNames sample_of(const VertexNames& names, std::int64_t count) {
  NameCollector sample;
  count = std::min(count, names.size());
  for (std::int64_t i = 0; i < count; ++i)
    sample.add(names, (2 * i + 1) * names.size() / (2 * count));
  return sample.take();
}

/// The first of `names` that is not less than name i of `keys`.
std::int64_t lower_bound(const VertexNames& names, const VertexNames& keys, std::int64_t i) {
  std::int64_t low = 0;
  std::int64_t high = names.size();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (compare_names(names, middle, keys, i) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::vector<VertexNames> take_names_of_all(const Exchange& exchange) {
  std::vector<VertexNames> lists;
  for (int from = 0; from < locale_count(); ++from) {
    const std::vector<std::byte> bytes = exchange.take<std::byte>(from);
    lists.push_back(bytes.empty() ? VertexNames() : unpack_names(bytes));
  }
  return lists;
}

class NameMerge {
 public:
  NameMerge(EdgeParts& list, const std::string& file)
      : list_(list), file_(file), team_(CoreTeam::create()) {}

  void run() {
    const std::vector<Extent> extents =
        gather_locales([part = *list_.part] { return extent_of(part->names); });
    if (const std::optional<Extent> range = common_range(extents)) {
      take_range(*range);
    } else {
      merge();
    }
  }

 private:
  void take_range(const Extent& range) {
    io::check_vertex_count(static_cast<std::uint64_t>(range.count), file_);
    list_.vertex_count = range.count;
    list_.names = VertexNames::range(range.first, range.count);
    on_all_locales([part = *list_.part, team = *team_, first = range.first] {
      EdgeList& mine = *part;
      const std::uint64_t shift = extent_of(mine.names).first - first;
      if (mine.edges.empty() || shift == 0) return;
      io::renumber_edges(mine.edges, mine.edges, team.parallel_for(),
                         [shift](VertexId id) { return static_cast<VertexId>(id + shift); });
    });
  }

  void merge() {
    exchange_ = Exchange::create();
    mergings_ = Mergings::create([part = *list_.part] {
      Merging mine;
      mine.names = std::move(part->names);
      return mine;
    });
    divide();
    hand_to_owners();
    number();
    answer();
    renumber_parts();
  }

  /// Where the ranges of the owners begin, from samples, and where in each part.
  void divide() {
    on_all_locales([mergings = *mergings_, exchange = *exchange_] {
      const VertexNames sample = sample_of(mergings->names, kSamplesPerLocale * locale_count());
      exchange.send(0, pack_names(sample, 0, sample.size()));
    });
    std::vector<VertexNames> samples = take_names_of_all(*exchange_);
    std::erase_if(samples, [](const VertexNames& sample) { return sample.size() == 0; });
    const VertexNames all = merge_lists(samples, [](std::size_t, std::uint64_t) {});
    NameCollector chosen;
    for (int locale = 1; locale < locale_count(); ++locale)
      chosen.add(all, all.size() * locale / locale_count());
    const VertexNames taken = chosen.take();
    exchange_->broadcast(pack_names(taken, 0, taken.size()));
    on_all_locales([mergings = *mergings_, exchange = *exchange_] {
      Merging& mine = *mergings;
      const VertexNames limits = unpack_names(exchange.take<std::byte>(0));
      mine.cuts = {0};
      for (std::int64_t i = 0; i < limits.size(); ++i)
        mine.cuts.push_back(mine.names.size() == 0 ? 0 : lower_bound(mine.names, limits, i));
      mine.cuts.push_back(mine.names.size());
    });
  }

  void hand_to_owners() {
    on_all_locales([mergings = *mergings_, exchange = *exchange_] {
      Merging& mine = *mergings;
      for (int owner = 0; owner < locale_count(); ++owner) {
        const auto i = static_cast<std::size_t>(owner);
        if (mine.cuts[i] == mine.cuts[i + 1]) continue;
        exchange.send(owner, pack_names(mine.names, mine.cuts[i], mine.cuts[i + 1]));
      }
      mine.names = {};
    });
  }

  /// The owners merge; the caller learns how many names each has, and all of them.
  void number() {
    on_all_locales([mergings = *mergings_, exchange = *exchange_] {
      Merging& mine = *mergings;
      mine.given = take_names_of_all(exchange);
      mine.places.resize(mine.given.size());
      mine.merged = merge_lists(mine.given, [&](std::size_t list, std::uint64_t place) {
        mine.places[list].push_back(static_cast<VertexId>(place));
      });
      mine.given.clear();
    });
    const std::vector<std::int64_t> counts =
        gather_locales([mergings = *mergings_] { return mergings->merged.size(); });
    NameCollector all;
    list_.vertex_count = 0;
    for (int owner = 0; owner < locale_count(); ++owner) {
      firsts_.push_back(static_cast<VertexId>(list_.vertex_count));
      list_.vertex_count += counts[static_cast<std::size_t>(owner)];
    }
    io::check_vertex_count(static_cast<std::uint64_t>(list_.vertex_count), file_);
    // One after the other: the caller has room for the names, but not for twice as many.
    for (int owner = 0; owner < locale_count(); ++owner) {
      on_all_locales([mergings = *mergings_, exchange = *exchange_, owner] {
        Merging& mine = *mergings;
        if (this_locale() == owner)
          exchange.send(0, pack_names(mine.merged, 0, mine.merged.size()));
        if (this_locale() == owner) mine.merged = {};
      });
      const VertexNames names = unpack_names(exchange_->take<std::byte>(owner));
      for (std::int64_t i = 0; i < names.size(); ++i) all.add(names, i);
    }
    list_.names = all.take();
  }

  /// Each owner tells the parts the places of their names.
  void answer() {
    exchange_->broadcast(std::as_bytes(std::span(firsts_)));
    on_all_locales([mergings = *mergings_, exchange = *exchange_] {
      mergings->first = exchange.take<VertexId>(0)[static_cast<std::size_t>(this_locale())];
    });
    on_all_locales([mergings = *mergings_, exchange = *exchange_] {
      Merging& mine = *mergings;
      for (int to = 0; to < locale_count(); ++to) {
        std::vector<VertexId> places = std::move(mine.places[static_cast<std::size_t>(to)]);
        for (VertexId& place : places) place += mine.first;
        exchange.send(to, places);
      }
    });
  }

  void renumber_parts() {
    on_all_locales(
        [mergings = *mergings_, exchange = *exchange_, part = *list_.part, team = *team_] {
          const Merging& mine = *mergings;
          std::vector<VertexId> place(static_cast<std::size_t>(mine.cuts.back()));
          for (int owner = 0; owner < locale_count(); ++owner) {
            const std::vector<VertexId> places = exchange.take<VertexId>(owner);
            std::copy(places.begin(), places.end(),
                      place.begin() + mine.cuts[static_cast<std::size_t>(owner)]);
          }
          io::renumber_edges(part->edges, part->edges, team.parallel_for(),
                             [&place](VertexId id) { return place[id]; });
        });
  }

  EdgeParts& list_;
  const std::string& file_;
  const Owned<CoreTeam> team_;
  Owned<Exchange> exchange_;
  Owned<Mergings> mergings_;
  std::vector<VertexId> firsts_;  // [locales] the number of the first name of each range
};

}  // namespace

void merge_names(EdgeParts& list, const std::string& file) { NameMerge(list, file).run(); }

}  // namespace grappa::graph
