#include "viewer/layers/volume/transfer_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"

namespace skde::view {
namespace {

double share(double value) { return value > 0 ? std::min(value, 1.0) : 0.0; }

/// Returns the opacity between points at a position from 0 to 1.
double opacity_of(const std::vector<ControlPoint>& points, double at) {
  const auto right = std::find_if(points.begin() + 1, points.end() - 1,
                                  [at](const ControlPoint& p) { return p.position >= at; });
  const ControlPoint &a = *(right - 1), &b = *right;
  if (!(b.position > a.position)) return b.opacity;
  return std::lerp(a.opacity, b.opacity, (at - a.position) / (b.position - a.position));
}

double position_of(std::size_t entry, std::size_t count) {
  return static_cast<double>(entry) / static_cast<double>(count - 1);
}

/// Returns the colours of a map at equal steps. Keeps those of the last call: a new bandwidth
/// changes only opacities.
const std::vector<glm::vec4>& opaque_table(ColorMap map, std::size_t count) {
  thread_local ColorMap last{};
  thread_local std::vector<glm::vec4> table;
  if (last == map && table.size() == count) return table;
  last = map;
  table.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Rgb color = map_rgb(map, position_of(i, count));
    table[i] = glm::vec4(color.red, color.green, color.blue, 1);
  }
  return table;
}

ValueAxis axis_from(io::JsonObject object) {
  object.require({"low", "high", "logarithmic"});
  ValueAxis axis;
  object.read("low", axis.low);
  object.read("high", axis.high);
  object.read("logarithmic", axis.logarithmic);
  object.finish();
  if (!is_valid(axis))
    object.fail("high", axis.logarithmic && axis.low <= 0
                            ? "needs a 'low' above 0, because the axis is logarithmic"
                            : "must be above 'low'");
  return axis;
}

}  // namespace

TransferFunction::TransferFunction()
    : axis(axis_up_to(1, true)), points_(kSoft.begin(), kSoft.end()) {}

void TransferFunction::set_points(std::vector<ControlPoint> points) {
  const auto refuse = [](const char* why) { throw Error(ErrorKind::usage, why); };
  if (points.size() < 2 || points.size() > kMostPoints)
    refuse("a transfer function must have 2 to 64 points");
  if (points.front().position != 0 || points.back().position != 1)
    refuse("the first point must be at position 0 and the last at 1");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && !(points[i].position >= points[i - 1].position))
      refuse("the points must be in ascending order of position");
    if (!(points[i].opacity >= 0 && points[i].opacity <= 1))
      refuse("every opacity must be between 0 and 1");
  }
  points_ = std::move(points);
  follows_mass = false;
}

void TransferFunction::follow_mass(std::vector<ControlPoint> points) {
  set_points(std::move(points));
  follows_mass = true;
}

std::size_t TransferFunction::add(ControlPoint point) {
  point = {share(point.position), share(point.opacity)};
  follows_mass = false;
  // After the first point and before the last, even if others are at 0 or 1 already.
  const auto after = std::upper_bound(
      points_.begin() + 1, points_.end() - 1, point.position,
      [](double position, const ControlPoint& other) { return position < other.position; });
  const auto index = static_cast<std::size_t>(after - points_.begin());
  if (points_.size() < kMostPoints) {
    points_.insert(after, point);
    return index;
  }
  const bool before_is_nearer =
      after - 1 != points_.begin() &&
      (after == points_.end() - 1 ||
       point.position - (after - 1)->position < after->position - point.position);
  const std::size_t nearest = index - (before_is_nearer ? 1 : 0);
  move(nearest, point);
  return nearest;
}

void TransferFunction::move(std::size_t index, ControlPoint to) {
  ControlPoint& point = points_.at(index);
  follows_mass = false;
  point.opacity = share(to.opacity);
  if (index == 0 || index + 1 == points_.size()) return;
  point.position =
      std::clamp(share(to.position), points_[index - 1].position, points_[index + 1].position);
}

void TransferFunction::remove(std::size_t index) {
  if (index == 0 || index + 1 >= points_.size()) return;
  follows_mass = false;
  points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(index));
}

double TransferFunction::opacity_at(double position) const {
  return opacity_of(points_, share(position));
}

std::vector<glm::vec4> TransferFunction::table(std::size_t count) const {
  std::vector<glm::vec4> colored = opaque_table(colors, count);
  for (std::size_t i = 0; i < count; ++i)
    colored[i].a = static_cast<float>(share(opacity_at(position_of(i, count)) * opacity_scale));
  return colored;
}

void apply_preset(TransferFunction& function, std::string_view name) {
  std::vector<std::string_view> names;
  for (const OpacityPreset& preset : kOpacityPresets) {
    if (preset.name == name)
      return function.set_points({preset.points.begin(), preset.points.end()});
    names.push_back(preset.name);
  }
  throw Error(ErrorKind::usage, "unknown preset '" + std::string(name) + "'",
              {{}, did_you_mean(name, names)});
}

std::string_view preset_name(const TransferFunction& function) {
  if (function.follows_mass) return "by mass";
  for (const OpacityPreset& preset : kOpacityPresets)
    if (std::ranges::equal(function.points(), preset.points)) return preset.name;
  return {};
}

void set_axis_kind(TransferFunction& function, const ValueAxis& axis) {
  const bool follows = function.follows_mass;
  const auto is = [&function](std::span<const ControlPoint> points) {
    return std::ranges::equal(function.points(), points);
  };
  if (axis.logarithmic && is(kSoftLinear)) function.set_points({kSoft.begin(), kSoft.end()});
  if (!axis.logarithmic && is(kSoft)) function.set_points({kSoftLinear.begin(), kSoftLinear.end()});
  function.axis = axis;
  function.follows_mass = follows;
}

WindowLevel window_level(const ValueAxis& axis) {
  if (axis.logarithmic)
    return {std::log10(axis.high) - std::log10(axis.low),
            std::sqrt(axis.low) * std::sqrt(axis.high)};
  return {axis.high - axis.low, axis.low + (axis.high - axis.low) / 2};
}

ValueAxis with_window_level(const ValueAxis& axis, const WindowLevel& wanted) {
  ValueAxis changed = axis;
  if (axis.logarithmic) {
    const double factor = std::pow(10.0, wanted.window / 2);
    changed.low = wanted.level / factor;
    changed.high = wanted.level * factor;
  } else {
    changed.low = wanted.level - wanted.window / 2;
    changed.high = wanted.level + wanted.window / 2;
  }
  return is_valid(changed) ? changed : axis;
}

ValueAxis axis_up_to(double peak, bool logarithmic) {
  constexpr double kDecades = 1e4;
  // If all values are 0, or so small that four decades below them is 0, any axis will do.
  const double high = std::isnormal(peak / kDecades) && peak > 0 ? peak : 1;
  return {logarithmic ? high / kDecades : 0, high, logarithmic};
}

bool is_valid(const ValueAxis& axis) {
  return std::isfinite(axis.low) && std::isfinite(axis.high) && axis.low < axis.high &&
         std::isfinite(axis.high - axis.low) && (!axis.logarithmic || axis.low > 0);
}

namespace {

/// The part of the mass between two regions, and the optical depth that it has on average over all
/// rays through the box.
struct Shell {
  double from, to;  ///< shares of the mass in the box; 0: the peak
  double depth;
};
constexpr std::array<Shell, 3> kMassShells{{{0.97, 0.75, 0.04}, {0.75, 0.3, 0.07}, {0.3, 0, 0.12}}};

// A ray through a cube crosses 0.38 of its diagonal on average, and an opacity is that of a
// hundredth of the diagonal.
constexpr double kRayLayers = 38;
constexpr double kFaintShell = 0.003, kDenseShell = 0.95;
constexpr double kPointStep = 1e-3;  // of positions on the axis

/// Opacities above the haze of faint surfaces that hold kFirstMasses, and half their width on the
/// axis.
constexpr std::array<double, 3> kRidgeHeights{0.12, 0.08, 0.05};
constexpr double kRidge = 0.012;

/// Raises a line to a ridge. Does nothing where another ridge or the end of the haze is too near.
void add_ridge(std::vector<ControlPoint>& points, const std::vector<ControlPoint>& line,
               double middle, double height, double& free) {
  const double low = middle - kRidge, high = middle + kRidge;
  if (low < free + kPointStep || high > 1 - kPointStep) return;
  std::erase_if(points, [&](const ControlPoint& point) {
    return point.position > low - kPointStep && point.position < high + kPointStep;
  });
  const auto next = std::ranges::upper_bound(points, middle, {}, &ControlPoint::position);
  points.insert(next, {{low, opacity_of(line, low)},
                       {middle, std::min(opacity_of(line, middle) + height, 1.0)},
                       {high, opacity_of(line, high)}});
  free = high;
}

}  // namespace

std::vector<ControlPoint> opacities_by_mass(const MassProfile& masses, const ValueAxis& axis,
                                            double box_volume) {
  const auto region = [&](double share) {
    const auto found = share > 0 ? masses.region(share * masses.in_box()) : std::nullopt;
    return found.value_or(MassRegion{0, axis.high, 0});
  };
  std::vector<ControlPoint> points{{0, 0}};
  double opacity = kFaintShell;
  const auto add = [&](double position, double value) {
    const double least = points.back().position + kPointStep;
    if (position < 1 - kPointStep) points.push_back({std::max(position, least), value});
  };
  for (const Shell& shell : kMassShells) {
    const MassRegion outer = region(shell.from), inner = region(shell.to);
    const double filled = std::max(outer.volume - inner.volume, 0.0) / box_volume;
    const double dimmed = -std::expm1(-shell.depth / std::max(kRayLayers * filled, 1e-9));
    opacity = std::clamp(dimmed, opacity, kDenseShell);
    const double low = axis.share_of(outer.level), high = axis.share_of(inner.level);
    if (points.size() == 1) add(low, 0);
    add(std::lerp(low, high, 0.5), opacity);
  }
  points.push_back({1, opacity});
  const std::vector<ControlPoint> line = points;
  double free = line[1].position;
  for (std::size_t i = kFirstMasses.size(); i-- > 0;)
    if (const auto surface = masses.region(kFirstMasses[i]))
      add_ridge(points, line, axis.share_of(surface->level), kRidgeHeights[i], free);
  // Densities in other units must give the same picture, although their logarithms round otherwise.
  const auto rounded = [](double value) { return std::round(value * 1e6) / 1e6; };
  for (ControlPoint& point : points) point = {rounded(point.position), rounded(point.opacity)};
  return points;
}

nlohmann::ordered_json transfer_function_json(const TransferFunction& function) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const ControlPoint& point : function.points())
    points.push_back({point.position, point.opacity});
  const ValueAxis& axis = function.axis;
  return {{"colors", word_of(kColorMaps, function.colors)},
          {"opacity_scale", function.opacity_scale},
          {"follows_mass", function.follows_mass},
          {"axis", {{"low", axis.low}, {"high", axis.high}, {"logarithmic", axis.logarithmic}}},
          {"points", std::move(points)}};
}

TransferFunction transfer_function_from(io::JsonObject object) {
  object.require({"colors", "opacity_scale", "axis", "points"});
  TransferFunction function;
  object.read_word("colors", function.colors, kColorMaps);
  object.read("opacity_scale", function.opacity_scale, 0);
  function.axis = axis_from(object.object(*object.find("axis"), "axis"));
  const nlohmann::ordered_json& list = *object.find("points");
  if (!list.is_array()) object.fail("points", "must be an array of [position, opacity]");
  std::vector<ControlPoint> points;
  for (const auto& pair : list) {
    const std::vector<double> values = object.numbers(pair, "points", 2);
    points.push_back({values[0], values[1]});
  }
  try {
    function.set_points(std::move(points));
  } catch (const Error& error) {
    object.fail("points", std::string("is invalid: ") + error.what());
  }
  object.read("follows_mass", function.follows_mass);
  object.finish();
  return function;
}

TransferFunction load_transfer_function(const std::string& path) {
  const nlohmann::ordered_json json = io::read_json(path);
  return transfer_function_from({json, path});
}

void save_transfer_function(const std::string& path, const TransferFunction& function) {
  io::write_json(path, transfer_function_json(function));
}

}  // namespace skde::view
