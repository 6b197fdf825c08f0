// The samples that the scene shows, and their colours.
#include <algorithm>

#include "estimate/read/cloud.hpp"
#include "pictures/color_map.hpp"
#include "viewer/mixture/ellipsoid_layer.hpp"
#include "viewer/scene/view_scene.hpp"

namespace skde::view {
namespace {

constexpr glm::vec3 kUnselected{0.72F, 0.74F, 0.77F}, kSelected{1, 0.55F, 0.15F};

/// Returns the axis from the least to the greatest value.
ValueAxis axis_over(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [least, greatest] = std::ranges::minmax(values);
  // A single value is in the middle.
  return least < greatest ? ValueAxis{least, greatest} : ValueAxis{least - 0.5, least + 0.5};
}

}  // namespace

SamplesView ViewScene::shown_points() const {
  if (!cloud_) return {};
  return points_ ? SamplesView{point_places_, {}} : cloud_->points;
}

std::optional<ViewScene::PointAxis> ViewScene::point_axis(const ViewState& state) const {
  if (!cloud_ || !draws_points(state)) return std::nullopt;
  if (state.point_look.colors == PointColors::weight)
    return PointAxis{mass_axis(cloud_->points), "weight"};
  if (state.point_look.colors != PointColors::column || !points_ || !points_->categories.empty())
    return std::nullopt;
  return PointAxis{axis_over(points_->values), state.point_look.column};
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
  if (look.sizes == PointColors::weight) return PointAxis{mass_axis(cloud_->points), "weight"};
  if (look.sizes == PointColors::density && density_)
    return PointAxis{state.transfer.axis, "density"};
  if (look.sizes != PointColors::column || !points_ || points_->sizes.empty()) return std::nullopt;
  return PointAxis{axis_over(points_->sizes), look.size_column};
}

std::vector<glm::vec3> ViewScene::own_colors(const ViewState& state,
                                             const SamplesView& shown) const {
  std::vector<glm::vec3> colors;
  const ColorMap map = mass_colors(state.transfer.colors);
  const auto add = [&](const ValueAxis& axis, double value) {
    const Rgb c = map_rgb(map, axis.share_of(value));
    colors.emplace_back(c.red, c.green, c.blue);
  };
  if (cloud_ && state.point_look.colors == PointColors::weight) {
    const ValueAxis axis = mass_axis(cloud_->points);
    for (std::size_t i = 0; i < shown.size(); ++i)
      add(axis, cloud_->points.weight(points_ ? points_->samples[i] : i));
  }
  if (points_ && state.point_look.colors == PointColors::column) {
    const ValueAxis axis = axis_over(points_->values);
    for (const double value : points_->values)
      if (points_->categories.empty())
        add(axis, value);
      else
        colors.push_back(category_color(static_cast<std::size_t>(value)));
  }
  if (state.selection) {
    if (colors.empty()) colors.assign(shown.size(), kUnselected);
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (state.selection->holds(shown.point(i))) colors[i] = kSelected;
  }
  return colors;
}

std::vector<float> ViewScene::own_sizes(const ViewState& state, std::size_t shown) const {
  std::vector<float> sizes;
  const PointColors told = state.point_look.sizes;
  if (cloud_ && told == PointColors::weight) {
    const ValueAxis axis = mass_axis(cloud_->points);
    for (std::size_t i = 0; i < shown; ++i)
      sizes.push_back(static_cast<float>(
          axis.share_of(cloud_->points.weight(points_ ? points_->samples[i] : i))));
  }
  if (points_ && told == PointColors::column) {
    const ValueAxis axis = axis_over(points_->sizes);
    for (const double value : points_->sizes)
      sizes.push_back(static_cast<float>(axis.share_of(value)));
  }
  return sizes;
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
  volume_.set_points(shown, own_colors(state, shown), own_sizes(state, shown.size()));
}

}  // namespace skde::view
