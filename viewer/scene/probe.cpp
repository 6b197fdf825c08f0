#include "viewer/scene/probe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/text/terminal_text.hpp"
#include "core/cloud/samples.hpp"
#include "viewer/layers/space/readout_line.hpp"
#include "viewer/layers/space/scene_frame.hpp"

namespace skde::view {
namespace {

std::string with_unit(std::string text, const std::string& unit) {
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

std::string sample_text(std::size_t sample, const ProbeTexts& texts) {
  return texts.rows ? fmt::format("{} (row {})", sample, sample + 1) : fmt::format("{}", sample);
}

}  // namespace

void find_nearest(const SamplesView& points, const SceneFrame& frame, ProbeReading& reading) {
  const glm::dvec3 alike = frame.alike();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 by = points.point(i) - reading.place;
    const glm::dvec3 away = glm::dvec3(by.x, by.y, by.z) / alike;
    const double distance = glm::dot(away, away);
    if (!(distance < least)) continue;
    least = distance;
    reading.sample = i;
  }
  if (reading.sample && alike == glm::dvec3(1)) reading.distance = std::sqrt(least);
}

std::vector<ReadoutLine> probe_lines(const ProbeReading& reading, const ProbeTexts& texts) {
  std::vector<ReadoutLine> lines;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int i = static_cast<int>(axis);
    lines.push_back(
        {texts.axes.name(axis),
         with_unit(cli::format_coordinate(reading.place[i], texts.extent[i]), texts.axes.units)});
  }
  lines.push_back({"density", with_unit(cli::format_value(reading.density), texts.density_unit)});
  lines.push_back({"mass above it", cli::format_share(reading.mass_above)});
  if (reading.sample) {
    std::string text = sample_text(*reading.sample, texts);
    if (reading.distance)
      text += fmt::format(", {} away",
                          with_unit(cli::format_value(*reading.distance), texts.axes.units));
    lines.push_back({"nearest sample", text});
  }
  return lines;
}

std::vector<std::string> probe_columns(const ProbeTexts& texts) {
  const auto titled = [](const std::string& name, const std::string& unit) {
    return unit.empty() ? name : fmt::format("{} ({})", name, unit);
  };
  std::vector<std::string> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back(titled(texts.axes.name(axis), texts.axes.units));
  columns.push_back(titled("density", texts.density_unit));
  columns.insert(columns.end(),
                 {"mass above", "nearest sample", titled("distance", texts.axes.units)});
  if (texts.rows) columns.emplace_back("row");
  return columns;
}

std::vector<std::string> probe_row(const ProbeReading& reading, const ProbeTexts& texts) {
  std::vector<std::string> cells;
  for (int axis = 0; axis < 3; ++axis)
    cells.push_back(cli::format_coordinate(reading.place[axis], texts.extent[axis]));
  cells.push_back(fmt::format("{:.7g}", reading.density));
  cells.push_back(fmt::format("{:.5f}", reading.mass_above));
  cells.push_back(reading.sample ? fmt::format("{}", *reading.sample) : "");
  cells.push_back(reading.distance ? fmt::format("{:.6g}", *reading.distance) : "");
  if (texts.rows) cells.push_back(reading.sample ? fmt::format("{}", *reading.sample + 1) : "");
  return cells;
}

}  // namespace skde::view
