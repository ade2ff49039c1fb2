#pragma once

// What GlobalStack and GlobalQueue have in common: values at one core, taken from one end or the
// other, by requests that combine (combiner.hpp).
//
// Who takes from an empty list waits at its own core; the home keeps how many wait where, and sends
// values there, first come, first served. Values and answers may overtake one another on the way;
// that does not matter, because all who wait at a core are served alike.
//
// A stack's pushes and pops that meet at a core annihilate: a push that is followed at once by a
// pop changes nothing, wherever in the order of all operations the two stand. A queue's do not,
// since the value that a dequeue gets may be at the home.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "grappa/container/combiner.hpp"
#include "grappa/container/internal/gathered_values.hpp"
#include "grappa/container/internal/saved_file.hpp"
#include "grappa/container/internal/span_call.hpp"
#include "grappa/delegate/delegate.hpp"
#include "grappa/memory/checked_allocator.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/sync/wait_queue.hpp"

namespace grappa {

namespace internal {

/// What requests that take get at once. `ended`: how many of those that would wait get nothing,
/// because the list is closed; `refused`: what was to be put was not, who asks again learns why.
template <class T>
struct Taken {
  std::vector<T> values;
  std::int64_t ended = 0;
  bool refused = false;
  static constexpr auto kMembers = std::tuple(&Taken::values, &Taken::ended, &Taken::refused);
};

[[noreturn]] void throw_list_closed();

template <bool kLifo>
struct InList {
  static constexpr const char* kName = kLifo ? "GlobalStack" : "GlobalQueue";
};

template <class T>
struct TakeRequest : CombinedRequest {
  std::span<T> out;
  std::size_t got = 0;
  bool waits = false;  // for a value, when there is none

  bool satisfied() const { return got == out.size(); }
  void take(T value) {
    out[got++] = std::move(value);
    if (satisfied()) finish();
  }
};

template <class T, bool kLifo>
struct ListState;

template <class T, bool kLifo>
struct ListBatch {
  using State = ListState<T, kLifo>;

  static constexpr std::size_t kMany = 4096;

  GatheredValues<T, InList<kLifo>> given;
  std::vector<TakeRequest<T>*> takers;
  State* mine = nullptr;  // at this core
  GlobalAddress<State> at;

  std::size_t weight() const { return given.size() + takers.size(); }
  CombinedRequest* first_waiting() const {
    return takers.empty() ? given.first_waiting() : takers.front();
  }

  /// Puts values, for a request, or as work of `scope`. On a stack, takers that are here get them
  /// at once.
  void put(std::span<const T> values, CombinedRequest* giver, CompletionShare* scope) {
    if constexpr (kLifo) {
      if (!takers.empty()) given.reserve(values.size());  // fails before any is taken
      while (!values.empty() && !takers.empty()) {
        TakeRequest<T>& taker = *takers.back();
        taker.take(values.back());
        values = values.first(values.size() - 1);
        if (taker.satisfied()) takers.pop_back();
      }
      if (values.empty()) {
        if (giver != nullptr) giver->finish();
        return;
      }
    }
    given.add(values, giver, scope);
  }

  /// Takes what is here, from a stack; for the rest the request waits here.
  void take(TakeRequest<T>& taker) {
    if constexpr (kLifo) {
      while (!given.empty() && !taker.satisfied()) taker.take(given.take_last());
      if (taker.satisfied()) return;
    }
    takers.push_back(&taker);
  }

  void run() {
    std::int64_t waiting = 0;
    std::int64_t trying = 0;
    for (const TakeRequest<T>* taker : takers) {
      (taker->waits ? waiting : trying) +=
          static_cast<std::int64_t>(taker->out.size() - taker->got);
    }
    Taken<T> taken =
        call_with_span(at.core(), given.all(),
                       [at = at, waiting, trying, from = here().id](std::span<const T> values) {
                         return at.pointer()->serve(values, waiting, trying, from);
                       });
    T* next = taken.values.data();
    T* const end = next + taken.values.size();
    // In the order in which they came; those that wait come before those that try, as at the home.
    for (const bool waits : {true, false}) {
      for (TakeRequest<T>* taker : takers) {
        if (taker->waits != waits) continue;
        while (next != end && !taker->satisfied()) taker->take(std::move(*next++));
        if (taker->satisfied()) continue;
        if (waits && taken.ended == 0) {
          mine->waiting.add(*taker);
        } else {
          if (waits) --taken.ended;
          taker->finish();
        }
      }
    }
    takers.clear();
    if (taken.refused) {
      given.put_apart([at = at](std::span<const T> values, const CombinedRequest*) {
        put_open_at(at, values);
      });
    } else {
      given.finish([](const CombinedRequest&, std::size_t) {});
    }
  }

  void fail(const std::exception_ptr& error) {
    for (TakeRequest<T>* taker : takers) taker->fail(error);
    given.fail(error);
  }
  void clear() {
    given.clear();
    takers.clear();
  }

  /// Several values, for nobody else.
  static void put_open_at(const GlobalAddress<State>& at, std::span<const T> values) {
    call_with_span(at.core(), values,
                   [at](std::span<const T> some) { at.pointer()->put_open(some); });
  }
};

/// Those of one core who wait for values.
template <class T>
class WaitingTakers {
 public:
  ~WaitingTakers() {
    if (!takers_.empty()) destroyed_while_waited_for();
  }

  /// Takes what has come before those who wait for it, or waits.
  void add(TakeRequest<T>& taker) {
    if (!early_.empty()) {
      taker.take(std::move(early_.front()));
      early_.pop_front();
    } else if (early_ends_ > 0) {
      --early_ends_;
      taker.finish();
    } else {
      takers_.push_back(&taker);
    }
  }
  /// Values for some of them have come, and `ended` others get nothing.
  void deliver(std::span<const T> values, std::int64_t ended) {
    for (const T& value : values) {
      if (takers_.empty()) {
        early_.push_back(value);
      } else {
        first().take(value);
      }
    }
    for (; ended > 0; --ended) {
      if (takers_.empty()) {
        ++early_ends_;
      } else {
        first().finish();
      }
    }
  }

 private:
  TakeRequest<T>& first() {
    TakeRequest<T>* taker = takers_.front();
    takers_.pop_front();
    return *taker;
  }

  std::deque<TakeRequest<T>*> takers_;
  std::deque<T> early_;
  std::int64_t early_ends_ = 0;
};

/// Followed by values for those who wait at a core; the others are for a single one, and for values
/// that are serialized.
template <class State, class T>
struct DeliverMessage {
  LocalReference at;
  std::uint64_t count;
  std::int64_t ended;
  void operator()(RunContext& context) noexcept {
    reinterpret_cast<State*>(at.resolve(context.core))
        ->waiting.deliver({reinterpret_cast<const T*>(this + 1), count}, ended);
  }
};

template <class State, class T>
struct DeliverOneMessage {
  LocalReference at;
  T value;
  void operator()(RunContext& context) noexcept {
    reinterpret_cast<State*>(at.resolve(context.core))->waiting.deliver({&value, 1}, 0);
  }
};

template <class State>
struct DeliverWay {
  LocalReference at;
  std::int64_t ended;
  template <class T>
  void operator()(RunContext& context, const std::vector<T>& values) const noexcept {
    reinterpret_cast<State*>(at.resolve(context.core))->waiting.deliver(values, ended);
  }
};

template <class T, bool kLifo>
struct ListState {
  struct Waiting {
    int core;
    std::int64_t count;
  };

  // At the home:
  using Values = std::deque<T, CheckedAllocator<T, InList<kLifo>>>;
  Values values;
  std::deque<Waiting> waiting_cores;
  bool closed = false;
  SymmetricAddress<ListState> states;
  // At each core:
  WaitingTakers<T> waiting;
  Combiner<ListBatch<T, kLifo>> combiner;

  void attach(const CombinedObject<ListState>& self) {
    states = self.states();
    combiner.prepare([&](ListBatch<T, kLifo>& batch) {
      batch.mine = this;
      batch.at = self.at_home();
    });
  }

  /// Puts values and then takes some, at the home. What those that wait do not get now they get
  /// later, at core `from`.
  Taken<T> serve(std::span<const T> given, std::int64_t to_wait, std::int64_t to_try, int from) {
    Taken<T> taken;
    try {
      if (!given.empty()) put_open(given);
    } catch (const std::exception&) {
      taken.refused = true;  // those who take are not to hear of it
    }
    const auto most = std::min(to_wait + to_try, static_cast<std::int64_t>(values.size()));
    taken.values.reserve(static_cast<std::size_t>(most));
    for (std::int64_t i = 0; i < most; ++i) taken.values.push_back(take());
    if (most < to_wait) {
      if (closed) {
        taken.ended = to_wait - most;
      } else {
        waiting_cores.push_back({from, to_wait - most});
      }
    }
    return taken;
  }

  /// Unless it is closed.
  void put_open(std::span<const T> given) {
    if (closed) throw_list_closed();
    put(given);
  }

  /// Those who wait get the first ones.
  void put(std::span<const T> given) {
    std::vector<Waiting> served;
    std::span<const T> rest = given;
    for (const Waiting& next : waiting_cores) {
      if (rest.empty()) break;
      served.push_back({next.core, std::min(next.count, std::ssize(rest))});
      rest = rest.subspan(static_cast<std::size_t>(served.back().count));
    }
    // Before anybody is taken for served: there may be no memory for it.
    values.insert(values.end(), rest.begin(), rest.end());
    for (const Waiting& some : served) {
      Waiting& first = waiting_cores.front();
      first.count -= some.count;
      if (first.count == 0) waiting_cores.pop_front();
    }
    // Sending may switch tasks, and then others put values and take some.
    for (const Waiting& some : served) {
      deliver(some.core, given.first(static_cast<std::size_t>(some.count)), 0);
      given = given.subspan(static_cast<std::size_t>(some.count));
    }
  }

  /// Not when there is none.
  T take() {
    if constexpr (kLifo) {
      T value = std::move(values.back());
      values.pop_back();
      return value;
    } else {
      T value = std::move(values.front());
      values.pop_front();
      return value;
    }
  }

  void close() {
    closed = true;
    // Not in place: sending may switch tasks.
    for (const Waiting& some : std::exchange(waiting_cores, {})) deliver(some.core, {}, some.count);
  }

  void deliver(int core, std::span<const T> some, std::int64_t ended) {
    if (core == here().id) return waiting.deliver(some, ended);
    const LocalReference there = states.on(core).place().local;
    Aggregator& messages = *here().messages;
    if constexpr (!kIsSendable<T>) {
      send_closure(messages, core, DeliverWay<ListState>{there, ended},
                   std::vector<T>(some.begin(), some.end()), nullptr, true);
    } else if (some.size() == 1 && ended == 0) {
      messages.send_last(core, DeliverOneMessage<ListState, T>{there, some.front()}, nullptr);
    } else {
      messages.send_with_tail(core, DeliverMessage<ListState, T>{there, some.size(), ended},
                              some.data(), some.size_bytes(), nullptr);
    }
  }
};

/// What GlobalStack and GlobalQueue (`Handle`) share but for the names of putting and taking.
/// Handles are made by `{}`, so its constructor is no secret.
template <class T, class Handle, bool kLifo>
class SharedList {  // NOLINT(bugprone-crtp-constructor-accessibility)
  static_assert(
      alignof(T) <= 8,
      "grappa: the values of a GlobalStack or GlobalQueue are aligned to at most 8 bytes");
  static_assert(require_kept<T>());

 public:
  [[nodiscard("create returns the handle")]] static Handle create() {
    Handle made;
    made.object_.create();
    return made;
  }
  void destroy() { object_.destroy(kLifo ? "GlobalStack::destroy" : "GlobalQueue::destroy"); }

  /// From now on nothing can be put, and who waits for more than there is waits no longer.
  void close() const {
    require_live();
    delegate::call(object_.at_home(), [](State& state) { state.close(); });
  }

  std::int64_t size() const {
    require_live();
    return delegate::call(object_.at_home(), [](State& state) {
      return static_cast<std::int64_t>(state.values.size());
    });
  }
  void clear() const {
    require_live();
    delegate::call(object_.at_home(), [](State& state) { state.values.clear(); });
  }
  /// Values that lie at this core: all of them or none.
  std::int64_t local_size() const {
    require_live();
    return static_cast<std::int64_t>(object_.local().values.size());
  }

  /// body(T&) for each value, where it lies. It must not suspend. What comes and goes meanwhile may
  /// be left out.
  template <class F>
  void forall(const F& body, const CallSite& where = CallSite::current()) const {
    require_live();
    require_closure<F>();
    CompletionEvent done;
    spawn_on(
        done, object_.home(),
        [at = object_.at_home(), body]() mutable {
          typename State::Values& values = at.pointer()->values;
          // While a body sends something nobody else takes the value.
          const Scheduler::NoSuspend guard(this_scheduler(), &typeid(F));
          for (std::size_t i = 0; i < values.size(); ++i) body(values[i]);
        },
        where);
    done.wait();
  }

  /// Writes the values to a file, the oldest first, which appears whole or not at all; load() makes
  /// a container of them.
  void save(const std::string& path) const {
    require_live();
    SavedFileWriter file(path, saved_name());
    const std::vector<T> values = delegate::call(object_.at_home(), [](State& state) {
      return std::vector<T>(state.values.begin(), state.values.end());
    });
    file.write_values(std::span(values));
    file.commit();
  }
  [[nodiscard("load returns the handle")]] static Handle load(const std::string& path) {
    SavedFileReader file(path, saved_name());
    Owned<Handle> made = create();
    for (std::vector<T> values; file.next_values(values);) made->put(values);
    return made.release();
  }

 protected:
  void put_one(const T& value, const CallSite& where) const {
    here().messages->check_value(value, where);
    put({&value, 1});
  }

  void put(std::span<const T> values) const {
    require_live();
    if (values.empty()) return;
    if (object_.is_home()) return object_.local().put_open(values);
    if (!combining()) {
      if (values.size() == 1) return delegate::call(object_.at_home(), PutOne{values.front()});
      require_memory(values.size_bytes(), InList<kLifo>::kName);
      return ListBatch<T, kLifo>::put_open_at(object_.at_home(), values);
    }
    auto& combiner = object_.local().combiner;
    CombinedRequest request;
    combiner.gathering().put(values, &request, nullptr);
    if (!request.done) combiner.wait(request);
  }

  void async_put_one(CompletionShare* scope, const T& value, const CallSite& where) const {
    here().messages->check_value(value, where);
    async_put(scope, {&value, 1});
  }

  void async_put(CompletionShare* scope, std::span<const T> values) const {
    require_live();
    if (values.empty()) return;
    auto& state = object_.local();
    if (object_.is_home()) {
      state.put_open(values);
    } else if (combining()) {
      state.combiner.gathering().put(values, nullptr, scope);
      state.combiner.post(scope);
    } else if (values.size() == 1) {
      delegate::async::detail::call_at_in(scope, object_.at_home(), PutOne{values.front()});
    } else {
      require_memory(values.size_bytes(), InList<kLifo>::kName);
      delegate::async::detail::call_at_in(
          scope, object_.at_home(),
          internal::bind<State>([](State& home, const std::vector<T>& all) { home.put_open(all); },
                                std::vector<T>(values.begin(), values.end())));
    }
  }

  /// Takes up to out.size() values and returns how many. `waits`: for one; out has one place then.
  std::size_t take(std::span<T> out, bool waits) const {
    require_live();
    if (out.empty()) return 0;
    State& state = object_.local();
    TakeRequest<T> request;
    request.out = out;
    request.waits = waits;
    if (!object_.is_home() && combining()) {
      state.combiner.gathering().take(request);
      if (!request.done) state.combiner.wait(request);
      return request.got;
    }
    const auto count = static_cast<std::int64_t>(out.size());
    if (count == 1) {
      TakenOne one = delegate::call(object_.at_home(), TakeOne{waits, here().id});
      if (one.value) request.take(*std::move(one.value));
      if (!waits || request.done || one.ended) return request.got;
      state.waiting.add(request);
      while (!request.done) request.sleep();
      return request.got;
    }
    Taken<T> taken = call_with_span(object_.home(), std::span<const T>(),
                                    [at = object_.at_home(), count](std::span<const T>) {
                                      return at.pointer()->serve({}, 0, count, here().id);
                                    });
    std::move(taken.values.begin(), taken.values.end(), out.begin());
    return taken.values.size();
  }

  std::optional<T> take_one(bool waits) const {
    T value;
    if (take({&value, 1}, waits) == 0) return std::nullopt;
    return value;
  }

 private:
  using State = ListState<T, kLifo>;

  void require_live() const {
    object_.require_live(kLifo ? "an operation on a GlobalStack" : "an operation on a GlobalQueue");
  }
  static std::string saved_name() { return internal::saved_name<T>(InList<kLifo>::kName); }

  struct PutOne {
    T value;
    static constexpr auto kMembers = std::tuple(&PutOne::value);
    void operator()(State& state) const { state.put_open({&value, 1}); }
  };
  struct TakenOne {
    std::optional<T> value;
    bool ended;
    static constexpr auto kMembers = std::tuple(&TakenOne::value, &TakenOne::ended);
  };
  struct TakeOne {
    bool waits;
    int from;
    TakenOne operator()(State& state) const {
      if (!state.values.empty()) return {state.take(), false};
      if (!waits || state.closed) return {std::nullopt, true};
      state.waiting_cores.push_back({from, 1});
      return {std::nullopt, false};
    }
  };

  CombinedObject<State> object_;
};

}  // namespace internal
}  // namespace grappa
