#pragma once

// The watch of a job: makes sure that all its processes end when one is lost.
//
// MPI says nothing for minutes when a link is cut or a process hangs. So each process keeps TCP
// connections to others (watch_graph.hpp), served by a thread of its own, and sends a heartbeat
// over each several times in Config::lost_after_ns. A peer is lost when its connection ends without
// a goodbye, or when nothing is heard of it for so long. Whoever finds that tells its own peers,
// which tell theirs; each process writes the same line and ends at once, without asking MPI.
//
//   PeerWatch watch({.rank = 2, .size = 8, .secret = secret, .lost_after_ns = 5'000'000'000});
//   watch.start(all_gather(watch.address()));        // returns when it is connected
//   {
//     PeerWatch::Step step(watch);
//     …                                              // something that all processes take part in
//   }
//   watch.say_goodbye(0);
//
// The same connections carry the last words of a process (base/last_words.hpp) and the search for
// deadlocks (deadlock_vote.hpp), and pass on the wish for a report on all tasks.
//
// Silence is counted only while the watch itself runs: a process that was stopped and continues
// first reads what the others have said meanwhile, which is usually that it is lost.
//
// Connections are accepted only from processes that know the secret of the job, and only until all
// peers have connected; see handshake.hpp. A stranger has two seconds to prove that it knows the
// secret, and a new one takes the place of the oldest.
//
// A process also ends when its parent does: that was the launcher, or the launcher's process on
// this machine.
//
// Thread safety: all functions may be called by any thread, once start() has returned.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "grappa/transport/watch/deadlock_vote.hpp"
#include "grappa/transport/watch/handshake.hpp"
#include "grappa/transport/watch/run_probe.hpp"
#include "grappa/transport/watch/watch_address.hpp"
#include "grappa/transport/watch/watch_frame.hpp"
#include "grappa/transport/watch/watch_socket.hpp"

namespace grappa::internal {

/// "locale 3 (…) is lost: no heartbeat for 5 s".
std::string silence_text(std::string_view locales, bool many, std::uint64_t lost_after_ns);

/// Writes the text of the verdict, unless another process has, and ends this process.
[[noreturn]] void end_process(const Verdict& verdict) noexcept;

class PeerWatch {
 public:
  struct Options {
    int rank = 0;
    int size = 1;
    JobSecret secret{};
    std::uint64_t lost_after_ns = 0;  // 0: silence means nothing
    bool with_parent = true;          // ends with its parent
    /// Called once, by the watch's thread, when the job ends by a verdict.
    std::function<void(const Verdict&)> end = &end_process;
  };

  explicit PeerWatch(Options options);  // listens
  ~PeerWatch();                         // ends the connections
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  const WatchAddress& address() const {
    return addresses_[static_cast<std::size_t>(options_.rank)];
  }

  /// Begins, with the addresses of all processes by rank. Returns when all peers are connected; if
  /// lost_after_ns is 0, it does not wait for them.
  void start(std::vector<WatchAddress> addresses);

  void set_lost_after(std::uint64_t ns) { lost_after_ns_.store(ns, std::memory_order_relaxed); }

  /// The run of this process; null: there is none. When it returns the last one is not asked any
  /// more.
  void set_run(const RunProbe* probe);

  /// While a Step lives, this process takes part in something that needs all of them. They all take
  /// the same steps in the same order; a peer that leaves after fewer steps is lost.
  class Step {
   public:
    explicit Step(PeerWatch& watch) : watch_(watch) { watch_.steps_.fetch_add(1); }
    ~Step() { watch_.steps_.fetch_add(1); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    PeerWatch& watch_;
  };
  bool in_step() const { return steps_.load() % 2 != 0; }

  /// This process leaves the job in good order and will exit with `status`. Its peers watch it
  /// until it is gone. When all of them have left and MPI still takes some seconds to end, the
  /// process ends without waiting for MPI.
  void say_goodbye(int status);

  /// Once a job: returns when all processes have called it. MPI's own barrier returns in some while
  /// others still make progress in it; this one has nothing to do with MPI. Does not wait for those
  /// that have no connection, nor longer than some seconds.
  void meet();

  /// Makes the other processes report on their tasks, too (tasking/report_signal.hpp).
  void ask_for_reports() noexcept;

  /// MPI has failed, usually because of what the watch is about to notice itself. Waits for the
  /// verdict of the watch; if there is none, this failure ends the job. Does not return if the
  /// process ends.
  void report_failure(const std::string& what);

 private:
  struct Peer {
    int rank = 0;
    WatchSocket link;
    bool connected = false;
    bool confirmed = false;                // both sides know that they are
    bool finished = false;                 // gone in good order
    bool met = false;                      // has come to the meeting, or, as process 0, ended it
    std::optional<std::uint64_t> goodbye;  // the steps it had taken part in
    std::uint64_t silent_ns = 0;
    // The attempts to connect to it, where that is ours to do.
    std::vector<std::string> addresses;
    std::size_t attempts = 0;
    std::optional<Handshake> handshake;
    std::uint64_t attempt_ends_ns = 0;
    std::uint64_t next_attempt_ns = 0;
  };
  // Somebody who has connected and has not said who it is.
  struct Stranger {
    WatchSocket link;
    Handshake handshake;
    std::uint64_t ends_ns;
  };

  static void tell(std::string_view words, int status) noexcept;  // a LastWordsTeller
  void tell_peers(std::string_view words, int status) noexcept;
  void wake() noexcept;

  // All below on the watch's thread.
  void loop();
  void wait();
  void tick(std::uint64_t elapsed_ns);
  void meet_strangers();
  void hear_strangers();
  void connect_to(Peer& peer);
  void greet(Peer& peer);
  void connected(Peer& peer, WatchSocket link);
  void confirmed(Peer& peer);
  void hear(Peer& peer);
  void take(Peer& peer, const WatchFrame& frame);
  void take_words();
  void check_peers();
  void check_parent();
  void check_end(std::uint64_t elapsed_ns);
  void check_meeting();
  void beat();
  void report(int rank, const RunReport& report);
  void describe(Peer& peer);
  void take_description(int rank, std::uint64_t tasks, const std::string& text);
  void report_deadlock();
  void conclude(const Verdict& verdict);
  void send_to_all(const std::string& bytes);
  void flush();
  Peer* find(int rank);
  RunReport own_report() const;
  std::uint64_t interval_ns() const;
  std::string name_of(int rank) const;
  std::string names_of(const std::vector<int>& ranks) const;

  const Options options_;
  const long parent_;
  WatchListener listener_;
  std::vector<WatchAddress> addresses_;  // by rank
  std::vector<Peer> peers_;
  std::list<Stranger> strangers_;
  bool accepts_ = true;  // false for a while when the system has no descriptor left
  DeadlockVote vote_;
  struct Description {
    std::string text;
    bool here = false;
  };
  std::vector<Description> descriptions_;  // by rank, while a deadlock is being described
  std::uint64_t suspended_ = 0;
  std::uint64_t descriptions_end_ns_ = 0;
  std::uint64_t leaving_ns_ = 0;  // since all have said goodbye
  enum class Meeting { kBefore, kWaiting, kOver };
  Meeting meeting_ = Meeting::kBefore;
  bool ended_ = false;

  std::atomic<std::uint64_t> lost_after_ns_;
  std::atomic<std::uint64_t> steps_{0};  // twice those taken part in, and one more within one
  std::atomic<int> final_status_{0};
  std::atomic<bool> leaves_{false};
  std::atomic<bool> meets_{false};
  std::atomic<bool> wants_reports_{false};
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;  // guards the four below
  const RunProbe* probe_ = nullptr;
  std::size_t unconnected_ = 0;
  std::condition_variable all_connected_;
  bool met_ = false;
  std::condition_variable all_met_;

  // The last words of this process, on their way from whichever thread speaks them.
  enum class Words { kNone, kWriting, kWaiting, kSent };
  std::atomic<Words> words_state_{Words::kNone};
  int words_status_ = 1;
  std::size_t words_size_ = 0;
  char words_[1024];
  /// Set by who says why the process ends: the watch with a verdict, or who has told last words.
  std::atomic<bool> says_why_{false};

  Descriptor wake_;
  std::thread thread_;
};

}  // namespace grappa::internal
