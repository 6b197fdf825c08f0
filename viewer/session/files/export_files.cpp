#include "viewer/session/files/export_files.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <variant>

#include "analysis/isosurface.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/version.hpp"
#include "estimate/fields/density_fields.hpp"
#include "estimate/read/cloud.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/points/columns/width_columns.hpp"
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

namespace {

/// Replaces what a command line cannot say: a grid by its box and its cells, and a covariance by H.
void spell_out(DensityOptions& density, const std::optional<Symmetric3>& H) {
  DensityRequest& request = density.request;
  if (request.like) {
    request.grid.bounds = request.like->bounds();
    request.grid.dims = request.like->dims;
    request.grid.spacing.reset();
    request.like.reset();
  }
  if (request.bandwidth.covariance && H) {
    request.bandwidth = {};
    request.bandwidth.bandwidth = *H;
  }
}

/// Returns true if a flag would change nothing, which `skde density` refuses.
bool has_no_effect(std::string_view name, const DensityOptions& density) {
  const io::ColumnSelection& columns = density.files.columns;
  const BandwidthSpec& spec = density.request.bandwidth;
  const bool rule = std::holds_alternative<BandwidthRule>(spec.bandwidth);
  const bool factor = std::holds_alternative<double>(spec.bandwidth);
  const bool own = have_own_kernels(columns);
  if (name == "widths") return columns.widths_assumed;
  if (name == "width-form") return !columns.shaped();
  if (name == "min-width") return !columns.shaped() && !density.request.adaptive;
  if (name == "kernel") return io::are_gaussians(columns.widths);
  if (name == "bandwidth") return own;
  if (name == "covariance" || name == "regularize") return own || !(rule || factor);
  return false;
}

}  // namespace

std::vector<std::string> density_arguments(const ViewState& state,
                                           const std::optional<Symmetric3>& H,
                                           const std::string& output) {
  DensityOptions density = density_of(state);
  spell_out(density, H);
  std::vector<std::string> arguments{"density"};
  arguments.insert(arguments.end(), state.cloud.paths.begin(), state.cloud.paths.end());
  const DensityOptions defaults;
  for (const DensityField& field : density_fields()) {
    if ((field.targets & target::kGrid) == 0 || has_no_effect(field.text.name, density)) continue;
    const std::string text = field.print(density);
    if (text == field.print(defaults)) continue;
    const bool is_switch = field.text.value.empty();
    arguments.push_back("--" + field.text.name + (is_switch ? "" : "=" + text));
  }
  if (density.request.is_automatic() && density.request.device)
    arguments.push_back("--engine=" +
                        std::string(word_of(kHardwareWords, *density.request.device)));
  arguments.insert(arguments.end(), {"-o", output});
  return arguments;
}

}  // namespace skde::view
