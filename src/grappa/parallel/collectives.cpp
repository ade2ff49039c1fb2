#include "grappa/parallel/collectives.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "grappa/base/error.hpp"
#include "grappa/base/module_table.hpp"

namespace grappa {
namespace {

internal::CollectiveGroup& group_at(internal::Core& core, bool whole) {
  return whole ? core.collectives->everyone : core.collectives->of_locale;
}

void wake_waiter(internal::Core& core, internal::CollectiveGroup& group) {
  if (group.waiter != nullptr) core.scheduler->wake(std::exchange(group.waiter, nullptr));
}

/// "all_reduce<int, std::plus<void> >"
std::string name_of(const internal::CollectiveStep& step) {
  std::string name = internal::demangled_type_name(*step.type);
  constexpr std::string_view kPlace = "grappa::internal::collective::";
  if (name.starts_with(kPlace)) name.erase(0, kPlace.size());
  return step.root == 0 ? name : fmt::format("{} from core {}", name, step.root);
}

/// The contribution of one core is there: it must be in the step that the others are in.
void arrive(internal::CollectiveGroup& group, int rank, const internal::CollectiveStep& step,
            std::span<const std::byte> value) {
  if (group.arrived++ == 0) {
    group.first_arrived = rank;
    group.step = step;
  } else if (*group.step.type != *step.type || group.step.root != step.root) [[unlikely]] {
    internal::fatal(fmt::format(
        "cores are in different collectives at the same time: core {} in {}, core {} in {}; every "
        "core must call the same ones in the same order, with the same types, operation and root",
        group.first_arrived, name_of(group.step), rank, name_of(step)));
  }
  group.contributions[static_cast<std::size_t>(rank)].assign(value.begin(), value.end());
}

/// A type in the words of all processes, and back.
std::uint64_t to_travel(const internal::Core& core, const std::type_info* type) {
  const internal::ModuleTable* modules = core.locale.modules;
  return modules == nullptr ? reinterpret_cast<std::uint64_t>(type) : modules->id_of(type);
}
const std::type_info* from_travel(const internal::Core& core, std::uint64_t id) {
  const internal::ModuleTable* modules = core.locale.modules;
  return static_cast<const std::type_info*>(modules == nullptr ? reinterpret_cast<const void*>(id)
                                                               : modules->address_of(id));
}

/// Followed by the value.
struct ContributionMessage {
  std::int32_t rank;
  std::int32_t whole;
  std::int64_t root;
  std::uint64_t type;
  std::uint64_t bytes;
  void operator()(internal::RunContext& context) {
    internal::CollectiveGroup& group = group_at(context.core, whole != 0);
    const auto* value = reinterpret_cast<const std::byte*>(this + 1);
    arrive(group, rank, {from_travel(context.core, type), root}, {value, bytes});
    if (group.arrived == static_cast<int>(group.contributions.size()))
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

std::vector<std::vector<std::byte>> contribute(const GroupRange& range, const CollectiveStep& step,
                                               std::span<const std::byte> value) {
  Core& me = here();
  const int rank = me.id - range.first;
  if (rank != 0) {
    me.messages->send_with_tail(
        range.first,
        ContributionMessage{rank, range.whole, step.root, to_travel(me, step.type), value.size()},
        value.data(), value.size(), nullptr);
    me.messages->flush_to(range.first);
    return {};
  }
  CollectiveGroup& group = group_at(me, range.whole);
  arrive(group, rank, step, value);
  if (group.arrived != range.count) wait_in(group);
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
  using Step = internal::collective::barrier;
  internal::exchange<Step>(internal::all_cores_group(), char{0}, [](std::vector<char>&) {});
}

void local_barrier() {
  using Step = internal::collective::local_barrier;
  internal::exchange<Step>(internal::locale_group(), char{0}, [](std::vector<char>&) {});
}

}  // namespace grappa
