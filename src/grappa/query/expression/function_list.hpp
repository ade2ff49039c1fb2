#pragma once

// The functions that there are, by name: a table that the files of this folder fill.
//
//   list.add("length", {kText}, kInt64, length);

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grappa/query/expression/function.hpp"

namespace grappa::query {

class FunctionList {
 public:
  const Function* add(Function function) {
    functions_.push_back(std::move(function));
    const Function* const added = &functions_.back();
    by_name_[added->name].push_back(added);
    return added;
  }
  /// One that is told about no NULLs and makes none.
  void add(std::string_view name, std::vector<Type> parameters, Type result, Kernel kernel,
           bool can_fail = false) {
    add({.name = std::string(name),
         .parameters = std::move(parameters),
         .result = result,
         .kernel = kernel,
         .can_fail = can_fail});
  }
  /// Another name for all of one name.
  void alias(std::string_view name, std::string_view of) {
    by_name_[std::string(name)] = by_name_[std::string(of)];
  }
  const std::vector<const Function*>* named(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }
  template <class F>
  void for_each_name(F&& f) const {
    for (const auto& [name, functions] : by_name_) f(std::string_view(name));
  }

 private:
  std::deque<Function> functions_;
  std::map<std::string, std::vector<const Function*>, std::less<>> by_name_;
};

void add_text_functions(FunctionList& list);
void add_pattern_functions(FunctionList& list);
void add_regular_expression_functions(FunctionList& list);
void add_date_functions(FunctionList& list);
void add_math_functions(FunctionList& list);
void add_bit_functions(FunctionList& list);
void add_character_functions(FunctionList& list);
void add_calendar_functions(FunctionList& list);

}  // namespace grappa::query
