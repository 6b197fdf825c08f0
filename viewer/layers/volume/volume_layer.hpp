#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/space/volume.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/volume/raymarcher.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/layers/volume/volume_look.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

namespace skde {

class ValueBuffer;

}  // namespace skde

namespace skde::view {

class DensityTransfer;

/// Counts of a volume's values that no density can have.
struct ValueCounts {
  std::uint64_t nan = 0, infinite = 0, negative = 0;

  /// Returns for example "3 values are NaN, 1 is negative"; empty if there are none.
  std::string describe() const;
};

/// A volume on the graphics card, and what is known of its values.
class VolumeLayer {
 public:
  /// Takes a volume whose values need not be counted.
  void upload(const Volume& volume);
  /// Takes the values of a density whose box holds this share of the mass. Those that are `given`
  /// by a file may be invalid. Throws Error(resources) if the card cannot hold them; what was shown
  /// before stays.
  void take(ValueBuffer& values, double in_box, bool given, DensityTransfer& transfer);
  /// Counts the values of the volume of upload().
  void count(double in_box, DensityTransfer& transfer);

  const VolumeTexture& texture() const { return texture_; }
  const Histogram& histogram() const { return histogram_; }
  /// Returns how the mass is spread over the densities.
  const std::shared_ptr<const MassProfile>& masses() const { return masses_; }
  /// Returns the regions of these masses, without those that hold more than the box does.
  std::vector<MassRegion> regions(std::span<const double> masses) const;
  /// Returns the invalid values of a volume file.
  const ValueCounts& invalid() const { return invalid_; }
  double peak() const { return bricks_.positive_range().greatest; }
  /// Returns the middle of the cell with the largest finite value.
  Vec3 peak_place();
  /// Counts the volumes that were taken.
  int version() const { return bricks_.version(); }

  void draw(const MarchView& view, const MarchOptions& options);
  /// Returns the card's time for the last picture that it has finished; 0 before the first.
  double march_seconds() { return raymarcher_.seconds(); }
  /// Returns the place (world units) that the last picture, of this view, shows at a pixel of its
  /// target; see Raymarcher::place_at.
  std::optional<Vec3> place_at(const MarchView& view, glm::dvec2 pixel);
  /// See Raymarcher::far_pixels. The look has surfaces.
  std::vector<std::optional<FarPixel>> far_pixels(const MarchView& view,
                                                  std::span<const glm::dvec2> ways);

 private:
  void set_masses(double in_box);

  VolumeTexture texture_;
  BrickGrid bricks_;
  Raymarcher raymarcher_;
  Histogram histogram_;
  std::shared_ptr<const MassProfile> masses_ = std::make_shared<const MassProfile>();
  ValueCounts invalid_;
  std::optional<Vec3> peak_place_;
  int peak_of_ = 0;  ///< the version where it is the peak
};

/// Where the sections meet.
struct SectionReading {
  Vec3 at{};
  std::array<std::int64_t, 3> cell{};
  double density = 0;  ///< of this cell
};

/// Sections of a volume, opaque, with the colours of its values.
class SectionLayer {
 public:
  /// Draws the section across an axis through `at` (world units), less what the look's clip cuts
  /// away. `transform` maps scene units to clip coordinates. Blending and depth are as set.
  void draw(const VolumeTexture& volume, const SceneFrame& frame, const VolumeLook& look, int axis,
            Vec3 at, bool smooth, const glm::mat4& transform);
  /// Returns the cell of a density's grid where the sections through a place meet, and its density.
  const SectionReading& read(const VolumeLayer& volume, const Grid& grid, Vec3 at);

 private:
  gl::ShaderProgram program_{"section_plane.vert", "section_plane.frag"};
  gl::VertexArray no_vertices_;
  LookTexture colors_;
  SectionReading reading_;
  int reading_of_ = 0;  ///< version of the volume that was read
};

/// Returns where the ray of a part's pixel first meets a section through `at` in a box.
std::optional<Vec3> section_place_at(const ScenePart& part, glm::dvec2 pixel, const Box& box,
                                     Vec3 at, const Clip& clip);

}  // namespace skde::view
