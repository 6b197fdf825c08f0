#pragma once

#include <cstddef>
#include <glm/glm.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/json_object.hpp"
#include "pictures/color_map.hpp"
#include "viewer/layers/volume/volume_look.hpp"

namespace skde::view {

class MassProfile;

/// Maps densities to colours and opacities: a colour map over an axis, and opacities linear between
/// control points. The points are in ascending order; the first is at 0, the last at 1.
class TransferFunction {
 public:
  static constexpr std::size_t kMostPoints = 64;

  /// The preset "soft" in viridis, over the four decades below 1.
  TransferFunction();

  ColorMap colors = ColorMap::viridis;
  ValueAxis axis;
  bool follows_mass = true;  ///< whether the points are those of opacities_by_mass(), anew for
                             ///< every density; edits of points end it
  double opacity_scale = 1;  ///< factor on all opacities; products are limited to 1

  const std::vector<ControlPoint>& points() const { return points_; }
  /// Replaces all points. Throws Error(usage) if there are fewer than 2 or more than kMostPoints,
  /// if they do not ascend from 0 to 1, or if an opacity is not in 0..1.
  void set_points(std::vector<ControlPoint> points);
  /// Replaces all points by those of opacities_by_mass().
  void follow_mass(std::vector<ControlPoint> points);
  /// Adds a point between the ends and returns its index. If there are already kMostPoints, moves
  /// the nearest one instead.
  std::size_t add(ControlPoint point);
  /// Moves a point as far as its neighbours allow; the end points only change their opacity.
  void move(std::size_t index, ControlPoint to);
  /// Removes a point; the end points are kept.
  void remove(std::size_t index);

  /// Returns the interpolated opacity, without the opacity scale.
  double opacity_at(double position) const;
  /// Returns `count` (at least 2) colours and opacities, evenly spaced on the axis, for VolumeLook.
  std::vector<glm::vec4> table(std::size_t count) const;

  friend bool operator==(const TransferFunction&, const TransferFunction&) = default;

 private:
  std::vector<ControlPoint> points_;
};

/// Replaces the points by those of a preset. Throws Error(usage) that names the nearest preset if
/// there is none of this name.
void apply_preset(TransferFunction& function, std::string_view name);
/// Returns the name of the preset whose points a function has, "by mass" if they follow that, or
/// nothing.
std::string_view preset_name(const TransferFunction& function);

/// Sets an axis of the other kind. If the opacities are the "soft" preset of the old kind, replaces
/// them by that of the new kind.
void set_axis_kind(TransferFunction& function, const ValueAxis& axis);

/// An axis as window and level: for a linear axis its length and its middle, for a logarithmic one
/// its decades and its geometric middle.
struct WindowLevel {
  double window = 1, level = 0.5;
};
WindowLevel window_level(const ValueAxis& axis);
/// Returns the axis with this window and level, linear or logarithmic as `axis`; `axis` itself if
/// there is none (window 0, level 0 on a logarithmic axis, values beyond the range of double).
ValueAxis with_window_level(const ValueAxis& axis, const WindowLevel& wanted);

/// Returns the axis for values up to `peak`: from 0, or the four decades below the peak.
ValueAxis axis_up_to(double peak, bool logarithmic);
/// Returns true if low and high meet the conditions of ValueAxis.
bool is_valid(const ValueAxis& axis);

/// Returns opacities that show haze and core of any density, from the regions that hold shares of
/// its mass. Nothing is drawn outside the region of 97 %. What lies between it and the regions of
/// 75 % and 30 %, and within the last, is as opaque as dims the box by a fixed amount on average:
/// the smaller its volume, the more opaque. `box_volume` is in cubed units of the coordinates.
std::vector<ControlPoint> opacities_by_mass(const MassProfile& masses, const ValueAxis& axis,
                                            double box_volume);

/// {"colors": "viridis", "opacity_scale": 1, "axis": {"low", "high", "logarithmic"},
///  "points": [[position, opacity], ...]}
nlohmann::ordered_json transfer_function_json(const TransferFunction& function);
/// Requires every key and no other. Throws Error(input) as io::JsonObject does.
TransferFunction transfer_function_from(io::JsonObject object);

/// Throws Error(input) that names the file and the key.
TransferFunction load_transfer_function(const std::string& path);
/// Writes the file completely or not at all. Throws Error(output) if it cannot be written.
void save_transfer_function(const std::string& path, const TransferFunction& function);

}  // namespace skde::view
