#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/volume/volume_look.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

namespace skde::view {

/// Counts of cells by density, over a logarithmic axis.
struct Histogram {
  static constexpr int kBins = 4096;

  /// From the least positive value, or 2^-32 of the peak if that is larger, to the peak.
  ValueAxis axis{0x1p-32, 1, true};
  std::array<std::uint64_t, kBins> counts{};
};

/// Returns the axis of a histogram. Requires a positive value.
ValueAxis histogram_axis(const PositiveRange& range);

/// Where passes over a volume count values: bin log2(value) * scale + offset, if the value is at
/// least `least`. Values are in multiples of `unit`.
struct HistogramBins {
  float scale = 0, offset = 0, least = std::numeric_limits<float>::infinity();

  /// If no value is positive, nothing is counted.
  HistogramBins(const PositiveRange& range, double unit);
};

/// Computes histograms on the graphics card.
class VolumeHistogram {
 public:
  /// Counts the cells; waits for the card. `range` is BrickGrid::positive_range() of the volume.
  /// All counts are 0 if no value is positive.
  Histogram count(const VolumeTexture& volume, const PositiveRange& range);

 private:
  gl::ShaderProgram program_{"volume_histogram.comp"};
  gl::Buffer counts_;
};

/// The smallest region that holds a share of the mass: where the density is above `level`.
struct MassRegion {
  double mass = 0, level = 0;
  double volume = 0;  ///< in cubed units of the coordinates
};

/// How the mass of a density is spread over its values, from a histogram of its cells. Levels are
/// those of mass_levels() to within a bin, 0.55 % of the value, and are known without reading the
/// values back from the graphics card.
class MassProfile {
 public:
  MassProfile() = default;
  /// `cell_volume` is in cubed units of the coordinates; `in_box` is the share of the whole mass
  /// in the box, above 0.
  MassProfile(const Histogram& histogram, double cell_volume, double in_box);

  /// Returns the share of the whole mass in the cells whose density is above a value.
  double mass_above(double value) const;
  /// Returns the volume of these cells.
  double volume_above(double value) const;
  /// Returns the share of the whole mass in the box; 0 if no value is positive.
  double in_box() const { return sums_.front(); }
  /// Returns the highest-density region of a mass; none if the box holds less.
  std::optional<MassRegion> region(double mass) const;

 private:
  double interpolated(const std::vector<double>& above, double value) const;

  ValueAxis axis_;
  /// Share of the mass, and volume, above the lower edge of each bin and above the last edge.
  std::vector<double> sums_{0, 0}, volumes_{0, 0};
};

}  // namespace skde::view
