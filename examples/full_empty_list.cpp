// A list that is read while it is built: where it does not go on yet, the reader waits.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <deque>

using namespace grappa;

struct Node {
  std::int64_t key = 0;
  FullEmptyPointer<Node> next;  // 8 bytes; empty until it is known what follows
};

int main() {
  bool right = true;
  run([&] {
    constexpr std::int64_t kKeys = 1000;
    const auto keys = GlobalArray<std::int64_t>::create(kKeys);
    keys.forall([](std::int64_t i, std::int64_t& key) { key = i * i; });

    std::deque<Node> nodes(1);
    CompletionEvent builder;
    spawn(builder, [&] {
      for (std::int64_t i = 0; i < kKeys; ++i) {
        Node& last = nodes.back();
        Node& node = nodes.emplace_back();
        node.key = delegate::read(keys[i]);  // switches tasks, mostly
        last.next.write_ef(&node);
      }
      nodes.back().next.write_ef(nullptr);
    });

    std::int64_t count = 0;
    std::int64_t sum = 0;
    for (Node* node = nodes.front().next.read_ff(); node != nullptr; node = node->next.read_ff()) {
      ++count;
      sum += node->key;
    }
    builder.wait();
    right = count == kKeys && sum == (kKeys - 1) * kKeys * (2 * kKeys - 1) / 6;
    std::printf("%lld keys, their sum is %s\n", static_cast<long long>(count),
                right ? "right" : "WRONG");
    auto gone = keys;
    gone.destroy();
  });
  return right ? 0 : 1;
}
