#include "analysis/regression_grid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/kernel_regression.hpp"
#include "core/report/error.hpp"
#include "estimate/sum/grid_sums.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

constexpr double kMeanError = 1e-7, kDeviationError = 1e-5;  // of half the spread
constexpr std::size_t kCellsAtOnce = std::size_t{1} << 20;   // summed anew at a time

/// Mean and variance of scaled values.
struct ScaledMean {
  double mean = 0, variance = 0;
};

/// True if the errors of the three sums make a mean too inaccurate. `doubt` is the error of the sum
/// of the weights over that sum. The other sums, of 2 + v and 1 + v^2, are at most 3 and 2 times as
/// large.
bool is_doubtful(const ScaledMean& found, double doubt) {
  const double of_variance = 20 * doubt;
  const double deviation = std::sqrt(std::max({0.0, found.variance, of_variance}));
  return !(6 * doubt <= kMeanError) || !(of_variance <= 2 * kDeviationError * deviation);
}

/// Throws Error(resources) if there is no memory for all volumes of a column.
void require_volumes(const Grid& grid, Precision precision, std::int64_t limit) {
  const std::int64_t needed = 3 * grid.bytes(Precision::f64) + 2 * grid.bytes(precision);
  const std::int64_t room = memory_within(limit);
  if (needed <= room) return;
  throw Error(
      ErrorKind::resources,
      fmt::format("the means and standard deviations on {} x {} x {} cells need {}", grid.dims[0],
                  grid.dims[1], grid.dims[2], format_bytes(static_cast<double>(needed))),
      {"dims", "use smaller `dims`, or a larger `memory_limit`"});
}

void require_range(const ColumnScale& scale, Precision precision) {
  const double largest = std::abs(scale.middle) + scale.spread;
  if (precision == Precision::f64 || largest <= std::numeric_limits<float>::max()) return;
  throw Error(ErrorKind::input,
              fmt::format("values up to {:g} are beyond the range of float", largest),
              {"precision", "use `precision=f64`"});
}

void warn_of_rounding(const ColumnScale& scale, Precision precision,
                      std::vector<Warning>& warnings) {
  const double largest = std::abs(scale.middle) + scale.spread;
  const double step = std::numeric_limits<float>::epsilon() * largest;
  if (precision == Precision::f64 || step <= 2 * kDeviationError * scale.spread) return;
  warnings.push_back({"rounded_means",
                      fmt::format("means of values near {:.6g} that differ by {:.2g} at most are "
                                  "rounded to steps of {:.1g} as floats",
                                  scale.middle, 2 * scale.spread, step),
                      {"precision", "use `precision=f64`"}});
}

/// Computes one column after another on the cells of one grid.
class ColumnMeans {
 public:
  ColumnMeans(GridSums& sums, Precision precision, std::span<const double> values,
              std::size_t columns)
      : sums_(sums),
        weight_(sums.take_own()),
        precision_(precision),
        values_(values),
        columns_(columns),
        error_(sums.error(weight_.maximum())) {
    facts_.facts = sums.facts();
  }

  void make(std::size_t column, Progress& progress) {
    scale_ = scale_of(values_, columns_, column);
    warn_of_rounding(scale_, precision_, facts_.facts.warnings);
    scaled_.resize(sums_.samples());
    for (std::size_t i = 0; i < scaled_.size(); ++i)
      scaled_[i] = scale_.scaled(values_[i * columns_ + column]);
    counts_reach_ = column == 0;
    if (precision_ == Precision::f32)
      fill<float>(progress);
    else
      fill<double>(progress);
  }

  const MeanGridFacts& facts() const { return facts_; }
  const Volume& means() const { return means_; }
  const Volume& deviations() const { return deviations_; }

 private:
  std::vector<double> factors(bool squares) const {
    std::vector<double> b(scaled_.size());
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = squares ? 1 + scaled_[i] * scaled_[i] : 2 + scaled_[i];
    return b;
  }

  template <class Real>
  void fill(Progress& progress) {
    const Volume first = sums_.sums(factors(false), progress);
    const Volume second = sums_.sums(factors(true), progress);
    const std::span<const double> weights = weight_.values<double>(),
                                  of_values = first.values<double>(),
                                  of_squares = second.values<double>();
    means_ = Volume(sums_.grid(), precision_);
    deviations_ = Volume(sums_.grid(), precision_);
    std::vector<std::size_t> doubtful;
    for (std::size_t cell = 0; cell < weights.size(); ++cell) {
      const double mean = of_values[cell] / weights[cell] - 2;
      const ScaledMean found{mean, of_squares[cell] / weights[cell] - 1 - mean * mean};
      const double doubt = error_ / weights[cell];
      if (weights[cell] > 0 && !is_doubtful(found, doubt))
        put<Real>(cell, found);
      else
        doubtful.push_back(cell);
      if (doubtful.size() == kCellsAtOnce) sum_anew<Real>(doubtful, progress);
    }
    sum_anew<Real>(doubtful, progress);
  }

  template <class Real>
  void put(std::size_t cell, const ScaledMean& found) {
    means_.values<Real>()[cell] = static_cast<Real>(scale_.middle + scale_.spread * found.mean);
    deviations_.values<Real>()[cell] =
        static_cast<Real>(scale_.spread * std::sqrt(std::max(0.0, found.variance)));
  }

  /// Sums cells one by one, each to full accuracy.
  template <class Real>
  void sum_anew(std::vector<std::size_t>& cells, Progress& progress) {
    if (cells.empty()) return;
    constexpr std::size_t kChannels = 2;
    std::vector<double> b(scaled_.size() * kChannels), centres;
    for (std::size_t i = 0; i < scaled_.size(); ++i) {
      b[i * kChannels] = scaled_[i];
      b[i * kChannels + 1] = scaled_[i] * scaled_[i];
    }
    centres.reserve(3 * cells.size());
    const auto& dims = sums_.grid().dims;
    for (const std::size_t cell : cells) {
      const auto at = static_cast<std::int64_t>(cell);
      const Vec3 centre =
          sums_.grid().centre(at % dims[0], at / dims[0] % dims[1], at / (dims[0] * dims[1]));
      centres.insert(centres.end(), {centre.x, centre.y, centre.z});
    }
    const std::vector<double> found = sums_.means_at(std::move(centres), b, kChannels, progress);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double mean = found[i * kChannels], square = found[i * kChannels + 1];
      if (!std::isnan(mean)) {
        put<Real>(cells[i], {mean, square - mean * mean});
        ++facts_.resummed;
        continue;
      }
      means_.values<Real>()[cells[i]] = std::numeric_limits<Real>::quiet_NaN();
      deviations_.values<Real>()[cells[i]] = std::numeric_limits<Real>::quiet_NaN();
      if (counts_reach_) ++facts_.unreached;
    }
    cells.clear();
  }

  GridSums& sums_;
  Volume weight_;
  Precision precision_;
  std::span<const double> values_;
  std::size_t columns_;
  double error_;  ///< error of a sum of weights
  MeanGridFacts facts_;
  ColumnScale scale_;
  std::vector<double> scaled_;
  bool counts_reach_ = false;  ///< for the first column only: all have the same cells
  Volume means_, deviations_;
};

}  // namespace

MeanGridFacts kernel_regression_on_grid(std::shared_ptr<const SampleCloud> cloud,
                                        const DensityRequest& request, std::int64_t memory_limit,
                                        std::span<const double> values, std::size_t columns,
                                        const std::function<void(const Grid&)>& check,
                                        const TakeMeans& take, Progress& progress) {
  require_columns(values, columns);
  if (values.size() != columns * cloud->points.size())
    throw Error(ErrorKind::usage,
                fmt::format("expected {1} values for each of {2} samples; got {0}", values.size(),
                            columns, cloud->points.size()),
                {"value", "give the same number of values for each sample"});
  const Precision precision = request.precision;
  for (std::size_t column = 0; column < columns; ++column)
    require_range(scale_of(values, columns, column), precision);
  GridSums sums(std::move(cloud), request, memory_limit, true, progress);
  require_volumes(sums.grid(), precision, memory_limit);
  check(sums.grid());
  sums.sum_own(progress);
  ColumnMeans means(sums, precision, values, columns);
  for (std::size_t column = 0; column < columns; ++column) {
    means.make(column, progress);
    take(column, means.facts(), means.means(), means.deviations());
  }
  return means.facts();
}

WorkForecast mean_grid_forecast(std::shared_ptr<const SampleCloud> cloud,
                                const DensityRequest& request, std::int64_t memory_limit,
                                std::size_t columns, Progress& progress) {
  const GridSums sums(std::move(cloud), request, memory_limit, false, progress);
  sums.plan().require_runnable();
  require_volumes(sums.grid(), request.precision, memory_limit);
  // The sums of the weights are in double; each column adds two more.
  const double volumes = 2 * static_cast<double>(columns);
  return repeated(sums.plan().forecast, 1 + volumes,
                  volumes * static_cast<double>(value_bytes(request.precision)) / sizeof(double));
}

}  // namespace skde
