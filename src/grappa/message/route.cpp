#include "grappa/message/route.hpp"

#include <cmath>

namespace grappa::internal {

Route::Route(RoutePolicy policy, int locales) : locales_(locales) {
  if (policy != RoutePolicy::kTwoHop) return;
  columns_ = static_cast<int>(std::sqrt(static_cast<double>(locales)));
  while (columns_ * columns_ < locales) ++columns_;
}

int Route::next_hop(int from, int to) const {
  if (is_flat() || from / columns_ == to / columns_ || from % columns_ == to % columns_) return to;
  const int along_row = from / columns_ * columns_ + to % columns_;
  // The last row ends before that column: then the destination's row is a full one.
  return along_row < locales_ ? along_row : to / columns_ * columns_ + from % columns_;
}

std::vector<int> Route::neighbors(int from) const {
  std::vector<int> all;
  for (int to = 0; to < locales_; ++to) {
    if (is_direct(from, to)) all.push_back(to);
  }
  return all;
}

int Route::most_neighbors() const {
  // Locale 0 lies in a full row, and in a column that is as long as any.
  return static_cast<int>(neighbors(0).size());
}

}  // namespace grappa::internal
