#pragma once

#include <array>
#include <cstdint>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/volume/brick_grid.hpp"
#include "viewer/volume/value_axis.hpp"
#include "viewer/volume/volume_texture.hpp"

namespace skde::view {

/// How many cells have which density, over a logarithmic axis.
struct Histogram {
  static constexpr int kBins = 256;

  /// From the least positive value, or a millionth of the peak where that is more, to the peak.
  ValueAxis axis{1e-6, 1, true};
  std::array<std::uint64_t, kBins> counts{};
};

/// Counts on the graphics card.
class VolumeHistogram {
 public:
  /// `range`: BrickGrid::positive_range() of the volume. Waits for the card. All counts are 0 where
  /// no value is positive.
  Histogram count(const VolumeTexture& volume, const PositiveRange& range);

 private:
  gl::ShaderProgram program_{"volume_histogram.comp"};
  gl::Buffer counts_;
};

}  // namespace skde::view
