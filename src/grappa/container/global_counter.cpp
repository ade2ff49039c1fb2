#include "grappa/container/global_counter.hpp"

#include <utility>

#include "grappa/container/internal/saved_file.hpp"

namespace grappa {
namespace internal {
namespace {

constexpr const char* kOperation = "an operation on a GlobalCounter";

std::int64_t add_at_home(GlobalAddress<CounterState> at, std::int64_t n) {
  return delegate::call(at, [n](CounterState& state) { return state.add(n); });
}

}  // namespace

void CounterBatch::run() {
  auto before = static_cast<std::uint64_t>(add_at_home(at, static_cast<std::int64_t>(sum)));
  for (Request* request : requests) {
    request->before = static_cast<std::int64_t>(before);
    before += static_cast<std::uint64_t>(request->amount);
    request->finish();
  }
}

}  // namespace internal

namespace {
constexpr const char* kSavedCounter = "a GlobalCounter";
}  // namespace

GlobalCounter GlobalCounter::create(std::int64_t value) {
  GlobalCounter counter;
  counter.object_.create();
  counter.exchange(value);
  return counter;
}

void GlobalCounter::destroy() { object_.destroy("GlobalCounter::destroy"); }

std::int64_t GlobalCounter::fetch_add(std::int64_t n) const {
  object_.require_live(internal::kOperation);
  if (object_.is_home()) return object_.local().add(n);
  if (!internal::combining()) return internal::add_at_home(object_.at_home(), n);
  auto& combiner = object_.local().combiner;
  internal::CounterBatch& batch = combiner.gathering();
  internal::CounterBatch::Request request;
  request.amount = n;
  batch.requests.push_back(&request);
  batch.sum += static_cast<std::uint64_t>(n);
  ++batch.count;
  combiner.wait(request);
  return request.before;
}

std::int64_t GlobalCounter::exchange(std::int64_t value) const {
  object_.require_live(internal::kOperation);
  return delegate::call(object_.at_home(), [value](internal::CounterState& state) {
    return std::exchange(state.value, value);
  });
}

void GlobalCounter::save(const std::string& path) const {
  const std::int64_t number = value();
  internal::SavedFileWriter file(path, kSavedCounter);
  file.write(to_bytes(number));
  file.commit();
}

GlobalCounter GlobalCounter::load(const std::string& path) {
  internal::SavedFileReader file(path, kSavedCounter);
  std::int64_t number = 0;
  if (!file.next_value(number)) file.refuse("the number is missing");
  return create(number);
}

void GlobalCounter::async_add(std::int64_t n) const { add_in(internal::enclosing_scope(), n); }
void GlobalCounter::async_add(CompletionEvent& event, std::int64_t n) const {
  add_in(&event.share(), n);
}

void GlobalCounter::add_in(internal::CompletionShare* scope, std::int64_t n) const {
  object_.require_live(internal::kOperation);
  if (object_.is_home()) {
    object_.local().add(n);
  } else if (!internal::combining()) {
    delegate::async::detail::call_at_in(scope, object_.at_home(),
                                        [n](internal::CounterState& state) { state.add(n); });
  } else {
    auto& combiner = object_.local().combiner;
    internal::CounterBatch& batch = combiner.gathering();
    batch.sum += static_cast<std::uint64_t>(n);
    ++batch.count;
    combiner.post(scope);
  }
}

}  // namespace grappa
