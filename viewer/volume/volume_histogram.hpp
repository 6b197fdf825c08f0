#pragma once

#include <array>
#include <cstdint>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/volume/brick_grid.hpp"
#include "viewer/volume/value_axis.hpp"
#include "viewer/volume/volume_texture.hpp"

namespace skde::view {

/// Counts of cells by density, over a logarithmic axis.
struct Histogram {
  static constexpr int kBins = 4096;

  /// From the least positive value, or 2^-32 of the peak if that is larger, to the peak.
  ValueAxis axis{0x1p-32, 1, true};
  std::array<std::uint64_t, kBins> counts{};
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

}  // namespace skde::view
