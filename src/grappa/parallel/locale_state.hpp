#pragma once

// LocaleState<T>: one T on every locale.
//
//   using Names = LocaleState<std::vector<std::string>>;
//   const Owned<Names> names = Names::create();
//   on_all_locales([names = *names] { names->push_back("of this locale"); });
//
// T may be of any type that the locale's cores can share: it never travels. It is made and
// destroyed on the first core of its locale. The object is a handle, trivially copyable; create and
// destroy are called by one task and switch tasks. Debug builds refuse a handle that was never
// created or was destroyed (UsageError).

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "grappa/parallel/global_memory.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa {

template <class T>
class LocaleState {
 public:
  LocaleState() = default;

  /// T{} on every locale.
  [[nodiscard("create returns the handle")]] static LocaleState create() {
    return create([] { return T{}; });
  }

  /// What make() returns there. If it throws somewhere, nothing is left behind.
  template <class F>
  [[nodiscard("create returns the handle")]] static LocaleState create(F make) {
    LocaleState state;
    state.offset_ = internal::allocate_in(internal::Arena::kLocale, sizeof(Cell), kAlignment, 1);
    internal::prepare_in(internal::Arena::kLocale, state.offset_, sizeof(Cell));
    try {
      on_all_locales([state, make]() mutable {
        Cell& cell = state.cell();
        cell.is_made = false;
        ::new (static_cast<void*>(cell.bytes)) T(make());
        cell.is_made = true;
      });
    } catch (...) {
      state.destroy();
      throw;
    }
    return state;
  }

  void destroy() {
    on_all_locales([state = *this] {
      if (state.cell().is_made) std::destroy_at(&*state);
    });
    internal::free_in(internal::Arena::kLocale, offset_);
    *this = LocaleState();
  }

  /// This locale's.
  T& operator*() const { return *std::launder(reinterpret_cast<T*>(cell().bytes)); }
  T* operator->() const { return &**this; }

 private:
  static constexpr std::uint64_t kAlignment = std::max<std::uint64_t>(64, alignof(T));
  struct alignas(kAlignment) Cell {
    bool is_made;
    alignas(kAlignment) std::byte bytes[sizeof(T)];
  };

  Cell& cell() const {
    internal::require_range_if_checked(internal::Arena::kLocale, offset_,
                                       "a LocaleState was used that was never created, or was "
                                       "destroyed");
    const internal::Core& me = internal::here();
    return *reinterpret_cast<Cell*>(me.memory_base + me.locale.memory->locale_offset() + offset_);
  }

  std::uint64_t offset_ = 0;
};

}  // namespace grappa
