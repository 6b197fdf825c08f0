// The samples that the scene shows, and their colours.
#include <algorithm>
#include <utility>

#include "estimate/read/cloud.hpp"
#include "pictures/color_map.hpp"
#include "viewer/layers/samples/ellipsoid_layer.hpp"
#include "viewer/scene/view_scene.hpp"

namespace skde::view {
namespace {

constexpr glm::vec3 kUnselected{0.72F, 0.74F, 0.77F}, kSelected{1, 0.55F, 0.15F};

}  // namespace

SamplesView ViewScene::ViewSamples::view() const {
  if (!cloud) return {};
  return shown ? SamplesView{places, {}} : cloud->points;
}

double ViewScene::ViewSamples::weight(std::size_t i) const {
  return cloud->points.weight(shown ? shown->samples[i] : i);
}

std::vector<double> ViewScene::ViewSamples::values(PointColors told,
                                                   std::vector<double> ShownPoints::*column) const {
  std::vector<double> found;
  if (told == PointColors::column && shown) return (*shown).*column;
  for (std::size_t i = 0; told == PointColors::weight && i < view().size(); ++i)
    found.push_back(weight(i));
  return found;
}

std::optional<ViewScene::PointAxis> ViewScene::point_axis(const ViewState& state) const {
  if (!cloud() || !draws_points(state)) return std::nullopt;
  if (state.point_look.colors == PointColors::weight) return PointAxis{weight_axis_, "weight"};
  if (state.point_look.colors != PointColors::column || !points() || !points()->categories.empty())
    return std::nullopt;
  return PointAxis{points()->value_axis, state.point_look.column};
}

std::span<const PointCategory> ViewScene::point_categories(const ViewState& state) const {
  const bool shown =
      points() && draws_points(state) && state.point_look.colors == PointColors::column;
  return shown ? std::span<const PointCategory>(points()->categories)
               : std::span<const PointCategory>();
}

std::optional<ViewScene::PointAxis> ViewScene::size_axis(const ViewState& state) const {
  if (!cloud() || !draws_points(state)) return std::nullopt;
  const PointLook& look = state.point_look;
  if (look.sizes == PointColors::weight) return PointAxis{weight_axis_, "weight"};
  if (look.sizes == PointColors::density && density_)
    return PointAxis{state.transfer.axis, "density"};
  if (look.sizes != PointColors::column || !points() || points()->sizes.empty())
    return std::nullopt;
  return PointAxis{points()->size_axis, look.size_column};
}

std::vector<glm::vec3> ViewScene::own_colors(const ViewState& state,
                                             const ViewSamples& samples) const {
  std::vector<glm::vec3> colors;
  const PointColors told = state.point_look.colors;
  const ColorMap map = mass_colors(state.transfer.colors);
  // B takes the axis and the categories of A, because one bar or legend explains both.
  const ShownPoints none, &of_a = points() ? *points() : none;
  const ValueAxis& axis = told == PointColors::weight ? weight_axis_ : of_a.value_axis;
  const bool by_category = told == PointColors::column && !of_a.categories.empty();
  for (const double value : samples.values(told, &ShownPoints::values)) {
    if (by_category) {
      const auto i = static_cast<std::size_t>(value);
      const auto& own = samples.shown->categories;
      const auto found = std::ranges::find(of_a.categories, i < own.size() ? own[i].name : "",
                                           &PointCategory::name);
      colors.push_back(category_color(static_cast<std::size_t>(found - of_a.categories.begin())));
    } else {
      const Rgb c = map_rgb(map, axis.share_of(value));
      colors.emplace_back(c.red, c.green, c.blue);
    }
  }
  const SamplesView shown = samples.view();
  if (state.selection) {
    if (colors.empty()) colors.assign(shown.size(), kUnselected);
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (state.selection->holds(shown.point(i))) colors[i] = kSelected;
  }
  return colors;
}

void ViewScene::update_points(const ViewState& state, ViewSamples& samples,
                              VolumeView& view) const {
  const PointLook& look = state.point_look;
  view.set_point_style(look.size, look.colors == PointColors::density,
                       look.sizes == PointColors::density);
  const ColorMap map = mass_colors(state.transfer.colors);
  const PointsMade wanted{samples.cloud, samples.shown,   look.colors, look.sizes,
                          map,           state.selection, true};
  if (samples.made == wanted) return;
  samples.made = wanted;
  samples.places.clear();
  for (std::size_t i = 0; samples.cloud && samples.shown && i < samples.shown->samples.size();
       ++i) {
    const Vec3 place = samples.cloud->points.point(samples.shown->samples[i]);
    samples.places.insert(samples.places.end(), {place.x, place.y, place.z});
  }
  const ValueAxis& axis =
      look.sizes == PointColors::weight || !points() ? weight_axis_ : points()->size_axis;
  std::vector<float> sizes;
  for (const double value : samples.values(look.sizes, &ShownPoints::sizes))
    sizes.push_back(static_cast<float>(axis.share_of(value)));
  view.set_points(samples.view(), own_colors(state, samples), std::move(sizes));
}

}  // namespace skde::view
