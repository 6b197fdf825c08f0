#pragma once

#include <array>
#include <cstddef>
#include <glm/glm.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "pictures/color_map.hpp"
#include "viewer/volume/value_axis.hpp"

namespace skde::view {

/// An opacity (0..1) at a place on the axis: 0 at its low end, 1 at its high end.
struct ControlPoint {
  double position = 0, opacity = 0;
  friend bool operator==(const ControlPoint&, const ControlPoint&) = default;
};

/// How densities become colours and opacities: a colour map over an axis, and a line of opacities
/// through control points. The points are in ascending order; the first is at 0, the last at 1.
class TransferFunction {
 public:
  static constexpr std::size_t kMostPoints = 64;

  /// The preset "soft" in viridis, over the four decades below 1.
  TransferFunction();

  ColorMap colors = ColorMap::viridis;
  ValueAxis axis;
  double opacity_scale = 1;  ///< factor of all opacities; the product is at most 1

  const std::vector<ControlPoint>& points() const { return points_; }
  /// Replaces all points. Error(usage) where they are fewer than 2 or more than kMostPoints, not in
  /// ascending order from 0 to 1, or an opacity is not in 0..1.
  void set_points(std::vector<ControlPoint> points);
  /// Adds a point between the ends and returns its index; at kMostPoints it moves the nearest.
  std::size_t add(ControlPoint point);
  /// Moves a point as far as its neighbours let it; the ends move in opacity alone.
  void move(std::size_t index, ControlPoint to);
  /// Removes a point; the ends stay.
  void remove(std::size_t index);

  /// The line through the points, before the opacity scale.
  double opacity_at(double position) const;
  /// `count` (at least 2) colours and opacities over the axis, evenly spaced, for VolumeLook.
  std::vector<glm::vec4> table(std::size_t count) const;

  friend bool operator==(const TransferFunction&, const TransferFunction&) = default;

 private:
  std::vector<ControlPoint> points_;
};

/// Points for a purpose.
struct TransferPreset {
  std::string_view name;
  std::string_view summary;  ///< a few words for a menu
  std::span<const ControlPoint> points;
};

/// "soft", "soft linear", "linear", "shell", "layers", "dense core", "opaque".
std::span<const TransferPreset> transfer_presets();
/// Replaces the points by those of a preset. Error(usage) that names the nearest one.
void apply_preset(TransferFunction& function, std::string_view name);

/// Takes an axis of the other kind, and the opacities that suit it where those are "soft" for the
/// one before.
void set_axis_kind(TransferFunction& function, const ValueAxis& axis);

/// How much of the values an axis spans, and about which: of a linear axis its length and its
/// middle, of a logarithmic one its decades and its geometric middle.
struct WindowLevel {
  double window = 1, level = 0.5;
};
WindowLevel window_level(const ValueAxis& axis);
/// The axis of that window and level, linear or logarithmic as `axis` is; `axis` itself where they
/// make none (a window of 0, a level of 0 on a logarithmic axis, beyond the range of double).
ValueAxis with_window_level(const ValueAxis& axis, const WindowLevel& wanted);

/// The axis for values up to `peak`: from 0, or the four decades below the peak.
ValueAxis axis_up_to(double peak, bool logarithmic);
/// True where low and high are what a ValueAxis asks for.
bool is_valid(const ValueAxis& axis);

}  // namespace skde::view
