#pragma once

// Stealing between locales: public tasks, and units of loops that may run anywhere.
//
// A core that has run out of work, with nothing to steal in its locale, asks a core of another
// locale, the victim. The victim sends half of its public tasks, or half of what is left of a loop,
// or refuses. A core has at most one request under way. After a few random victims that refused,
// the core registers with its *lifelines*, the locales 1, 2, 4, … after its own, and goes quiet: it
// does not ask again until one of them tells it that there is work. So a cluster without stealable
// work sends nothing, whatever its size; yet work that is anywhere spreads everywhere, since the
// lifelines connect all locales.
//
// Source: V. A. Saraswat, P. Kambadur, S. Kodali, D. Grove, S. Krishnamoorthy, "Lifeline-based
// global load balancing", PPoPP 2011. Two things differ: a locale that has work does not send it
// along a lifeline but says so, and is asked for it, because the core that registered may be busy
// by now; and at the start of a run all cores count as registered, so that a run without stealable
// work does not begin with requests either.
//
// Work travels in messages that count for its completion event as any message does; the requests
// around it belong to no event. A run may end, or be found deadlocked, while cores are registered.
//
// A balancer is used by its own core only, the lifelines by all cores of their locale.

#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "grappa/tasking/core.hpp"
#include "grappa/tasking/load_balancer.hpp"

namespace grappa::internal {

/// The cores that have registered with a locale. Any core of the locale may use it.
class Lifelines {
 public:
  explicit Lifelines(const Locale& locale);

  /// How many lifelines each locale has.
  int count() const { return count_; }
  /// The locale with which the cores of this one register on lifeline k.
  int target(int k) const { return (locale_ + (1 << k)) % locales_; }

  bool anybody_waits() const { return waiting_.load(std::memory_order_relaxed) > 0; }
  /// Registers `core`, whose lifeline k ends here.
  void wait(int k, int core);
  /// Takes one registered core out; -1: there is none.
  int take();

 private:
  const int locale_;
  const int locales_;
  const int cores_each_;
  const int count_;
  std::atomic<int> waiting_;
  std::vector<std::atomic<bool>> registered_;  // by lifeline and index of the core in its locale
};

class LifelineBalancer final : public LoadBalancer {
 public:
  LifelineBalancer(Core& core, Lifelines& lifelines);

  bool ask(std::uint64_t idle_since) override;
  bool offer() override;
  std::uint64_t next_action(std::uint64_t idle_since) const override;

  /// What the messages do.
  static constexpr int kNoLifeline = -1;
  /// Core `thief` of another locale asks for work. If there is none and the request came over a
  /// lifeline, the thief is registered.
  void requested(int thief, int lifeline, bool forwarded);
  /// The request was answered with so much work, which travels in messages of its own.
  void answered(int lifeline, std::int64_t tasks, std::int64_t units);
  /// Core `by`, with whose locale this one was registered, has work.
  void woken(int by);

 private:
  bool may_ask() const;
  std::uint64_t ask_due(std::uint64_t idle_since) const;
  std::uint64_t offer_due() const;
  std::int64_t spare() const;
  int unregistered() const;
  int lifeline_to(int core) const;
  int random_victim();
  const Core* busy_sibling() const;

  Core& core_;
  Lifelines& lifelines_;
  std::minstd_rand random_;

  // As one that wants work.
  bool under_way_ = false;
  int wakened_by_ = -1;           // the core that has said it has work
  int random_tries_;              // since there was work the last time
  std::uint64_t next_ask_ = 0;    // not before that time
  std::uint64_t ask_wait_;        // and then not for that long, unless there was work
  std::vector<bool> registered_;  // by lifeline; also while the request is under way

  // As one that has it.
  std::uint64_t spare_since_ = 0;  // 0: there was none in the last pass
  std::uint64_t next_offer_ = 0;
  std::uint64_t offer_wait_;
};

}  // namespace grappa::internal
