#include "viewer/layers/space/camera.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "viewer/gl/shader_program.hpp"

namespace skde::view {
namespace {

// Speeds of VTK's camera, which ParaView and F3D share.
constexpr double kDegreesAcross = 200;  // per drag over the whole height of the picture
constexpr double kDollyAcross = 20;     // powers of kZoomStep per such drag
constexpr double kZoomStep = 1.1;
constexpr double kStepsOfNotch = 2;
constexpr double kLeastZoom = 0.02, kMostZoom = 500;

// In degrees, across the shorter side of the picture; farther away, floats would not suffice.
constexpr double kFieldOfView = 30, kNarrowField = 0.2;

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

double half_field(const Camera& camera) {
  return radians((camera.orthographic ? kNarrowField : kFieldOfView) / 2);
}

double tan_half(const Camera& camera) {
  return std::tan(half_field(camera)) / (camera.orthographic ? camera.zoom : 1);
}

/// Returns the distance of eye and focus. At zoom 1 the sphere touches the picture's edges.
double distance(const Camera& camera, double radius) {
  return radius / std::sin(half_field(camera)) / (camera.orthographic ? 1 : camera.zoom);
}

glm::dvec3 towards_eye(const Camera& camera) {
  const double a = radians(camera.azimuth), e = radians(camera.elevation);
  return {std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e)};
}

glm::dvec3 rightwards(const Camera& camera) {
  return {-std::sin(radians(camera.azimuth)), std::cos(radians(camera.azimuth)), 0};
}

double shorter(glm::ivec2 viewport) { return std::max(1, std::min(viewport.x, viewport.y)); }

void zoom_by(Camera& camera, double steps) {
  camera.zoom = std::clamp(camera.zoom * std::pow(kZoomStep, steps), kLeastZoom, kMostZoom);
}

}  // namespace

void Camera::rotate(glm::dvec2 drag, glm::ivec2 viewport) {
  const double degrees = kDegreesAcross / shorter(viewport);
  azimuth = std::remainder(azimuth - drag.x * degrees, 360.0);
  elevation = std::clamp(elevation + drag.y * degrees, -90.0, 90.0);
}

void Camera::pan(glm::dvec2 drag, glm::ivec2 viewport, double radius) {
  const double pixel = 2 * tan_half(*this) * distance(*this, radius) / shorter(viewport);
  const glm::dvec3 right = rightwards(*this), up = glm::cross(towards_eye(*this), right);
  focus -= pixel * (drag.x * right - drag.y * up);
}

void Camera::dolly(glm::dvec2 drag, glm::ivec2 viewport) {
  zoom_by(*this, -drag.y * kDollyAcross / shorter(viewport));
}

void Camera::scroll(double notches) { zoom_by(*this, notches * kStepsOfNotch); }

void Camera::look(AxisView view) {
  azimuth = view == AxisView::right ? 0 : -90;
  elevation = view == AxisView::top ? 90 : 0;
}

Camera first_camera(const glm::dmat3& covariance) {
  Camera camera;
  const double spread = covariance[0][0] + covariance[1][1] + covariance[2][2];
  if (!(spread > 0) || !std::isfinite(spread)) return camera;
  // The inverse turns the direction towards the axes of least spread; the part of the unit matrix
  // limits that, so that depth is still seen.
  const glm::dvec3 eye =
      glm::normalize(glm::inverse(covariance / spread + glm::dmat3(0.25)) * towards_eye(camera));
  const auto degrees = [](double angle) { return std::round(angle * 180 / std::numbers::pi); };
  camera.azimuth = degrees(std::atan2(eye.y, eye.x));
  camera.elevation = degrees(std::asin(eye.z));
  return camera;
}

Perspective::Perspective(const Camera& camera, double radius, glm::ivec2 viewport)
    : right_(rightwards(camera)), viewport_(glm::max(viewport, glm::ivec2(1))) {
  const glm::dvec3 back = towards_eye(camera);
  forward_ = -back;
  up_ = glm::cross(back, right_);
  eye_ = camera.focus + distance(camera, radius) * back;
  half_size_ = tan_half(camera) * glm::dvec2(viewport_) / shorter(viewport_);
  // Samples may lie outside the box, but rarely far from it.
  constexpr double kSurroundings = 3;
  const double depth = glm::dot(-eye_, forward_);
  near_ = std::max(0.004 * radius, depth - kSurroundings * radius);
  far_ = std::max(2 * near_, depth + kSurroundings * radius);
}

glm::dmat4 Perspective::view() const {
  const glm::dmat3 axes = glm::transpose(glm::dmat3(right_, up_, -forward_));
  glm::dmat4 matrix(axes);
  matrix[3] = glm::dvec4(-(axes * eye_), 1);
  return matrix;
}

glm::dmat4 Perspective::projection() const {
  glm::dmat4 matrix(0);
  matrix[0][0] = 1 / half_size_.x;
  matrix[1][1] = 1 / half_size_.y;
  matrix[2][2] = -(far_ + near_) / (far_ - near_);
  matrix[2][3] = -1;
  matrix[3][2] = -2 * far_ * near_ / (far_ - near_);
  return matrix;
}

Ray Perspective::ray(glm::dvec2 pixel) const {
  const glm::dvec2 share = 2.0 * pixel / glm::dvec2(viewport_) - 1.0;
  const glm::dvec3 through =
      forward_ + share.x * half_size_.x * right_ - share.y * half_size_.y * up_;
  return {eye_, glm::normalize(through)};
}

std::optional<glm::dvec3> Perspective::project(glm::dvec3 scene) const {
  const glm::dvec3 offset = scene - eye_;
  const double depth = glm::dot(offset, forward_);
  if (!(depth >= near_)) return std::nullopt;
  const glm::dvec2 share(glm::dot(offset, right_) / (depth * half_size_.x),
                         -glm::dot(offset, up_) / (depth * half_size_.y));
  return glm::dvec3((share + 1.0) * 0.5 * glm::dvec2(viewport_), depth);
}

double Perspective::pixels_at(double distance) const {
  return viewport_.y / (2 * half_size_.y * distance);
}

void set_rays(const gl::ShaderProgram& program, const Perspective& p) {
  program.set("eye", glm::vec3(p.eye()));
  program.set("forward", glm::vec3(p.forward()));
  program.set("across", glm::vec3(p.half_size().x * p.right()));
  program.set("upwards", glm::vec3(p.half_size().y * p.up()));
  program.set("near_far", glm::vec2(p.near(), p.far()));
  // Light from behind the viewer's left shoulder.
  program.set("light", glm::vec3(glm::normalize(-p.forward() + 0.55 * p.up() - 0.35 * p.right())));
}

}  // namespace skde::view
