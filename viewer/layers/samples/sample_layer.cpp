#include "viewer/layers/samples/sample_layer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <utility>

#include "estimate/read/cloud.hpp"
#include "viewer/layers/samples/ellipsoid_layer.hpp"

namespace skde::view {
namespace {

constexpr glm::vec3 kUnselected{0.72F, 0.74F, 0.77F}, kSelected{1, 0.55F, 0.15F};
constexpr double kPickWithin = 12;  // pixels at scale 1

constexpr float kPickedPixels = 13;

}  // namespace

void SampleLayer::take(std::shared_ptr<const SampleCloud> cloud) {
  cloud_ = std::move(cloud);
  shown_.reset();  // of another cloud
  weight_axis_ = mass_axis(view());
}

Vec3 SampleLayer::place_of(std::size_t sample) const { return cloud_->points.point(sample); }

SamplesView SampleLayer::view() const {
  if (!cloud_) return {};
  return shown_ ? SamplesView{places_, {}} : cloud_->points;
}

std::vector<double> SampleLayer::values(PointColors told,
                                        std::vector<double> ShownPoints::*column) const {
  std::vector<double> found;
  if (told == PointColors::column && shown_) return (*shown_).*column;
  for (std::size_t i = 0; told == PointColors::weight && i < view().size(); ++i)
    found.push_back(cloud_->points.weight(index_of(i)));
  return found;
}

std::optional<NamedAxis> SampleLayer::axis(const PointLook& look) const {
  if (!cloud_) return std::nullopt;
  if (look.colors == PointColors::weight) return NamedAxis{weight_axis_, "weight"};
  if (look.colors != PointColors::column || !shown_ || !shown_->categories.empty())
    return std::nullopt;
  return NamedAxis{shown_->value_axis, look.column};
}

std::span<const PointCategory> SampleLayer::categories(const PointLook& look) const {
  if (!shown_ || look.colors != PointColors::column) return {};
  return shown_->categories;
}

std::optional<NamedAxis> SampleLayer::size_axis(const PointLook& look,
                                                const ValueAxis* density) const {
  if (!cloud_) return std::nullopt;
  if (look.sizes == PointColors::weight) return NamedAxis{weight_axis_, "weight"};
  if (look.sizes == PointColors::density && density != nullptr)
    return NamedAxis{*density, "density"};
  if (look.sizes != PointColors::column || !shown_ || shown_->sizes.empty()) return std::nullopt;
  return NamedAxis{shown_->size_axis, look.size_column};
}

std::vector<glm::vec3> SampleLayer::own_colors(PointColors told, ColorMap map,
                                               const std::optional<OutlinedPlaces>& selection,
                                               const SampleLayer& of_a) const {
  std::vector<glm::vec3> colors;
  const ShownPoints none, &shown_a = of_a.shown_ ? *of_a.shown_ : none;
  const ValueAxis& axis = told == PointColors::weight ? of_a.weight_axis_ : shown_a.value_axis;
  const bool by_category = told == PointColors::column && !shown_a.categories.empty();
  for (const double value : values(told, &ShownPoints::values)) {
    if (by_category) {
      const auto i = static_cast<std::size_t>(value);
      const auto& own = shown_->categories;
      const auto found = std::ranges::find(shown_a.categories, i < own.size() ? own[i].name : "",
                                           &PointCategory::name);
      colors.push_back(
          category_color(static_cast<std::size_t>(found - shown_a.categories.begin())));
    } else {
      const Rgb c = map_rgb(map, axis.share_of(value));
      colors.emplace_back(c.red, c.green, c.blue);
    }
  }
  if (!selection) return colors;
  const SamplesView shown = view();
  if (colors.empty()) colors.assign(shown.size(), kUnselected);
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (selection->holds(shown.point(i))) colors[i] = kSelected;
  return colors;
}

void SampleLayer::set_style(double size, bool colors_by_density, bool sizes_by_density) {
  size_ = size;
  by_density_ = colors_by_density;
  sizes_by_density_ = sizes_by_density;
}

void SampleLayer::update(const PointLook& look, ColorMap map,
                         const std::optional<OutlinedPlaces>& selection, const SampleLayer& of_a) {
  set_style(look.size, look.colors == PointColors::density, look.sizes == PointColors::density);
  const Made wanted{cloud_, shown_, look.colors, look.sizes, map, selection};
  if (made_ == wanted) return;
  made_ = wanted;
  places_.clear();
  for (std::size_t i = 0; cloud_ && shown_ && i < shown_->samples.size(); ++i) {
    const Vec3 place = cloud_->points.point(shown_->samples[i]);
    places_.insert(places_.end(), {place.x, place.y, place.z});
  }
  const ValueAxis& axis = look.sizes == PointColors::weight || !of_a.shown_
                              ? of_a.weight_axis_
                              : of_a.shown_->size_axis;
  std::vector<float> sizes;
  for (const double value : values(look.sizes, &ShownPoints::sizes))
    sizes.push_back(static_cast<float>(axis.share_of(value)));
  discs_.assign(view(), own_colors(look.colors, map, selection, of_a), sizes);
}

void SampleLayer::draw(const SceneFrame& frame, const PointProjection& projection, const Clip& clip,
                       PointStyle style, const VolumeTexture& volume, const VolumeLook& look) {
  style.size = static_cast<float>(size_);
  style.colors_by_density = by_density_ && volume;
  style.sizes_by_density = sizes_by_density_ && volume;
  colors_.update(look);
  const DensityColors density{volume, colors_};
  const bool told = style.colors_by_density || style.sizes_by_density;
  discs_.draw(frame, projection, clip, style, told ? &density : nullptr);
}

std::optional<std::size_t> SampleLayer::pick(const ScenePart& part, glm::dvec2 pixel,
                                             const Clip& clip) const {
  const bool is_made = made_ ? made_->shown == shown_ : !shown_;
  if (!cloud_ || !part.region.holds(pixel) || !is_made) return std::nullopt;
  const auto picked = pick_sample(view(), part, pixel, kPickWithin, clip);
  return picked ? std::optional(index_of(*picked)) : std::nullopt;
}

const SelectionFacts& SampleLayer::selected(const OutlinedPlaces& selection, const Clip& clip) {
  Selected wanted{cloud_, shown_, selection, clip};
  if (selected_for_ == wanted) return selected_;
  selected_for_ = std::move(wanted);
  selected_ = {};
  if (!cloud_) return selected_;
  const SamplesView all = cloud_->points;
  const std::size_t shown = shown_ ? shown_->samples.size() : all.size();
  double mass = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const Vec3 place = all.point(index_of(i));
    if (!selection.holds(place) || !clip.keeps(place)) continue;
    ++selected_.samples;
    mass += all.weight(index_of(i));
  }
  selected_.share = mass / cloud_->moments.total_weight();
  return selected_;
}

OutlinedPlaces outlined(const ScenePart& part, std::span<const glm::dvec2> pixels) {
  const glm::dvec3 middle = part.frame.to_scene({0, 0, 0});
  const glm::dmat4 to_clip = part.perspective.projection() * part.perspective.view() *
                             glm::translate(glm::dmat4(1), middle) *
                             glm::scale(glm::dmat4(1), 1.0 / part.frame.unit());
  OutlinedPlaces places;
  for (int column = 0; column < 4; ++column) {
    const glm::dvec4 v = to_clip[column];
    const auto i = static_cast<std::size_t>(column);
    // From -1..1 upwards to shares of the picture downwards.
    places.to_picture[i] = 0.5 * (v.w + v.x);
    places.to_picture[4 + i] = 0.5 * (v.w - v.y);
    places.to_picture[8 + i] = v.w;
  }
  for (const glm::dvec2& pixel : pixels) {
    const glm::dvec2 share = part.own(pixel) / glm::dvec2(part.region.size);
    places.outline.push_back({share.x, share.y});
  }
  return places;
}

std::vector<glm::dvec2> selection_pixels(const OutlinedPlaces& selection, const ScenePart& part) {
  std::vector<glm::dvec2> pixels;
  if (outlined(part, {}).to_picture != selection.to_picture) return pixels;  // the view has turned
  for (const auto& [x, y] : selection.outline)
    pixels.push_back(glm::dvec2(part.region.corner) +
                     glm::dvec2(x, y) * glm::dvec2(part.region.size));
  return pixels;
}

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
