#include "grappa/query/exec/groups.hpp"

namespace grappa::query {

Groups::Groups(const Aggregation& of, OperatorMemoryPtr bound)
    : plan(of), memory(std::move(bound)) {
  layout.add_bytes(sizeof(std::uint64_t), 8);
  for (const Type& type : plan.key_types) layout.add(type);
  for (const Aggregation::Aggregate& aggregate : plan.aggregates)
    offsets.push_back(
        layout.add_bytes(aggregate.function.state_bytes, aggregate.function.state_alignment));
}

std::unique_ptr<GroupTable> Groups::table() const {
  return std::make_unique<GroupTable>(
      layout, plan.keys.size(), [this](std::byte* row) { start(row); }, budget_of(memory));
}

std::vector<std::size_t> Groups::text_offsets() const {
  std::vector<std::size_t> texts = layout.text_offsets();
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::ptrdiff_t at = plan.aggregates[i].function.text_at;
    if (at >= 0) texts.push_back(offsets[i] + static_cast<std::size_t>(at));
  }
  return texts;
}

void Groups::start(std::byte* row) const {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    plan.aggregates[i].function.start(row + offsets[i]);
}

void Groups::merge(std::byte* to, const std::byte* from, TextArena& texts) const {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    plan.aggregates[i].function.merge(to + offsets[i], from + offsets[i], texts);
}

void Groups::show(std::byte* const* rows, std::size_t count, TextArena& texts, bool texts_stay,
                  Stage& to) const {
  const std::size_t keys = plan.keys.size();
  std::vector<VectorBuffer> buffers;
  for (const Type& type : plan.key_types) buffers.emplace_back(type);
  for (const auto& aggregate : plan.aggregates) buffers.emplace_back(aggregate.function.result);
  Batch batch;
  batch.rows = batch.count = count;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (i < keys)
      layout.read(i, rows, count, nullptr, count, buffers[i]);
    else
      plan.aggregates[i - keys].function.finish(rows, count, offsets[i - keys], buffers[i], texts);
    batch.columns.push_back(buffers[i].vector(texts_stay));
  }
  to.push(batch);
}

}  // namespace grappa::query
