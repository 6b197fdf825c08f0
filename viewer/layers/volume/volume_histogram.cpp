#include "viewer/layers/volume/volume_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace skde::view {
namespace {

constexpr double kDeepest = 0x1p-32;  // least value of the axis, as a share of the peak
constexpr int kColumnCells = 128;     // counted by one thread
constexpr int kHistogramGroup = 16;   // must match the shader

GLuint groups(int cells, int of) { return static_cast<GLuint>((cells + of - 1) / of); }

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
  std::vector<std::uint32_t> bins(groups(dims.z, slab) * Histogram::kBins);
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
  glDispatchCompute(groups(dims.x, kHistogramGroup), groups(dims.y, kHistogramGroup),
                    groups(dims.z, kColumnCells));
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  glGetNamedBufferSubData(counts_.id(), 0, static_cast<GLsizeiptr>(bins.size() * sizeof bins[0]),
                          bins.data());
  for (std::size_t i = 0; i < bins.size(); ++i) histogram.counts[i % Histogram::kBins] += bins[i];
  return histogram;
}

}  // namespace skde::view
