#pragma once

// Kernels by what they leave. One that gives each vertex a number names the array of them:
//   class Mis final : public VertexKernel<&graph::IndependentSetResult::in_set> { … };

#include <utility>

#include "cli/kernel.hpp"
#include "cli/kernel_lists.hpp"
#include "grappa/graph/structure/collect.hpp"

namespace grappa::cli {

/// A kernel whose trials leave a Result.
template <class Result>
class KernelOf : public Kernel {
 public:
  using Kernel::Kernel;
  void discard() override { result_ = {}; }

 protected:
  Result result_;
};

template <class Result, class Array>
Result result_of(Array Result::*);

/// One of which `Array`, a member of the result, has a number for each vertex.
template <auto Array>
class VertexKernel : public KernelOf<decltype(result_of(Array))> {
  using Result = decltype(result_of(Array));
  using Base = KernelOf<Result>;

 public:
  using Base::Base;
  void discard() override {
    Base::discard();
    values_ = {};
  }
  ResultColumns columns(const KernelInput& in) override {
    ResultColumns made;
    if (this->info().why_no_lines.empty()) {
      values(in);
      made.push_back({this->info().value, std::exchange(values_, {})});
    }
    return made;
  }

 protected:
  /// On this locale, by the numbers that the vertices have in the list of edges.
  const auto& values(const KernelInput& in) {
    if (values_.empty()) values_ = graph::collect(*(this->result_.*Array), in.graph);
    return values_;
  }
  /// The vertices with the highest values, as many as --top says.
  void list_highest(const KernelInput& in, const char* head, const char* name) {
    if (in.top > 0) values(in);
    cli::list_highest(in, values_, head, name);
  }
  /// For values that are whole numbers, and not negative.
  Lines integer_lines(const KernelInput& in) {
    return vertex_lines(in, [&all = values(in)](std::string& text, std::size_t v) {
      graph::append_integer(text, all[v]);
    });
  }

 private:
  // Once collected.
  decltype(graph::collect(*(std::declval<Result>().*Array), std::declval<graph::Graph>())) values_;
};

}  // namespace grappa::cli
