#pragma once

// GlobalBag<T>: values in no order, which lie where they were added until somebody needs them.
//
//   auto work = GlobalBag<int64_t>::create();
//   on_all_cores([=] {
//     work.local_add(this_core());
//     while (const std::optional<int64_t> next = work.take()) use(*next);
//   });
//   work.destroy();
//
// take() takes a value of this core, without communication as long as there is one; then half of
// what another core has, for all tasks of this core that want something (combiner.hpp). It returns
// nothing when each core, asked one after the other, had none: values that are added meanwhile may
// be missed.
//
// T: trivially copyable and aligned to at most 8 bytes, or serialized (base/serialize.hpp). A
// handle, trivially copyable; create, destroy, size, clear, balance, shuffle and forall are called
// by one task, and switch tasks. UsageError for a handle that is not live, and when a locale does
// not have enough memory.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "grappa/container/combiner.hpp"
#include "grappa/container/internal/saved_file.hpp"
#include "grappa/container/key_traits.hpp"
#include "grappa/memory/checked_allocator.hpp"
#include "grappa/parallel/collectives.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/send_span.hpp"

namespace grappa {

namespace internal {

struct InBag {
  static constexpr const char* kName = "GlobalBag";
};

/// Random numbers of the calling core.
std::mt19937_64 random_here(std::uint64_t seed);
/// How many of `count` values of the calling core go to each core, if each goes to any.
std::vector<std::int64_t> draw_shares(std::uint64_t seed, std::size_t count);

template <class T>
struct BagState;

/// Those of one core who found nothing here.
template <class T>
struct BagBatch {
  struct Request : CombinedRequest {
    std::optional<T> value;
  };
  static constexpr std::size_t kMany = 4096;

  std::vector<Request*> requests;
  BagState<T>* mine = nullptr;
  SymmetricAddress<BagState<T>> states;

  std::size_t weight() const { return requests.size(); }
  CombinedRequest* first_waiting() const { return requests.empty() ? nullptr : requests.front(); }
  void run() {
    std::exception_ptr error;
    try {
      fetch();
    } catch (const std::exception&) {
      error = std::current_exception();  // of those for whom there is nothing here
    }
    for (Request* request : requests) {
      request->value = mine->take();
      if (error != nullptr && !request->value) {
        request->fail(error);
      } else {
        request->finish();
      }
    }
  }
  /// So that there is something for all: what was added here meanwhile, and what the others have,
  /// from the next one on.
  void fetch() {
    for (int k = 1; k < core_count() && mine->values.size() < requests.size(); ++k) {
      const int victim = (here().id + k) % core_count();
      const auto wanted = static_cast<std::int64_t>(requests.size() - mine->values.size());
      // What nobody has room for must stay where it is.
      mine->values.reserve(std::max(mine->values.size(), kMany) + requests.size());
      const std::int64_t room =
          static_cast<std::int64_t>(mine->values.capacity()) - std::ssize(mine->values);
      const std::vector<T> some =
          delegate::call(states.on(victim),
                         [wanted, room](BagState<T>& state) { return state.give(wanted, room); });
      mine->values.insert(mine->values.end(), some.begin(), some.end());
    }
  }
  void fail(const std::exception_ptr& error) {
    for (Request* request : requests) request->fail(error);
  }
  void clear() { requests.clear(); }
};

template <class T>
struct BagState {
  using Values = std::vector<T, CheckedAllocator<T, InBag>>;

  Values values;
  Values leaving;  // in a shuffle, and what others have sent
  Values arrived;
  Combiner<BagBatch<T>> combiner;

  void attach(const CombinedObject<BagState>& self) {
    combiner.prepare([&](BagBatch<T>& batch) {
      batch.mine = this;
      batch.states = self.states();
    });
  }
  std::optional<T> take() {
    if (values.empty()) return std::nullopt;
    std::optional<T> value(std::move(values.back()));
    values.pop_back();
    return value;
  }
  /// Half of the values, or as many as are wanted if that is more; but not more than `room`.
  std::vector<T> give(std::int64_t wanted, std::int64_t room) {
    const std::int64_t size = std::ssize(values);
    return give_last(std::min({size, room, std::max(wanted, (size + 1) / 2)}));
  }
  std::vector<T> give_last(std::int64_t count) {
    const std::vector<T> last(values.end() - count, values.end());
    values.resize(values.size() - static_cast<std::size_t>(count));
    return last;
  }

  /// All values are leaving; returns how many of them go to each core.
  std::vector<std::int64_t> begin_shuffle(std::uint64_t seed) {
    std::vector<std::int64_t> shares = draw_shares(seed, values.size());
    leaving.swap(values);
    return shares;
  }
  /// Puts what was leaving, or has arrived, to what was added meanwhile.
  void end_shuffle(Values& some) {
    // Needs no memory where nothing was added.
    if (values.size() < some.size()) values.swap(some);
    values.insert(values.end(), some.begin(), some.end());
    some = Values();
  }
};

/// From which core to which, and how many, so that all have the same, or one more.
struct Transfer {
  int from;
  int to;
  std::int64_t count;
};
std::vector<Transfer> plan_balance(std::span<const std::int64_t> sizes);

}  // namespace internal

/// A handle of values in no order.
template <class T>
class GlobalBag {
  static_assert(alignof(T) <= 8,
                "grappa: the values of a GlobalBag are aligned to at most 8 bytes");
  static_assert(internal::require_kept<T>());
  using State = internal::BagState<T>;
  using Batch = internal::BagBatch<T>;

 public:
  [[nodiscard("create returns the handle")]] static GlobalBag create() {
    GlobalBag bag;
    bag.object_.create();
    return bag;
  }
  void destroy() { object_.destroy("GlobalBag::destroy"); }

  /// Adds values at this core. At once, without communication.
  void local_add(const T& value) const { local_state().values.push_back(value); }
  void local_add(std::span<const T> values) const {
    auto& mine = local_state().values;
    mine.insert(mine.end(), values.begin(), values.end());
  }
  /// Takes one of this core. At once, without communication.
  std::optional<T> local_take() const { return local_state().take(); }
  std::int64_t local_size() const { return std::ssize(local_state().values); }

  /// Takes a value, of another core if there is none here. Switches tasks then.
  std::optional<T> take() const {
    State& state = local_state();
    if (!state.values.empty()) return state.take();
    typename Batch::Request request;
    if (internal::combining()) {
      state.combiner.gathering().requests.push_back(&request);
      state.combiner.wait(request);
    } else {
      Batch alone;
      alone.requests.push_back(&request);
      alone.mine = &state;
      alone.states = object_.states();
      alone.run();
      if (request.error != nullptr) std::rethrow_exception(request.error);
    }
    return request.value;
  }

  std::int64_t size() const {
    object_.require_live(kOperation);
    return reduce_cores([bag = *this] { return bag.local_size(); }, std::int64_t{0}, std::plus<>{});
  }
  void clear() const {
    object_.require_live(kOperation);
    on_all_cores([bag = *this] { bag.local_state().values.clear(); });
  }

  /// Moves values until all cores have the same number of them, or one more.
  void balance() const {
    object_.require_live(kOperation);
    const auto sizes = gather_cores([bag = *this] { return bag.local_size(); });
    const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    // What nobody has room for must stay where it is.
    on_all_cores([bag = *this, most = static_cast<std::size_t>(all / core_count() + 1)] {
      bag.local_state().values.reserve(most);
    });
    CompletionEvent done;
    for (const internal::Transfer& transfer : internal::plan_balance(sizes)) {
      spawn_on(done, transfer.from, [bag = *this, transfer] {
        State& state = bag.local_state();
        const std::vector<T> some =
            state.give_last(std::min(transfer.count, std::ssize(state.values)));
        send_span(transfer.to, std::span<const T>(some),
                  [bag](std::span<const T> piece, std::size_t) { bag.local_add(piece); });
      });
    }
    done.wait();
  }

  /// Sends each value to a core that is chosen at random, and puts those of each core into a random
  /// order. Meanwhile nobody finds them.
  void shuffle(std::uint64_t seed = 1) const {
    object_.require_live(kOperation);
    const auto shares =
        gather_cores([bag = *this, seed] { return bag.local_state().begin_shuffle(seed); });
    // What nobody has room for must stay where it is.
    try {
      CompletionEvent reserved;
      for (int core = 0; core < core_count(); ++core) {
        std::size_t all = 0;
        for (const std::vector<std::int64_t>& of_core : shares)
          all += static_cast<std::size_t>(of_core[static_cast<std::size_t>(core)]);
        spawn_on(reserved, core, [bag = *this, all] { bag.local_state().arrived.reserve(all); });
      }
      reserved.wait();
    } catch (...) {
      on_all_cores([bag = *this] {
        State& state = bag.local_state();
        state.end_shuffle(state.leaving);
        state.arrived = typename State::Values();
      });
      throw;
    }
    on_all_cores([bag = *this, seed] {
      auto& leaving = bag.local_state().leaving;
      std::shuffle(leaving.begin(), leaving.end(), internal::random_here(~seed));
      std::span<const T> rest = leaving;
      int core = 0;
      for (const std::int64_t share : internal::draw_shares(seed, leaving.size())) {
        send_span(core++, rest.first(static_cast<std::size_t>(share)),
                  [bag](std::span<const T> piece, std::size_t) {
                    auto& arrived = bag.local_state().arrived;
                    arrived.insert(arrived.end(), piece.begin(), piece.end());
                  });
        rest = rest.subspan(static_cast<std::size_t>(share));
      }
      leaving = typename State::Values();
    });
    on_all_cores([bag = *this, seed] {
      State& state = bag.local_state();
      std::shuffle(state.arrived.begin(), state.arrived.end(),
                   internal::random_here(hash_number(seed)));
      state.end_shuffle(state.arrived);
    });
  }

  /// Writes the values to a file, which appears whole or not at all; load() makes a bag of them,
  /// balanced.
  void save(const std::string& path) const {
    object_.require_live(kOperation);
    internal::SavedFileWriter file(path, saved_name());
    for (int core = 0; core < core_count(); ++core) {
      const std::vector<T> values = delegate::call(object_.on(core), [](State& state) {
        return std::vector<T>(state.values.begin(), state.values.end());
      });
      file.write_values(std::span(values));
    }
    file.commit();
  }
  [[nodiscard("load returns the handle")]] static GlobalBag load(const std::string& path) {
    internal::SavedFileReader file(path, saved_name());
    Owned<GlobalBag> bag = create();
    for (std::vector<T> values; file.next_values(values);) bag->local_add(values);
    bag->balance();
    return bag.release();
  }

  /// body(T&) for each value, where it is. It must not suspend, add or take values. Other tasks
  /// may: they come before or after what it does at a core.
  template <class F>
  void forall(F body, internal::CallSite where = internal::CallSite::current()) const {
    object_.require_live(kOperation);
    internal::require_closure<F>();
    on_all_cores([bag = *this, body]() mutable { bag.local_for_each(body); }, where);
  }
  /// visit(T&) for each value of this core, now. It must not suspend.
  template <class F>
  void local_for_each(F visit) const {
    State& state = local_state();
    // While it sends something nobody else takes the values.
    const internal::Scheduler::NoSuspend now(internal::this_scheduler(), &typeid(F));
    for (T& value : state.values) visit(value);
  }

 private:
  static constexpr const char* kOperation = "an operation on a GlobalBag";
  static std::string saved_name() { return internal::saved_name<T>("GlobalBag"); }

  State& local_state() const {
    object_.require_live(kOperation);
    return object_.local();
  }

  internal::CombinedObject<State> object_;
};

}  // namespace grappa
