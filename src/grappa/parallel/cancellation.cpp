#include "grappa/parallel/cancellation.hpp"

#include <mutex>
#include <typeinfo>

#include "grappa/delegate/delegate.hpp"
#include "grappa/parallel/runtime.hpp"
#include "grappa/parallel/spawn.hpp"

namespace grappa {
namespace {

constexpr std::uint64_t kLookNs = 10'000'000;

}  // namespace

Cancellation::Cancellation(std::atomic<bool>& asked) : asked_(asked) {
  internal::here().locale.cancel.store(&asked_);
  if (locale_count() > 1) spawn(watching_, [this] { tell_others(); });
}

Cancellation::~Cancellation() {
  // Whoever asks from here on asks too late, and the others must not hear of it.
  is_over_ = true;
  clear();
  watching_.wait();
  internal::Locale& locale = internal::here().locale;
  locale.cancel.store(&locale.told_to_cancel);
}

void Cancellation::clear() {
  const std::lock_guard lock(telling_);
  asked_.store(false);
  if (is_told_) tell(false);
}

void Cancellation::tell_others() {
  while (!is_over_) {
    sleep_for(kLookNs);
    const std::lock_guard lock(telling_);
    if (!is_over_ && asked_.load() && !is_told_) tell(true);
  }
}

void Cancellation::tell(bool cancelled) {
  is_told_ = cancelled;
  for (int locale = 1; locale < locale_count(); ++locale) {
    delegate::call(first_core_of(locale),
                   [cancelled] { internal::here().locale.told_to_cancel.store(cancelled); });
  }
}

bool is_of_cancelling(const std::exception_ptr& failure) {
  if (failure == nullptr) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const Cancelled&) {
    return true;
  } catch (const RemoteError& error) {
    return error.type_name() == internal::demangled_type_name(typeid(Cancelled));
  } catch (...) {
    return false;
  }
}

}  // namespace grappa
