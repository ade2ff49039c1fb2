#pragma once

// Look-ups and insertions of one core's tasks in a GlobalHashMap, combined: one request for each
// key, and one message for each home.
//
// All requests of a batch are under way at once, so those for one key may take effect right after
// one another: an insertion, the others of which then find the key there, and then the look-ups.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grappa/container/combiner.hpp"
#include "grappa/container/internal/key_index.hpp"
#include "grappa/container/internal/keyed_tables.hpp"
#include "grappa/container/internal/span_call.hpp"
#include "grappa/container/internal/table_actions.hpp"

namespace grappa::internal {

template <class K, class V, class Owner>
class MapBatch {
 public:
  static constexpr std::size_t kMany = 1 << 14;  // never waited for: every request has a task

  struct Request : CombinedRequest {
    bool inserts = false;
    V value{};               // to insert
    std::optional<V> found;  // that is in the map afterwards
    bool is_new = false;
    Request* next = nullptr;  // of the same key
  };

  using Tables = KeyedTables<K, V, Owner>;
  Tables tables;

  void add(const K& key, std::uint64_t hash, Request& request) {
    Request** const chain = requests_.find_or_add(key, hash);
    if (count_++ == 0) first_ = &request;
    // An insertion comes first, and so its value.
    if (*chain == nullptr || request.inserts) {
      request.next = *chain;
      *chain = &request;
    } else {
      request.next = (*chain)->next;
      (*chain)->next = &request;
    }
  }

  std::size_t weight() const { return count_; }
  CombinedRequest* first_waiting() const { return count_ == 0 ? nullptr : first_; }

  void run() {
    if (count_ == 1) {
      run_one(requests_.items().front().key, *first_);
      return clear();
    }
    std::vector<Home> homes(static_cast<std::size_t>(core_count()));
    for (const auto& [key, chain, hash] : requests_.items()) {
      Home& home = homes[static_cast<std::size_t>(tables.home(key))];
      home.asked.push_back({key, chain->value, chain->inserts});
      home.chains.push_back(chain);
    }
    clear();
    std::vector<Handle<std::vector<Answer>>> answers;
    std::vector<const Home*> answering;
    for (std::size_t core = 0; core < homes.size(); ++core) {
      if (homes[core].asked.empty()) continue;
      answers.push_back(issue_with_span(
          static_cast<int>(core), std::span<const Asked>(homes[core].asked),
          [tables = tables](std::span<const Asked> asked) { return answer(tables, asked); }));
      answering.push_back(&homes[core]);
    }
    for (std::size_t k = 0; k < answers.size(); ++k) {
      const std::vector<Answer> values = answers[k].complete();
      for (std::size_t i = 0; i < values.size(); ++i)
        finish(answering[k]->asked[i].key, answering[k]->chains[i], values[i]);
    }
  }

  void fail(const std::exception_ptr& error) {
    for (const auto& [key, chain, hash] : requests_.items()) {
      for_each_of(chain, [&](Request& request) { request.fail(error); });
    }
  }
  void clear() {
    requests_.clear();
    count_ = 0;
  }

 private:
  struct Asked {
    K key;
    V value;
    bool inserts;
  };
  enum class State : std::uint8_t { kAbsent, kThere, kNew, kNotAsked };
  struct Answer {
    V value;
    State state;
  };
  struct Home {
    std::vector<Asked> asked;
    std::vector<Request*> chains;
  };

  /// What the table says, up to an insertion that it refuses.
  static std::vector<Answer> answer(const Tables& tables, std::span<const Asked> asked) {
    using Table = typename Tables::Table;
    Table& table = tables.local();
    std::vector<Answer> answers;
    answers.reserve(asked.size());
    constexpr std::size_t kAhead = 16;
    try {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (i + kAhead < asked.size()) table.prefetch(Table::hash_of(asked[i + kAhead].key));
        const Asked& one = asked[i];
        const std::uint64_t hash = Table::hash_of(one.key);
        if (one.inserts) {
          const auto [stored, is_new] = table.insert(one.key, hash, one.value);
          answers.push_back({stored, is_new ? State::kNew : State::kThere});
        } else {
          const V* found = table.find(one.key, hash);
          answers.push_back({found == nullptr ? one.value : *found,
                             found == nullptr ? State::kAbsent : State::kThere});
        }
      }
    } catch (const std::exception&) {
      // Each of the others asks for itself, and gets its own error.
      while (answers.size() < asked.size()) answers.push_back({V{}, State::kNotAsked});
    }
    return answers;
  }

  template <class Use>
  static void for_each_of(Request* chain, const Use& use) {
    while (chain != nullptr) {
      Request& request = *chain;
      chain = request.next;  // before its task may go on
      use(request);
    }
  }

  void finish(const K& key, Request* chain, const Answer& answer) const {
    if (answer.state == State::kNotAsked) {
      for_each_of(chain, [&](Request& request) { run_one(key, request); });
      return;
    }
    chain->is_new = answer.state == State::kNew;
    for_each_of(chain, [&](Request& request) {
      if (answer.state != State::kAbsent) request.found = answer.value;
      request.finish();
    });
  }

  void run_one(const K& key, Request& request) const {
    constexpr const char* kOperation = "an operation on a GlobalHashMap";
    try {
      if (request.inserts) {
        request.is_new = tables.call(key, InsertAction<V, false>{request.value}, kOperation);
      } else {
        request.found = tables.call(key, FindAction<V>{}, kOperation);
      }
    } catch (const std::exception&) {
      return request.fail(std::current_exception());
    }
    request.finish();
  }

  KeyIndex<K, Request*> requests_;
  std::size_t count_ = 0;
  Request* first_ = nullptr;
};

template <class K, class V, class Owner>
struct MapState {
  Combiner<MapBatch<K, V, Owner>> combiner;
  void attach(const CombinedObject<MapState>&) {}
};

}  // namespace grappa::internal
