#include "grappa/query/exec/first_rows.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace grappa::query {

void FirstRows::reduce(RowStore& store, const std::vector<std::size_t>& text_offsets) {
  std::vector<SortEntry> entries;
  entries.reserve(store.rows());
  store.for_each([&](std::byte* row) { entries.push_back(order_.entry(row)); });
  const auto last = entries.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
  std::nth_element(entries.begin(), last, entries.end(), order_);
  bound_ = order_.prefixes(last->row);
  RowStore kept = store.empty_one();
  for (auto entry = entries.begin(); entry <= last; ++entry) {
    std::byte* const row = kept.append();
    std::memcpy(row, entry->row, store.row_bytes());
    for (const std::size_t offset : text_offsets) {
      auto* const text = reinterpret_cast<TextRef*>(row + offset);
      *text = kept.texts().keep(*text);
    }
  }
  store = std::move(kept);
}

}  // namespace grappa::query
