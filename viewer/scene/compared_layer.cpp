#include "viewer/scene/compared_layer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "viewer/layers/volume/density_transfer.hpp"
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

void ComparedLayer::show(Comparison comparison, CompareAs as, DensityTransfer& transfer) {
  if (!view_) view_ = std::make_unique<VolumeView>();
  view_->upload(comparison.shown);
  as_ = as;
  most_ = comparison.greatest;
  const bool side = as == CompareAs::side;
  view_->points.take(side ? std::move(comparison.cloud) : nullptr);
  if (side) view_->volume.count(comparison.in_box, transfer);
  ++version_;
}

void ComparedLayer::forget() {
  view_.reset();
  ++version_;
}

std::optional<ValueAxis> ComparedLayer::axis() const {
  if (!view_ || as_ == CompareAs::side) return std::nullopt;
  const double most = most_ > 0 ? most_ : 1;
  return ValueAxis{-most, most, false};
}

VolumeLook ComparedLayer::look(const ViewState& state) const {
  if (as_ == CompareAs::side) return look_of(state, view_->volume);
  VolumeLook look;
  look.axis = *axis();
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
