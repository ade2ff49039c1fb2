#include "grappa/mapreduce/internal/record_errors.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "grappa/base/error.hpp"
#include "grappa/base/serialize.hpp"
#include "grappa/mapreduce/bad_record.hpp"
#include "grappa/parallel/collectives.hpp"

namespace grappa::mapreduce::detail {
namespace {

/// What the exception in flight says of a record; thrown again where it is not about one.
std::string complaint() {
  try {
    throw;
  } catch (const BadRecord& error) {
    return error.what();
  } catch (const InputError& error) {
    return error.what();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    return grappa::internal::describe_exception(std::current_exception());
  }
}

}  // namespace

RecordErrors RecordErrors::create(std::int64_t most_skipped) {
  RecordErrors errors;
  errors.state_ = LocaleState<State>::create();
  errors.most_skipped_ = most_skipped;
  return errors;
}

void RecordErrors::take(const RecordPlace& place) const {
  std::string message = complaint();
  State& mine = *state_;
  const std::lock_guard lock(mine.mutex);
  Found& found = mine.found;
  if (found.count == 0 || place.order < found.first.order) {
    found.first = place;
    found.message = std::move(message);
  }
  if (++found.count > most_skipped_) mine.end = found.first.order;
}

std::int64_t RecordErrors::finish() const {
  Found all;
  for (const std::vector<std::byte>& bytes : gather_cores([state = state_] {
         if (this_core() != first_core_of(this_locale())) return to_bytes(Found());
         state->end = kNever;
         return to_bytes(std::exchange(state->found, {}));
       })) {
    auto part = from_bytes<Found>(bytes);
    const std::int64_t count = all.count + part.count;
    const bool is_first = part.count > 0 && (all.count == 0 || part.first.order < all.first.order);
    if (is_first) all = std::move(part);
    all.count = count;
  }
  if (all.count <= most_skipped_) return all.count;
  if (most_skipped_ > 0)
    all.message += fmt::format(" (of {} bad records; {} may be skipped)", all.count, most_skipped_);
  throw InputError(all.first.file, all.first.line, all.message);
}

}  // namespace grappa::mapreduce::detail
