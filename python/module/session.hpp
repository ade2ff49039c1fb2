#pragma once

// The session that Python's objects live in.
//
//   auto session = std::make_shared<PySession>(2);
//   const double seconds = session->call([&] { return compute(); });    // without the GIL
//
// While a call goes on, Python's signals are looked at: Ctrl-C cancels it, and is thrown once it
// has ended. So does a Stop of its thread (stop.hpp). When the interpreter ends, calls of the
// threads that it leaves behind are cancelled, and never return: such a thread must not touch
// Python any more. What lives in the run is given to bury() when Python drops it, from any thread;
// the next call frees it. A call that lasts shows the step that it has noted in a bar
// (grappa/progress.py).

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "grappa/parallel/session.hpp"
#include "python/module/progress_bar.hpp"

namespace grappa::python {

namespace nb = nanobind;

class PySession {
 public:
  /// Options of the runtime by the tool's names, and their values.
  using Options = std::vector<std::pair<std::string, std::string>>;

  explicit PySession(const Options& options);
  ~PySession();
  PySession(const PySession&) = delete;
  PySession& operator=(const PySession&) = delete;

  /// Runs f() in the run; the GIL is held by the caller, and not by f.
  template <class F>
  std::invoke_result_t<F&> call(F f) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
      call_without_gil(f);
    } else {
      std::optional<std::invoke_result_t<F&>> result;
      call_without_gil([&] { result.emplace(f()); });
      return std::move(*result);
    }
  }

  /// In a call: what it does now, and how much of that is done (0 … 1; below: nobody knows).
  void note(std::string_view step, double fraction = -1);

  /// Takes what owns something in the run.
  void bury(std::shared_ptr<void> owner);

  /// Keeps the run, and what lives in it, though it be closed meanwhile.
  std::shared_ptr<void> keep() const { return open_session(); }

  int cores() const { return cores_; }
  bool is_open() const;
  /// Ends the run once nobody calls into it any more.
  void close();

 private:
  class StepScope;

  void call_without_gil(const std::function<void()>& function);
  std::exception_ptr outcome(const std::function<void()>& function);
  std::shared_ptr<Session> open_session() const;
  void free_buried();

  const std::int64_t process_;
  int cores_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  CallStep* step_ = nullptr;  // of the call that goes on
  std::shared_ptr<Session> session_;
  std::vector<std::shared_ptr<void>> buried_;
};

void add_session(nb::module_& module);

}  // namespace grappa::python
