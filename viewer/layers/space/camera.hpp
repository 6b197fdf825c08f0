#pragma once

#include <glm/glm.hpp>
#include <optional>

#include "viewer/layers/space/scene_frame.hpp"

namespace skde::view {

namespace gl {
class ShaderProgram;
}

/// Views of the keys 1, 3 and 7: along +y with x to the right, along -x with y to the right, down.
enum class AxisView { front, right, top };

/// The viewpoint of the volume: a turntable about a focus, with z upwards. It has plain values, as
/// stored in files. Drags are in pixels, y downwards; `viewport` is the picture's size in pixels.
struct Camera {
  /// Direction from the focus to the eye, in degrees: counter-clockwise from +x as seen from above,
  /// and above the horizon (-90..90).
  double azimuth = -60, elevation = 25;
  static constexpr double kLeastZoom = 1e-6, kMostZoom = 1e6;
  /// 1 shows the whole sphere around the box, 2 shows it twice as large.
  double zoom = 1;
  glm::dvec3 focus{0};  ///< scene units
  /// Whether the eye is so far away that the lines of sight are parallel within 0.1 degrees.
  bool orthographic = false;

  void rotate(glm::dvec2 drag, glm::ivec2 viewport);
  /// Moves the focus with the mouse. `radius` is that of the box, SceneFrame::radius().
  void pan(glm::dvec2 drag, glm::ivec2 viewport, double radius);
  /// Moves closer if dragged upwards.
  void dolly(glm::dvec2 drag, glm::ivec2 viewport);
  /// Moves by notches of the mouse wheel; positive ones move closer.
  void scroll(double notches);
  void look(AxisView view);
  /// Returns whether another camera looks in the same direction.
  bool looks_as(const Camera& other) const {
    return azimuth == other.azimuth && elevation == other.elevation;
  }

  friend bool operator==(const Camera&, const Camera&) = default;
};

/// Returns the camera that a cloud of this covariance (scene units) is first seen with: the broad
/// side is turned to it, z stays upwards, and a ball is seen as by Camera().
Camera first_camera(const glm::dmat3& covariance);

/// A half line in scene units; the direction has length 1.
struct Ray {
  glm::dvec3 origin, direction;
};

/// A camera with the size of its picture: maps between scene units and pixels. Pixel coordinates
/// grow rightwards and downwards; the first pixel's centre is (0.5, 0.5).
class Perspective {
 public:
  /// `radius` is that of the sphere around the box, SceneFrame::radius().
  Perspective(const Camera& camera, double radius, glm::ivec2 viewport);

  const glm::dvec3& eye() const { return eye_; }
  const glm::dvec3& right() const { return right_; }
  const glm::dvec3& up() const { return up_; }
  const glm::dvec3& forward() const { return forward_; }
  /// Returns half the picture's width and height at distance 1.
  glm::dvec2 half_size() const { return half_size_; }
  double near() const { return near_; }
  double far() const { return far_; }
  glm::ivec2 viewport() const { return viewport_; }

  glm::dmat4 view() const;
  glm::dmat4 projection() const;
  /// Returns projection() * view(), for shaders.
  glm::mat4 transform() const { return glm::mat4(projection() * view()); }

  Ray ray(glm::dvec2 pixel) const;
  /// Returns x and y in pixels and the distance along forward(); nothing if it is below near().
  std::optional<glm::dvec3> project(glm::dvec3 scene) const;
  /// Returns the pixels per scene unit at a distance along forward().
  double pixels_at(double distance) const;

 private:
  glm::dvec3 eye_, right_, up_, forward_;
  glm::dvec2 half_size_;
  double near_, far_;
  glm::ivec2 viewport_;
};

/// Sets the uniforms by which shaders trace the rays of a view and light what they meet: eye,
/// forward, across and upwards, near_far, and light.
void set_rays(const gl::ShaderProgram& program, const Perspective& perspective);

/// A part of a picture in pixels, rightwards and downwards from its upper left corner.
struct PixelRegion {
  glm::ivec2 corner{0}, size{0};  ///< upper left, and width and height

  bool holds(glm::dvec2 pixel) const {
    return pixel.x >= corner.x && pixel.y >= corner.y && pixel.x < corner.x + size.x &&
           pixel.y < corner.y + size.y;
  }
};

/// A part of a picture that shows the scene.
struct ScenePart {
  PixelRegion region;
  SceneFrame frame;
  Perspective perspective;
  float scale;  ///< of the display

  /// Converts a pixel of the picture to one of the part.
  glm::dvec2 own(glm::dvec2 pixel) const { return pixel - glm::dvec2(region.corner); }
};

}  // namespace skde::view
