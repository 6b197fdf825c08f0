#include "io/volumes/plane_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/bytes/output_file.hpp"
#include "io/text/json_object.hpp"
#include "io/values/npy_header.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;

std::string header_of(std::span<const PlaneSet> sets) {
  const PlaneSet& first = sets.front();
  std::vector<std::string> names;
  for (int axis = 0; axis < 3; ++axis)
    if (axis != first.axis || !first.at.empty())
      names.emplace_back(1, kAxisNames[static_cast<std::size_t>(axis)]);
  for (const PlaneSet& set : sets) names.push_back(set.quantity);
  return fmt::format("{}\n", fmt::join(names, ","));
}

/// A JSON value for each set: the value itself if there is one set, otherwise an array.
template <class Text>
Json of_each(std::span<const PlaneSet> sets, const Text& text) {
  if (sets.size() == 1) return text(sets.front());
  Json all = Json::array();
  for (const PlaneSet& set : sets) all.push_back(text(set));
  return all;
}

Json axis_json(const Grid& grid, int axis) {
  return {{"axis", std::string(1, kAxisNames[static_cast<std::size_t>(axis)])},
          {"first_centre", grid.first_centre()[axis]},
          {"spacing", grid.spacing[axis]}};
}

}  // namespace

void write_plane_csv(const std::string& path, std::span<const PlaneSet> sets, const Grid& grid,
                     Progress& progress) {
  OutputFile file(path);
  file.write(header_of(sets));
  const PlaneSet& set = sets.front();
  const Projection& first = set.planes.front();
  progress.begin("writing " + path, set.planes.size() * first.values.size(), "values");
  std::uint64_t done = 0;
  std::string rows;
  for (std::size_t plane = 0; plane < set.planes.size(); ++plane)
    for (std::int64_t row = 0; row < first.height; ++row) {
      progress.throw_if_cancelled();
      rows.clear();
      for (std::int64_t column = 0; column < first.width; ++column) {
        std::array<std::int64_t, 3> cell{};
        cell[static_cast<std::size_t>(first.columns_axis)] = column;
        cell[static_cast<std::size_t>(first.rows_axis)] = row;
        Vec3 place = grid.centre(cell[0], cell[1], cell[2]);
        if (!set.at.empty()) place[set.axis] = set.at[plane];
        for (int axis = 0; axis < 3; ++axis)
          if (axis != set.axis || !set.at.empty()) rows += fmt::format("{},", place[axis]);
        for (std::size_t i = 0; i < sets.size(); ++i)
          rows += fmt::format("{}{}", i > 0 ? "," : "", sets[i].planes[plane].at(column, row));
        rows += '\n';
      }
      file.write(rows);
      progress.update(done += static_cast<std::uint64_t>(first.width));
    }
  file.commit();
}

void write_plane_npy(const std::string& path, std::span<const PlaneSet> sets, const Grid& grid) {
  const PlaneSet& set = sets.front();
  const Projection& first = set.planes.front();
  Json json;
  json["quantity"] = of_each(sets, [](const PlaneSet& one) { return one.quantity; });
  json["unit"] = of_each(sets, [](const PlaneSet& one) { return one.unit; });
  json["units"] = set.units.empty() ? Json(nullptr) : Json(set.units);
  json["across"] = std::string(1, kAxisNames[static_cast<std::size_t>(set.axis)]);
  json["at"] = set.at.empty() ? Json(nullptr) : Json(set.at);
  json["rows"] = axis_json(grid, first.rows_axis);
  json["columns"] = axis_json(grid, first.columns_axis);
  OutputFile beside(path + ".json"), array(path);
  beside.write(json_text(json) + "\n");
  std::vector<std::int64_t> shape;
  if (sets.size() > 1) shape.push_back(static_cast<std::int64_t>(sets.size()));
  if (!set.at.empty()) shape.push_back(static_cast<std::int64_t>(set.planes.size()));
  shape.insert(shape.end(), {first.height, first.width});
  array.write(npy_header(Precision::f64, shape));
  for (const PlaneSet& one : sets)
    for (const Projection& plane : one.planes)
      array.write(plane.values.data(), plane.values.size() * sizeof(double));
  commit_both(beside, array);
}

}  // namespace skde::io
