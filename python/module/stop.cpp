#include "python/module/stop.hpp"

#include <atomic>

namespace grappa::python {
namespace {

class Stop;

thread_local const Stop* stop_here = nullptr;

class Stop {
 public:
  ~Stop() { end(); }
  void begin() { stop_here = this; }
  void end() {
    if (stop_here == this) stop_here = nullptr;
    is_set_.store(false);
  }
  void set() { is_set_.store(true); }
  bool is_set() const { return is_set_.load(); }

 private:
  std::atomic<bool> is_set_{false};
};

}  // namespace

bool is_stopped() { return stop_here != nullptr && stop_here->is_set(); }

void add_stop(nanobind::module_& module) {
  nanobind::class_<Stop>(module, "Stop", "Cancels what another thread calls.")
      .def(nanobind::init<>())
      .def("begin", &Stop::begin, "Calls that this thread makes from here on can be stopped.")
      .def("end", &Stop::end, "Those that it makes later are not.")
      .def("set", &Stop::set,
           "Cancels the one that goes on or is to come, and those that follow until end().");
}

}  // namespace grappa::python
