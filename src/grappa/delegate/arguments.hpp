#pragma once

// Arguments beside a closure: what a lambda cannot capture if it is to travel.
//
//   delegate::call(3, [](std::string& word, int n) { use(word, n); }, std::string("abc"), 7);
//
// The compiler does not tell what a closure captures, and so cannot serialize a captured string;
// given as arguments, values of all kinds that base/serialize.hpp knows travel beside it. Bound
// makes one closure of both.

#include <concepts>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#include "grappa/base/serialize.hpp"
#include "grappa/message/serialized_message.hpp"
#include "grappa/tasking/closure.hpp"

namespace grappa {
namespace internal {

/// Where a closure was sent, for messages that refuse it. Left to its default.
using CallSite = std::source_location;

/// A core, and where it was named.
struct CoreAt {
  CoreAt(int its_core, CallSite its_place = CallSite::current())  // NOLINT(google-explicit-*)
      : core(its_core), where(its_place) {}
  int core;
  CallSite where;
};

/// Calls f with what it is called with, and then with its own copies of the arguments.
template <class F, class... Args>
struct Bound {
  std::tuple<Args...> arguments;
  [[no_unique_address]] F f;

  template <class... Ts>
  auto operator()(Ts&... given) -> std::invoke_result_t<F&, Ts&..., Args&...> {
    return std::apply([&](Args&... own) -> decltype(auto) { return f(given..., own...); },
                      arguments);
  }
};

template <class F, class... Args>
constexpr auto members_of_bound() {
  using B = Bound<F, Args...>;
  // What a closure without captures is, its type says.
  if constexpr (std::is_empty_v<F> && std::default_initializable<F>) {
    return std::tuple(&B::arguments);
  } else {
    return std::tuple(&B::arguments, &B::f);
  }
}

/// References to the arguments are sent as if they were these.
template <class F, class... Args>
struct ArrivalOf<Bound<F, const Args&...>> {
  using Type = Bound<F, Args...>;
};

}  // namespace internal

template <class F, class... Args>
struct IsSendable<internal::Bound<F, const Args&...>> : std::false_type {};
template <class F, class... Args>
inline constexpr auto kMembersOf<internal::Bound<F, Args...>> =
    internal::members_of_bound<F, Args...>();

namespace internal {

/// What may stand behind a closure: at least one argument, and no place.
template <class... Args>
concept Arguments = sizeof...(Args) > 0 &&
                    (!std::same_as<std::remove_cvref_t<Args>, CallSite> && ...);

/// Fails to compile, with a readable message, when F can neither travel as plain bytes nor be
/// serialized.
template <class F>
constexpr void require_travelling() {
  if constexpr (Listed<F>) {
    require_payload<F>();
  } else {
    require_closure<F>();
  }
}

template <bool kTakesThem, class F, class... Args>
constexpr void require_arguments() {
  static_assert(kTakesThem,
                "grappa: this closure is called with the object at the address, if one is given, "
                "and with the arguments that stand behind it; it may take them by reference.");
  require_travelling<F>();
  (require_value_of_bytes<Args>(), ...);
}

/// A closure that is called with `Given`. Fails to compile, with a readable message, where F does
/// not take that, or an argument cannot travel.
template <class... Given, class F, class... Args>
auto bind(F f, Args&&... args) {
  require_arguments<std::is_invocable_v<F&, Given&..., std::decay_t<Args>&...>, F,
                    std::decay_t<Args>...>();
  return Bound<F, std::decay_t<Args>...>{{std::forward<Args>(args)...}, std::move(f)};
}

/// The same for a closure that is sent at once: it refers to arguments that are not plain bytes.
template <class... Given, class F, class... Args>
auto bind_to_send(const F& f, const Args&... args) {
  if constexpr (kIsSendable<Bound<F, std::decay_t<const Args&>...>>) {
    return bind<Given...>(f, args...);
  } else {
    require_arguments<std::is_invocable_v<F&, Given&..., std::decay_t<const Args&>&...>, F,
                      std::decay_t<const Args&>...>();
    return Bound<F, const std::decay_t<const Args&>&...>{{args...}, f};
  }
}

}  // namespace internal
}  // namespace grappa
