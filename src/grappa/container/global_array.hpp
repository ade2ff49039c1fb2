#pragma once

// GlobalArray<T>: an array over all cores, with the distributions that address arithmetic cannot
// express.
//
//   auto rank = GlobalArray<double>::create(n);                  // block distribution
//   rank.forall([n](int64_t i, double& x) { x = 1.0 / n; });     // at the home cores
//   delegate::async::increment(rank[i], 0.5);
//   FrozenView<double> all = rank.frozen();                      // direct reads within the locale
//   rank.destroy();
//
// Distributions: Block (core c holds one run of consecutive elements, in whole cache lines, so that
// no line has two writers), Cyclic (element i on core i mod cores), Permuted (as Cyclic, in a
// pseudo-random order that is the same in every run: hot neighbors spread out).
//
// The object is a handle: trivially copyable, captured by value; create and destroy are called by
// one task and switch tasks. Elements are T{} at first. T must be trivially copyable and trivially
// destructible.
//
// operator[], gather and scatter refuse an index that is out of range (UsageError); home, position,
// spans and views do not check. What works on the whole array (destroy, forall, gather, scatter,
// frozen, and algorithms by require_live) refuses a handle that was never created, was destroyed
// (also through a copy) or is of an earlier run; debug builds do so at each access.
//
// Direct access to elements of other cores: in a Block array the parts of the cores of a locale lie
// side by side. While nobody writes (the array is *frozen*, from one synchronization to the next)
// every core of the locale may read the locale's part, and kernels that need compare-and-swap on
// shared elements may use locale_part() through std::atomic_ref. Everything else goes through
// delegates.

#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>

#include "grappa/base/fast_divide.hpp"
#include "grappa/container/internal/gather_once.hpp"
#include "grappa/delegate/bulk.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/forall.hpp"
#include "grappa/parallel/global_memory.hpp"

namespace grappa {

/// Which core has which elements; see above.
enum class Distribution : std::uint8_t { kBlock, kCyclic, kPermuted };

/// Direct read access to the part of a Block array that this locale holds: elements [begin, end).
template <class T>
class FrozenView {
 public:
  FrozenView(const T* first, std::int64_t begin, std::int64_t end)
      : shifted_(first - begin), begin_(begin), end_(end) {}
  /// Element i of the array, begin() <= i < end().
  const T& operator[](std::int64_t i) const { return shifted_[i]; }
  std::int64_t begin_index() const { return begin_; }
  std::int64_t end_index() const { return end_; }
  bool holds(std::int64_t i) const { return i >= begin_ && i < end_; }
  std::span<const T> span() const {
    return {shifted_ + begin_, static_cast<std::size_t>(end_ - begin_)};
  }

 private:
  const T* shifted_;
  std::int64_t begin_;
  std::int64_t end_;
};

namespace internal {

/// A pseudo-random bijection of [0, n): a Feistel network over the next even power of two, walked
/// until it lands in range (J. Black and P. Rogaway, "Ciphers with arbitrary finite domains",
/// 2002).
class Permutation {
 public:
  explicit Permutation(std::uint64_t n = 0);
  std::uint64_t apply(std::uint64_t i) const;
  std::uint64_t invert(std::uint64_t i) const;

 private:
  std::uint64_t round(std::uint64_t x, int r) const;
  std::uint64_t n_;
  int half_bits_;
};

[[noreturn]] void throw_no_such_element(std::int64_t i, std::int64_t size, const CallSite* where);
[[noreturn]] void throw_no_locale_part(const CallSite* where);

/// Throws UsageError for a number that names no distribution.
void require_distribution(Distribution distribution, const CallSite& where);

template <class A, class F>
struct EachArrayElement {
  A array;
  [[no_unique_address]] F f;
  void operator()(std::int64_t first, std::int64_t last) {
    const auto mine = array.local();
    for (std::int64_t k = first; k < last; ++k) {
      auto& element = mine[static_cast<std::size_t>(k)];
      if constexpr (std::invocable<F&, std::int64_t, decltype(element)>) {
        f(array.global_index(k), element);
      } else {
        f(element);
      }
    }
  }
};

}  // namespace internal

/// A handle of an array that is distributed over all cores.
template <class T>
class GlobalArray {
  static_assert(kIsSendable<T>,
                "grappa: elements of a GlobalArray are trivially copyable and destructible");
  static_assert(internal::require_shared_object<T>());

 public:
  GlobalArray() = default;

  /// n elements T{}. Throws UsageError when the locales do not have memory for them.
  [[nodiscard("create returns the handle")]] static GlobalArray create(
      std::int64_t n, Distribution distribution = Distribution::kBlock,
      internal::CallSite where = internal::CallSite::current()) {
    const GlobalArray a = create_for_overwrite(n, distribution, where);
    on_all_cores([a] {
      T* mine = a.core_part();
      for (std::int64_t i = 0; i < a.block_; ++i) ::new (static_cast<void*>(mine + i)) T{};
    });
    return a;
  }

  /// As create, but the elements have no value yet. For arrays that a first loop fills: each
  /// element must be written before it is read, preferably by its home core, so that it lies in
  /// memory near that core (unless the memory of an earlier array is reused, see kept_ranges.hpp).
  [[nodiscard("create returns the handle")]] static GlobalArray create_for_overwrite(
      std::int64_t n, Distribution distribution = Distribution::kBlock,
      internal::CallSite where = internal::CallSite::current()) {
    internal::require_distribution(distribution, where);
    GlobalArray a;
    const internal::Locale& locale = internal::here().locale;
    internal::bytes_of(n, sizeof(T), locale.count, "GlobalArray",
                       where);  // refuses what is too many
    const std::int64_t cores = locale.core_count();
    // Elements that fill whole cache lines.
    constexpr std::int64_t kPerLine = 64 / std::gcd<std::int64_t>(64, sizeof(T));
    a.size_ = n;
    a.distribution_ = distribution;
    a.block_ = std::max<std::int64_t>(
        kPerLine, ((n + cores - 1) / cores + kPerLine - 1) / kPerLine * kPerLine);
    a.cores_each_ = locale.cores_each;
    const bool blocks = distribution == Distribution::kBlock;
    a.divider_ = internal::FastDivider(static_cast<std::uint64_t>(blocks ? a.block_ : cores));
    a.by_locales_ = internal::FastDivider(
        static_cast<std::uint64_t>(locale.cores_each * (blocks ? a.block_ : 1)));
    if (distribution == Distribution::kPermuted)
      a.permutation_ = internal::Permutation(static_cast<std::uint64_t>(n));
    const auto bytes = internal::round_up(static_cast<std::uint64_t>(a.block_) * sizeof(T) *
                                              static_cast<std::uint64_t>(locale.cores_each),
                                          64);
    internal::require_on_locale(bytes, "GlobalArray");
    // Large arrays start on a huge page.
    const std::uint64_t alignment = bytes >= internal::huge_page_size()
                                        ? internal::huge_page_size()
                                        : std::max<std::uint64_t>(64, alignof(T));
    const std::uint64_t offset =
        internal::allocate_in(internal::Arena::kLocale, bytes, alignment, n);
    a.start_ = locale.memory->locale_offset() + offset;
    a.id_ = internal::new_handle();
    internal::prepare_in(internal::Arena::kLocale, offset, bytes, a.id_);
    return a;
  }

  void destroy() {
    internal::retire_handle(id_, "GlobalArray::destroy");
    const internal::LocaleMemory& memory = *internal::here().locale.memory;
    internal::free_in(internal::Arena::kLocale, start_ - memory.locale_offset());
    *this = GlobalArray();
    id_ = internal::kDestroyedHandle;
  }

  /// For algorithms over the array, once each: UsageError unless the handle is live. `what` is the
  /// algorithm, `where` who called it.
  void require_live(const char* what, const internal::CallSite* where = nullptr) const {
    internal::require_live(id_, what, where);
  }

  /// UsageError unless there is an element i.
  void require_index(std::int64_t i, const internal::CallSite* where = nullptr) const {
    if (static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(size_)) [[unlikely]]
      internal::throw_no_such_element(i, size_, where);
  }

  std::int64_t size() const { return size_; }
  Distribution distribution() const { return distribution_; }

  /// The core that owns element i, and its place in the part of that core.
  int home(std::int64_t i) const { return position(i).home; }
  std::int64_t local_index(std::int64_t i) const {
    return static_cast<std::int64_t>(position(i).local);
  }
  /// Both at once.
  struct Position {
    int home;
    std::uint64_t local;
  };
  Position position(std::int64_t i) const {
    if (distribution_ == Distribution::kBlock) [[likely]]
      return position_in_blocks(i);
    const auto u = static_cast<std::uint64_t>(i);
    const auto [local, core] =
        divider_.divide_modulo(distribution_ == Distribution::kCyclic ? u : permutation_.apply(u));
    return {static_cast<int>(core), local};
  }
  /// The same for loops that know their array to be a Block array.
  Position position_in_blocks(std::int64_t i) const {
    const auto [core, local] = divider_.divide_modulo(static_cast<std::uint64_t>(i));
    return {static_cast<int>(core), local};
  }

  /// The element at position `local` of this core's part.
  std::int64_t global_index(std::int64_t local) const {
    const std::int64_t me = internal::here().id;
    switch (distribution_) {
      case Distribution::kBlock:
        return me * block_ + local;
      case Distribution::kCyclic:
        return local * internal::here().locale.core_count() + me;
      default:
        return static_cast<std::int64_t>(permutation_.invert(
            static_cast<std::uint64_t>(local * internal::here().locale.core_count() + me)));
    }
  }

  /// Elements on this core.
  std::int64_t local_size() const { return size_on(internal::here().id); }

  /// This core's elements, in local order. Only this core writes them.
  std::span<T> local() const {
    internal::require_live_if_checked(id_, "GlobalArray::local");
    return {core_part(), static_cast<std::size_t>(local_size())};
  }

  /// The address of element i, for delegates. Throws UsageError when there is no such element.
  /// Inlined by attribute, because then the compiler knows what place() will find.
  [[gnu::always_inline]] internal::ElementAddress<T> operator[](std::int64_t i) const {
    internal::require_live_if_checked(id_, "GlobalArray::operator[]");
    require_index(i);
    return address_of(i);
  }

  /// body(i, T&) or body(T&) for every element, at its home core. Waits for all that it causes.
  template <class F>
  void forall(LoopOptions options, F body,
              internal::CallSite where = internal::CallSite::current()) const {
    require_live("GlobalArray::forall", &where);
    internal::require_grain(options, where);
    internal::require_element_body<F, T>();
    internal::require_closure<F>();
    internal::here().messages->check_body(body, where);
    CompletionEvent done;
    const internal::Core& me = internal::here();
    const internal::EachArrayElement<GlobalArray, F> part{*this, body};
    internal::name_closure<internal::EachArrayElement<GlobalArray, F>>(where);
    for (int core = 0; core < me.locale.core_count(); ++core) {
      if (core == me.id) continue;
      const std::int64_t n = size_on(core);
      internal::start_range(done.share(), core, 0, n, internal::choose_grain(n, 1, options.grain),
                            internal::Reach::kCore, part);
    }
    const std::int64_t n = local_size();
    internal::run_range_inline(done.share(), 0, n, internal::choose_grain(n, 1, options.grain),
                               internal::Reach::kCore, part);
    done.wait();
  }
  template <class F>
  void forall(F body, internal::CallSite where = internal::CallSite::current()) const {
    forall(LoopOptions{}, body, where);
  }

  /// out[k] = element indices[k], many in one call (see delegate/bulk.hpp); where most indices are
  /// there several times, each is fetched once. Switches tasks.
  void gather(std::span<const std::int64_t> indices, std::span<T> out,
              internal::CallSite where = internal::CallSite::current()) const {
    require_live("GlobalArray::gather", &where);
    if (indices.size() != out.size()) {
      internal::refuse_lengths(where, "GlobalArray::gather", "results", "indices");
    }
    // Before anything is on its way.
    for (const std::int64_t i : indices) require_index(i, &where);
    internal::gather_once(
        indices, out, [&](std::span<const std::int64_t> once, std::span<T> values) {
          internal::gather_places<T>(
              static_cast<std::int64_t>(once.size()),
              [&](std::int64_t k) { return address_of(once[static_cast<std::size_t>(k)]).place(); },
              values.data());
        });
  }

  /// Writes values[k] to element indices[k], many in one call. Of several values for one element,
  /// any one stays; where most indices are there several times, few of their values travel.
  /// Switches tasks.
  void scatter(std::span<const std::int64_t> indices, std::span<const T> values,
               internal::CallSite where = internal::CallSite::current()) const {
    require_live("GlobalArray::scatter", &where);
    if (indices.size() != values.size()) {
      internal::refuse_lengths(where, "GlobalArray::scatter", "values", "indices");
    }
    for (const std::int64_t i : indices) require_index(i, &where);
    CompletionEvent done;
    internal::scatter_once(indices, values, [&](std::int64_t i, const T& value) {
      delegate::async::write(done, address_of(i), value);
    });
    done.wait();
  }

  // ---- Block arrays only: the part of this locale ----

  /// The elements of this locale: [locale_begin(), locale_end()).
  std::int64_t locale_begin() const {
    return std::min(size_, internal::here().locale.first_core() * block_);
  }
  std::int64_t locale_end() const {
    return std::min(size_, (internal::here().locale.first_core() + cores_each_) * block_);
  }

  /// Elements [locale_begin(), locale_end()), for direct reads while frozen or through
  /// std::atomic_ref.
  std::span<T> locale_part() const {
    internal::require_live_if_checked(id_, "GlobalArray::locale_part");
    require_block();
    return {locale_start(), static_cast<std::size_t>(locale_end() - locale_begin())};
  }

  /// The locale's part, for reads while nobody writes it.
  FrozenView<T> frozen(internal::CallSite where = internal::CallSite::current()) const {
    require_live("GlobalArray::frozen", &where);
    require_block(&where);
    return FrozenView<T>(locale_start(), locale_begin(), locale_end());
  }

  /// Elements of each core in a Block array; the last cores may have fewer, or none.
  std::int64_t block() const { return block_; }

 private:
  std::int64_t size_on(int core) const {
    const std::int64_t cores = internal::here().locale.core_count();
    if (distribution_ == Distribution::kBlock)
      return std::clamp<std::int64_t>(size_ - core * block_, 0, block_);
    return (size_ - core + cores - 1) / cores;
  }

  [[gnu::always_inline]] internal::ElementAddress<T> address_of(std::int64_t i) const {
    if (distribution_ == Distribution::kBlock) {
      // Two divisions that do not wait for one another.
      const auto u = static_cast<std::uint64_t>(i);
      return {static_cast<int>(divider_.divide(u)), start_ + by_locales_.modulo(u) * sizeof(T)};
    }
    const auto [core, local] = position(i);
    const std::uint64_t index = by_locales_.modulo(static_cast<std::uint64_t>(core));
    return {core, start_ + (index * static_cast<std::uint64_t>(block_) + local) * sizeof(T)};
  }

  T* locale_start() const {
    const internal::Core& me = internal::here();
    return reinterpret_cast<T*>(me.memory_base + start_);
  }
  T* core_part() const { return locale_start() + internal::here().index * block_; }

  void require_block(const internal::CallSite* where = nullptr) const {
    if (distribution_ != Distribution::kBlock) [[unlikely]]
      internal::throw_no_locale_part(where);
  }

  std::int64_t size_ = 0;
  std::int64_t block_ = 1;
  std::uint64_t start_ = 0;           // in the global memory of each locale
  internal::FastDivider divider_;     // by the elements of a core (Block) or by the cores
  internal::FastDivider by_locales_;  // the elements (Block) or the cores of a locale
  internal::Permutation permutation_;
  std::int32_t cores_each_ = 1;
  Distribution distribution_ = Distribution::kBlock;
  internal::HandleId id_;  // behind what each access reads
};

}  // namespace grappa
