#include "viewer/layers/volume/transfer_function_file.hpp"

#include <utility>

#include "core/report/error.hpp"

namespace skde::view {
namespace {

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
