#pragma once

// Some of the columns of batches, in another order.
//
//   ShowColumns stage({2, 0}, next);
//   stage.push(batch);                   // next gets two columns

#include <cstddef>
#include <utility>
#include <vector>

#include "grappa/query/exec/pipeline.hpp"
#include "grappa/query/vector.hpp"

namespace grappa::query {

class ShowColumns final : public Stage {
 public:
  ShowColumns(std::vector<std::size_t> places, Stage& next)
      : places_(std::move(places)), next_(next) {}

  void push(Batch& batch) override {
    shown_.rows = batch.rows;
    shown_.count = batch.count;
    shown_.selection = batch.selection;
    shown_.columns.clear();
    for (const std::size_t place : places_) shown_.columns.push_back(batch.columns[place]);
    next_.push(shown_);
  }

 private:
  std::vector<std::size_t> places_;
  Stage& next_;
  Batch shown_;
};

}  // namespace grappa::query
