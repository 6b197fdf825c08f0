#include "io/plane_files.hpp"

#include <fmt/format.h>

#include <iterator>

#include "io/json_object.hpp"
#include "io/npy_header.hpp"
#include "io/output_file.hpp"

namespace skde::io {
namespace {

using Json = nlohmann::ordered_json;

std::string header_of(const PlaneSet& set) {
  std::string header;
  for (int axis = 0; axis < 3; ++axis)
    if (axis != set.axis || !set.at.empty())
      header += fmt::format("{},", kAxisNames[static_cast<std::size_t>(axis)]);
  return header + set.quantity + "\n";
}

Json axis_json(const Grid& grid, int axis) {
  return {{"axis", std::string(1, kAxisNames[static_cast<std::size_t>(axis)])},
          {"first_centre", grid.first_centre()[axis]},
          {"spacing", grid.spacing[axis]}};
}

}  // namespace

void write_plane_csv(const std::string& path, const PlaneSet& set, const Grid& grid,
                     Progress& progress) {
  OutputFile file(path);
  file.write(header_of(set));
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
          if (axis != set.axis || !set.at.empty())
            fmt::format_to(std::back_inserter(rows), "{},", place[axis]);
        fmt::format_to(std::back_inserter(rows), "{}\n", set.planes[plane].at(column, row));
      }
      file.write(rows);
      progress.update(done += static_cast<std::uint64_t>(first.width));
    }
  file.commit();
}

void write_plane_npy(const std::string& path, const PlaneSet& set, const Grid& grid) {
  const Projection& first = set.planes.front();
  Json json;
  json["quantity"] = set.quantity;
  json["unit"] = set.unit;
  json["units"] = set.units.empty() ? Json(nullptr) : Json(set.units);
  json["across"] = std::string(1, kAxisNames[static_cast<std::size_t>(set.axis)]);
  json["at"] = set.at.empty() ? Json(nullptr) : Json(set.at);
  json["rows"] = axis_json(grid, first.rows_axis);
  json["columns"] = axis_json(grid, first.columns_axis);
  OutputFile beside(path + ".json"), array(path);
  beside.write(json_text(json) + "\n");
  const auto count = static_cast<std::int64_t>(set.planes.size());
  array.write(set.at.empty() ? npy_header(Precision::f64, {first.height, first.width})
                             : npy_header(Precision::f64, {count, first.height, first.width}));
  for (const Projection& plane : set.planes)
    array.write(plane.values.data(), plane.values.size() * sizeof(double));
  beside.close();
  array.close();
  beside.commit();
  array.commit();
}

}  // namespace skde::io
