#include "viewer/layers/samples/ellipsoid_layer.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "cli/text/terminal_text.hpp"
#include "viewer/layers/samples/sample_layer.hpp"

namespace skde::view {
namespace {

constexpr double kLeastArm = 1e-6;   // scene units: flat splats have arms of length 0
constexpr double kCentreWithin = 4;  // pixels at scale 1

}  // namespace

ValueAxis mass_axis(const SamplesView& members) {
  constexpr double kAlike = 10, kDecades = 1e4;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double mass = members.weight(i);
    if (mass > 0) least = std::min(least, mass);
    most = std::max(most, mass);
  }
  if (!(most > 0)) return {0, 1, false};
  if (!(most > kAlike * least)) return {0, most, false};
  return {std::max(least, most / kDecades), most, true};
}

ColorMap mass_colors(ColorMap volume) {
  return volume == ColorMap::cividis || volume == ColorMap::inverted_cividis ? ColorMap::viridis
                                                                             : ColorMap::cividis;
}

void EllipsoidLayer::take(const SamplesView& samples) {
  samples_ = samples;
  if (!fitted_) assign(samples);
}

void EllipsoidLayer::show_fitted(Mixture mixture) {
  fitted_ = std::move(mixture);
  assign(fitted_->members.view());
}

void EllipsoidLayer::forget_fitted() {
  if (std::exchange(fitted_, std::nullopt)) assign(samples_);
}

void EllipsoidLayer::assign(const SamplesView& members) {
  members_ = members.shapes.empty() ? SamplesView() : members;
  masses_ = mass_axis(members_);
  placed_.reset();
}

SceneEllipsoid EllipsoidLayer::ellipsoid(std::size_t shown_one, const SceneFrame& frame) const {
  const std::size_t i = index_of(shown_one);
  return scene_ellipsoid(members_.point(i), members_.shape(i), frame, kLeastArm);
}

void EllipsoidLayer::place(const SceneFrame& frame, ColorMap colors) {
  if (placed_ == frame && colors_ == colors) return;
  std::vector<Instance> instances(shown());
  for (std::size_t k = 0; k < instances.size(); ++k) {
    const SceneEllipsoid shape = ellipsoid(k, frame);
    const Rgb c = map_rgb(colors, masses_.share_of(members_.weight(index_of(k))));
    instances[k] = {glm::vec3(shape.centre), glm::vec3(c.red, c.green, c.blue), {}};
    for (std::size_t i = 0; i < 3; ++i) instances[k].arms[i] = glm::vec3(shape.arms[i]);
  }
  buffer_.assign(std::span<const Instance>(instances), GL_STATIC_DRAW);
  for (GLuint attribute = 0; attribute < 5; ++attribute) {
    vertices_.attribute(attribute, buffer_, 3, sizeof(Instance), attribute * sizeof(glm::vec3));
    glVertexArrayBindingDivisor(vertices_.id(), attribute, 1);
  }
  placed_ = frame;
  colors_ = colors;
}

void EllipsoidLayer::draw(const SceneFrame& frame, const Perspective& perspective, const Clip& clip,
                          ColorMap colors) {
  if (members_.size() == 0) return;
  place(frame, colors);
  set_rays(program_, perspective);
  set_clip(program_, clip, frame);
  program_.set("transform", perspective.transform());
  program_.set("viewport", glm::vec2(perspective.viewport()));
  program_.use();
  vertices_.bind();
  glDrawArraysInstanced(GL_TRIANGLES, 0, 6, static_cast<GLsizei>(shown()));
}

std::optional<std::size_t> EllipsoidLayer::pick(const ScenePart& part, glm::dvec2 pixel,
                                                const Clip& clip) const {
  if (!part.region.holds(pixel)) return std::nullopt;
  const Perspective& perspective = part.perspective;
  const Ray ray = perspective.ray(part.own(pixel));
  const double forward = glm::dot(ray.direction, perspective.forward());
  std::optional<std::size_t> first;
  double nearest = perspective.far() / forward;
  for (std::size_t k = 0; k < shown(); ++k) {
    if (!clip.keeps(members_.point(index_of(k)))) continue;
    const auto entry = entry_of(ray, ellipsoid(k, part.frame));
    if (!entry || *entry * forward < perspective.near() || *entry > nearest) continue;
    nearest = *entry;
    first = index_of(k);
  }
  return first ? first : pick_sample(members_, part, pixel, kCentreWithin, clip);
}

namespace {

std::string vector_text(Vec3 v) {
  return fmt::format("{}, {}, {}", cli::format_value(v.x), cli::format_value(v.y),
                     cli::format_value(v.z));
}

std::string mass_text(const SamplesView& members, std::size_t index) {
  double total = 0;
  for (std::size_t i = 0; i < members.size(); ++i) total += members.weight(i);
  const double mass = members.weight(index);
  return fmt::format("{}, {} of all", cli::format_value(mass),
                     cli::format_share(total > 0 ? mass / total : 0));
}

}  // namespace

std::vector<ReadoutLine> member_readout(const SamplesView& members, std::size_t index) {
  const Symmetric3 c = members.shape(index);
  const Eigen3 axes = eigen_decomposition(c);
  std::vector<ReadoutLine> lines{
      {"ellipsoid", fmt::format("{} (0 to {})", index, members.size() - 1)},
      {"mass", mass_text(members, index)},
      {"mean", vector_text(members.point(index))}};
  constexpr std::array kNames{"shortest deviation", "middle deviation", "longest deviation"};
  for (std::size_t i = 3; i-- > 0;) {
    const Vec3 v = axes.vectors[i];
    lines.push_back(
        {kNames[i],
         fmt::format("{} along {:.2f}, {:.2f}, {:.2f}",
                     cli::format_value(std::sqrt(std::max(axes.values[i], 0.0))), v.x, v.y, v.z)});
  }
  lines.push_back({"covariance xx, xy, xz", vector_text({c.xx, c.xy, c.xz})});
  lines.push_back({"covariance yy, yz, zz", vector_text({c.yy, c.yz, c.zz})});
  return lines;
}

}  // namespace skde::view
