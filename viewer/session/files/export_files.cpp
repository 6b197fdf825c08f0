#include "viewer/session/files/export_files.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "analysis/isosurface.hpp"
#include "cli/text/number_format.hpp"
#include "core/version.hpp"
#include "estimate/read/cloud.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/points/point_writer.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::view {
namespace {

/// Returns the path with a number before its extension.
std::string numbered(const std::string& path, std::size_t number) {
  const std::filesystem::path whole(path);
  return (whole.parent_path() /
          fmt::format("{}_{}{}", whole.stem().string(), number, whole.extension().string()))
      .string();
}

io::MeshRemarks remarks_of(const Isosurface& surface, const DensityMetadata& about) {
  io::MeshRemarks remarks{{"level", fmt::format("{}", surface.level)},
                          {"enclosed_volume", fmt::format("{}", surface.volume)}};
  if (!about.units.empty()) remarks.emplace_back("units", about.units);
  if (!about.command_line.empty()) remarks.emplace_back("density", about.command_line);
  remarks.emplace_back("version", kVersion);
  return remarks;
}

}  // namespace

std::string export_volume(const std::string& path, const ShownDensity& density) {
  const io::VolumeFormat& format = io::volume_format_for(path);
  format.require_room(path, density.volume.grid(), density.volume.precision());
  format.write(path, density.volume, density.metadata);
  const auto [nx, ny, nz] = density.volume.grid().dims;
  return fmt::format("{} x {} x {} cells as {}", nx, ny, nz, path);
}

std::string export_surfaces(const std::string& path, const ShownDensity& density,
                            const std::vector<double>& levels) {
  const io::MeshFormat& format = io::mesh_format_for(path);
  NoProgress silent;
  std::string told;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string file = levels.size() > 1 ? numbered(path, i + 1) : path;
    const Isosurface surface = isosurface(density.volume, levels[i], silent);
    format.write(file, surface.mesh, remarks_of(surface, density.metadata), silent);
    told += fmt::format("{}the surface at {} as {}", i > 0 ? "; " : "",
                        cli::format_value(levels[i]), file);
  }
  return told;
}

std::string export_samples(const std::string& path, const SampleCloud& cloud) {
  const SamplesView& points = cloud.points;
  std::vector<std::string> columns{"x", "y", "z"};
  if (points.weighted()) columns.emplace_back("weight");
  io::PointWriter writer(path, points.size(), columns);
  if (!points.weighted()) {
    writer.write(points);
  } else {
    std::vector<double> row(4);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 at = points.point(i);
      row = {at.x, at.y, at.z, points.weights[i]};
      writer.write(row);
    }
  }
  writer.finish();
  return fmt::format("{} samples as {}", cli::format_count(points.size()), path);
}

}  // namespace skde::view
