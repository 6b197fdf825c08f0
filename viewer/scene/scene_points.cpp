// The samples that the scene shows, and their colours.
#include <algorithm>
#include <utility>

#include "estimate/read/cloud.hpp"
#include "pictures/color_map.hpp"
#include "viewer/mixture/ellipsoid_layer.hpp"
#include "viewer/scene/view_scene.hpp"

namespace skde::view {
namespace {

constexpr glm::vec3 kUnselected{0.72F, 0.74F, 0.77F}, kSelected{1, 0.55F, 0.15F};

}  // namespace

SamplesView ViewScene::shown_points() const {
  if (!cloud_) return {};
  return points_ ? SamplesView{point_places_, {}} : cloud_->points;
}

std::optional<ViewScene::PointAxis> ViewScene::point_axis(const ViewState& state) const {
  if (!cloud_ || !draws_points(state)) return std::nullopt;
  if (state.point_look.colors == PointColors::weight) return PointAxis{weight_axis_, "weight"};
  if (state.point_look.colors != PointColors::column || !points_ || !points_->categories.empty())
    return std::nullopt;
  return PointAxis{points_->value_axis, state.point_look.column};
}

std::span<const PointCategory> ViewScene::point_categories(const ViewState& state) const {
  const bool shown =
      points_ && draws_points(state) && state.point_look.colors == PointColors::column;
  return shown ? std::span<const PointCategory>(points_->categories)
               : std::span<const PointCategory>();
}

std::optional<ViewScene::PointAxis> ViewScene::size_axis(const ViewState& state) const {
  if (!cloud_ || !draws_points(state)) return std::nullopt;
  const PointLook& look = state.point_look;
  if (look.sizes == PointColors::weight) return PointAxis{weight_axis_, "weight"};
  if (look.sizes == PointColors::density && density_)
    return PointAxis{state.transfer.axis, "density"};
  if (look.sizes != PointColors::column || !points_ || points_->sizes.empty()) return std::nullopt;
  return PointAxis{points_->size_axis, look.size_column};
}

std::vector<double> ViewScene::told_values(PointColors told, const std::vector<double>& of_column,
                                           std::size_t shown) const {
  if (told == PointColors::column) return of_column;
  std::vector<double> weights;
  for (std::size_t i = 0; told == PointColors::weight && i < shown; ++i)
    weights.push_back(cloud_->points.weight(points_ ? points_->samples[i] : i));
  return weights;
}

std::vector<glm::vec3> ViewScene::own_colors(const ViewState& state, const ShownPoints& points,
                                             const SamplesView& shown) const {
  std::vector<glm::vec3> colors;
  const PointColors told = state.point_look.colors;
  const ColorMap map = mass_colors(state.transfer.colors);
  const ValueAxis& axis = told == PointColors::weight ? weight_axis_ : points.value_axis;
  const bool by_category = told == PointColors::column && !points.categories.empty();
  for (const double value : told_values(told, points.values, shown.size())) {
    if (by_category) {
      colors.push_back(category_color(static_cast<std::size_t>(value)));
    } else {
      const Rgb c = map_rgb(map, axis.share_of(value));
      colors.emplace_back(c.red, c.green, c.blue);
    }
  }
  if (state.selection) {
    if (colors.empty()) colors.assign(shown.size(), kUnselected);
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (state.selection->holds(shown.point(i))) colors[i] = kSelected;
  }
  return colors;
}

void ViewScene::update_points(const ViewState& state) {
  const PointLook& look = state.point_look;
  volume_.set_point_style(look.size, look.colors == PointColors::density,
                          look.sizes == PointColors::density);
  const ColorMap map = mass_colors(state.transfer.colors);
  const PointsMade wanted{cloud_, points_, look.colors, look.sizes, map, state.selection, true};
  if (points_made_ == wanted) return;
  points_made_ = wanted;
  point_places_.clear();
  for (std::size_t i = 0; cloud_ && points_ && i < points_->samples.size(); ++i) {
    const Vec3 place = cloud_->points.point(points_->samples[i]);
    point_places_.insert(point_places_.end(), {place.x, place.y, place.z});
  }
  const SamplesView shown = shown_points();
  const ShownPoints none, &points = points_ ? *points_ : none;
  const ValueAxis& axis = look.sizes == PointColors::weight ? weight_axis_ : points.size_axis;
  std::vector<float> sizes;
  for (const double value : told_values(look.sizes, points.sizes, shown.size()))
    sizes.push_back(static_cast<float>(axis.share_of(value)));
  volume_.set_points(shown, own_colors(state, points, shown), std::move(sizes));
}

}  // namespace skde::view
