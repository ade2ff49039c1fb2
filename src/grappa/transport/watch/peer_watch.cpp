#include "grappa/transport/watch/peer_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "grappa/base/clock.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/last_words.hpp"
#include "grappa/base/service_thread.hpp"
#include "grappa/tasking/report_signal.hpp"
#include "grappa/transport/watch/watch_graph.hpp"

namespace grappa::internal {
namespace {

using Kind = WatchFrame::Kind;

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1000 * kMillisecond;

constexpr std::uint64_t kBeatsPerLoss = 16;
constexpr std::uint64_t kMinIntervalNs = 10 * kMillisecond;
constexpr std::uint64_t kMaxIntervalNs = 500 * kMillisecond;
constexpr std::uint64_t kDescriptionNs = 2 * kSecond;
constexpr std::uint64_t kMaxFarewellNs = 3 * kSecond;
constexpr std::size_t kBytesAtOnce = 64 * 1024;
constexpr int kFlushMs = 200;
constexpr int kClosingMs = 10;
constexpr int kWordsStepMs = 2;
constexpr int kWordsSteps = 250;
constexpr int kNice = -10;

// Whom last words go to: one for the process, like its end.
constinit std::atomic<PeerWatch*> watch_of_process{nullptr};
thread_local constinit bool is_watch_thread = false;

// Signals are for the program's threads, and this one shall run when it has something to do.
void prepare_thread() {
  is_watch_thread = true;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);  // if we may
}

// Rank 0 of a large job has a connection to everybody.
void allow_descriptors(std::size_t count) {
  rlimit limit{};
  constexpr std::size_t kForOthers = 512;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + kForOthers) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, count + kForOthers);
  setrlimit(RLIMIT_NOFILE, &limit);
}

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

std::string silence_text(std::string_view locales, bool many, std::uint64_t lost_after_ns) {
  return fmt::format("{} {} lost: no heartbeat for {:.3g} s", locales, many ? "are" : "is",
                     seconds(lost_after_ns));
}

void end_process(const Verdict& verdict) noexcept {
  if (!verdict.silent) {
    const bool progress = isatty(STDERR_FILENO) != 0;  // its line is wiped
    write_last_line({progress ? "\r\033[K" : "", "grappa: ", verdict.text});
  }
  exit_at_once(verdict.status);
}

PeerWatch::PeerWatch(Options options)
    : options_(std::move(options)),
      parent_(getppid()),
      addresses_(static_cast<std::size_t>(options_.size)),
      vote_(options_.size),
      lost_after_ns_(options_.lost_after_ns),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  addresses_[static_cast<std::size_t>(options_.rank)] = local_address(listener_.port());
}

PeerWatch::~PeerWatch() {
  if (watch_of_process.load() == this) {
    set_last_words_teller(nullptr);
    watch_of_process.store(nullptr);
  }
  stop_.store(true);
  wake();
  if (thread_.joinable()) thread_.join();
}

void PeerWatch::start(std::vector<WatchAddress> addresses) {
  addresses_ = std::move(addresses);
  for (const int rank : watched_peers(options_.rank, options_.size)) {
    Peer& peer = peers_.emplace_back();
    peer.rank = rank;
    if (rank < options_.rank) {
      peer.addresses = addresses_[static_cast<std::size_t>(rank)].reachable_from(address());
    }
  }
  allow_descriptors(peers_.size());
  unconnected_ = peers_.size();
  thread_ = start_without_signals([this] { loop(); });
  watch_of_process.store(this);
  set_last_words_teller(&PeerWatch::tell);
  if (lost_after_ns_.load() == 0) return;
  std::unique_lock lock(mutex_);
  all_connected_.wait(lock, [this] { return unconnected_ == 0; });
}

void PeerWatch::set_run(const RunProbe* probe) {
  const std::lock_guard lock(mutex_);
  probe_ = probe;
}

void PeerWatch::say_goodbye(int status) {
  final_status_.store(status);
  leaves_.store(true);
  wake();
}

void PeerWatch::meet() {
  meets_.store(true);
  wake();
  std::unique_lock lock(mutex_);
  all_met_.wait_for(lock, std::chrono::nanoseconds(kMaxFarewellNs), [this] { return met_; });
}

void PeerWatch::ask_for_reports() noexcept {
  wants_reports_.store(true);
  wake();
}

void PeerWatch::report_failure(const std::string& what) {
  const std::uint64_t patience = lost_after_ns_.load() + 2 * interval_ns();
  std::this_thread::sleep_for(std::chrono::nanoseconds(patience));
  fatal(what);
}

void PeerWatch::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.number(), &one, sizeof one);
}

// ---- last words ----

void PeerWatch::tell(std::string_view words, int status) noexcept {
  if (is_watch_thread) return;
  if (PeerWatch* watch = watch_of_process.load()) watch->tell_peers(words, status);
}

void PeerWatch::tell_peers(std::string_view words, int status) noexcept {
  Words none = Words::kNone;
  if (words_state_.compare_exchange_strong(none, Words::kWriting)) {
    words_status_ = status;
    words_size_ = words.copy(words_, sizeof words_);
    words_state_.store(Words::kWaiting);
  }
  wake();
  for (int i = 0; i < kWordsSteps && words_state_.load() != Words::kSent && !says_why_.load(); ++i)
    poll(nullptr, 0, kWordsStepMs);
  if (says_why_.exchange(true)) leave_end_to_others(status);
}

void PeerWatch::take_words() {
  if (words_state_.load() != Words::kWaiting) return;
  // This process may end because another one is lost, as when a packet came in part: then that is
  // what to report. A process that dies does not close all its connections at once.
  std::this_thread::sleep_for(std::chrono::milliseconds(kClosingMs));
  for (Peer& peer : peers_) hear(peer);
  check_peers();
  if (ended_) return;
  Verdict verdict{words_status_, false, {}};
  verdict.silent = words_status_ == 128 + SIGINT;  // they have it, too
  verdict.text = fmt::format("{} has ended: {}", name_of(options_.rank),
                             std::string_view(words_, words_size_));
  send_to_all(to_bytes(Kind::kVerdict, to_content(verdict)));
  flush();
  ended_ = true;  // who speaks last words ends the process
  words_state_.store(Words::kSent);
}

// ---- the thread ----

void PeerWatch::loop() {
  prepare_thread();
  bool said_goodbye = false;
  std::uint64_t last_tick = now_ns();
  while (!stop_.load() && !ended_) {
    wait();
    if (ended_) break;
    if (leaves_.load() && !std::exchange(said_goodbye, true))
      send_to_all(to_bytes(Kind::kGoodbye, to_content(steps_.load() / 2)));
    check_meeting();
    take_words();
    if (wants_reports_.exchange(false)) send_to_all(to_bytes(Kind::kReport, {}));
    const std::uint64_t now = now_ns();
    if (ended_ || now - last_tick < interval_ns()) continue;
    tick(now - last_tick);
    last_tick = now;
  }
  if (!ended_) flush();
}

// Waits until something has come or can be sent, or it is time for a tick, and deals with it.
void PeerWatch::wait() {
  std::vector<pollfd> watched{{wake_.number(), POLLIN, 0}};
  const auto add = [&](const WatchSocket& link) {
    watched.push_back({link.number(), link.events(), 0});  // -1 where it is closed: left out
  };
  watched.push_back({accepts_ ? listener_.number() : -1, POLLIN, 0});
  for (const Peer& peer : peers_) add(peer.link);
  for (const Stranger& stranger : strangers_) add(stranger.link);

  const bool connecting = std::any_of(peers_.begin(), peers_.end(), [](const Peer& peer) {
    return !peer.connected && !peer.addresses.empty();
  });
  const std::uint64_t longest = connecting ? kMinIntervalNs : interval_ns();
  poll(watched.data(), watched.size(), static_cast<int>(longest / kMillisecond));
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t taken = read(wake_.number(), &count, sizeof count);

  std::size_t at = 2;
  for (Peer& peer : peers_) {
    if (watched[at++].revents != 0) peer.handshake ? greet(peer) : hear(peer);
    if (ended_) return;
  }
  hear_strangers();
  if (listener_.is_open() && watched[1].revents != 0) meet_strangers();
  for (Peer& peer : peers_) {
    if (!peer.connected && !peer.addresses.empty()) connect_to(peer);
  }
}

void PeerWatch::tick(std::uint64_t elapsed_ns) {
  accepts_ = true;
  // Time in which this thread did not run does not count as silence of the others.
  const std::uint64_t counted = std::min(elapsed_ns, 2 * interval_ns());
  for (Peer& peer : peers_) peer.silent_ns += counted;
  for (Peer& peer : peers_) hear(peer);
  if (!ended_) check_peers();
  if (!ended_) check_parent();
  if (!ended_) check_end(counted);
  if (!ended_) beat();
  if (!ended_ && descriptions_end_ns_ != 0 && now_ns() >= descriptions_end_ns_) report_deadlock();
}

// ---- hearing and judging ----

PeerWatch::Peer* PeerWatch::find(int rank) {
  const auto found = std::find_if(peers_.begin(), peers_.end(),
                                  [&](const Peer& peer) { return peer.rank == rank; });
  return found == peers_.end() ? nullptr : &*found;
}

void PeerWatch::hear(Peer& peer) {
  if (!peer.connected || peer.finished || peer.link.number() < 0) return;
  peer.link.move_bytes(kBytesAtOnce);
  bool malformed = false;
  while (const auto frame = take_frame(peer.link.received, malformed)) {
    peer.silent_ns = 0;
    confirmed(peer);
    take(peer, *frame);
    if (ended_) return;
  }
  if (malformed) peer.link.close();
  if (!peer.link.closed()) return;
  if (peer.goodbye) {
    peer.finished = true;
  } else if (!peer.confirmed) {
    peer.connected = false;  // it had not heard our proof, and tries again
  } else {
    const std::string why = malformed ? "it says what cannot be understood" : peer.link.why();
    conclude({1, false, fmt::format("{} is lost: {}", name_of(peer.rank), why)});
  }
}

void PeerWatch::take(Peer& peer, const WatchFrame& frame) {
  switch (frame.kind) {
    case Kind::kHeartbeat:
      if (options_.rank == 0) report(peer.rank, from_content<RunReport>(frame.content));
      break;
    case Kind::kGoodbye:
      peer.goodbye = from_content<std::uint64_t>(frame.content);
      break;
    case Kind::kMet:
      peer.met = true;
      break;
    case Kind::kVerdict:
      conclude(to_verdict(frame.content));
      break;
    case Kind::kDescribe:
      describe(peer);
      break;
    case Kind::kDescription:
      take_description(peer.rank, from_content<std::uint64_t>(frame.content),
                       frame.content.substr(std::min<std::size_t>(8, frame.content.size())));
      break;
    case Kind::kReport:
      ask_for_report();
      break;
  }
}

void PeerWatch::check_peers() {
  if (ended_) return;
  const std::uint64_t limit = lost_after_ns_.load();
  const std::uint64_t steps = steps_.load();
  std::vector<int> silent;
  std::size_t heard = 0;
  const Peer* lost = nullptr;
  for (const Peer& peer : peers_) {
    if (peer.goodbye && steps % 2 != 0 && *peer.goodbye <= steps / 2) {
      conclude({1, false,
                fmt::format("{} is lost: it has left the job before its end", name_of(peer.rank))});
      return;
    }
    if (peer.finished || limit == 0) continue;
    // Those that a cut has silenced together fall silent a heartbeat or two apart.
    (peer.silent_ns > limit / 2 ? silent.push_back(peer.rank) : void(++heard));
    if (peer.silent_ns > limit && lost == nullptr) lost = &peer;
  }
  if (lost == nullptr) return;
  const std::string silence = fmt::format("for {:.3g} s", seconds(limit));
  if (!lost->connected) {
    const WatchAddress& where = addresses_[static_cast<std::size_t>(lost->rank)];
    conclude({1, false,
              fmt::format("{} is lost: no TCP connection between it and {} {} (port {} at {}); "
                          "where none is possible, GRAPPA_LOST_AFTER=0 does without",
                          name_of(lost->rank), name_of(options_.rank), silence, where.port,
                          fmt::join(where.addresses, ", "))});
  } else if (silent.size() > heard + 1) {
    conclude({1, false,
              fmt::format("{} is cut off from the others: nothing heard of {} {}",
                          name_of(options_.rank), names_of(silent), silence)});
  } else {
    conclude({1, false, silence_text(names_of(silent), silent.size() > 1, limit)});
  }
}

void PeerWatch::check_parent() {
  if (!options_.with_parent || getppid() == parent_) return;
  conclude({1, false, fmt::format("the launcher of {} has ended", name_of(options_.rank))});
}

// MPICH over UCX and TCP does not always return from MPI_Finalize. The work is done by then.
void PeerWatch::check_end(std::uint64_t elapsed_ns) {
  const bool all_leave =
      leaves_.load() && std::all_of(peers_.begin(), peers_.end(),
                                    [](const Peer& peer) { return peer.goodbye.has_value(); });
  if (all_leave) leaving_ns_ += elapsed_ns;
  if (leaving_ns_ < kMaxFarewellNs) return;
  ended_ = true;
  options_.end({final_status_.load(), true, {}});
}

// Process 0 is connected to all: it counts who has come, and tells them when all have.
void PeerWatch::check_meeting() {
  if (!meets_.load() || meeting_ == Meeting::kOver) return;
  const bool is_host = options_.rank == 0;
  if (meeting_ == Meeting::kBefore && !is_host) send_to_all(to_bytes(Kind::kMet, {}));
  meeting_ = Meeting::kWaiting;
  const bool all_have_met = std::all_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return peer.met || peer.finished || !peer.connected || (!is_host && peer.rank != 0);
  });
  if (!all_have_met) return;
  if (is_host) send_to_all(to_bytes(Kind::kMet, {}));
  meeting_ = Meeting::kOver;
  const std::lock_guard lock(mutex_);
  met_ = true;
  all_met_.notify_all();
}

void PeerWatch::beat() {
  const RunReport mine = own_report();
  const std::string bytes = to_bytes(Kind::kHeartbeat, to_content(mine));
  for (Peer& peer : peers_) {
    // A peer that reads nothing gets no more than it could take at once.
    if (peer.connected && !peer.link.closed() && !peer.link.has_unsent()) peer.link.send(bytes);
  }
  if (options_.rank == 0) report(0, mine);
}

RunReport PeerWatch::own_report() const {
  const std::lock_guard lock(mutex_);
  return probe_ != nullptr ? probe_->report() : RunReport{};
}

// ---- deadlocks ----

void PeerWatch::report(int rank, const RunReport& report) {
  if (!vote_.add(rank, report) || descriptions_end_ns_ != 0) return;
  descriptions_.assign(static_cast<std::size_t>(options_.size), {});
  descriptions_end_ns_ = now_ns() + kDescriptionNs;
  send_to_all(to_bytes(Kind::kDescribe, {}));
  RunProbe::Waits waits;
  {
    const std::lock_guard lock(mutex_);
    if (probe_ != nullptr) waits = probe_->waits();
  }
  take_description(0, waits.tasks, waits.text);
}

void PeerWatch::describe(Peer& peer) {
  const std::lock_guard lock(mutex_);
  if (probe_ == nullptr) return;
  const RunProbe::Waits waits = probe_->waits();
  peer.link.send(to_bytes(Kind::kDescription, to_content(waits.tasks) + waits.text));
}

void PeerWatch::take_description(int rank, std::uint64_t tasks, const std::string& text) {
  if (descriptions_.empty()) return;
  descriptions_[static_cast<std::size_t>(rank)] = {text, true};
  suspended_ += tasks;
  if (std::all_of(descriptions_.begin(), descriptions_.end(),
                  [](const Description& one) { return one.here; }))
    report_deadlock();
}

void PeerWatch::report_deadlock() {
  std::string text = fmt::format(
      "fatal: deadlock: all {} suspended tasks wait, and no message is in flight:", suspended_);
  for (const Description& one : descriptions_) {
    if (!one.text.empty()) text += '\n' + one.text;
  }
  conclude({1, false, text.substr(0, kMaxContent / 2)});
}

// ---- ending ----

void PeerWatch::conclude(const Verdict& verdict) {
  if (std::exchange(ended_, true)) return;
  Verdict for_others = verdict;
  // A deadlock is described only once.
  if (descriptions_end_ns_ != 0) for_others.silent = true;
  Verdict for_us = verdict;
  for_us.silent |= says_why_.exchange(true);
  send_to_all(to_bytes(Kind::kVerdict, to_content(for_others)));
  flush();
  options_.end(for_us);
  const std::lock_guard lock(mutex_);
  unconnected_ = 0;
  all_connected_.notify_all();
}

void PeerWatch::send_to_all(const std::string& bytes) {
  for (Peer& peer : peers_) {
    if (peer.connected) peer.link.send(bytes);
  }
}

// Gives what is still to be sent a moment to leave.
void PeerWatch::flush() {
  const std::uint64_t end = now_ns() + kFlushMs * kMillisecond;
  while (now_ns() < end) {
    std::vector<pollfd> full;
    for (const Peer& peer : peers_) {
      if (peer.connected && !peer.link.closed() && peer.link.has_unsent())
        full.push_back({peer.link.number(), POLLOUT, 0});
    }
    if (full.empty()) return;
    poll(full.data(), full.size(), kFlushMs / 10);
    for (Peer& peer : peers_) {
      if (peer.connected) peer.link.send({});
    }
  }
}

// ---- texts ----

std::uint64_t PeerWatch::interval_ns() const {
  const std::uint64_t limit = lost_after_ns_.load(std::memory_order_relaxed);
  if (limit == 0) return kMaxIntervalNs;
  return std::clamp(limit / kBeatsPerLoss, kMinIntervalNs, kMaxIntervalNs);
}

std::string PeerWatch::name_of(int rank) const {
  const WatchAddress& address = addresses_[static_cast<std::size_t>(rank)];
  return fmt::format("locale {} (host {}, process {})", rank, address.host, address.pid);
}

std::string PeerWatch::names_of(const std::vector<int>& ranks) const {
  std::vector<std::string> names;
  for (const int rank : ranks) names.push_back(name_of(rank));
  return fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace grappa::internal
