#include <optional>

#include "analysis/answers/found_peaks.hpp"
#include "analysis/answers/level_regions.hpp"
#include "analysis/answers/region_mass.hpp"
#include "analysis/mass_levels.hpp"
#include "cli/results/any_table.hpp"
#include "commands/output/summary_documents.hpp"
#include "core/report/error.hpp"
#include "estimate/values/density_facts.hpp"
#include "python/python_call.hpp"
#include "python/python_density.hpp"

namespace skde::python {
namespace {

py::list peaks_of(const PyDensity& self, double significance, std::optional<double> prominence,
                  py::object show) {
  const Volume& volume = volume_of(self);
  const FoundPeaks found = call_library(std::move(show), [&](Progress& progress) {
    return find_peaks({volume, self.density->metadata, &self.density->facts(), self.cloud},
                      {prominence, significance}, progress);
  });
  py::list list;
  for (const FoundPeak& peak : found.peaks)
    list.append(object_from(cli::object_json(cli::peak_table().fields, &peak)));
  return list;
}

/// Returns (level, labels of cells, labels of points, clusters).
py::tuple clusters_of(const PyDensity& self, double mass, std::optional<double> level,
                      bool by_faces, const Doubles& points, py::object show) {
  const Volume& volume = volume_of(self);
  const Grid& grid = volume.grid();
  const TargetPoints places = points_from(points);
  const double whole = density_mass(volume, self.density->metadata).whole_of_cells();
  const LevelRegions found = call_library(std::move(show), [&](Progress& progress) {
    const double least =
        level ? *level : mass_levels(volume, std::array{mass}, whole, progress)[0].level;
    return regions_above(volume, least, by_faces ? Touching::faces : Touching::corners, progress);
  });
  py::list clusters;
  for (const LevelRegion& region : found.regions) {
    const auto triple = [](Vec3 v) { return py::make_tuple(v.x, v.y, v.z); };
    py::dict one;
    one["mass"] = region.mass / whole;
    one["cells"] = region.cells;
    one["volume"] = region.volume;
    one["centroid"] = triple(region.centroid);
    one["bounds"] = py::make_tuple(triple(region.bounds.lower), triple(region.bounds.upper));
    one["place"] = triple(region.place);
    one["peak"] = region.peak;
    clusters.append(one);
  }
  py::array_t<std::int32_t> cells({grid.dims[2], grid.dims[1], grid.dims[0]}),
      of_points({static_cast<py::ssize_t>(places.size())});
  std::ranges::transform(found.labels, cells.mutable_data(), [](auto label) { return label + 1; });
  for (std::size_t i = 0; i < places.size(); ++i)
    of_points.mutable_data()[i] =
        label_at(found.labels, grid,
                 {points.data()[3 * i], points.data()[3 * i + 1], points.data()[3 * i + 2]}) +
        1;
  return py::make_tuple(found.level, cells, of_points, clusters);
}

/// Returns the shares of the mass that are at least as dense.
py::array masses_above(const PyDensity& self, const Doubles& values) {
  const Volume& volume = volume_of(self);
  std::vector<double> shares = call_library(py::none(), [&](Progress&) {
    const MassAbove above(volume, density_mass(volume, self.density->metadata).whole_of_cells());
    std::vector<double> found;
    for (py::ssize_t i = 0; i < values.size(); ++i) found.push_back(above.at(values.data()[i]));
    return found;
  });
  return array_of(std::move(shares), {values.size()});
}

Region region_from(const std::string& kind, const std::vector<double>& v, const Doubles& vertices,
                   const py::array_t<std::uint32_t, py::array::forcecast>& triangles) {
  if (kind == "box") return Box{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  if (kind == "half_space") return HalfSpace{{v[0], v[1], v[2]}, v[3]};
  if (kind == "sphere") return Sphere{{v[0], v[1], v[2]}, v[3]};
  TriangleMesh mesh;
  for (py::ssize_t i = 0; i < vertices.shape(0); ++i)
    mesh.points.push_back({vertices.at(i, 0), vertices.at(i, 1), vertices.at(i, 2)});
  for (py::ssize_t i = 0; i < triangles.shape(0); ++i)
    mesh.triangles.push_back({triangles.at(i, 0), triangles.at(i, 1), triangles.at(i, 2)});
  return body_of(mesh);
}

py::tuple mass_of(const PyDensity& self, const std::string& kind, const std::vector<double>& v,
                  const Doubles& vertices, const py::array_t<std::uint32_t>& triangles,
                  py::object show) {
  const Region region = call_library(
      py::none(), [&](Progress&) { return region_from(kind, v, vertices, triangles); });
  if (self.cloud) return kernel_mass_in(self.cloud, settled(self), region, std::move(show));
  const Volume& volume = volume_of(self);
  const RegionMass found = call_library(std::move(show), [&](Progress& progress) {
    const double whole = density_mass(volume, self.density->metadata).whole_of_cells();
    return masses_in(volume, whole, std::span(&region, 1), progress)[0];
  });
  return py::make_tuple(found.mass, found.standard_error, found.error);
}

}  // namespace

py::tuple kernel_mass_in(const std::shared_ptr<const SampleCloud>& cloud,
                         const DensityRequest& request, const Region& region, py::object show) {
  const RegionMass found = call_library(std::move(show), [&](Progress& progress) {
    return masses_in(cloud, request, std::span(&region, 1), progress).regions[0];
  });
  return py::make_tuple(found.mass, found.standard_error, found.error);
}

void add_answers(py::class_<PyDensity>& density) {
  density.def("peaks", peaks_of)
      .def("clusters", clusters_of)
      .def("masses_above", masses_above)
      .def("mass_in", mass_of);
}

}  // namespace skde::python
