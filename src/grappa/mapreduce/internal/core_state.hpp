#pragma once

// CoreState<T>: one T for every core, which the other cores of its locale can reach.
//
//   const Owned<CoreState<std::vector<int>>> lists = CoreState<std::vector<int>>::create();
//   on_all_cores([lists = *lists] { lists.mine().push_back(this_core()); });
//
// A handle, trivially copyable; create() and destroy() are called by one task and switch tasks. T
// never travels. Who may touch what of another core, and when, is the user's to say.

#include <cstddef>
#include <vector>

#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa::mapreduce::detail {

template <class T>
class CoreState {
 public:
  /// T{} for every core.
  [[nodiscard("create returns the handle")]] static CoreState create() {
    CoreState state;
    state.cores_ = LocaleState<Cores>::create(
        [] { return Cores(static_cast<std::size_t>(cores_per_locale())); });
    return state;
  }
  void destroy() { cores_.destroy(); }

  /// Of the calling core.
  T& mine() const { return of_local(this_core() - first_core_of(this_locale())); }
  /// Of a core of this locale: the index-th of them.
  T& of_local(int index) const { return (*cores_)[static_cast<std::size_t>(index)].value; }

 private:
  struct alignas(64) Cell {
    T value{};
  };
  using Cores = std::vector<Cell>;

  LocaleState<Cores> cores_;
};

}  // namespace grappa::mapreduce::detail
