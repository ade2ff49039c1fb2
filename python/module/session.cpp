#include "python/module/session.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <stdexcept>
#include <thread>

#include "grappa/base/config.hpp"
#include "grappa/base/error.hpp"
#include "grappa/base/metrics.hpp"
#include "grappa/parallel/runtime.hpp"
#include "python/module/job.hpp"
#include "python/module/stop.hpp"

namespace grappa::python {
namespace {

// Queries call deeply.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

Config configuration(const PySession::Options& options) {
  Config config = Config{}.with_environment();
  for (const auto& [name, value] : options) set_option(config, name, value);
  require_served(config);
  // Numbers look like addresses where the interpreter lies low in memory, as Debian's does.
  config.scan_payloads = config.scan_payloads.value_or(false);
  config.stack_bytes = std::max(config.stack_bytes, kStackBytes);
  return config;
}

constexpr std::uint64_t kLookNs = 20'000'000;

/// What goes on in sessions, for the end of the interpreter.
class Calls {
 public:
  /// Held while a thread is in a call, from before it gives the GIL away until it has it again.
  class Entry {
   public:
    explicit Entry(Calls& calls) : calls_(calls) {
      std::unique_lock lock(calls_.mutex_);
      if (calls_.must_stay()) {
        lock.unlock();
        PyEval_SaveThread();
        stay();
      }
      if (calls_.is_ending())
        throw std::runtime_error("grappa: the interpreter ends, and sessions have ended");
      ++calls_.count_;
    }
    ~Entry() {
      const std::lock_guard lock(calls_.mutex_);
      calls_.leave();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    /// Does not return if the interpreter ends: it might be gone before this thread has the GIL.
    void before_gil() {
      std::unique_lock lock(calls_.mutex_);
      if (!calls_.must_stay()) return;
      calls_.leave();
      lock.unlock();
      stay();
    }

   private:
    Calls& calls_;
  };

  /// From now on calls end, and no other thread begins one; waits for those that go on.
  void end() {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex_);
    ender_ = std::this_thread::get_id();
    ends_.store(true);
    changed_.wait(lock, [this] { return count_ == 0; });
  }

  bool is_ending() const { return ends_.load(); }

 private:
  bool must_stay() const { return ends_.load() && ender_ != std::this_thread::get_id(); }

  void leave() {
    --count_;
    changed_.notify_all();
  }

  [[noreturn]] static void stay() {
    for (;;) pause();
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int count_ = 0;
  std::thread::id ender_;
  std::atomic<bool> ends_{false};
};

// Never destroyed: threads may stay in it while the process ends.
Calls& calls() {
  static auto* const made = new Calls;
  return *made;
}

}  // namespace

PySession::PySession(const Options& options)
    : process_(getpid()), session_(std::make_shared<Session>(configuration(options))) {
  cores_ = call([] { return core_count(); });
}

PySession::~PySession() { close(); }

void PySession::call_without_gil(const std::function<void()>& function) {
  Calls::Entry entry(calls());
  std::exception_ptr failure;
  {
    std::optional<nb::gil_scoped_release> released(std::in_place);
    failure = outcome(function);
    entry.before_gil();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

/// While it lives, the call that goes on has this step.
class PySession::StepScope {
 public:
  StepScope(PySession& session, CallStep& step) : session_(session) { set(&step); }
  ~StepScope() { set(nullptr); }
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

 private:
  void set(CallStep* step) {
    const std::lock_guard lock(session_.mutex_);
    session_.step_ = step;
  }

  PySession& session_;
};

void PySession::note(std::string_view step, double fraction) {
  const std::lock_guard lock(mutex_);
  if (step_ != nullptr) step_->set(step, fraction);
}

// What the call throws; the session may be closed as soon as it is known.
std::exception_ptr PySession::outcome(const std::function<void()>& function) try {
  const std::shared_ptr<Session> session = open_session();
  CallStep step;
  const auto in_run = [this, &function, &step] {
    free_buried();
    const StepScope noted(*this, step);
    function();
  };
  std::exception_ptr interrupted;
  ProgressBar bar;
  SessionCall running(*session, in_run);
  while (!running.wait_for(kLookNs)) {
    if (calls().is_ending() || is_stopped()) running.cancel();
    if (interrupted != nullptr) continue;
    const nb::gil_scoped_acquire held;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      bar.show(step);
    } catch (const nb::python_error&) {
      interrupted = std::current_exception();
      running.cancel();
    }
  }
  if (interrupted != nullptr) return interrupted;
  running.get();
  return nullptr;
} catch (...) {
  return std::current_exception();
}

void PySession::bury(std::shared_ptr<void> owner) {
  const std::lock_guard lock(mutex_);
  buried_.push_back(std::move(owner));
}

bool PySession::is_open() const {
  const std::lock_guard lock(mutex_);
  return session_ != nullptr;
}

void PySession::close() {
  std::shared_ptr<Session> last;
  {
    const std::lock_guard lock(mutex_);
    last = std::move(session_);
    buried_.clear();  // the run frees it
  }
  const nb::gil_scoped_release released;
  last.reset();
}

std::shared_ptr<Session> PySession::open_session() const {
  if (getpid() != process_) {
    throw std::runtime_error(
        "grappa: this process was forked from one with a session, and has none of its threads; "
        "start workers with multiprocessing.get_context('spawn'), or open a grappa.session() here");
  }
  const std::lock_guard lock(mutex_);
  if (session_ == nullptr) throw std::runtime_error("grappa: the session of this object is closed");
  return session_;
}

void PySession::free_buried() {
  std::vector<std::shared_ptr<void>> owners;
  const std::lock_guard lock(mutex_);
  owners.swap(buried_);
}

void add_session(nb::module_& module) {
  module.def("session_options", [] {
    nb::list all;
    for (const OptionInfo& of : config_options())
      all.append(nb::make_tuple(std::string(of.name), std::string(of.value), std::string(of.help)));
    return all;
  });
  module.def(
      "end_calls",
      [](bool others) {
        if (others) nb::set_leak_warnings(false);  // who is left behind keeps what they have
        calls().end();
      },
      nb::arg("others"), "Before the interpreter ends, perhaps with other threads left.");
  nb::class_<PySession>(module, "Session", "A run of Grappa that goes on beside Python.")
      .def(nb::init<const PySession::Options&>(), nb::arg("options"))
      .def("stats",
           [](PySession& self) { return self.call([] { return to_json(metrics_snapshot()); }); })
      .def_prop_ro("cores", &PySession::cores, "Cores that it works on.")
      .def_prop_ro("is_open", &PySession::is_open)
      .def(
          "nothing", [](PySession& self) { self.call([] {}); }, "A call that does nothing.")
      .def("close", &PySession::close, "Ends it. What was computed in it and is in Python stays.");
}

}  // namespace grappa::python
