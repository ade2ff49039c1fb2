#include "grappa/graph/build/internal/degree_classes.hpp"

#include "grappa/graph/build/internal/counting_sort.hpp"
#include "grappa/graph/exec/locales.hpp"

namespace grappa::graph {

Replica<VertexId> rank_by_class(const Replica<std::uint8_t>& classes, std::int64_t n) {
  constexpr std::int64_t kClasses = 256;
  Owned<Replica<VertexId>> rank = Replica<VertexId>::create_for_overwrite(n);
  const Owned<CountingSort> sort = CountingSort::create(kClasses);
  on_each_locale([n, sort = *sort, classes, rank = *rank] {
    sort.sort_here(
        0, n,
        [classes] {
          // Descending.
          return [of = classes.data()](std::int64_t v) { return kClasses - 1 - of[v]; };
        },
        [rank] {
          return [rank = rank.data()](std::int64_t v, std::int64_t position) {
            rank[v] = static_cast<VertexId>(position);
          };
        });
  });
  return rank.release();
}

}  // namespace grappa::graph
