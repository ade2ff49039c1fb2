#pragma once

// The tasks that lead the locales through what all of them compute together (team.hpp).
//
//   Leaders<std::string> leaders([](const Team&) { return std::make_unique<std::string>(); });
//   leaders.run(text, [&](std::string& here) { here += text; },           // any type in its place
//               [](std::string& there, const std::string& same) { there += same; });
//
// Made and used by the task that was given to run, which it makes switch.

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "grappa/delegate/delegate.hpp"
#include "grappa/io/runtime_parallel_for.hpp"
#include "grappa/parallel/cancellation.hpp"
#include "grappa/parallel/exchange.hpp"
#include "grappa/parallel/locale_state.hpp"
#include "grappa/parallel/owned.hpp"
#include "grappa/parallel/spawn.hpp"
#include "grappa/query/exec/team.hpp"

namespace grappa::query {

/// Each locale has a State of its own, that never travels.
template <class State>
class Leaders {
 public:
  /// make(team) returns the std::unique_ptr<State> of the locale where it runs.
  template <class Make>
  explicit Leaders(Make make)
      : exchange_(Exchange::create()),
        cores_(io::CoreTeam::create()),
        locals_(Locals::create([make, exchange = *exchange_, cores = *cores_] {
          const Team team{cores.parallel_for(), cores_per_locale(), this_locale(), locale_count(),
                          exchange};
          return std::make_unique<Local>(Local{team, make(team), {}});
        })) {}

  State& here() const { return *local().state; }

  /// here(state) on this locale, and there(state, argument) on all others, at the same time; what
  /// one of them throws ends it on all, and is thrown. `there` is trivially copyable.
  template <class Argument, class Here, class There>
  void run(const Argument& argument, const Here& here, There there) {
    CompletionEvent others;
    for (int locale = 1; locale < locale_count(); ++locale)
      spawn_on(
          others, first_core_of(locale),
          [locals = *locals_, there](const Argument& same) {
            spawn(kLargeStack, [locals, there, same] { (*locals)->lead_quietly(there, same); });
          },
          argument);
    std::exception_ptr error;
    try {
      local().lead(here);
    } catch (...) {
      error = std::current_exception();
    }
    others.wait();
    if (!error) return;
    try {
      std::rethrow_exception(error);
    } catch (const FailedElsewhere&) {
      stop_if_cancelled();  // it was that
      for (int locale = 1; locale < locale_count(); ++locale) {
        const std::string said =
            delegate::call(first_core_of(locale), [locals = *locals_] { return (*locals)->error; });
        if (said.empty()) continue;
        const bool is_fault = delegate::call(first_core_of(locale),
                                             [locals = *locals_] { return (*locals)->is_fault; });
        if (is_fault) throw Error(said);
        throw QueryError(said);
      }
      throw;
    }
  }

 private:
  struct Local {
    Team team;
    std::unique_ptr<State> state;
    std::string error{};    // what has gone wrong here, and nowhere else
    bool is_fault = false;  // not for the caller to correct (base/error.hpp)

    template <class F>
    void lead(const F& f) {
      error.clear();
      try {
        f(*state);
        team.meet([](std::span<const std::byte>) {});
      } catch (const FailedElsewhere&) {
        throw;
      } catch (...) {
        team.fail();
        throw;
      }
    }
    template <class There, class Argument>
    void lead_quietly(const There& there, const Argument& argument) {
      try {
        lead([&](State& of) { there(of, argument); });
      } catch (const FailedElsewhere&) {
        error.clear();  // said there
      } catch (const Error& thrown) {
        error = thrown.what();
        is_fault = dynamic_cast<const UsageError*>(&thrown) == nullptr &&
                   dynamic_cast<const InputError*>(&thrown) == nullptr;
      }
    }
  };
  using Locals = LocaleState<std::unique_ptr<Local>>;

  Local& local() const { return **(*locals_); }

  Owned<Exchange> exchange_;
  Owned<io::CoreTeam> cores_;
  Owned<Locals> locals_;
};

}  // namespace grappa::query
