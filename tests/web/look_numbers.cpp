// Prints the default look of skde-view as JSON, which the page for browsers has to have as well.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pictures/axis_ticks.hpp"
#include "pictures/color_map.hpp"
#include "pictures/picture_captions.hpp"
#include "viewer/layers/space/scene_frame.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/ui/value_ticks.hpp"

namespace {

using namespace skde;
using namespace skde::view;

constexpr int kSteps = 200;

std::string axis_text(double peak, bool logarithmic) {
  const ValueAxis axis = axis_up_to(peak, logarithmic);
  std::vector<double> values, shares;
  for (int i = 0; i <= kSteps; ++i) {
    values.push_back(axis.value_at(static_cast<double>(i) / kSteps));
    shares.push_back(axis.share_of(values.back() * 1.01));
  }
  return fmt::format(
      R"({{"peak": {}, "logarithmic": {}, "low": {}, "high": {}, "values": {}, "shares": {}}})",
      peak, logarithmic, axis.low, axis.high, values, shares);
}

std::string preset_text(const OpacityPreset& preset) {
  TransferFunction function;
  apply_preset(function, preset.name);
  std::vector<double> opacities;
  for (int i = -2; i <= kSteps + 2; ++i)
    opacities.push_back(function.opacity_at(static_cast<double>(i) / kSteps));
  return fmt::format(R"("{}": {})", preset.name, opacities);
}

/// Returns the opacities by mass of a box whose cells have the values e^(-fall (i / count)^(2/3))
/// at i + 1/2, as a hill has them.
std::string hill_text(double fall, double in_box, bool logarithmic) {
  constexpr int kCount = 200000;
  constexpr double kCell = 0.25;
  Histogram histogram;
  for (int i = 0; i < kCount; ++i) {
    const double share =
        histogram.axis.share_of(std::exp(-fall * std::pow((i + 0.5) / kCount, 2.0 / 3)));
    const auto bin = static_cast<std::size_t>(share * Histogram::kBins);
    ++histogram.counts[std::min<std::size_t>(bin, Histogram::kBins - 1)];
  }
  const auto points =
      opacities_by_mass({histogram, kCell, in_box}, axis_up_to(1, logarithmic), kCount * kCell);
  std::vector<double> flat;
  for (const ControlPoint& point : points) flat.insert(flat.end(), {point.position, point.opacity});
  return fmt::format(
      R"({{"fall": {}, "in_box": {}, "logarithmic": {}, "count": {}, "cell": {}, "points": {}}})",
      fall, in_box, logarithmic, kCount, kCell, flat);
}

/// Returns the ticks and the caption of an axis of coordinates.
std::string ticks_text(double lower, double upper, const std::string& units) {
  const AxisTicks ticks = choose_ticks(lower, upper, 5);
  return fmt::format(
      R"({{"lower": {}, "upper": {}, "units": "{}", "positions": {}, "labels": {}, "caption": "{}"}})",
      lower, upper, units, ticks.positions, ticks.labels, axis_caption("x", ticks, units));
}

/// Returns the ticks and the caption of an axis of densities of coordinates with a unit.
std::string bar_text(double low, double high, bool logarithmic, const std::string& units) {
  const ui::ValueTicks found = ui::value_ticks({low, high, logarithmic}, 5,
                                               ui::density_quantity(Normalization::density, units));
  std::vector<double> shares;
  std::vector<std::string> labels;
  for (const ui::ValueTick& tick : found.ticks) {
    shares.push_back(tick.share);
    labels.push_back(tick.label);
  }
  return fmt::format(
      R"({{"low": {}, "high": {}, "logarithmic": {}, "units": "{}", "shares": {}, "labels": {}, "caption": "{}"}})",
      low, high, logarithmic, units, shares, labels, found.caption);
}

/// Returns the direction from which a cloud whose covariance has these entries is first seen.
std::string camera_text(double xx, double yy, double zz, double xz) {
  const Camera camera = first_camera(glm::dmat3({xx, 0, xz}, {0, yy, 0}, {xz, 0, zz}));
  return fmt::format(R"([{}, {}, {}, {}, {}, {}])", xx, yy, zz, xz, camera.azimuth,
                     camera.elevation);
}

}  // namespace

int main() {
  std::vector<std::string> axes, presets, hills;
  for (const double peak : {1.0, 2.6e-5, 7e300, 1e-310, 0.0})
    for (const bool logarithmic : {false, true}) axes.push_back(axis_text(peak, logarithmic));
  for (const OpacityPreset& preset : kOpacityPresets) presets.push_back(preset_text(preset));
  for (const double fall : {2.0, 9.0, 60.0, 900.0})
    for (const double in_box : {1.0, 0.9})
      for (const bool logarithmic : {false, true})
        hills.push_back(hill_text(fall, in_box, logarithmic));
  std::vector<std::string> ticks, bars;
  for (const double middle : {0.0, 3.0, -450000.0, 1e9, -1e9, 2.5e-7})
    for (const double half : {1e-3, 0.3, 1.0, 17.0, 250.0, 4e6, 3e-9})
      for (const char* const units : {"", "Mpc"})
        ticks.push_back(ticks_text(middle - half, middle + 1.1 * half, units));
  for (const double high : {1e-9, 4.2e-4, 1.0, 60.2, 3e7})
    for (const double low : {1e-12 * high, 1e-4 * high, 0.2 * high})
      for (const bool logarithmic : {false, true})
        for (const char* const units : {"", "Mpc", "km/s"})
          bars.push_back(bar_text(low, high, logarithmic, units));
  const std::vector<std::string> cameras{camera_text(1, 1, 1, 0), camera_text(30, 20, 1, 0.8),
                                         camera_text(1, 9, 4, -0.6)};
  ViewState state;
  const std::string_view soft = preset_name(state.transfer);
  set_axis_kind(state.transfer, axis_up_to(1, false));
  fmt::print(R"({{"steps": {}, "axes": [{}], "presets": {{{}}}, "hills": [{}],
"ticks": [{}], "bars": [{}], "cameras": [{}], "unlike": {},
"default": {{"opacities": "{}", "of a linear axis": "{}", "shading": {}, "logarithmic": {}, "colours": "{}"}}}}
)",
             kSteps, fmt::join(axes, ",\n"), fmt::join(presets, ",\n"), fmt::join(hills, ",\n"),
             fmt::join(ticks, ",\n"), fmt::join(bars, ",\n"), fmt::join(cameras, ",\n"),
             kUnlikeEdges, soft, preset_name(state.transfer), state.gradient_shading,
             ViewState().transfer.axis.logarithmic,
             kColorMaps[static_cast<std::size_t>(ViewState().transfer.colors)].first);
}
