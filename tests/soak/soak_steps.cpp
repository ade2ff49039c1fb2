#include "soak_steps.hpp"

#include "container_programs.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <unordered_set>

namespace soak {

void fail(const std::string& what) { throw std::runtime_error(what); }

Round::Round(std::uint64_t seed) : random_(seed) {
  const std::int64_t n = random(1, 5'000);
  words_ = Words::create(n, static_cast<Distribution>(random(0, 2)));
  words_model_.assign(static_cast<std::size_t>(n), 0);
  map_ = GlobalHashMap<std::int64_t, std::int64_t>::create(random(0, 1) * 1'000);
  map_keys_ = random(1, 3'000);
  bits_ = Replica<std::uint64_t>::create(random(1, 500));
  bits_model_.assign(bits_.span().size(), 0);
}

Round::~Round() {
  for (const Block& block : blocks_) global_free(block.address);
  bits_.destroy();
  map_.destroy();
  words_.destroy();
}

void Round::step() {
  static constexpr std::array kSteps{
      &Round::asynchronous_updates, &Round::blocking_updates, &Round::compare_and_exchange,
      &Round::scatter_and_gather,   &Round::nested_loops,     &Round::loops_over_elements,
      &Round::trees_of_tasks,       &Round::errors,           &Round::map_updates,
      &Round::map_lookups,          &Round::replicas,         &Round::collectives,
      &Round::full_empty_words,     &Round::allocations,      &Round::containers};
  (this->*kSteps[static_cast<std::size_t>(random(0, std::ssize(kSteps) - 1))])();
}

void Round::compare_words() {
  const std::int64_t n = words_.size();
  std::vector<GlobalAddress<std::int64_t>> addresses;
  for (std::int64_t i = 0; i < n; ++i) addresses.push_back(words_[i]);
  std::vector<std::int64_t> values(addresses.size());
  delegate::gather<std::int64_t>(addresses, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    require_equal(values[i], words_model_[i], "an element of the array");
}

void Round::compare_map() {
  require_equal(map_.size(), std::ssize(map_model_), "the size of the map");
  CompletionEvent done;
  std::int64_t sum = 0;
  const auto total = GlobalAddress<std::int64_t>::of_local(&sum);
  map_.forall([total](const std::int64_t& key, std::int64_t& value) {
    delegate::async::increment(total, value * (key + 1));
  });
  std::int64_t expected = 0;
  for (const auto& [key, value] : map_model_) expected += value * (key + 1);
  require_equal(sum, expected, "the sum over the map");
}

void Round::asynchronous_updates() {
  const Draw draw = this->draw();
  const Words words = words_;
  const std::int64_t operations = random(0, 20'000);
  const LoopOptions grain{random(0, 1) * random(1, 100)};
  forall(0, operations, grain, [=](std::int64_t i) {
    delegate::async::increment(words[draw.below(words.size(), i)], draw.below(100, i, 1));
  });
  for (std::int64_t i = 0; i < operations; ++i)
    words_model_[static_cast<std::size_t>(draw.below(words.size(), i))] += draw.below(100, i, 1);
  compare_words();
}

void Round::blocking_updates() {
  // What fetch_add returned, added up, follows from how often each element was touched.
  const Draw draw = this->draw();
  const Words words = words_;
  const std::int64_t operations = random(0, 3'000);
  std::int64_t sum = 0;
  const auto total = GlobalAddress<std::int64_t>::of_local(&sum);
  forall(0, operations, {.grain = random(1, 50)}, [=](std::int64_t i) {
    const std::int64_t before = delegate::fetch_add(words[draw.below(words.size(), i)], 1);
    delegate::async::increment(total, before);
  });
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < operations; ++i)
    expected += words_model_[static_cast<std::size_t>(draw.below(words.size(), i))]++;
  require_equal(sum, expected, "the sum of what fetch_add returned");
  compare_words();
}

void Round::compare_and_exchange() {
  const Words words = words_;
  const std::int64_t element = random(0, words.size() - 1);
  const int times = static_cast<int>(random(1, 20));
  on_all_cores([=] {
    for (int i = 0; i < times; ++i) {
      for (;;) {
        const std::int64_t old = delegate::read(words[element]);
        if (delegate::compare_exchange(words[element], old, old + 3)) break;
      }
    }
  });
  words_model_[static_cast<std::size_t>(element)] += std::int64_t{3} * times * core_count();
  compare_words();
}

void Round::scatter_and_gather() {
  std::vector<std::int64_t> places(words_model_.size());
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), random_);
  places.resize(static_cast<std::size_t>(random(0, std::ssize(places))));
  std::vector<GlobalAddress<std::int64_t>> addresses;
  std::vector<std::int64_t> values;
  for (const std::int64_t place : places) {
    addresses.push_back(words_[place]);
    values.push_back(random(-1'000'000, 1'000'000));
    words_model_[static_cast<std::size_t>(place)] = values.back();
  }
  delegate::scatter<std::int64_t>(addresses, values);
  compare_words();
}

void Round::nested_loops() {
  const Draw draw = this->draw();
  const Words words = words_;
  const std::int64_t outer = random(0, 30);
  const auto inner = [draw](std::int64_t i) { return draw.below(200, i, 2); };
  forall(0, outer, {.grain = 1}, [=](std::int64_t i) {
    forall(0, inner(i), {.grain = 1 + draw.below(20, i, 3)}, [=](std::int64_t k) {
      if (k % 3 == 0) yield();
      delegate::async::increment(words[draw.below(words.size(), i * 200 + k)], i + k);
    });
  });
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t k = 0; k < inner(i); ++k)
      words_model_[static_cast<std::size_t>(draw.below(words.size(), i * 200 + k))] += i + k;
  }
  compare_words();
}

void Round::loops_over_elements() {
  const Draw draw = this->draw();
  words_.forall([draw](std::int64_t i, std::int64_t& word) { word = word / 2 + draw.below(9, i); });
  for (std::size_t i = 0; i < words_model_.size(); ++i)
    words_model_[i] = words_model_[i] / 2 + draw.below(9, static_cast<std::int64_t>(i));
  compare_words();
}

namespace {

struct Tree {
  Draw draw;
  GlobalArray<std::int64_t> words;
  // 32 bits: larger numbers may look like addresses to the scan of what is sent.
  std::uint32_t node;
  int depth;

  std::int64_t place() const { return draw.below(words.size(), node); }
  int children() const { return depth == 0 ? 0 : static_cast<int>(draw.below(4, node, 1)); }
  Tree child(int c) const {
    return {draw, words, node * 5 + static_cast<std::uint32_t>(c) + 1, depth - 1};
  }

  void operator()() const {
    if (draw.below(4, node, 2) == 0) yield();
    delegate::async::increment(words[place()]);
    for (int c = 0; c < children(); ++c) {
      switch (draw.below(4, node + c, 3)) {
        case 0:
          spawn(child(c));
          break;
        case 1:
          spawn_on(static_cast<int>(draw.below(core_count(), node + c, 4)), child(c));
          break;
        default:
          spawn_public(child(c));
      }
    }
  }

  void model(std::vector<std::int64_t>& elements) const {
    ++elements[static_cast<std::size_t>(place())];
    for (int c = 0; c < children(); ++c) child(c).model(elements);
  }
};

}  // namespace

void Round::trees_of_tasks() {
  const int trees = static_cast<int>(random(1, 20));
  const int depth = static_cast<int>(random(0, 9));
  const Draw draw = this->draw();
  CompletionEvent done;
  for (int i = 0; i < trees; ++i) {
    const Tree root{draw, words_, 1'000'000'007u * static_cast<std::uint32_t>(i), depth};
    spawn_public(done, root);
    root.model(words_model_);
  }
  done.wait();
  compare_words();
}

void Round::errors() {
  const Draw draw = this->draw();
  const std::int64_t tasks = random(1, 300);
  std::int64_t thrown = 0;
  for (std::int64_t i = 0; i < tasks; ++i) thrown += draw.below(3, i) == 0;
  CompletionEvent done;
  for (std::int64_t i = 0; i < tasks; ++i) {
    spawn_public(done, [=] {
      if (i % 2 == 0) yield();
      if (draw.below(3, i) == 0) throw std::runtime_error("as asked");
    });
  }
  std::int64_t caught = 0;
  try {
    done.wait();
  } catch (const RemoteError& error) {
    caught = 1 + static_cast<std::int64_t>(error.others());
  }
  require_equal(caught, thrown, "the exceptions that arrived");
}

void Round::map_updates() {
  const Draw draw = this->draw();
  const auto map = map_;
  const std::int64_t keys = map_keys_;
  const std::int64_t operations = random(0, 5'000);
  switch (random(0, 2)) {
    case 0:
      forall(0, operations, [=](std::int64_t i) {
        map.async_upsert(draw.below(keys, i), draw.below(100, i, 1), std::plus<>{});
      });
      for (std::int64_t i = 0; i < operations; ++i)
        map_model_[draw.below(keys, i)] += draw.below(100, i, 1);
      break;
    case 1:
      // Some of these keys are there and some are not; each is told from the other once.
      forall(0, keys, {.grain = random(1, 64)}, [=](std::int64_t key) {
        if (draw.below(3, key) == 0) map.insert(key, key * 7);
      });
      for (std::int64_t key = 0; key < keys; ++key) {
        if (draw.below(3, key) == 0) map_model_.emplace(key, key * 7);
      }
      break;
    default:
      forall(0, keys, [=](std::int64_t key) {
        if (draw.below(3, key) == 0) map.erase(key);
      });
      for (std::int64_t key = 0; key < keys; ++key) {
        if (draw.below(3, key) == 0) map_model_.erase(key);
      }
  }
  compare_map();
}

void Round::map_lookups() {
  for (int i = 0; i < 100; ++i) {
    const std::int64_t key = random(0, map_keys_);
    const auto found = map_.find(key);
    const auto expected = map_model_.find(key);
    require_equal(found.has_value(), expected != map_model_.end(), "whether a key is there");
    if (found) require_equal(*found, expected->second, "the value of a key");
  }
}

void Round::replicas() {
  const Draw draw = this->draw();
  const auto bits = bits_;
  const auto words = std::ssize(bits_model_);
  const std::int64_t operations = random(0, 2'000);
  forall(0, operations, {.grain = 16}, [=](std::int64_t i) {
    std::atomic_ref(bits.data()[draw.below(words, i)])
        .fetch_or(std::uint64_t{1} << draw.below(64, i, 1));
  });
  bits_.merge([](std::uint64_t a, std::uint64_t b) { return a | b; });
  for (std::int64_t i = 0; i < operations; ++i) {
    bits_model_[static_cast<std::size_t>(draw.below(words, i))] |= std::uint64_t{1}
                                                                   << draw.below(64, i, 1);
  }
  // A hash of each locale's copy.
  const auto hash = [](const std::uint64_t* first, std::int64_t n) {
    std::uint64_t h = 0;
    for (std::int64_t i = 0; i < n; ++i) h = h * 1'000'003 + first[i];
    return h;
  };
  const std::uint64_t expected = hash(bits_model_.data(), words);
  for (const std::uint64_t copy : gather_cores([=] { return hash(bits.data(), words); }))
    require_equal(copy, expected, "a copy of the replica");
}

void Round::collectives() {
  const Draw draw = this->draw();
  const std::int64_t cores = core_count();
  std::vector<std::int64_t> values;
  for (std::int64_t core = 0; core < cores; ++core) values.push_back(draw.below(1'000, core));
  const std::int64_t sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  const int root = static_cast<int>(random(0, cores - 1));
  const int rounds = static_cast<int>(random(1, 5));
  on_all_cores([=] {
    for (int i = 0; i < rounds; ++i) {
      const std::int64_t mine = draw.below(1'000, this_core());
      require_equal(all_reduce(mine, std::plus<>{}), sum, "a sum over the cores");
      require_equal(broadcast(mine + i, root), draw.below(1'000, root) + i, "a broadcast value");
      std::int64_t before = 0;
      for (int core = 0; core < this_core(); ++core) before += draw.below(1'000, core);
      require_equal(exclusive_scan(mine, std::plus<>{}, std::int64_t{0}), before, "a scan");
      barrier();
    }
  });
  const auto gathered = gather_cores([=] { return draw.below(1'000, this_core()); });
  for (std::size_t core = 0; core < values.size(); ++core)
    require_equal(gathered[core], values[core], "what a core gave");
}

void Round::full_empty_words() {
  const std::int64_t count = random(1, 20);
  const int rounds = static_cast<int>(random(1, 30));
  const auto words = global_alloc<FullEmpty<std::int64_t>>(count);
  std::int64_t sum = 0;
  const auto total = GlobalAddress<std::int64_t>::of_local(&sum);
  forall(0, count, {.grain = 1}, [=](std::int64_t i) { delegate::reset(words + i); });
  CompletionEvent done;
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    spawn_on(done, static_cast<int>(random(0, core_count() - 1)), [=] {
      for (int k = 0; k < rounds; ++k) delegate::write_ef(words + i, i * 1'000 + k);
    });
    spawn_on(done, static_cast<int>(random(0, core_count() - 1)), [=] {
      std::int64_t mine = 0;
      for (int k = 0; k < rounds; ++k) {
        const std::int64_t value = delegate::read_fe(words + i);
        require_equal(value, i * 1'000 + k, "a value that was handed over");
        mine += value;
      }
      delegate::async::increment(total, mine);
    });
    for (int k = 0; k < rounds; ++k) expected += i * 1'000 + k;
  }
  done.wait();
  require_equal(sum, expected, "the sum of what was handed over");
  global_free(words);
}

void Round::containers() { run_container_program(draw()); }

void Round::allocations() {
  const std::int64_t length = random(1, 10'000);
  const std::int64_t factor = random(1, 1'000);
  const auto address = global_alloc<std::int64_t>(length);
  forall(address, length, [factor](std::int64_t i, std::int64_t& x) { x = i * factor; });
  blocks_.push_back({address, length, factor});
  // The others have not been touched by what has happened since.
  const auto victim = static_cast<std::size_t>(random(0, std::ssize(blocks_) - 1));
  const Block block = blocks_[victim];
  std::int64_t wrong = 0;
  const auto counter = GlobalAddress<std::int64_t>::of_local(&wrong);
  const std::int64_t times = block.factor;
  forall(block.address, block.length, [=](std::int64_t i, std::int64_t& x) {
    if (x != i * times) delegate::async::increment(counter);
  });
  require_equal(wrong, 0, "words of a block that have changed");
  if (random(0, 1) == 0) {
    global_free(block.address);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(victim));
  }
}

}  // namespace soak
