#include "grappa/parallel/collectives.hpp"

#include "grappa/base/error.hpp"

namespace grappa {
namespace {

internal::CollectiveGroup& group_at(internal::Core& core, bool whole) {
  return whole ? core.collectives->everyone : core.collectives->of_locale;
}

void wake_waiter(internal::Core& core, internal::CollectiveGroup& group) {
  if (group.waiter != nullptr) core.scheduler->wake(std::exchange(group.waiter, nullptr));
}

/// Followed by the value.
struct ContributionMessage {
  std::int32_t rank;
  std::int32_t whole;
  std::uint64_t bytes;
  void operator()(internal::RunContext& context) {
    internal::CollectiveGroup& group = group_at(context.core, whole != 0);
    const auto* value = reinterpret_cast<const std::byte*>(this + 1);
    group.contributions[static_cast<std::size_t>(rank)].assign(value, value + bytes);
    if (++group.arrived == static_cast<int>(group.contributions.size()))
      wake_waiter(context.core, group);
  }
};

/// Followed by the value.
struct ResultMessage {
  std::uint64_t whole;
  std::uint64_t bytes;
  void operator()(internal::RunContext& context) {
    internal::CollectiveGroup& group = group_at(context.core, whole != 0);
    const auto* value = reinterpret_cast<const std::byte*>(this + 1);
    group.result.assign(value, value + bytes);
    group.have_result = true;
    wake_waiter(context.core, group);
  }
};

void wait_in(internal::CollectiveGroup& group) {
  internal::Scheduler& scheduler = internal::this_scheduler();
  group.waiter = &scheduler.current();
  scheduler.suspend("a collective");
}

}  // namespace

namespace internal {

Collectives::Collectives(Core& core) {
  core.collectives = this;
  if (core.id == 0)
    everyone.contributions.resize(static_cast<std::size_t>(core.locale.core_count()));
  if (core.index == 0)
    of_locale.contributions.resize(static_cast<std::size_t>(core.locale.cores_each));
}

CollectivePart::CollectivePart(const GroupRange& range) : group_(group_at(here(), range.whole)) {
  if (this_scheduler().current().loops > 0) {
    throw UsageError(
        "a collective was called in the body of a loop, whose iterations run on any core and many "
        "at a time; every core calls it once: on_all_cores");
  }
  if (group_.in_use) throw UsageError("two tasks of one core are in a collective at the same time");
  group_.in_use = true;
}

std::vector<std::vector<std::byte>> contribute(const GroupRange& range, const void* bytes,
                                               std::size_t size) {
  Core& me = here();
  const int rank = me.id - range.first;
  if (rank != 0) {
    me.messages->send_with_tail(range.first, ContributionMessage{rank, range.whole, size}, bytes,
                                size, nullptr);
    me.messages->flush_to(range.first);
    return {};
  }
  CollectiveGroup& group = group_at(me, range.whole);
  const auto* value = static_cast<const std::byte*>(bytes);
  group.contributions[0].assign(value, value + size);
  if (++group.arrived != range.count) wait_in(group);
  group.arrived = 0;
  // Moved out, because the others' next contributions may come before this task is done with these.
  std::vector<std::vector<std::byte>> all(group.contributions.size());
  all.swap(group.contributions);
  return all;
}

void distribute(const GroupRange& range, std::span<const std::vector<std::byte>> results) {
  Core& me = here();
  for (int rank = 1; rank < range.count; ++rank) {
    const std::vector<std::byte>& result = results[static_cast<std::size_t>(rank)];
    me.messages->send_with_tail(range.first + rank, ResultMessage{range.whole, result.size()},
                                result.data(), result.size(), nullptr);
    me.messages->flush_to(range.first + rank);
  }
}

std::vector<std::byte> receive_result(const GroupRange& range) {
  CollectiveGroup& group = group_at(here(), range.whole);
  if (!group.have_result) wait_in(group);
  group.have_result = false;
  return std::move(group.result);
}

}  // namespace internal

void barrier() {
  internal::exchange(internal::all_cores_group(), char{0}, [](std::vector<char>&) {});
}

void local_barrier() {
  internal::exchange(internal::locale_group(), char{0}, [](std::vector<char>&) {});
}

}  // namespace grappa
