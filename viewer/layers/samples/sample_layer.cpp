#include "viewer/layers/samples/sample_layer.hpp"

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>
#include <utility>

#include "estimate/read/cloud.hpp"
#include "viewer/layers/samples/ellipsoid_layer.hpp"

namespace skde::view {
namespace {

constexpr glm::vec3 kUnselected{0.72F, 0.74F, 0.77F}, kSelected{1, 0.55F, 0.15F};
constexpr double kPickWithin = 12;  // pixels at scale 1

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

}  // namespace skde::view
