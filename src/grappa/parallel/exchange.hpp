#pragma once

// Exchange: arrays of any length between locales, in rounds.
//
// A round that one task begins and ends: all send, and when all have arrived, all take.
//
//   const Owned<Exchange> exchange = Exchange::create();
//   on_all_locales([exchange = *exchange] {
//     for (int to = 0; to < locale_count(); ++to) exchange.send(to, std::vector<double>(10));
//   });
//   on_all_locales([exchange = *exchange] {
//     for (int from = 0; from < locale_count(); ++from)
//       use(exchange.take<double>(from));
//   });
//
// Supersteps, which end themselves: in each, every locale works by itself on what it has, and then
// all exchange their results at once, in one message from each to each (L. Valiant, "A bridging
// model for parallel computation", CACM 33(8), 1990). There is no leader that begins a step or
// learns of its end first, so a step without work costs the time of one message; a loop over all
// locales costs two, and its delegates as much again.
//
//   on_all_locales([exchange = *exchange] {
//     Exchange::supersteps([&] {
//       for (std::int64_t mine = 1; mine < 1000;) {
//         exchange.add(1, Item{7});                    // any core of the locale, in its loops
//         mine = exchange.end_superstep<Item>(         // the task that runs the loop
//             mine, [](std::span<const Item> items) { … }, std::plus<std::int64_t>());
//       }
//     });
//   });
//
// What is sent in a round or a step is in memory at its end. Values that can be taken as they come
// go by send_span (send_span.hpp).
//
// A handle, trivially copyable. create() and destroy() are called by one task and switch tasks. All
// others but add() are called on the first core of a locale, where on_all_locales runs its
// argument. Values are trivially copyable. Between rounds and supersteps everything has been taken.

#include <cstddef>
#include <cstring>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/runtime.hpp"

namespace grappa {

class Exchange {
 public:
  [[nodiscard("create returns the handle")]] static Exchange create();
  void destroy();

  // ---- rounds that one task begins and ends

  /// Sends an array to `locale`: at most one until that has taken it. Joins the enclosing
  /// completion event, and may switch tasks.
  template <std::ranges::contiguous_range R>
  void send(int locale, const R& values) const {
    send_bytes(locale, bytes_of(values));
  }
  /// Sends the same to every locale, and waits until it is there.
  template <std::ranges::contiguous_range R>
  void broadcast(const R& values) const {
    broadcast_bytes(bytes_of(values));
  }
  /// What locale `from` has sent here; empty if nothing. Does not switch tasks.
  template <class T>
  std::vector<T> take(int from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::byte> bytes = take_bytes(from);
    if constexpr (std::is_same_v<T, std::byte>) {
      return bytes;
    } else {
      std::vector<T> values(bytes.size() / sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
      return values;
    }
  }

  // ---- supersteps

  /// Runs a loop of supersteps and returns its result. If it throws, the whole job ends, because
  /// the other locales would wait for this one forever.
  template <class F>
  static auto supersteps(F loop) {
    try {
      return loop();
    } catch (...) {
      internal::fatal_exception();
    }
  }

  /// Sends an item to another locale, at the end of this step. Neither waits nor switches tasks.
  template <class Item>
  void add(int locale, const Item& item) const {
    add_all(locale, std::span(&item, 1));
  }
  /// The same for several.
  template <class Item>
  void add_all(int locale, std::span<const Item> items) const {
    static_assert(std::is_trivially_copyable_v<Item>);
    std::vector<std::byte>& added = outbox(locale);
    const std::span<const std::byte> bytes = std::as_bytes(items);
    added.insert(added.end(), bytes.begin(), bytes.end());
  }

  /// Ends the step: calls take(items) for each locale that has added some for this one, in
  /// ascending order. Returns the values of all locales combined, in ascending order. Every locale
  /// calls it equally often, with the same types, in one task; it switches tasks. Items are
  /// default-constructible.
  template <class Item, class Value, class Take, class Combine>
  Value end_superstep(const Value& mine, const Take& take, const Combine& combine) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    send_superstep(std::as_bytes(std::span(&mine, 1)));
    Value all = mine;
    [[maybe_unused]] std::vector<Item> items;  // of alignment, which bytes need not have
    for (int from = 0; from < locale_count(); ++from) {
      Value value = mine;
      if (from != this_locale()) {
        const std::span<const std::byte> came = arrived(from);
        std::memcpy(static_cast<void*>(&value), came.data(), sizeof(Value));
        const std::span<const std::byte> bytes = came.subspan(sizeof(Value));
        if constexpr (std::is_same_v<Item, std::byte>) {
          if (!bytes.empty()) take(bytes);
        } else {
          items.resize(bytes.size() / sizeof(Item));
          if (!items.empty()) {
            std::memcpy(static_cast<void*>(items.data()), bytes.data(), bytes.size());
            take(std::span<const Item>(items));
          }
        }
      }
      all = from == 0 ? value : combine(all, value);
    }
    begin_superstep();
    return all;
  }

 private:
  struct State;
  struct TakePiece;

  template <class R>
  static std::span<const std::byte> bytes_of(const R& values) {
    static_assert(std::is_trivially_copyable_v<std::ranges::range_value_t<R>>);
    return std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values)));
  }

  void send_bytes(int locale, std::span<const std::byte> bytes) const;
  void broadcast_bytes(std::span<const std::byte> bytes) const;
  void send_joining(internal::CompletionShare* scope, int locale,
                    std::span<const std::byte> bytes) const;
  std::vector<std::byte> take_bytes(int from) const;
  std::vector<std::byte>& outbox(int locale) const;
  /// Sends what was added, behind the value, and waits for what the others send.
  void send_superstep(std::span<const std::byte> value) const;
  std::span<const std::byte> arrived(int from) const;
  void begin_superstep() const;

  LocaleState<State> state_;
};

}  // namespace grappa
