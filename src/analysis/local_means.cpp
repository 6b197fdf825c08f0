#include "analysis/local_means.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace skde {
namespace {

/// The middle of a column and its spread, so that sums of squares keep their digits.
struct ColumnScale {
  double middle = 0, spread = 1;
};

ColumnScale scale_of(std::span<const double> values, std::size_t columns, std::size_t column) {
  double least = values[column], most = least;
  for (std::size_t i = column; i < values.size(); i += columns) {
    if (!std::isfinite(values[i]))
      throw Error(ErrorKind::input,
                  fmt::format("sample {} has a value that is not finite", i / columns + 1));
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  const double half = 0.5 * most - 0.5 * least;
  return {0.5 * most + 0.5 * least, half > 0 ? half : 1};
}

}  // namespace

LocalMeans local_means(Session& session, const DensityRequest& request, const TargetPoints& points,
                       std::span<const double> values, std::size_t columns, Progress& progress) {
  constexpr std::size_t kTogether = 3;  // columns, of two channels each beside that of the weight
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (columns == 0 || values.empty() || values.size() % columns != 0)
    throw Error(ErrorKind::usage, "the values are not as many for every sample",
                {"value", "name columns of the cloud with `value`"});
  const std::size_t samples = values.size() / columns;
  LocalMeans result;
  result.means.assign(points.size() * columns, kNone);
  result.deviations.assign(points.size() * columns, kNone);
  for (std::size_t first = 0; first < columns; first += kTogether) {
    const std::size_t count = std::min(kTogether, columns - first), channels = 1 + 2 * count;
    std::vector<ColumnScale> scales;
    for (std::size_t c = 0; c < count; ++c) scales.push_back(scale_of(values, columns, first + c));
    std::vector<double> b(samples * channels);
    for (std::size_t i = 0; i < samples; ++i) {
      b[i * channels] = 1;
      for (std::size_t c = 0; c < count; ++c) {
        const double v = (values[i * columns + first + c] - scales[c].middle) / scales[c].spread;
        b[i * channels + 1 + 2 * c] = v;
        b[i * channels + 2 + 2 * c] = v * v;
      }
    }
    PointSums sums = session.sums(request, points, b, channels, progress);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double* const at = &sums.values[i * channels];
      if (!(at[0] > 0)) {
        result.unreached += first == 0 ? 1 : 0;
        continue;
      }
      for (std::size_t c = 0; c < count; ++c) {
        const double mean = at[1 + 2 * c] / at[0];
        const double variance = std::max(0.0, at[2 + 2 * c] / at[0] - mean * mean);
        result.means[i * columns + first + c] = scales[c].middle + scales[c].spread * mean;
        result.deviations[i * columns + first + c] = scales[c].spread * std::sqrt(variance);
      }
    }
    result.facts = std::move(sums.facts);
  }
  return result;
}

}  // namespace skde
