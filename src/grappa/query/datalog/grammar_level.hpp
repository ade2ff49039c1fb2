#pragma once

// What counts how deep the grammar is in its recursion.

#include "grappa/query/datalog/grammar.hpp"

namespace grappa::query::datalog {

class Grammar::Level {
 public:
  explicit Level(Grammar& grammar) : grammar_(grammar) {
    grammar.check_height(++grammar.depth_, grammar.position());
  }
  ~Level() { --grammar_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  Grammar& grammar_;
};

}  // namespace grappa::query::datalog
