#include "grappa/graph/algorithms/triangles/internal/halo_rows.hpp"

#include "grappa/graph/exec/locales.hpp"

namespace grappa::graph {

Owned<LocaleState<HaloRows>> HaloRows::fetch(const Graph& graph, const Halo& halo) {
  Owned rows = LocaleState<HaloRows>::create();
  // The lengths of all rows, then the rows.
  on_all_locales([graph, halo] {
    const Adjacency out = graph.out();
    Halo::for_others([&](int locale) {
      const std::span<const VertexId> asked = halo.asked(locale);
      std::vector<VertexId> lengths_and_targets(asked.size());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto row = out.neighbors(asked[i]);
        const auto end = std::ranges::lower_bound(row, asked[i]);
        lengths_and_targets[i] = static_cast<VertexId>(end - row.begin());
        lengths_and_targets.insert(lengths_and_targets.end(), row.begin(), end);
      }
      halo.exchange().send(locale, lengths_and_targets);
    });
  });
  on_all_locales([halo, rows = *rows] {
    HaloRows& mine = *rows;
    for (int locale = 0; locale < locale_count(); ++locale) {  // so that vertices ascend
      if (locale == this_locale()) continue;
      const std::span<const VertexId> wanted = halo.wanted(locale);
      const std::vector<VertexId> lengths_and_targets = halo.exchange().take<VertexId>(locale);
      mine.vertices_.insert(mine.vertices_.end(), wanted.begin(), wanted.end());
      for (std::size_t i = 0; i < wanted.size(); ++i)
        mine.begins_.push_back(mine.begins_.back() + lengths_and_targets[i]);
      mine.neighbors_.insert(
          mine.neighbors_.end(),
          lengths_and_targets.begin() + static_cast<std::ptrdiff_t>(wanted.size()),
          lengths_and_targets.end());
    }
  });
  return rows;
}

}  // namespace grappa::graph
