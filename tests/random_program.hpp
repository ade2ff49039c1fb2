#pragma once

// Random programs of tasks, as data: drawn from a seed, executed by random_program_test.cpp, and
// followed here by a sequential model.
//
// A program is a tree of nodes. A node is what a task, an iteration or the body of a scope does: a
// list of steps, and at the end, perhaps, an exception. Whatever the order in which tasks run, the
// result is the same: steps that run side by side add to cells, and who waits for a full/empty word
// waits for a task that waits for earlier words only. So no program can deadlock.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace grappa::test {

enum class Action {
  kYield,      // `count` times
  kSleep,      // `value` ns
  kAdd,        // `value` to a cell, by a blocking delegate of the kind `way`
  kAddLater,   // by an asynchronous delegate
  kAddSplit,   // by `count` split-phase delegates, with a yield between issue and completion
  kFail,       // a blocking delegate that throws, and is caught
  kFailLater,  // an asynchronous delegate that throws, into the event of the node
  kSpawn,      // a task for each child, of the kind `way`, into the event of the node
  kScope,      // the same into a new event, which is waited for
  kLoop,       // `count` iterations of the first child, `grain` at a time
  kPipe,       // `count` values through `stages` tasks with full/empty words between them
  kDataflow,   // `count` tasks, of which each needs words that earlier ones write
  kLock,       // `count` tasks that take a word, add `value`, and put it back
  kFunnel,     // `count` tasks that fill the same word, and one that empties it as often
};

struct Step {
  Action action = Action::kYield;
  int way = 0;   // which of the operations that come to the same
  int form = 0;  // of full/empty words
  int core = 0;  // modulo the number of cores
  int cell = 0;
  int count = 1;
  int stages = 1;
  int grain = 1;
  std::int64_t value = 0;
  std::vector<int> children = {};
  std::int64_t errors = 0;  // that the wait of a scope or loop reports
};

struct Node {
  std::vector<Step> steps;
  bool throws = false;
  bool once = true;         // not below a loop
  std::int64_t errors = 0;  // that reach its event whenever it is executed, its own included
};

inline constexpr int kCells = 24;

struct Program {
  std::vector<Node> nodes;
  Step start;                        // a kSpawn or kScope at the root of the run
  std::vector<std::int64_t> cells;   // at the end
  std::vector<std::int64_t> visits;  // how often each node is executed
};

/// Word `i` of a dataflow step, from the words before it.
template <class Words>
std::int64_t dataflow_value(std::int64_t start, int i, const Words& value_of) {
  std::int64_t sum = start + i;
  if (i > 0) sum += value_of(i - 1);
  if (i > 2) sum += value_of(i / 2);
  return sum % 1'000'003;
}

class ProgramMaker {
 public:
  explicit ProgramMaker(std::uint64_t seed) : random_(seed) {}

  Program make() {
    program_.cells.assign(kCells, 0);
    program_.start.action = below(2) == 0 ? Action::kSpawn : Action::kScope;
    add_children(program_.start, 1 + below(4), 4, 1);
    program_.visits.assign(program_.nodes.size(), 0);
    follow(program_.start);
    return std::move(program_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

  void add_children(Step& step, int count, int depth, int visits) {
    for (int i = 0; i < count; ++i) {
      const int child = make_node(depth, visits);
      step.children.push_back(child);
      step.errors += program_.nodes[static_cast<std::size_t>(child)].errors;
    }
  }

  /// `visits`: how often the node will be executed.
  int make_node(int depth, int visits) {
    Node node;
    node.once = visits == 1;
    const int steps = below(6);
    for (int i = 0; i < steps; ++i) {
      node.steps.push_back(make_step(depth, visits));
      const Step& step = node.steps.back();
      if (step.action == Action::kSpawn) node.errors += step.errors;
      if (step.action == Action::kFailLater) ++node.errors;
    }
    node.throws = one_in(8);
    node.errors += node.throws;
    program_.nodes.push_back(std::move(node));
    return static_cast<int>(program_.nodes.size()) - 1;
  }

  Step make_step(int depth, int visits) {
    static constexpr Action kLeaves[] = {Action::kYield,    Action::kSleep,    Action::kAdd,
                                         Action::kAddLater, Action::kAddSplit, Action::kFail,
                                         Action::kFailLater};
    static constexpr Action kInner[] = {Action::kSpawn,    Action::kSpawn, Action::kScope,
                                        Action::kScope,    Action::kLoop,  Action::kPipe,
                                        Action::kDataflow, Action::kLock,  Action::kFunnel};
    Step step;
    const bool inner = depth > 0 && visits <= 8 && program_.nodes.size() < 60 && one_in(2);
    step.action = inner ? kInner[below(std::size(kInner))] : kLeaves[below(std::size(kLeaves))];
    step.way = below(16);
    step.form = below(6);
    step.core = below(64);
    step.cell = below(kCells);
    step.value = 1 + below(1000);
    step.count = 1 + below(5);
    step.stages = 1 + below(5);
    switch (step.action) {
      case Action::kSpawn:
      case Action::kScope:
        add_children(step, 1 + below(4), depth - 1, visits);
        break;
      case Action::kLoop: {
        step.count = 1 + below(12);
        add_children(step, 1, depth - 1, visits * step.count + 1);
        step.errors *= step.count;
        // An exception ends the grain of its iteration.
        const Node& body = program_.nodes[static_cast<std::size_t>(step.children.front())];
        step.grain = body.throws ? 1 : 1 + below(3);
        break;
      }
      case Action::kPipe:
      case Action::kDataflow:
      case Action::kLock:
      case Action::kFunnel:
        step.count = 1 + below(12);
        break;
      default:
        break;
    }
    return step;
  }

  // ---- the model

  void follow(const Step& step) {
    std::int64_t& cell = program_.cells[static_cast<std::size_t>(step.cell)];
    switch (step.action) {
      case Action::kAdd:
      case Action::kAddLater:
        cell += step.value;
        break;
      case Action::kAddSplit:
        for (int i = 0; i < step.count; ++i)
          program_.cells[static_cast<std::size_t>((step.cell + i) % kCells)] += step.value;
        break;
      case Action::kSpawn:
      case Action::kScope:
        for (const int child : step.children) visit(child);
        break;
      case Action::kLoop:
        for (int i = 0; i < step.count; ++i) visit(step.children.front());
        break;
      case Action::kPipe:
        for (int i = 0; i < step.count; ++i) cell += step.value + i + step.stages;
        break;
      case Action::kDataflow: {
        std::vector<std::int64_t> values;
        for (int i = 0; i < step.count; ++i) {
          values.push_back(dataflow_value(step.value, i, [&](int earlier) {
            return values[static_cast<std::size_t>(earlier)];
          }));
        }
        cell += values.back();
        break;
      }
      case Action::kLock:
        cell += step.count * step.value;
        break;
      case Action::kFunnel:
        for (int i = 0; i < step.count; ++i) cell += step.value + i;
        break;
      default:
        break;
    }
  }

  void visit(int number) {
    ++program_.visits[static_cast<std::size_t>(number)];
    for (const Step& step : program_.nodes[static_cast<std::size_t>(number)].steps) follow(step);
  }

  std::mt19937_64 random_;
  Program program_;
};

}  // namespace grappa::test
