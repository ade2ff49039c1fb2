#include "grappa/container/union_find.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/container/array_file.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa {
namespace {
constexpr const char* kSavedSets = "a UnionFind";
}  // namespace

/// One step of a unite, at the home of `high`.
struct UnionFind::Step {
  GlobalArray<std::int64_t> parents;
  std::int64_t high;
  std::int64_t low;

  void operator()() const {
    Step next = *this;
    while (next.take()) {
      const int home = parents.home(next.high);
      if (home != this_core()) {
        delegate::async::call(home, next);
        return;
      }
    }
  }

  /// False when the two are united; otherwise the two whose sets still have to be.
  bool take() {
    std::int64_t& parent = parents.local()[static_cast<std::size_t>(parents.local_index(high))];
    const std::int64_t old = parent;
    if (old > low) parent = low;
    if (old == high || old == low) return false;
    high = std::max(old, low);
    low = std::min(old, low);
    return true;
  }
};

UnionFind UnionFind::create(std::int64_t n) {
  UnionFind sets;
  sets.parents_ = GlobalArray<std::int64_t>::create_for_overwrite(n);
  sets.clear();
  return sets;
}

void UnionFind::clear() const {
  parents_.forall([](std::int64_t i, std::int64_t& parent) { parent = i; });
}

void UnionFind::save(const std::string& path) const {
  parents_.require_live("UnionFind::save");
  internal::save_array(parents_, path, kSavedSets);
}

UnionFind UnionFind::load(const std::string& path) {
  UnionFind sets;
  Owned<GlobalArray<std::int64_t>> parents =
      internal::load_array<std::int64_t>(path, kSavedSets, Distribution::kBlock);
  const std::int64_t wrong = reduce_cores(
      [parents = *parents] {
        std::int64_t count = 0;
        const std::span<const std::int64_t> mine = parents.local();
        for (std::size_t k = 0; k < mine.size(); ++k) {
          const std::int64_t self = parents.global_index(static_cast<std::int64_t>(k));
          count += mine[k] < 0 || mine[k] > self ? 1 : 0;
        }
        return count;
      },
      std::int64_t{0}, std::plus<>{});
  if (wrong != 0)
    throw UsageError(path + ": these are no sets: some number's parent is larger than it is");
  sets.parents_ = parents.release();
  return sets;
}

void UnionFind::destroy() {
  parents_.require_live("UnionFind::destroy");
  parents_.destroy();
}

void UnionFind::unite_in(internal::CompletionShare* scope, std::int64_t a, std::int64_t b) const {
  parents_.require_live("UnionFind::unite");
  parents_.require_index(a);
  parents_.require_index(b);
  if (a == b) return;
  const Step first{parents_, std::max(a, b), std::min(a, b)};
  internal::send_closure(*internal::here().messages, parents_.home(first.high),
                         internal::AsyncCallWay(), first, scope);
}

void UnionFind::unite(std::int64_t a, std::int64_t b) const {
  CompletionEvent done;
  unite_in(&done.share(), a, b);
  done.wait();
}
void UnionFind::unite(std::span<const std::pair<std::int64_t, std::int64_t>> pairs) const {
  CompletionEvent done;
  for (const auto& [a, b] : pairs) unite_in(&done.share(), a, b);
  done.wait();
}
void UnionFind::async_unite(std::int64_t a, std::int64_t b) const {
  unite_in(internal::enclosing_scope(), a, b);
}
void UnionFind::async_unite(CompletionEvent& event, std::int64_t a, std::int64_t b) const {
  unite_in(&event.share(), a, b);
}

std::int64_t UnionFind::find(std::int64_t a) const {
  parents_.require_live("UnionFind::find");
  for (;;) {
    const std::int64_t parent = delegate::read(parents_[a]);
    if (parent == a) return a;
    a = parent;
  }
}

void UnionFind::compress() const {
  parents_.require_live("UnionFind::compress");
  // Everybody's parent becomes the parent's parent, until nothing changes: as often as the
  // logarithm of the longest way says.
  for (std::int64_t changed = 1; changed != 0;) {
    changed = reduce_cores(
        [parents = parents_] {
          constexpr std::size_t kPiece = 1 << 16;
          const std::span<std::int64_t> mine = parents.local();
          std::vector<std::int64_t> grandparents;
          std::int64_t count = 0;
          for (std::size_t first = 0; first < mine.size(); first += kPiece) {
            const auto piece = mine.subspan(first, std::min(kPiece, mine.size() - first));
            const std::vector<std::int64_t> asked(piece.begin(), piece.end());
            grandparents.resize(asked.size());
            parents.gather(asked, grandparents);
            for (std::size_t k = 0; k < piece.size(); ++k) {
              count += piece[k] != grandparents[k] ? 1 : 0;
              // Somebody may have united it meanwhile.
              if (piece[k] == asked[k]) piece[k] = grandparents[k];
            }
          }
          return count;
        },
        std::int64_t{0}, std::plus<>{});
  }
}

std::int64_t UnionFind::set_count() const {
  parents_.require_live("UnionFind::set_count");
  return reduce_cores(
      [parents = parents_] {
        std::int64_t roots = 0;
        const std::span<const std::int64_t> mine = parents.local();
        for (std::size_t k = 0; k < mine.size(); ++k)
          roots += mine[k] == parents.global_index(static_cast<std::int64_t>(k)) ? 1 : 0;
        return roots;
      },
      std::int64_t{0}, std::plus<>{});
}

CountingMap<std::int64_t> UnionFind::component_sizes() const {
  compress();
  const auto sizes = CountingMap<std::int64_t>::create();
  parents_.forall([sizes](std::int64_t& root) { sizes.async_add(root); });
  return sizes;
}

}  // namespace grappa
