#include "viewer/layers/volume/volume_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

namespace skde::view {
namespace {

constexpr double kDeepest = 0x1p-32;  // least value of the axis, as a share of the peak
constexpr int kColumnCells = 128;     // counted by one thread
constexpr int kHistogramGroup = 16;   // must match the shader

/// Returns the slices of a slab: a multiple of kColumnCells, such that 32 bits can count its cells.
int slab_cells(glm::ivec3 dims) {
  const std::int64_t slice = std::int64_t{dims.x} * dims.y;
  const std::int64_t columns = (std::int64_t{1} << 31) / (slice * kColumnCells);
  return static_cast<int>(std::clamp<std::int64_t>(columns, 1, 1 << 20)) * kColumnCells;
}

}  // namespace

ValueAxis histogram_axis(const PositiveRange& range) {
  const double low = std::max(range.least, kDeepest * range.greatest);
  // Even a volume with a single value needs an axis of nonzero length.
  return {std::min(low, range.greatest * 0.999), range.greatest, true};
}

HistogramBins::HistogramBins(const PositiveRange& range, double unit) {
  if (!(range.greatest > 0)) return;
  const ValueAxis axis = histogram_axis(range);
  const double low = axis.low / unit, bins = Histogram::kBins / std::log2(axis.high / axis.low);
  scale = static_cast<float>(bins);
  offset = static_cast<float>(-std::log2(low) * bins);
  least = static_cast<float>(low);
}

Histogram VolumeHistogram::count(const VolumeTexture& volume, const PositiveRange& range) {
  Histogram histogram;
  if (!(range.greatest > 0)) return histogram;
  histogram.axis = histogram_axis(range);
  const glm::ivec3 dims = volume.dims();
  const int slab = slab_cells(dims);
  const int slabs = (dims.z + slab - 1) / slab;
  std::vector<std::uint32_t> bins(static_cast<std::size_t>(slabs) * Histogram::kBins);
  counts_.assign(std::span<const std::uint32_t>(bins));

  const HistogramBins at(range, volume.unit());
  program_.use();
  program_.set("bin_scale", at.scale);
  program_.set("bin_offset", at.offset);
  program_.set("least", at.least);
  program_.set("column_cells", kColumnCells);
  program_.set("slab_cells", slab);
  volume.texture().bind(0);
  counts_.bind_storage(0);
  gl::dispatch(dims, {kHistogramGroup, kHistogramGroup, kColumnCells},
               GL_BUFFER_UPDATE_BARRIER_BIT);
  glGetNamedBufferSubData(counts_.id(), 0, static_cast<GLsizeiptr>(bins.size() * sizeof bins[0]),
                          bins.data());
  for (std::size_t i = 0; i < bins.size(); ++i) histogram.counts[i % Histogram::kBins] += bins[i];
  return histogram;
}

MassProfile::MassProfile(const Histogram& histogram, double cell_volume, double in_box)
    : axis_(histogram.axis), sums_(Histogram::kBins + 1), volumes_(Histogram::kBins + 1) {
  const double step = std::log(axis_.high / axis_.low) / Histogram::kBins;
  // The mean of values whose logarithms are evenly spread in a bin, over its lower edge.
  const double mean = std::expm1(step) / step;
  const double factor = std::exp(-step);
  double low = 1;  // edge of the bin, in units of the peak
  for (std::size_t bin = Histogram::kBins; bin-- > 0;) {
    const auto cells = static_cast<double>(histogram.counts[bin]);
    low *= factor;
    sums_[bin] = sums_[bin + 1] + cells * low * mean;
    volumes_[bin] = volumes_[bin + 1] + cells * cell_volume;
  }
  if (const double all = sums_.front(); all > 0)
    for (double& sum : sums_) sum = sum / all * in_box;
}

double MassProfile::interpolated(const std::vector<double>& above, double value) const {
  if (!(value > axis_.low)) return above.front();
  const double at = axis_.share_of(value) * static_cast<double>(above.size() - 1);
  const std::size_t bin = std::min(static_cast<std::size_t>(at), above.size() - 2);
  return std::lerp(above[bin], above[bin + 1], at - static_cast<double>(bin));
}

double MassProfile::mass_above(double value) const { return interpolated(sums_, value); }
double MassProfile::volume_above(double value) const { return interpolated(volumes_, value); }

std::optional<MassRegion> MassProfile::region(double mass) const {
  if (!(mass > 0) || mass > in_box()) return std::nullopt;
  // The sums descend; the level is in the last bin whose lower edge has at least this mass above.
  const auto next = std::lower_bound(sums_.begin(), sums_.end(), mass, std::greater<>());
  const auto after = std::max<std::ptrdiff_t>(next - sums_.begin(), 1);
  const auto i = static_cast<std::size_t>(after);
  const double drop = sums_[i - 1] - sums_[i];
  const double within = drop > 0 ? (sums_[i - 1] - mass) / drop : 0;
  const double at = static_cast<double>(i - 1) + std::clamp(within, 0.0, 1.0);
  const double level = axis_.value_at(at / static_cast<double>(sums_.size() - 1));
  return MassRegion{mass, level, volume_above(level)};
}

}  // namespace skde::view
