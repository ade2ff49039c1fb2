#include "grappa/query/exec/chained_source.hpp"

#include <atomic>
#include <utility>

#include "grappa/query/exec/show_columns.hpp"

namespace grappa::query {
namespace {

class ChainedSource final : public Source {
 public:
  ChainedSource(std::vector<Pipeline> pipelines, std::vector<std::vector<std::size_t>> places,
                int cores, Turns turns)
      : pipelines_(std::move(pipelines)),
        places_(std::move(places)),
        chains_(static_cast<std::size_t>(cores)),
        left_(turns == Turns::kOne ? cores : 0) {}

  bool push_piece(int core, Stage& to) override {
    Chain& chain = chains_[static_cast<std::size_t>(core)];
    while (chain.pipeline < pipelines_.size()) {
      const Pipeline& pipeline = pipelines_[chain.pipeline];
      if (chain.stages.empty()) {
        chain.stages.push_back(std::make_unique<ShowColumns>(places_[chain.pipeline], to));
        for (std::size_t i = pipeline.stages.size(); i-- > 0;)
          chain.stages.push_back(pipeline.stages[i](*chain.stages.back(), core));
      }
      if (pipeline.source->push_piece(core, *chain.stages.back())) return true;
      for (std::size_t i = chain.stages.size(); i-- > 0;) chain.stages[i]->finish();
      chain.stages.clear();
      ++chain.pipeline;
      if (left_ > 0 && left_.fetch_sub(1) > 1) chain.pipeline = pipelines_.size();
    }
    return false;
  }

 private:
  struct Chain {
    std::size_t pipeline = 0;
    std::vector<std::unique_ptr<Stage>> stages;
  };

  std::vector<Pipeline> pipelines_;
  std::vector<std::vector<std::size_t>> places_;
  std::vector<Chain> chains_;
  std::atomic<int> left_;  // cores in the first pipeline, where these take turns
};

}  // namespace

std::shared_ptr<Source> chained_source(std::vector<Pipeline> pipelines,
                                       std::vector<std::vector<std::size_t>> places, int cores,
                                       Turns turns) {
  return std::make_shared<ChainedSource>(std::move(pipelines), std::move(places), cores, turns);
}

}  // namespace grappa::query
