// Two densities in the volume's part: beside each other, or their difference or ratio.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "viewer/scene/view_scene.hpp"
#include "viewer/work/compared_density.hpp"

namespace skde::view {
namespace {

constexpr std::size_t kDivergingColors = 1025;  // odd, so that one of them is the middle
// Opacity at the ends of the axis; and the share of the axis around 0 that is not seen, so that all
// that hardly differs does not veil the rest.
constexpr double kFarOpacity = 0.7, kUnseen = 0.03;

bool diverges(ColorMap map) {
  const ColorMap plain = is_inverted(map) ? inverted(map) : map;
  return plain == ColorMap::blue_red || plain == ColorMap::green_purple;
}

}  // namespace

ColorMap diverging_colors(const ViewState& state) {
  return diverges(state.transfer.colors) ? state.transfer.colors : ColorMap::blue_red;
}

void ViewScene::show_compared(Comparison comparison, CompareAs as, ViewState& state) {
  if (!compared_) compared_ = std::make_unique<VolumeView>();
  compared_->upload(comparison.shown);
  compared_as_ = as;
  compared_most_ = comparison.greatest;
  const bool side = as == CompareAs::side;
  compared_samples_.cloud = side ? comparison.cloud : nullptr;
  compared_masses_ = {};
  if (side)
    compared_masses_ = {transfer_.count(compared_->texture(), compared_->bricks().positive_range()),
                        comparison.shown.grid().cell_volume(), comparison.in_box};
  ++compared_version_;
  if (state.axis_follows_density) fit_axis(state);
}

void ViewScene::forget_compared(ViewState& state) {
  if (!compared_) return;
  compared_.reset();
  compared_samples_ = {};
  compared_masses_ = {};
  ++compared_version_;
  if (state.axis_follows_density && density_) fit_axis(state);
}

std::optional<ValueAxis> ViewScene::compared_axis() const {
  if (!compared_ || compared_as_ == CompareAs::side) return std::nullopt;
  const double most = compared_most_ > 0 ? compared_most_ : 1;
  return ValueAxis{-most, most, false};
}

VolumeLook ViewScene::compared_look(const ViewState& state) const {
  if (compared_as_ == CompareAs::side) return look_of(state, compared_masses_);
  VolumeLook look;
  look.axis = *compared_axis();
  look.quality = state.quality;
  look.clip = state.clip;
  look.colors.reserve(kDivergingColors);
  for (std::size_t i = 0; i < kDivergingColors; ++i) {
    const double share = static_cast<double>(i) / (kDivergingColors - 1);
    const Rgb color = map_rgb(diverging_colors(state), share);
    const double away = std::max(std::abs(2 * share - 1) - kUnseen, 0.0) / (1 - kUnseen);
    const double opacity = state.transfer.opacity_scale * kFarOpacity * away * std::sqrt(away);
    look.colors.emplace_back(color.red, color.green, color.blue, std::min(opacity, 1.0));
  }
  return look;
}

}  // namespace skde::view
