#include "cli/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "grappa/base/text_values.hpp"

namespace grappa::cli {
namespace {

constexpr int kLinearTicks = 6;  // about as many
constexpr std::size_t kMaxTicks = 10;
constexpr double kMargin = 0.03;  // of a logarithmic axis, beyond the values at either end

/// The least of 1, 2, 5 times a power of ten that is not below `value`.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    // Powers of ten below 1 are not exact.
    if (digit * power >= value * (1 - 1e-9)) return digit * power;
  }
  return 10 * power;
}

}  // namespace

std::string number_text(double value) {
  if (std::abs(value) >= 1e7) return fmt::format("{:.3g}", value);
  std::string text = fmt::format("{:.6g}", std::abs(value));
  if (std::abs(value) >= 1e6) text = fmt::format("{:.0f}", std::abs(value));
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > 3 && text.find('e') == std::string::npos; at -= 3)
    text.insert(at - 3, 1, ',');
  return value < 0 ? "-" + text : text;
}

AxisMap::AxisMap(const Axis& axis, double least, double greatest)
    : axis_(axis), low_(least), high_(greatest) {
  switch (axis_.scale) {
    case Scale::kLinear:
      choose_linear();
      break;
    case Scale::kLog:
      choose_log();
      break;
    case Scale::kPowersOf2:
      choose_powers_of_2();
      break;
  }
}

double AxisMap::fraction(double value) const {
  if (axis_.scale == Scale::kLinear) return (value - low_) / (high_ - low_);
  return std::log(value / low_) / std::log(high_ / low_);
}

void AxisMap::add_tick(double value) {
  ticks_.push_back({value, axis_.bytes ? internal::format_bytes(static_cast<std::uint64_t>(value))
                                       : number_text(value)});
}

void AxisMap::choose_linear() {
  low_ = std::min(low_, 0.0);
  if (high_ <= low_) high_ = low_ + 1;
  const double step = round_step((high_ - low_) / kLinearTicks);
  const double first = std::floor(low_ / step);
  const double last = std::ceil(high_ / step * (1 - 1e-9));
  low_ = first * step;
  high_ = last * step;
  for (double k = first; k <= last; ++k) add_tick(k * step);
}

void AxisMap::choose_log() {
  const double least = low_;
  const double greatest = high_;
  const double ratio = greatest > least ? greatest / least : 10;
  low_ = least * std::pow(ratio, -kMargin);
  high_ = greatest > least ? greatest * std::pow(ratio, kMargin) : least * ratio;
  const auto first = static_cast<int>(std::floor(std::log10(low_)));
  const auto last = static_cast<int>(std::ceil(std::log10(high_)));
  const auto choose = [&](std::initializer_list<double> digits) {
    ticks_.clear();
    for (int power = first; power <= last; ++power) {
      for (const double digit : digits) {
        const double value = digit * std::pow(10.0, power);
        if (covers(value)) add_tick(value);
      }
    }
    return ticks_.size();
  };
  if (choose({1, 2, 5}) <= kMaxTicks && ticks_.size() >= 3) return;
  if (ticks_.size() > kMaxTicks) {
    choose({1});
    return;
  }
  // Less than a decade: ticks at equal differences.
  ticks_.clear();
  const double step = round_step((high_ - low_) / kLinearTicks);
  for (double k = std::ceil(low_ / step); k * step <= high_; ++k) add_tick(k * step);
}

void AxisMap::choose_powers_of_2() {
  const auto first = static_cast<int>(std::ceil(std::log2(low_) - 1e-9));
  const auto last = static_cast<int>(std::floor(std::log2(high_) + 1e-9));
  const double ratio = high_ > low_ ? high_ / low_ : 2;
  const double greatest = high_ > low_ ? high_ : low_ * 2;
  low_ *= std::pow(ratio, -kMargin);
  high_ = greatest * std::pow(ratio, kMargin);
  const int step = std::max(1, (last - first) / static_cast<int>(kMaxTicks) + 1);
  for (int power = first; power <= last; power += step) add_tick(std::ldexp(1.0, power));
  if (ticks_.empty()) add_tick(low_);
}

}  // namespace grappa::cli
