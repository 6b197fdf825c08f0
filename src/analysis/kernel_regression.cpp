#include "analysis/kernel_regression.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/report/error.hpp"

namespace skde {
namespace {

constexpr std::size_t kTogether = 3;  // columns at a time, of two channels each

}  // namespace

ColumnScale scale_of(std::span<const double> values, std::size_t columns, std::size_t column) {
  double least = values[column], most = least;
  for (std::size_t i = column; i < values.size(); i += columns) {
    if (!std::isfinite(values[i]))
      throw Error(ErrorKind::input,
                  fmt::format("the value of sample {} (from 0) is not finite", i / columns),
                  {"value", "correct the value, or remove the sample"});
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  const double half = 0.5 * most - 0.5 * least;
  return {0.5 * most + 0.5 * least, half > 0 ? half : 1};
}

void require_columns(std::span<const double> values, std::size_t columns) {
  if (columns > 0 && !values.empty() && values.size() % columns == 0) return;
  throw Error(ErrorKind::usage, "the number of values differs between samples",
              {"value", "name columns of the cloud with `value`"});
}

WorkForecast kernel_regression_forecast(Session& session, const DensityRequest& request,
                                        const TargetPoints& points, std::size_t columns,
                                        Progress& progress) {
  const auto rounds = static_cast<double>((columns + kTogether - 1) / kTogether);
  const std::size_t channels = 2 * std::min(kTogether, columns);
  return repeated(session.plan_means(request, points, channels, progress).forecast, rounds, rounds);
}

KernelRegression kernel_regression(Session& session, const DensityRequest& request,
                                   const TargetPoints& points, std::span<const double> values,
                                   std::size_t columns, Progress& progress) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  require_columns(values, columns);
  const std::size_t samples = values.size() / columns;
  KernelRegression result;
  result.means.assign(points.size() * columns, kNone);
  result.deviations.assign(points.size() * columns, kNone);
  for (std::size_t first = 0; first < columns; first += kTogether) {
    const std::size_t count = std::min(kTogether, columns - first), channels = 2 * count;
    std::vector<ColumnScale> scales;
    for (std::size_t c = 0; c < count; ++c) scales.push_back(scale_of(values, columns, first + c));
    std::vector<double> b(samples * channels);
    for (std::size_t i = 0; i < samples; ++i)
      for (std::size_t c = 0; c < count; ++c) {
        const double v = scales[c].scaled(values[i * columns + first + c]);
        b[i * channels + 2 * c] = v;
        b[i * channels + 2 * c + 1] = v * v;
      }
    PointMeans found = session.means(request, points, b, channels, progress);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double* const at = &found.values[i * channels];
      if (std::isnan(at[0])) {
        result.unreached += first == 0 ? 1 : 0;
        continue;
      }
      for (std::size_t c = 0; c < count; ++c) {
        const double mean = at[2 * c];
        const double variance = std::max(0.0, at[2 * c + 1] - mean * mean);
        result.means[i * columns + first + c] = scales[c].middle + scales[c].spread * mean;
        result.deviations[i * columns + first + c] = scales[c].spread * std::sqrt(variance);
      }
    }
    result.facts = std::move(found.facts);
  }
  return result;
}

}  // namespace skde
