#include "grappa/query/exec/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "grappa/parallel/cancellation.hpp"

namespace grappa::query {

std::size_t Layout::place(ColumnId column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end())
    throw std::logic_error(fmt::format("column #{} is not in the batches", column));
  return static_cast<std::size_t>(found - columns_.begin());
}

void run(const Team& team, const Pipeline& pipeline,
         const std::function<std::unique_ptr<Stage>(int core)>& make_sink) {
  const auto run_core = [&](int core) {
    // From the sink to the source, as each has to know the next.
    std::vector<std::unique_ptr<Stage>> chain;
    chain.push_back(make_sink(core));
    for (std::size_t i = pipeline.stages.size(); i-- > 0;)
      chain.push_back(pipeline.stages[i](*chain.back(), core));
    while (!pipeline.enough->load(std::memory_order_relaxed) &&
           pipeline.source->push_piece(core, *chain.back())) {
      cancellation_point();
    }
    for (std::size_t i = chain.size(); i-- > 0;) chain[i]->finish();
  };
  if (pipeline.is_ordered) {
    run_core(0);
  } else {
    team.on_cores(run_core);
  }
}

}  // namespace grappa::query
