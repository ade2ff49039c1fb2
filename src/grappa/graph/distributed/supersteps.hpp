#pragma once

// Supersteps: in each, every locale works by itself on what it has, and then all exchange their
// results at once, in one message from each to each (L. Valiant, "A bridging model for parallel
// computation", CACM 33(8), 1990). There is no leader that begins a step or learns of its end
// first, so a step without work costs the time of one message; a loop over all locales
// (on_each_locale) costs two, and its delegates as much again.
//
//   Supersteps steps = Supersteps::create();
//   on_each_locale([steps] {
//     return Supersteps::run([&] {
//       for (std::int64_t mine = 1;;) {
//         steps.send(1, Item{7});                      // any core of the locale, in its loops
//         mine = steps.exchange<Item>(                 // the task that runs the loop
//             mine, [](std::span<const Item> items) { … }, std::plus<std::int64_t>());
//         if (mine > 1000) return mine;                // the same on every locale
//       }
//     });
//   });
//   steps.destroy();
//
// A handle, trivially copyable. create() and destroy() are called by one task and switch tasks.
// exchange() is for one task of each locale, on its first core, where on_each_locale runs its
// argument; it switches tasks, and every locale must call it equally often. send() neither waits
// nor switches tasks, and is for locales other than its own. Items and values are trivially
// copyable, items are default-constructible, and within a step all are of the same types.
// Everything that is sent in a step is in memory at its end: supersteps are not for large amounts.

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/container/replica.hpp"
#include "grappa/graph/locales.hpp"

namespace grappa::graph {

class Supersteps {
 public:
  static Supersteps create();
  void destroy();

  /// Runs a loop of supersteps and returns its result. If it throws, the whole job ends, because
  /// the other locales would wait for this one forever.
  template <class F>
  static auto run(F loop) {
    try {
      return loop();
    } catch (...) {
      internal::fatal_exception();
    }
  }

  /// Sends an item to another locale, at the end of this step.
  template <class Item>
  void send(int locale, const Item& item) const {
    static_assert(std::is_trivially_copyable_v<Item>);
    std::vector<std::byte>& sent = outbox(locale);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(&item, 1));
    sent.insert(sent.end(), bytes.begin(), bytes.end());
  }

  /// Ends the step: calls take(items) for each locale that sent some to this one, in ascending
  /// order. Returns the values of all locales combined, in ascending order.
  template <class Item, class Value, class Take, class Combine>
  Value exchange(const Value& mine, Take take, Combine combine) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    begin_exchange(std::as_bytes(std::span(&mine, 1)));
    Value all = mine;
    std::vector<Item> items;
    for (int from = 0; from < locale_count(); ++from) {
      Value value = mine;
      if (from != this_locale()) {
        const std::span<const std::byte> came = arrived(from);
        std::memcpy(static_cast<void*>(&value), came.data(), sizeof(Value));
        items.resize((came.size() - sizeof(Value)) / sizeof(Item));
        if (!items.empty()) {
          std::memcpy(static_cast<void*>(items.data()), came.data() + sizeof(Value),
                      items.size() * sizeof(Item));
          take(std::span<const Item>(items));
        }
      }
      all = from == 0 ? value : combine(all, value);
    }
    end_exchange();
    return all;
  }

 private:
  struct State;
  struct PieceMessage;

  std::vector<std::byte>& outbox(int locale) const;
  /// Sends what is to be sent, behind the value, and waits for what the others send.
  void begin_exchange(std::span<const std::byte> value) const;
  std::span<const std::byte> arrived(int from) const;
  void end_exchange() const;

  Replica<State*> state_;
};

}  // namespace grappa::graph
