#include "python/module/progress_bar.hpp"

#include "grappa/base/clock.hpp"

namespace grappa::python {
namespace {

constexpr std::uint64_t kFirstNs = 500'000'000;
constexpr std::uint64_t kIntervalNs = 100'000'000;

}  // namespace

ProgressBar::ProgressBar() : next_ns_(internal::now_ns() + kFirstNs) {}

ProgressBar::~ProgressBar() {
  if (!bar_.is_valid()) return;
  const nanobind::gil_scoped_acquire held;
  try {
    bar_.attr("close")();
  } catch (nanobind::python_error& error) {
    error.discard_as_unraisable("grappa's progress bar");
  }
  bar_.reset();
}

void ProgressBar::show(const CallStep& step) {
  const std::uint64_t now = internal::now_ns();
  if (now < next_ns_) return;
  next_ns_ = now + kIntervalNs;
  const auto [what, fraction] = step.get();
  if (what.empty()) return;
  if (!bar_.is_valid()) bar_ = nanobind::module_::import_("grappa.progress").attr("Bar")();
  bar_.attr("show")(what.c_str(), fraction);
}

}  // namespace grappa::python
