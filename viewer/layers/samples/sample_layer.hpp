#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cloud/outlined_places.hpp"
#include "core/cloud/samples.hpp"
#include "pictures/color_map.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/samples/point_look.hpp"
#include "viewer/layers/samples/shown_points.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/scene_frame.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

namespace skde::view {

/// How places in the scene become pixels.
struct PointProjection {
  glm::mat4 transform;   ///< from scene units to clip coordinates
  double pixels_at_one;  ///< of a scene unit where the last clip coordinate is 1
};
inline PointProjection seen_by(const Perspective& perspective) {
  return {perspective.transform(), perspective.pixels_at(1)};
}

/// How discs look.
struct PointStyle {
  glm::vec4 color, rim;
  float rim_share;      ///< of the radius
  glm::vec2 diameters;  ///< the least and the most, in pixels
  float size = 1;       ///< relative to what suits their number
  bool colors_by_density = false, sizes_by_density = false;  ///< of the place of each
};

/// The density that colours and sizes of discs may tell.
struct DensityColors {
  const VolumeTexture& volume;
  const LookTexture& colors;
};

/// Draws the samples as discs, which are smaller at a distance.
class PointLayer {
 public:
  static constexpr std::size_t kMostPoints = 2'000'000;

  /// Copies the samples; if there are more than kMostPoints, an even selection of that many.
  /// `colors` (sRGB) are those of the samples, or empty. So are `sizes`, from 0 for kLeastDiameter
  /// to 1 for kMostDiameter.
  void assign(const SamplesView& points, std::span<const glm::vec3> colors = {},
              std::span<const float> sizes = {});
  std::size_t shown() const { return shown_.size(); }
  /// Draws the discs that the clip keeps. Without a density, no style may tell it.
  void draw(const SceneFrame& frame, const PointProjection& projection, const Clip& clip,
            const PointStyle& style, const DensityColors* density = nullptr);
  /// Highlights one sample.
  void draw_picked(glm::dvec3 scene, const Perspective& perspective, float pixel_scale);

 private:
  void place(const SceneFrame& frame);
  void set_style(const PointStyle& style) const;
  void draw_points(const gl::VertexArray& vertices, std::size_t count,
                   const glm::mat4& transform) const;

  gl::ShaderProgram program_{"point.vert", "point.frag"};
  gl::Buffer buffer_, color_buffer_, size_buffer_, picked_buffer_;
  gl::VertexArray vertices_, picked_vertices_;
  std::vector<Vec3> shown_;
  std::vector<glm::vec3> colors_;
  std::vector<float> sizes_;
  std::optional<SceneFrame> placed_;  ///< frame of the positions in the buffer
  float diameter_ = 0.01F;            ///< in scene units
};

/// Returns the sample whose image is nearest to a pixel of the part and at most `within` pixels (at
/// scale 1) away, among those that the clip keeps; none if there is no such sample.
std::optional<std::size_t> pick_sample(const SamplesView& points, const ScenePart& part,
                                       glm::dvec2 pixel, double within, const Clip& clip = {});

/// An axis, and what it measures.
struct NamedAxis {
  ValueAxis axis;
  std::string name;
};

/// The samples that are selected.
struct SelectionFacts {
  std::size_t samples = 0;
  double share = 0;  ///< of the mass of all samples
};

/// The samples of a density.
class SampleLayer {
 public:
  /// Takes other samples, all of which are shown; null if there are none.
  void take(std::shared_ptr<const SampleCloud> cloud);
  const std::shared_ptr<const SampleCloud>& cloud() const { return cloud_; }
  /// Requires samples.
  Vec3 place_of(std::size_t sample) const;
  /// Shows only these, with their values; all if null.
  void show(std::shared_ptr<const ShownPoints> shown) { shown_ = std::move(shown); }
  const std::shared_ptr<const ShownPoints>& shown() const { return shown_; }
  PointLayer& discs() { return discs_; }

  /// Follows a look, with this map of colours. Those of a density beside take the axes and the
  /// categories of A, because one bar or legend explains both.
  void update(const PointLook& look, ColorMap map, const std::optional<OutlinedPlaces>& selection,
              const SampleLayer& of_a);
  /// Sets the size of discs, relative to what suits their number, and whether they have the colours
  /// of the density where they are, or sizes that tell it.
  void set_style(double size, bool colors_by_density, bool sizes_by_density = false);
  /// Draws them with the style that set_style() completes. Requires the volume for those that tell
  /// a density; it may be empty.
  void draw(const SceneFrame& frame, const PointProjection& projection, const Clip& clip,
            PointStyle style, const VolumeTexture& volume, const VolumeLook& look);
  /// Returns the sample nearest to a pixel of the part; none if all are too far away.
  std::optional<std::size_t> pick(const ScenePart& part, glm::dvec2 pixel, const Clip& clip) const;

  /// Returns the axis of their colours; none if these are plain or those of the density.
  std::optional<NamedAxis> axis(const PointLook& look) const;
  /// Returns the categories that their colours tell; empty if they tell none.
  std::span<const PointCategory> categories(const PointLook& look) const;
  /// Returns the axis of their sizes; none if these are alike. `density` is that of its colours,
  /// null if there is no density.
  std::optional<NamedAxis> size_axis(const PointLook& look, const ValueAxis* density) const;
  /// Counts the samples that are shown, selected and not cut away.
  const SelectionFacts& selected(const OutlinedPlaces& selection, const Clip& clip);

 private:
  /// The inputs of the discs, which are made again when one of them changes.
  struct Made {
    std::shared_ptr<const SampleCloud> cloud;
    std::shared_ptr<const ShownPoints> shown;
    PointColors colors{}, sizes{};
    ColorMap map{};
    std::optional<OutlinedPlaces> selection{};
    friend bool operator==(const Made&, const Made&) = default;
  };
  /// What is selected, and what it depends on.
  struct Selected {
    std::shared_ptr<const SampleCloud> cloud;
    std::shared_ptr<const ShownPoints> shown;
    OutlinedPlaces selection;
    Clip clip;
    friend bool operator==(const Selected&, const Selected&) = default;
  };
  SamplesView view() const;
  std::size_t index_of(std::size_t shown_one) const {
    return shown_ ? shown_->samples[shown_one] : shown_one;
  }
  /// Returns the weight or the column's value of each; nothing for other quantities.
  std::vector<double> values(PointColors told, std::vector<double> ShownPoints::*column) const;
  /// Returns the samples' own colours; empty if they have none.
  std::vector<glm::vec3> own_colors(PointColors told, ColorMap map,
                                    const std::optional<OutlinedPlaces>& selection,
                                    const SampleLayer& of_a) const;

  std::shared_ptr<const SampleCloud> cloud_;
  std::shared_ptr<const ShownPoints> shown_;  ///< of them; all if null
  ValueAxis weight_axis_;
  std::vector<double> places_;  ///< x, y, z of those that are shown, if not all are
  std::optional<Made> made_;
  std::optional<Selected> selected_for_;
  SelectionFacts selected_;
  PointLayer discs_;
  LookTexture colors_;
  double size_ = 1;
  bool by_density_ = false, sizes_by_density_ = false;
};

/// Returns the places whose picture in a part lies within an outline, in pixels of the picture.
OutlinedPlaces outlined(const ScenePart& part, std::span<const glm::dvec2> pixels);
/// Returns a selection as it lies on a part; empty if it was made from another viewpoint.
std::vector<glm::dvec2> selection_pixels(const OutlinedPlaces& selection, const ScenePart& part);

}  // namespace skde::view
