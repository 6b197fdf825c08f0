#include "bench/report/chart_scale.hpp"

#include <algorithm>
#include <cmath>

#include "pictures/axis_ticks.hpp"

namespace skde::bench {
namespace {

constexpr double kMargin = 0.04;  // of the range, beyond the outermost values
constexpr double kLeastLogRange =
    0.6;  // decades: below a factor of 4 noise would look like a trend

}  // namespace

ChartScale::ChartScale(const ChartAxis& axis, const std::vector<double>& values, bool ends_round)
    : scale_(axis.scale), text_(axis.ticks) {
  const bool log = scale_ == AxisScale::log10;
  lower_ = log ? 1 : 0;
  upper_ = log ? 10 : 1;
  bool any = false;
  for (const double value : values) {
    if (!can_show(value)) continue;
    lower_ = any ? std::min(lower_, value) : value;
    upper_ = any ? std::max(upper_, value) : value;
    any = true;
  }
  if (!any) return;
  if (!log) {
    lower_ = std::min(lower_, 0.0);  // bars and shares start at nothing
    const double span = upper_ > lower_ ? upper_ - lower_ : 1;
    upper_ = lower_ + span * (1 + kMargin);
    return;
  }
  const double decades = std::log10(upper_ / lower_);
  const double missing = std::max(0.0, kLeastLogRange - decades) / 2;
  const double margin = std::pow(10.0, missing + kMargin * std::max(decades, kLeastLogRange));
  lower_ = ends_round ? round_below(lower_ / margin) : lower_ / margin;
  upper_ = ends_round ? round_above(upper_ * margin) : upper_ * margin;
}

bool ChartScale::can_show(double value) const {
  return std::isfinite(value) && (scale_ == AxisScale::linear || value > 0);
}

double ChartScale::share(double value) const {
  return scale_ == AxisScale::log10 ? std::log(value / lower_) / std::log(upper_ / lower_)
                                    : (value - lower_) / (upper_ - lower_);
}

double ChartScale::pixel(double value) const { return first_ + share(value) * (last_ - first_); }

ChartTicks ChartScale::ticks(int most) const {
  if (scale_ == AxisScale::log10) return choose_log_ticks(lower_, upper_, most, text_);
  ChartTicks ticks;
  ticks.positions = choose_ticks(lower_, upper_, std::max(5, most)).positions;
  for (const double position : ticks.positions) ticks.labels.push_back(tick_text(position, text_));
  return ticks;
}

}  // namespace skde::bench
