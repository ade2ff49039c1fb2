#pragma once

// GlobalVector<T>: an array over all cores that grows.
//
//   auto found = GlobalVector<int64_t>::create();
//   forall(0, 1'000'000, [=](int64_t i) {
//     if (i % 7 == 0) found.async_push(i);                 // in no particular order
//   });
//   found.sort();
//   const int64_t third = delegate::read(found[2]);
//   found.destroy();
//
// Elements lie in blocks that go round all cores, so a few appends in a row do not all go to one
// core, and they stay where they are when the vector grows: addresses stay valid until what they
// name is popped.
//
// push, append and pop are linearizable with one another and with size, and switch tasks. Those of
// one core's tasks combine (combiner.hpp): a range is reserved once for all of them, and what lands
// at one core travels together. While ranges are written, pops wait, and the other way round.
// async_push takes effect some time before the enclosing event (or the one given first) finishes.
// Elements are read and written by delegates at v[i], or at their homes by forall.
//
// T: default-constructible; trivially copyable and aligned to at most 8 bytes, or serialized
// (base/serialize.hpp), in vectors that are not sorted or turned into arrays. Where it is
// serialized, what was popped keeps its memory until something else is put in its place, or clear.
// A handle, trivially copyable; create, destroy, resize, reserve, clear, sort, to_array and forall
// are called by one task. UsageError for a handle that is not live, for an element beyond what was
// ever reserved, and at destroy while pushes are pending.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grappa/container/array_sort.hpp"
#include "grappa/container/array_spans.hpp"
#include "grappa/container/combiner.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/container/internal/gathered_values.hpp"
#include "grappa/container/internal/phase_lock.hpp"
#include "grappa/container/internal/saved_file.hpp"
#include "grappa/container/internal/vector_layout.hpp"
#include "grappa/sync/mutex.hpp"

namespace grappa {

namespace internal {

[[noreturn]] void throw_vector_size(std::int64_t size);

struct InVector {
  static constexpr const char* kName = "GlobalVector";
};

template <class T>
struct VectorState;

/// Pushes and pops of one core.
template <class T>
struct VectorBatch {
  struct Push : CombinedRequest {
    std::int64_t first = 0;  // where its values went
  };
  struct Pop : CombinedRequest {
    std::optional<T> value;
  };

  static constexpr std::size_t kMany = 4096;

  GatheredValues<T, InVector, Push> given;
  std::vector<Pop*> pops;
  VectorState<T>* mine = nullptr;

  std::size_t weight() const { return given.size() + pops.size(); }
  CombinedRequest* first_waiting() const {
    if (Push* push = given.first_waiting()) return push;
    return pops.empty() ? nullptr : static_cast<CombinedRequest*>(pops.front());
  }
  void run() {
    const bool refused = !given.empty() && !append();
    if (!pops.empty()) {
      std::vector<T> taken(pops.size());
      const std::size_t count = mine->pop(taken);
      for (std::size_t k = 0; k < pops.size(); ++k) {
        if (k < count) pops[k]->value = std::move(taken[k]);
        pops[k]->finish();
      }
      pops.clear();
    }
    if (refused) {
      given.put_apart([this](std::span<const T> values, Push* push) {
        const std::int64_t first = mine->append(values);
        if (push != nullptr) push->first = first;
      });
    }
  }
  /// Whether all values are in the vector.
  bool append() {
    std::int64_t begin = 0;
    try {
      begin = mine->append(given.all());
    } catch (const std::exception&) {
      return false;  // those who pop are not to hear of it
    }
    given.finish([begin](Push& push, std::size_t first) {
      push.first = begin + static_cast<std::int64_t>(first);
    });
    return true;
  }
  void fail(const std::exception_ptr& error) {
    given.fail(error);
    for (Pop* pop : pops) pop->fail(error);
  }
  void clear() {
    given.clear();
    pops.clear();
  }
};

template <class T>
struct VectorState {
  using Layout = VectorLayout<T>;
  using Block = typename Layout::Block;
  enum Phase { kGrow, kShrink };
  static constexpr std::int64_t kNotNow = -1;

  // At the home:
  std::int64_t size = 0;
  std::int64_t room = 0;  // the capacity that every core knows of
  PhaseLock phase;
  Mutex growing;
  // At each core:
  Layout layout;
  Combiner<VectorBatch<T>> combiner;
  CombinedObject<VectorState> self;

  void attach(const CombinedObject<VectorState>& object) {
    self = object;
    layout.attach(core_count());
    combiner.prepare([&](VectorBatch<T>& batch) { batch.mine = this; });
  }

  /// Runs f(state of the home) in a task there, and returns its number.
  template <class F>
  std::int64_t ask_home(const F& f) {
    if (self.is_home()) return f(*this);
    std::int64_t answer = 0;
    CompletionEvent done;
    const auto to = GlobalAddress<std::int64_t>::of_local(&answer);
    const int home = self.home();
    spawn_on(done, home, [to, f, at = self.at_home()] {
      delegate::async::write(to, f(*at.pointer()));
      here().messages->flush_to(to.core());
    });
    here().messages->flush_to(home);
    done.wait();
    return answer;
  }
  void leave_phase() {
    delegate::call(self.at_home(), [](VectorState& state) { state.phase.leave(); });
  }

  /// Puts values behind the last one, and returns the index of the first.
  std::int64_t append(std::span<const T> values) {
    const std::int64_t count = std::ssize(values);
    std::int64_t first = delegate::call(self.at_home(), [count](VectorState& state) {
      if (state.room < state.size + count || !state.phase.try_enter(kGrow)) return kNotNow;
      return std::exchange(state.size, state.size + count);
    });
    if (first == kNotNow) {
      first = ask_home([count](VectorState& state) {
        state.phase.enter(kGrow);
        state.reserve(count);
        return std::exchange(state.size, state.size + count);
      });
    }
    layout.write(first, values);
    // Nobody has to wait for it: who comes into the other phase does, at the home.
    delegate::async::call(self.at_home(), [](VectorState& state) { state.phase.leave(); });
    return first;
  }

  /// Takes up to out.size() elements, the last one first; returns how many.
  std::size_t pop(std::span<T> out) {
    const std::int64_t most = std::ssize(out);
    const std::int64_t before = ask_home([most](VectorState& state) {
      state.phase.enter(kShrink);
      return std::exchange(state.size, std::max<std::int64_t>(0, state.size - most));
    });
    const std::int64_t count = std::min(most, before);
    const std::span<T> taken = out.first(static_cast<std::size_t>(count));
    layout.read(before - count, taken);
    std::ranges::reverse(taken);
    leave_phase();
    return taken.size();
  }

  /// The size becomes n; returns what it was. The caller writes what is new, and leaves the phase.
  std::int64_t begin_resize(std::int64_t n) {
    return ask_home([n](VectorState& state) {
      state.phase.enter(kShrink);
      state.reserve(n - state.size);
      return std::exchange(state.size, n);
    });
  }
  std::int64_t settled_size() {
    return ask_home([](VectorState& state) {
      state.phase.enter(kShrink);
      state.phase.leave();
      return state.size;
    });
  }

  /// At the home, in a phase: makes room for that many more. Leaves the phase if it throws.
  void reserve(std::int64_t more) {
    try {
      if (room < size + more) require_room(size + more);
      // Others reserve meanwhile.
      while (room < size + more) {
        const std::lock_guard lock(growing);
        if (room < size + more) add_segment();
      }
    } catch (...) {
      phase.leave();
      throw;
    }
  }

 private:
  /// Throws UsageError when there is no memory for so many elements.
  void require_room(std::int64_t elements) const {
    const int locales = locale_count();
    const std::uint64_t bytes =
        bytes_of(elements, sizeof(T), locales, InVector::kName, CallSite()) -
        static_cast<std::uint64_t>(room) * sizeof(T);
    require_on_locale(bytes / static_cast<std::uint64_t>(locales), InVector::kName);
  }
  void add_segment() {
    const auto segment = GlobalArray<Block>::create_for_overwrite(
        layout.next_segment_blocks(), Distribution::kCyclic, CallSite(), InVector::kName);
    on_all_cores([states = self.states(), segment] { states->layout.add(segment); });
    room = layout.capacity();
  }
};

}  // namespace internal

/// A handle of an array over all cores that grows.
template <class T>
class GlobalVector {
  static_assert(alignof(T) <= 8,
                "grappa: elements of a GlobalVector are aligned to at most 8 bytes");
  static_assert(internal::require_kept<T>());
  using State = internal::VectorState<T>;
  using Batch = internal::VectorBatch<T>;

 public:
  /// With room for `expected` elements.
  [[nodiscard("create returns the handle")]] static GlobalVector create(std::int64_t expected = 0) {
    if (expected < 0) internal::throw_vector_size(expected);
    GlobalVector vector;
    vector.object_.create();
    Owned<GlobalVector> owned = vector;
    if (expected > 0) vector.reserve(expected);
    return owned.release();
  }
  void destroy() {
    size();  // waits until all appends have left their phase
    const std::vector<typename State::Layout::Segment> segments =
        delegate::call(object_.at_home(), [](State& state) {
          const auto all = state.layout.segments();
          return std::vector(all.begin(), all.end());
        });
    object_.destroy("GlobalVector::destroy");
    for (auto segment : segments) {
      if constexpr (!kIsSendable<T>)
        on_all_cores([segment] { State::Layout::destroy_elements(segment); });
      segment.destroy();
    }
  }

  /// Puts an element behind the last one; returns its index.
  std::int64_t push(const T& value,
                    internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    return append(std::span<const T>(&value, 1));
  }
  /// Puts several one behind the other; returns the index of the first.
  std::int64_t append(std::span<const T> values) const {
    object_.require_live(kOperation);
    State& state = object_.local();
    if (!internal::combining() || values.empty() || values.size() > kCombined)
      return state.append(values);
    typename Batch::Push push;
    state.combiner.gathering().given.add(values, &push, nullptr);
    state.combiner.wait(push);
    return push.first;
  }
  void async_push(const T& value, internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    push_in(internal::enclosing_scope(), value);
  }
  void async_push(CompletionEvent& event, const T& value,
                  internal::CallSite where = internal::CallSite::current()) const {
    internal::here().messages->check_value(value, where);
    push_in(&event.share(), value);
  }

  /// Takes the last element; nothing when there is none.
  std::optional<T> pop() const {
    object_.require_live(kOperation);
    State& state = object_.local();
    if (!internal::combining()) {
      T value;
      return state.pop({&value, 1}) == 0 ? std::nullopt : std::optional<T>(std::move(value));
    }
    typename Batch::Pop pop;
    state.combiner.gathering().pops.push_back(&pop);
    state.combiner.wait(pop);
    return pop.value;
  }

  /// The address of element i. UsageError when there never was room for it.
  GlobalAddress<T> operator[](std::int64_t i) const {
    internal::require_live_if_checked(object_.id(), kOperation);
    const auto& layout = object_.local().layout;
    if (i < 0 || i >= layout.capacity())
      internal::throw_no_such_element(i, layout.capacity(), nullptr, internal::InVector::kName);
    return layout.address(i);
  }

  std::int64_t size() const {
    object_.require_live(kOperation);
    return object_.local().settled_size();
  }
  bool empty() const { return size() == 0; }
  void clear() const { resize(0); }
  /// New elements are T{}.
  void resize(std::int64_t n) const {
    object_.require_live(kOperation);
    if (n < 0) internal::throw_vector_size(n);
    const std::int64_t before = object_.local().begin_resize(n);
    // What is new, and what is no longer there where it has memory of its own.
    const std::int64_t end = kIsSendable<T> ? n : std::max(n, before);
    const std::int64_t begin = std::min(n, before);
    if (begin < end) {
      on_all_cores([object = object_, begin, end] {
        object.local().layout.for_each_local(end, [begin](std::int64_t first, std::span<T> some) {
          const auto old = std::clamp<std::int64_t>(begin - first, 0, std::ssize(some));
          std::ranges::fill(some.subspan(static_cast<std::size_t>(old)), T{});
        });
      });
    }
    object_.local().leave_phase();
  }
  /// Makes room for n elements in all.
  void reserve(std::int64_t n) const {
    object_.require_live(kOperation);
    object_.local().ask_home([n](State& state) {
      state.phase.enter(State::kGrow);
      state.reserve(n - state.size);
      state.phase.leave();
      return std::int64_t{0};
    });
  }

  /// body(i, T&) or body(T&) for each element that is there now, at its home. Waits for all that it
  /// causes.
  template <class F>
  void forall(F body, internal::CallSite where = internal::CallSite::current()) const {
    internal::require_element_body<F, T>();
    const std::int64_t n = size();
    const auto& layout = object_.local().layout;
    for (std::size_t s = 0; layout.first_of(s) < n; ++s) {
      const std::int64_t first = layout.first_of(s);
      const auto segment = layout.segments()[s];
      segment.forall(
          [first, n, body](std::int64_t block, Block& elements) mutable {
            const std::int64_t begin = first + block * State::Layout::kPerBlock;
            const auto count = std::min(State::Layout::kPerBlock, n - begin);
            for (std::int64_t k = 0; k < count; ++k) {
              if constexpr (std::is_invocable_v<F&, std::int64_t, T&>) {
                body(begin + k, elements.values()[k]);
              } else {
                body(elements.values()[k]);
              }
            }
          },
          where);
    }
  }

  /// The elements in an array of their own, which the caller destroys.
  [[nodiscard("to_array returns the handle")]] GlobalArray<T> to_array(
      internal::CallSite where = internal::CallSite::current()) const {
    return copied(where, "GlobalArray");
  }
  /// Becomes what the array is.
  void assign(GlobalArray<T> array) const {
    array.require_live("GlobalVector::assign");
    object_.require_live(kOperation);
    object_.local().begin_resize(array.size());
    on_all_cores([object = object_, array] {
      if (array.distribution() == Distribution::kBlock)
        return object.local().layout.write(array.global_index(0), array.local());
      for (std::int64_t k = 0; k < array.local_size(); ++k)
        object.local().layout.write(array.global_index(k),
                                    array.local().subspan(static_cast<std::size_t>(k), 1));
    });
    object_.local().leave_phase();
  }
  /// Writes the elements to a file, which appears whole or not at all; load() makes a vector of
  /// them.
  void save(const std::string& path) const {
    internal::SavedFileWriter file(path, saved_name());
    const std::int64_t n = size();
    std::vector<T> piece;
    for (std::int64_t first = 0; first < n; first += kSaved) {
      piece.resize(static_cast<std::size_t>(std::min(kSaved, n - first)));
      object_.local().layout.read(first, piece);
      file.write_values(std::span<const T>(piece));
    }
    file.commit();
  }
  [[nodiscard("load returns the handle")]] static GlobalVector load(const std::string& path) {
    internal::SavedFileReader file(path, saved_name());
    Owned<GlobalVector> vector = create();
    for (std::vector<T> values; file.next_values(values);) vector->append(values);
    return vector.release();
  }
  template <class Less = std::less<>>
  void sort(Less less = {}) const {
    const Owned<GlobalArray<T>> array = copied(internal::CallSite(), internal::InVector::kName);
    grappa::sort(*array, less);
    assign(*array);
  }

 private:
  using Block = typename State::Block;
  static constexpr std::size_t kCombined = 1024;   // longer spans are written from where they are
  static constexpr std::int64_t kSaved = 1 << 18;  // in a block of a file
  static constexpr const char* kOperation = "an operation on a GlobalVector";
  static std::string saved_name() { return internal::saved_name<T>("GlobalVector"); }

  GlobalArray<T> copied(const internal::CallSite& where, const char* name) const {
    const std::int64_t n = size();
    const auto array = GlobalArray<T>::create_for_overwrite(n, Distribution::kBlock, where, name);
    on_all_cores([object = object_, array] {
      object.local().layout.read(array.global_index(0), array.local());
    });
    return array;
  }

  void push_in(internal::CompletionShare* scope, const T& value) const {
    object_.require_live(kOperation);
    State& state = object_.local();
    if (internal::combining()) {
      state.combiner.gathering().given.add({&value, 1}, nullptr, scope);
      state.combiner.post(scope);
    } else {
      internal::spawn_here(scope,
                           [object = object_, value] { object.local().append({&value, 1}); });
    }
  }

  internal::CombinedObject<State> object_;
};

}  // namespace grappa
