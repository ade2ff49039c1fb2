#include "grappa/query/exec/set_operation.hpp"

#include <array>
#include <functional>
#include <numeric>
#include <utility>

namespace grappa::query {
namespace {

/// f(batch, rows) for batches of all rows.
void for_each_batch(const Rows& rows,
                    const std::function<void(const Batch&, std::byte* const*)>& f) {
  std::vector<VectorBuffer> buffers;
  for (std::size_t i = 0; i < rows.layout.columns(); ++i)
    buffers.emplace_back(rows.layout.column(i).type);
  std::array<std::byte*, kBatchRows> some;
  std::size_t count = 0;
  const auto flush = [&] {
    Batch batch;
    batch.rows = batch.count = count;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      rows.layout.read(i, some.data(), count, nullptr, count, buffers[i]);
      batch.columns.push_back(buffers[i].vector(true));
    }
    f(batch, some.data());
    count = 0;
  };
  for (const auto& store : rows.stores) {
    store->for_each([&](std::byte* row) {
      some[count++] = row;
      if (count == kBatchRows) flush();
    });
  }
  if (count > 0) flush();
}

std::vector<std::size_t> all_places(std::size_t columns) {
  std::vector<std::size_t> places(columns);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

/// The texts are in the rows that are read, which may go before those that are made of them.
Batch copied_texts(const Batch& batch) {
  Batch copy = batch;
  for (Vector& column : copy.columns) column.texts_stay = false;
  return copy;
}

RowLayout layout_of(const Rows& rows) {
  RowLayout layout;
  layout.add_bytes(sizeof(std::uint64_t), 8);
  for (std::size_t i = 0; i < rows.layout.columns(); ++i) layout.add(rows.layout.column(i).type);
  return layout;
}

}  // namespace

std::shared_ptr<Source> set_source(const Team&, const std::shared_ptr<Rows>& first,
                                   const std::shared_ptr<Rows>& second, bool intersects, bool all) {
  // How often the second has each row, less how often it was met in the first.
  RowLayout layout = layout_of(*first);
  const std::size_t offset = layout.add_bytes(sizeof(std::int64_t), 8);
  const auto count_of = [offset](std::byte* row) -> std::int64_t& {
    return *reinterpret_cast<std::int64_t*>(row + offset);
  };
  GroupTable table(layout, first->layout.columns(), [&](std::byte* row) { count_of(row) = 0; });
  std::array<std::byte*, kBatchRows> groups;
  for_each_batch(*second, [&](const Batch& batch, std::byte* const*) {
    table.find_or_add(batch, batch.columns, groups.data());
    for (std::size_t i = 0; i < batch.count; ++i) ++count_of(groups[i]);
  });
  constexpr std::int64_t kShown = -1;
  std::vector<std::byte*> shown;
  for_each_batch(*first, [&](const Batch& batch, std::byte* const* rows) {
    table.find_or_add(batch, batch.columns, groups.data());
    for (std::size_t i = 0; i < batch.count; ++i) {
      std::int64_t& count = count_of(groups[i]);
      bool shows = false;
      if (all) {
        shows = (count > 0) == intersects;
        if (count > 0) --count;
      } else {
        shows = count != kShown && (count > 0) == intersects;
        if (shows) count = kShown;
      }
      if (shows) shown.push_back(rows[i]);
    }
  });
  return ordered_rows_source(first, std::move(shown));
}

NewRows::NewRows(const std::vector<Type>& types, int cores, bool all)
    : types_(types), cores_(cores), all_(all) {
  layout_.add_bytes(sizeof(std::uint64_t), 8);
  for (const Type& type : types) layout_.add(type);
  is_new_ = layout_.add_bytes(1, 1);
  seen_ = std::make_unique<GroupTable>(layout_, types.size(),
                                       [this](std::byte* row) { row[is_new_] = std::byte{1}; });
}

std::shared_ptr<Rows> NewRows::keep_new(const Rows& rows) {
  auto fresh = std::make_shared<Rows>(types_, cores_);
  if (all_) {
    append_rows(*fresh, rows);
    return fresh;
  }
  const std::unique_ptr<Stage> sink = fresh->sink(0, all_places(types_.size()));
  std::array<std::byte*, kBatchRows> groups;
  std::array<Position, kBatchRows> selected;
  for_each_batch(rows, [&](const Batch& batch, std::byte* const*) {
    Batch some = copied_texts(batch);
    seen_->find_or_add(some, some.columns, groups.data());
    some.count = 0;
    for (std::size_t i = 0; i < batch.count; ++i) {
      std::byte& is_new = groups[i][is_new_];
      if (is_new == std::byte{0}) continue;
      is_new = std::byte{0};
      selected[some.count++] = static_cast<Position>(i);
    }
    some.selection = selected.data();
    if (some.count > 0) sink->push(some);
  });
  return fresh;
}

void append_rows(Rows& to, const Rows& from) {
  const std::unique_ptr<Stage> sink = to.sink(0, all_places(to.layout.columns()));
  for_each_batch(from, [&](const Batch& batch, std::byte* const*) {
    Batch copy = copied_texts(batch);
    sink->push(copy);
  });
}

}  // namespace grappa::query
