#pragma once

// Pipelines: batches on their way from a source through stages to where all of them are needed.
//
//   Pipeline pipeline{.source = source, .layout = layout};
//   pipeline.stages.push_back(filter);
//   run(team, pipeline, [&](int core) { return make_sink(core); });
//
// Every core has its own stages, and takes pieces from the source until there are none
// (V. Leis, P. Boncz, A. Kemper, T. Neumann: "Morsel-Driven Parallelism", SIGMOD 2014). A batch is
// the property of the stage that makes it; those behind it see it until they return, and may narrow
// its selection.

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "grappa/query/exec/team.hpp"
#include "grappa/query/expression/evaluator.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

/// What a core does with batches.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual void push(Batch& batch) = 0;
  /// After the last batch of this core.
  virtual void finish() {}
};

/// Where batches come from. Shared by the cores.
class Source {
 public:
  virtual ~Source() = default;
  /// Pushes a piece of what is left; false when nothing is. Called by all cores at once.
  virtual bool push_piece(int core, Stage& to) = 0;
  /// Whether what it does is measured (profile.hpp).
  virtual bool is_counted() const { return false; }
};

/// Makes the stage of a core. What it is made of lives as long as the pipeline.
using MakeStage = std::function<std::unique_ptr<Stage>(Stage& next, int core)>;

/// Where each column is in the batches.
class Layout {
 public:
  Layout() = default;
  explicit Layout(std::vector<ColumnId> columns) : columns_(std::move(columns)) {}

  std::size_t size() const { return columns_.size(); }
  void add(ColumnId column) { columns_.push_back(column); }
  std::size_t place(ColumnId column) const;
  ColumnPlaces places() const {
    return [this](ColumnId column) { return place(column); };
  }

 private:
  std::vector<ColumnId> columns_;
};

struct Pipeline {
  std::shared_ptr<Source> source{};
  std::vector<MakeStage> stages{};
  Layout layout{};
  /// Batches come in an order that counts: one core takes them all.
  bool is_ordered = false;
  /// Set by whoever needs no more.
  std::shared_ptr<std::atomic<bool>> enough = std::make_shared<std::atomic<bool>>(false);
};

/// Runs the batches of this locale into the sink that make_sink(core) makes for each core.
void run(const Team& team, const Pipeline& pipeline,
         const std::function<std::unique_ptr<Stage>(int core)>& make_sink);

}  // namespace grappa::query
