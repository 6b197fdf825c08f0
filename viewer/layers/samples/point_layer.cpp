#include "viewer/layers/samples/point_layer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "viewer/layers/samples/point_look.hpp"

namespace skde::view {
namespace {

constexpr float kPickedPixels = 13;

}  // namespace

void PointLayer::assign(const SamplesView& points, std::span<const glm::vec3> colors,
                        std::span<const float> sizes) {
  shown_.resize(std::min(points.size(), kMostPoints));
  for (std::size_t i = 0; i < shown_.size(); ++i)
    shown_[i] = points.point(i * points.size() / shown_.size());
  const auto choose = [this](const auto& all, auto& chosen) {
    chosen.resize(all.empty() ? 0 : shown_.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = all[i * all.size() / chosen.size()];
  };
  choose(colors, colors_);
  choose(sizes, sizes_);
  // Together the discs would cover about a tenth of a unit square.
  const double count = static_cast<double>(std::max<std::size_t>(shown_.size(), 1));
  diameter_ = static_cast<float>(std::clamp(0.35 / std::sqrt(count), 0.0015, 0.012));
  placed_.reset();
}

void PointLayer::place(const SceneFrame& frame) {
  if (placed_ == frame) return;
  std::vector<glm::vec3> places(shown_.size());
  std::transform(shown_.begin(), shown_.end(), places.begin(),
                 [&](Vec3 world) { return glm::vec3(frame.to_scene(world)); });
  const auto attach = [this](GLuint index, gl::Buffer& buffer, auto values, GLint floats) {
    if (values.empty()) return glDisableVertexArrayAttrib(vertices_.id(), index);
    buffer.assign(values, GL_STATIC_DRAW);
    vertices_.attribute(index, buffer, floats, sizeof(values[0]), 0);
  };
  attach(0, buffer_, std::span<const glm::vec3>(places), 3);
  attach(1, color_buffer_, std::span<const glm::vec3>(colors_), 3);
  attach(2, size_buffer_, std::span<const float>(sizes_), 1);
  placed_ = frame;
}

void PointLayer::draw_points(const gl::VertexArray& vertices, std::size_t count,
                             const glm::mat4& transform) const {
  program_.set("transform", transform);
  program_.use();
  glEnable(GL_PROGRAM_POINT_SIZE);
  vertices.bind();
  glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(count));
}

void PointLayer::set_style(const PointStyle& style) const {
  program_.set("least_most", std::max(style.size, 1.0F) * style.diameters);
  program_.set("color", style.color);
  program_.set("rim", style.rim);
  program_.set("rim_share", style.rim_share);
}

void PointLayer::draw(const SceneFrame& frame, const PointProjection& projection, const Clip& clip,
                      const PointStyle& style, const DensityColors* density) {
  if (shown_.empty()) return;
  place(frame);
  set_clip(program_, clip, frame);
  program_.set("pixels_at_one",
               style.size * diameter_ * static_cast<float>(projection.pixels_at_one));
  set_style(style);
  program_.set("coloring", style.colors_by_density ? 1 : colors_.empty() ? 0 : 2);
  program_.set("sizing", style.sizes_by_density ? 1 : sizes_.empty() ? 0 : 2);
  program_.set("diameters", glm::vec2(kLeastDiameter, kMostDiameter));
  if (density != nullptr) {
    density->colors.set_axis(program_, density->volume.unit());
    program_.set("box_half", glm::vec3(frame.signed_half()));
    density->volume.texture().bind(0);
    density->colors.texture().bind(1);
  }
  draw_points(vertices_, shown_.size(), projection.transform);
}

void PointLayer::draw_picked(glm::dvec3 scene, const Perspective& perspective, float pixel_scale) {
  const std::array place{glm::vec3(scene)};
  picked_buffer_.assign(std::span<const glm::vec3>(place));
  picked_vertices_.attribute(0, picked_buffer_, 3, sizeof(glm::vec3), 0);
  program_.set("clipped", 0);
  program_.set("coloring", 0);
  program_.set("sizing", 0);
  program_.set("pixels_at_one", 0.0F);
  set_style({{1, 0.85F, 0.1F, 1},
             {0.05F, 0.05F, 0.05F, 1},
             0.28F,
             glm::vec2(kPickedPixels * pixel_scale)});
  draw_points(picked_vertices_, 1, perspective.transform());
}

std::optional<std::size_t> pick_sample(const SamplesView& points, const ScenePart& part,
                                       glm::dvec2 pixel, double within, const Clip& clip) {
  const double reach = within * static_cast<double>(part.scale);
  std::optional<std::size_t> nearest;
  double least = reach * reach;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!clip.keeps(points.point(i))) continue;
    const auto place = part.perspective.project(part.frame.to_scene(points.point(i)));
    if (!place) continue;
    const glm::dvec2 away = glm::dvec2(*place) - part.own(pixel);
    const double distance = glm::dot(away, away);
    if (distance > least || (nearest && distance == least)) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

}  // namespace skde::view
