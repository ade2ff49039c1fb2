// Counts the nodes of an unbalanced tree: one task a node, and cores with nothing to do steal.

#include <grappa/grappa.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>

using namespace grappa;

// The children of a node follow from its number, so nobody knows the shape of the tree beforehand.
int children_of(std::uint64_t node, int level) {
  const std::uint64_t hash = node * 0x9E3779B97F4A7C15u;
  return level == 0 ? 100 : static_cast<int>(hash >> 62) * (level < 12 ? 1 : 0);
}
std::uint64_t child(std::uint64_t node, int c) {
  return (node + static_cast<std::uint64_t>(c) + 1) * 0xBF58476D1CE4E5B9u;
}

std::int64_t count_alone(std::uint64_t node, int level) {
  std::int64_t nodes = 1;
  for (int c = 0; c < children_of(node, level); ++c)
    nodes += count_alone(child(node, c), level + 1);
  return nodes;
}

void visit(SymmetricAddress<std::int64_t> visited, std::uint64_t node, int level) {
  ++visited.local();  // tasks of one core never run at the same time
  for (int c = 0; c < children_of(node, level); ++c) {
    spawn_public([=] { visit(visited, child(node, c), level + 1); });
  }
}

int main() {
  bool right = true;
  run([&] {
    const auto visited = symmetric_alloc<std::int64_t>();
    CompletionEvent done;
    spawn(done, [=] { visit(visited, 1, 0); });
    done.wait();  // the task and, transitively, all that it spawned
    const auto counted =
        reduce_cores([=] { return visited.local(); }, std::int64_t{0}, std::plus<>{});
    symmetric_free(visited);
    right = counted == count_alone(1, 0);
    std::printf("%s: tasks counted all nodes of the tree\n", right ? "right" : "WRONG");
  });
  return right ? 0 : 1;
}
