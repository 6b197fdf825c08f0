#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/space/space.hpp"
#include "core/space/volume.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/samples/ellipsoid_layer.hpp"
#include "viewer/layers/samples/sample_layer.hpp"
#include "viewer/layers/space/inks.hpp"
#include "viewer/layers/space/line_batch.hpp"
#include "viewer/layers/space/scene_overlay.hpp"
#include "viewer/layers/volume/volume_layer.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view {

/// What is drawn besides the volume, and the scale of lines and texts.
struct VolumeViewOptions {
  bool box = true, axes = true, points = false;
  bool outline = true;     ///< whether the box, its ticks and captions are drawn; there is room for
                           ///< them in any case
  bool rear_only = false;  ///< leaves out the lines before the volume; pixel_lines() has them
  glm::vec3 background = kDarkInks.ground;
  Inks inks = kDarkInks;
  double pixel_scale = 1;  ///< pixels of a line of width 1: a display's content scale
  AxisTexts texts;         ///< for the ticks' labels
  EllipsoidsShown ellipsoids = EllipsoidsShown::off;
  ColorMap mass_colors = ColorMap::cividis;
  std::optional<std::size_t> member{};  ///< index of the ellipsoid to mark
  Sections sections;
  MarchOptions march;
};

/// A section that is drawn flat.
struct FlatSection {
  int axis = 0;                               ///< which it lies across
  Vec3 at{};                                  ///< place on it, in world units
  bool smooth = false;                        ///< see Sections
  double near = 0;                            ///< see Sections
  glm::mat4 transform{1};                     ///< from scene units to clip coordinates
  double pixels_at_one = 1, pixel_scale = 1;  ///< pixels of a scene unit, and of a line of width 1
};

/// Returns the regions that a state's nested surfaces enclose, in the order of its masses; those
/// that hold more than the box does are left out.
std::vector<MassRegion> surfaces(const ViewState& state, const VolumeLayer& volume);
/// Returns the regions that the colour bar names: those, or those of faint surfaces.
std::vector<MassRegion> named_regions(const ViewState& state, const VolumeLayer& volume);
/// Returns the look of a density.
VolumeLook look_of(const ViewState& state, const VolumeLayer& volume);

/// Returns the pixels that labels take beside a box that fills the picture.
double label_room(glm::ivec2 viewport, double pixel_scale);

/// What is marked in the volume: a sample, and the method's work on it.
struct Marks {
  std::optional<Vec3> sample{};           ///< world units
  std::optional<Symmetric3> ellipsoid{};  ///< H of the one around the sample
  std::vector<LineSegment> lines{};       ///< further ones, in scene units
};

/// Texts and lines of a picture.
struct DrawnLines {
  std::vector<SceneLabel> labels;
  std::vector<PixelLine> lines;  ///< that texts must not cross
  std::size_t rear = 0;          ///< how many of them, the first ones, lie behind the volume
};

/// The view of a density: its layers, with the box and its axes.
class VolumeView {
 public:
  void upload(const Volume& volume);
  /// Draws this box without a volume; none: that of the volume, if the layer has one.
  void set_box(const std::optional<Box>& bounds);
  /// Makes all edges of the box equally long on the screen (`stretched`) and reverses the `flipped`
  /// axes; see SceneFrame.
  void set_axes(bool stretched, std::array<bool, 3> flipped, glm::dvec3 factors = glm::dvec3(1));

  const SceneFrame& frame() const { return frame_; }
  /// Returns the radius of what a camera shows at zoom 1: the sphere around the box, with `room`
  /// pixels at its left and right.
  double fitted_radius(glm::ivec2 viewport, double room) const;
  Perspective perspective(const Camera& camera, glm::ivec2 viewport, double room = 0) const {
    return {camera, fitted_radius(viewport, room), viewport};
  }
  /// Returns how a part of the picture shows the view. `scale` is that of the display.
  ScenePart part(const Camera& camera, const PixelRegion& region, float scale) const {
    return {region, frame_,
            perspective(camera, region.size, label_room(region.size, static_cast<double>(scale))),
            scale};
  }

  /// Fills the target; without a volume or a box, only with the background.
  void draw(const gl::Framebuffer& target, const Camera& camera, const VolumeLook& look,
            const VolumeViewOptions& options);
  /// Draws a picture of its own, and copies it to a part of the target.
  void draw_part(const gl::Framebuffer& target, const PixelRegion& region, const Camera& camera,
                 const VolumeLook& look, const VolumeViewOptions& options);
  /// Returns whether draw_part() has drawn this part.
  bool has_picture(const ScenePart& part) const {
    return picture_ && picture_->size() == part.region.size;
  }
  /// Forgets the picture of draw_part(), so that it cannot be probed.
  void forget_picture() { picture_.reset(); }
  /// Draws a section and the samples near it over the target.
  void draw_section(const gl::Framebuffer& target, const VolumeLook& look,
                    const FlatSection& section);
  /// See VolumeLayer. Requires has_picture(part); the pixel is one of the whole picture.
  std::optional<Vec3> place_at(const ScenePart& part, glm::dvec2 pixel, const VolumeLook& look);
  std::vector<std::optional<FarPixel>> far_pixels(const ScenePart& part, const VolumeLook& look,
                                                  std::span<const glm::dvec2> ways) {
    return volume.far_pixels({frame_, part.perspective, look, *picture_}, ways);
  }

  VolumeLayer volume;
  SampleLayer points;
  EllipsoidLayer ellipsoids;
  SectionLayer sections;
  Marks marks;
  DrawnLines drawn;  ///< of the last picture

 private:
  /// Requires a volume or a box.
  Box bounds() const { return box_ ? *box_ : volume.texture().grid().bounds(); }
  void draw_behind(const gl::Framebuffer& target, const Perspective& perspective,
                   const SceneLines& lines, const VolumeLook& look,
                   const VolumeViewOptions& options);
  void draw_before(const Perspective& perspective, const SceneLines& lines,
                   const VolumeViewOptions& options);
  void draw_sections(const Perspective& perspective, const VolumeLook& look,
                     const VolumeViewOptions& options);
  void draw_marks(const Perspective& perspective, const VolumeViewOptions& options);

  std::optional<Box> box_;  ///< while there is no volume
  SceneFrame frame_;
  /// How the frame is made from the box.
  struct Axes {
    bool stretched = false;
    std::array<bool, 3> flipped{};
    glm::dvec3 factors{1};
  } axes_;
  gl::PictureCopies copies_;
  LineBatch lines_;
  std::optional<gl::Framebuffer> picture_;
};

}  // namespace skde::view
