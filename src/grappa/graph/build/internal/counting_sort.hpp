#pragma once

// A counting sort by the cores of a locale: it sorts numbers by their classes, which are few.
//
//   const Owned<CountingSort> owned = CountingSort::create(classes);
//   on_each_locale([=, sort = *owned] {
//     sort.sort_here(
//         first, last, [key] { return [key = key.data()](int64_t i) { return key[i]; }; },
//         [sorted] {
//           return [sorted = sorted.data()](int64_t i, int64_t position) { sorted[position] = i; };
//         });
//   });
//
// Positions count from 0, by ascending class and, within a class, by ascending number, whatever the
// number of cores. The arguments are factories, called on every core that sorts: a factory travels,
// so it captures handles; what it returns stays on the core and may hold pointers. The class of a
// number, below `classes`, is asked for twice and must be the same.
//
// A handle: trivially copyable. create and destroy are called by one task, sort_here by one of a
// locale at a time; all switch tasks. A sort may be used again.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "grappa/container/replica.hpp"
#include "grappa/graph/exec/tuning.hpp"
#include "grappa/graph/structure/vertex_id.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::graph {

class CountingSort {
 public:
  static CountingSort create(std::int64_t classes) {
    CountingSort sort;
    sort.classes_ = classes;
    sort.parts_ = tuning::kPartsPerCore * cores_per_locale();
    sort.next_ = Replica<Count>::create_for_overwrite(sort.parts_ * classes);
    return sort;
  }
  void destroy() { next_.destroy(); }

  template <class MakeClassOf, class MakePlace>
  void sort_here(std::int64_t begin, std::int64_t end, MakeClassOf make_class_of,
                 MakePlace make_place) const {
    const CountingSort sort = *this;
    forall_here(0, parts_, {.grain = 1}, [=](std::int64_t part) {
      const auto class_of = make_class_of();
      Count* const counts = sort.of(part);
      std::fill_n(counts, sort.classes_, 0);
      for_part(begin, end, part, sort.parts_, [&](std::int64_t i) { ++counts[class_of(i)]; });
    });
    add_up();
    forall_here(0, parts_, {.grain = 1}, [=](std::int64_t part) {
      const auto class_of = make_class_of();
      const auto place = make_place();
      Count* const next = sort.of(part);
      for_part(begin, end, part, sort.parts_,
               [&](std::int64_t i) { place(i, static_cast<std::int64_t>(next[class_of(i)]++)); });
    });
  }

 private:
  using Count = VertexId;  // as wide as the numbers

  Count* of(std::int64_t part) const { return next_.data() + part * classes_; }

  template <class Use>
  static void for_part(std::int64_t begin, std::int64_t end, std::int64_t part, std::int64_t parts,
                       Use use) {
    const std::int64_t size = end - begin;
    const std::int64_t last = begin + size * (part + 1) / parts;
    for (std::int64_t i = begin + size * part / parts; i < last; ++i) use(i);
  }

  /// Makes counts the positions that come next.
  void add_up() const {
    Count sum = 0;
    for (std::int64_t c = 0; c < classes_; ++c) {
      for (std::int64_t part = 0; part < parts_; ++part) sum += std::exchange(of(part)[c], sum);
    }
  }

  std::int64_t classes_ = 0;
  std::int64_t parts_ = 0;
  Replica<Count> next_;  // [parts][classes]: first how many there are
};

}  // namespace grappa::graph
