#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/space/space.hpp"
#include "core/space/volume.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/picture_copies.hpp"
#include "viewer/mixture/ellipsoid_layer.hpp"
#include "viewer/scene/camera.hpp"
#include "viewer/scene/line_batch.hpp"
#include "viewer/scene/scene_frame.hpp"
#include "viewer/scene/scene_overlay.hpp"
#include "viewer/volume/brick_grid.hpp"
#include "viewer/volume/inks.hpp"
#include "viewer/volume/point_layer.hpp"
#include "viewer/volume/raymarcher.hpp"
#include "viewer/volume/section_planes.hpp"
#include "viewer/volume/volume_look.hpp"
#include "viewer/volume/volume_texture.hpp"

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

/// Returns the pixels that labels take beside a box that fills the picture.
double label_room(glm::ivec2 viewport, double pixel_scale);

/// The view at the right: a volume with its box, its axes and its samples.
class VolumeView {
 public:
  void upload(const Volume& volume);
  /// Returns the texture. Whoever fills it and the bricks must call volume_changed() afterwards.
  VolumeTexture& texture() { return volume_; }
  const VolumeTexture& texture() const { return volume_; }
  void volume_changed();
  /// Draws this box without a volume until volume_changed(); nothing if there is no box.
  void set_box(const std::optional<Box>& bounds);
  /// Makes all edges of the box equally long on the screen (`stretched`) and reverses the `flipped`
  /// axes; see SceneFrame.
  void set_axes(bool stretched, std::array<bool, 3> flipped, glm::dvec3 factors = glm::dvec3(1));
  /// Sets the samples to show over the volume: see PointLayer::assign.
  void set_points(const SamplesView& points, std::span<const glm::vec3> colors = {},
                  std::span<const float> sizes = {}) {
    points_.assign(points, colors, sizes);
  }
  /// Sets the size of samples, relative to what suits their number, and whether they have the
  /// colours of the density where they are, or sizes that tell it.
  void set_point_style(double size, bool colors_by_density, bool sizes_by_density = false) {
    point_size_ = size;
    by_density_ = colors_by_density;
    sizes_by_density_ = sizes_by_density;
  }
  /// Sets the members to show as ellipsoids: see EllipsoidLayer::assign.
  void set_members(const SamplesView& members) { ellipsoids_.assign(members); }
  const EllipsoidLayer& ellipsoids() const { return ellipsoids_; }
  /// Sets the sample (world units) to mark.
  void set_picked(std::optional<Vec3> sample) { picked_ = sample; }
  /// Sets the matrix H of the ellipsoid to draw around the marked sample.
  void set_ellipsoid(std::optional<Symmetric3> H) { ellipsoid_ = H; }
  /// Sets further lines within the volume, in scene units.
  void set_lines(std::vector<LineSegment> lines) { inner_lines_ = std::move(lines); }

  const SceneFrame& frame() const { return frame_; }
  BrickGrid& bricks() { return bricks_; }
  const BrickGrid& bricks() const { return bricks_; }
  /// Returns the radius of what a camera shows at zoom 1: the sphere around the box, with `room`
  /// pixels at its left and right.
  double fitted_radius(glm::ivec2 viewport, double room) const;
  Perspective perspective(const Camera& camera, glm::ivec2 viewport, double room = 0) const {
    return {camera, fitted_radius(viewport, room), viewport};
  }

  /// Fills the target; without a volume or a box, only with the background.
  void draw(const gl::Framebuffer& target, const Camera& camera, const VolumeLook& look,
            const VolumeViewOptions& options);
  /// Draws a section and the samples near it over the target.
  void draw_section(const gl::Framebuffer& target, const VolumeLook& look,
                    const FlatSection& section);
  /// Returns the place (world units) that the last picture shows at a pixel of its target; see
  /// Raymarcher::place_at. The other arguments are those of that picture.
  std::optional<Vec3> place_at(glm::dvec2 pixel, const gl::Framebuffer& target,
                               const Perspective& perspective, const VolumeLook& look);
  /// See Raymarcher::far_pixels. The look has surfaces.
  std::vector<std::optional<FarPixel>> far_pixels(const gl::Framebuffer& target,
                                                  const Perspective& perspective,
                                                  const VolumeLook& look,
                                                  std::span<const glm::dvec2> ways) {
    if (!shows_volume()) return std::vector<std::optional<FarPixel>>(look.surfaces.size());
    return raymarcher_.far_pixels(volume_, frame_, perspective, look, target, ways);
  }
  /// Texts of the last picture.
  const std::vector<SceneLabel>& labels() const { return labels_; }
  /// Lines of the last picture that texts must not cross.
  const std::vector<PixelLine>& pixel_lines() const { return pixel_lines_; }
  /// Returns how many of them, the first ones, lie behind the volume.
  std::size_t rear_lines() const { return rear_lines_; }
  /// See Raymarcher::seconds().
  double march_seconds() { return raymarcher_.seconds(); }

 private:
  bool shows_volume() const { return volume_ && !box_; }
  /// Requires a volume or a box.
  Box bounds() const { return box_ ? *box_ : volume_.grid().bounds(); }
  void draw_behind(const gl::Framebuffer& target, const Perspective& perspective,
                   const SceneLines& lines, const VolumeLook& look,
                   const VolumeViewOptions& options);
  void draw_before(const Perspective& perspective, const SceneLines& lines,
                   const VolumeViewOptions& options);
  void draw_sections(const Perspective& perspective, const VolumeLook& look,
                     const VolumeViewOptions& options);
  void draw_points(const PointProjection& projection, const Clip& clip, const VolumeLook& look,
                   PointStyle style);
  void draw_marks(const Perspective& perspective, const VolumeViewOptions& options);

  VolumeTexture volume_;
  std::optional<Box> box_;  ///< while there is no volume
  BrickGrid bricks_;
  Raymarcher raymarcher_;
  gl::PictureCopies copies_;
  LineBatch lines_;
  PointLayer points_;
  LookTexture point_colors_;
  double point_size_ = 1;
  bool by_density_ = false, sizes_by_density_ = false;
  EllipsoidLayer ellipsoids_;
  SectionPlanes planes_;
  SceneFrame frame_;
  bool stretched_ = false;
  std::array<bool, 3> flipped_{};
  glm::dvec3 factors_{1};
  std::optional<Vec3> picked_;
  std::optional<Symmetric3> ellipsoid_;
  std::vector<LineSegment> inner_lines_;
  std::vector<SceneLabel> labels_;
  std::vector<PixelLine> pixel_lines_;
  std::size_t rear_lines_ = 0;
};

}  // namespace skde::view
