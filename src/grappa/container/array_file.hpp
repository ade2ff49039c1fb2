#pragma once

// Writes the elements of a GlobalArray to a file, and makes an array of one.
//
//   save_array(ranks, "ranks.saved");
//   const Owned<GlobalArray<double>> again = load_array<double>("ranks.saved");
//
// The file appears whole or not at all, and is read by any number of cores and locales, into any
// distribution. Called by one task; both switch tasks, and block the thread while they read and
// write. Errors: UsageError for an array that is not live, for a file that cannot be opened, holds
// something else or is cut off, and for more elements than there is memory for; Error if it cannot
// be written.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grappa/container/array_spans.hpp"
#include "grappa/container/global_array.hpp"
#include "grappa/container/internal/saved_file.hpp"
#include "grappa/parallel/owned.hpp"

namespace grappa {

namespace internal {

/// `what`: what the file says that it holds.
template <class T>
void save_array(const GlobalArray<T>& array, const std::string& path, const std::string& what) {
  constexpr std::int64_t kPiece = 1 << 18;
  SavedFileWriter file(path, what);
  file.write(to_bytes(array.size()));
  std::vector<T> piece;
  for (std::int64_t first = 0; first < array.size(); first += kPiece) {
    piece.resize(static_cast<std::size_t>(std::min(kPiece, array.size() - first)));
    read_span(array, first, std::span<T>(piece));
    file.write_values(std::span<const T>(piece));
  }
  file.commit();
}

/// `name`: of the container that is made of it, for errors.
template <class T>
GlobalArray<T> load_array(const std::string& path, const std::string& what,
                          Distribution distribution, const char* name = "GlobalArray") {
  SavedFileReader file(path, what);
  std::int64_t size = 0;
  if (!file.next_value(size) || size < 0) file.refuse("the number of elements is missing");
  Owned<GlobalArray<T>> array =
      GlobalArray<T>::create_for_overwrite(size, distribution, CallSite(), name);
  std::int64_t first = 0;
  for (std::vector<T> piece; file.next_values(piece); first += std::ssize(piece)) {
    if (std::ssize(piece) > size - first) file.refuse("there are more elements than it says");
    write_span(*array, first, std::span<const T>(piece));
  }
  if (first != size) file.refuse("there are fewer elements than it says");
  return array.release();
}

}  // namespace internal

template <class T>
void save_array(const GlobalArray<T>& array, const std::string& path) {
  array.require_live("save_array");
  internal::save_array(array, path, internal::saved_name<T>("GlobalArray"));
}

template <class T>
[[nodiscard("load_array returns the handle")]] GlobalArray<T> load_array(
    const std::string& path, Distribution distribution = Distribution::kBlock) {
  return internal::load_array<T>(path, internal::saved_name<T>("GlobalArray"), distribution);
}

}  // namespace grappa
