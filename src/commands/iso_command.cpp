#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/isosurface.hpp"
#include "cli/exit_code.hpp"
#include "cli/outputs.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_input.hpp"
#include "commands/output/volume_output.hpp"
#include "core/version.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/text/text_fields.hpp"

namespace skde::cli {
namespace {

struct IsoSettings {
  std::optional<double> mass, level;
  std::string output, field;
  bool json = false, quiet = false;
};

/// The surface, and where it was written.
struct IsoRun {
  VolumeInput input;
  DensityMass mass;
  std::optional<double> mass_asked;
  Isosurface surface;
  std::vector<WrittenFile> written;

  double share() const { return surface.mass / mass.whole; }
};

OptionTable iso_table(IsoSettings& settings) {
  OptionTable table(
      "skde iso", "VOLUME --mass P|--level L -o FILE [FLAGS]",
      "Writes the surface of a density at a level as a mesh: watertight, oriented, in the "
      "coordinates of the volume, with normals. It is closed along the faces of the box.");
  table.group("Surface");
  table.value(
      {.name = "mass",
       .value = "P",
       .help =
           "share of the total mass to enclose, between 0 and 1: the region of highest density"},
      settings.mass, parse_mass);
  table.value({.name = "level", .value = "L", .help = "density on the surface"}, settings.level,
              RealNumber(0));
  add_field_flag(table, settings.field);
  table.group("Output");
  table.value({.name = "output",
               .value = "FILE",
               .help = "mesh to write: " + io::mesh_extensions(),
               .letter = 'o',
               .names_file = true},
              settings.output);
  add_summary_flags(table, settings.json, settings.quiet);
  table.example("skde iso density.vti --mass 0.5 -o half.ply", "around half of the mass");
  table.example("skde iso density.nrrd --level 0.02 -o dense.vtp", "for ParaView");
  return table;
}

void check_iso(const IsoSettings& settings, const std::string& input) {
  if (settings.mass.has_value() == settings.level.has_value())
    throw Error(ErrorKind::usage,
                settings.mass ? "--mass contradicts --level, which is the level itself; drop one"
                              : "no surface is given; add --mass P or --level L");
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a mesh with -o FILE");
  io::mesh_format_for(settings.output);
  require_not_read(settings.output, "-o", std::vector{input});
  require_writable(settings.output, "-o");
}

io::MeshRemarks remarks_of(const IsoRun& run, const std::string& command_line) {
  const DensityMetadata& metadata = run.input.file.metadata;
  io::MeshRemarks remarks{{"level", fmt::format("{}", run.surface.level)},
                          {"enclosed_mass", fmt::format("{}", run.share())},
                          {"enclosed_volume", fmt::format("{}", run.surface.volume)}};
  if (!metadata.units.empty()) remarks.emplace_back("units", metadata.units);
  if (metadata.samples > 0 && !is_histogram(metadata, run.input.grid()))
    remarks.emplace_back("kernel", std::string(metadata.kernel->name));
  remarks.emplace_back("command_line", command_line);
  remarks.emplace_back("version", kVersion);
  for (auto& [name, text] : remarks) text = io::on_one_line(text);
  return remarks;
}

/// Warns if coordinates are so far from 0 that rounding to float moves them by more than a
/// thousandth of a cell.
void warn_of_floats(const io::MeshFormat& format, const std::string& path, const Grid& grid) {
  constexpr double kRounding = 0x1p-24, kShare = 1e-3;
  if (format.doubles) return;
  const Box box = grid.bounds();
  double worst = 0;
  for (int axis = 0; axis < 3; ++axis)
    worst = std::max(worst, kRounding / grid.spacing[axis] *
                                std::max(std::abs(box.lower[axis]), std::abs(box.upper[axis])));
  if (worst <= kShare) return;
  print_warning(
      "skde",
      {"float_coordinates",
       fmt::format(
           "{}: {} stores floats, which move points by up to {:.2g} of a cell at these coordinates",
           path, format.extension, worst),
       {"output", "write it as .ply, .obj or .vtp"}});
}

constexpr std::array<std::string_view, 6> kFaces{"low x",  "high x", "low y",
                                                 "high y", "low z",  "high z"};

std::vector<std::string_view> closed_faces(const Isosurface& surface) {
  std::vector<std::string_view> names;
  for (std::size_t face = 0; face < surface.closed.size(); ++face)
    if (surface.closed[face]) names.push_back(kFaces[face]);
  return names;
}

void add_surface(Report& report, const IsoRun& run) {
  const Isosurface& surface = run.surface;
  report.line("encloses",
              fmt::format("{} of the mass in the interpolated cells, a volume of {}{}",
                          format_share(run.share()), format_value(surface.volume),
                          run.input.units().empty() ? "" : " " + run.input.units() + "^3"));
  report.line("surface",
              fmt::format("{} points, {} triangles", format_count(surface.mesh.points.size()),
                          format_count(surface.mesh.triangles.size())));
  if (const auto faces = closed_faces(surface); !faces.empty())
    report.line("closed", fmt::format("along these faces of the box: {}", fmt::join(faces, ", ")));
}

void warn_of_mass(const IsoRun& run) {
  if (!run.mass_asked || std::abs(run.share() - *run.mass_asked) <= kNearMass * *run.mass_asked)
    return;
  print_warning(
      "skde",
      {"enclosed_mass",
       fmt::format("no level of this volume encloses {} of the mass; the nearest one encloses {}",
                   format_share(*run.mass_asked), format_share(run.share())),
       {"dims", "estimate the density with more `dims`"}});
}

/// Warns if kernels span too few cells for interpolation. Measured errors of the mass within
/// surfaces of 30 to 90 %: up to 14 % for a single kernel at a deviation of 0.6 cells, and about 2
/// % at 1.1. At 0.6 cells, about 1 % if the peak is that of 4 kernels, and 0.5 % if it is that of
/// 18.
void warn_of_few_cells(const IsoRun& run) {
  constexpr double kFewCells = 1.1, kFewKernels = 6;
  const DensityMetadata& about = run.input.file.metadata;
  if (about.samples == 0 || !(about.effective_samples > 0)) return;
  const Kernel kernel{about.kernel, about.H};
  const double lone = kernel.amplitude() * run.mass.whole / about.effective_samples;
  if (!(run.mass.peak < kFewKernels * lone)) return;
  const Vec3 cell = run.input.grid().spacing;
  const Vec3 deviation = std::sqrt(kernel.function->variance) *
                         Vec3{std::sqrt(about.H.xx), std::sqrt(about.H.yy), std::sqrt(about.H.zz)};
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    if (deviation[a] / cell[a] < deviation[axis] / cell[axis]) axis = a;
  const double cells = deviation[axis] / cell[axis];
  if (!(cells < kFewCells)) return;
  print_warning(
      "skde",
      {"coarse_grid",
       fmt::format("the enclosed mass is that of the interpolated cells and may differ from the "
                   "density's: kernels have a standard deviation of {:.2g} cells along {}",
                   cells, kAxisNames[static_cast<std::size_t>(axis)]),
       {"dims", "estimate the density with more `dims`"}});
}

IsoRun make_surface(const std::string& path, const IsoSettings& settings,
                    const std::string& command_line, TerminalProgress& progress) {
  IsoRun run{.input = read_input(path, progress),
             .mass = {},
             .mass_asked = settings.mass,
             .surface = {},
             .written = {}};
  const Volume& volume = run.input.file.volume;
  progress.clear();
  if (settings.level) run.input.file.metadata.values.clear();  // surfaces of any values
  run.mass = mass_of_input(run.input);
  run.surface = about_volume(run.input, [&] {
    if (settings.mass) return mass_surface(volume, *settings.mass, run.mass.whole, progress);
    return isosurface(volume, *settings.level, progress);
  });
  const io::MeshFormat& format = io::mesh_format_for(settings.output);
  format.write(settings.output, run.surface.mesh, remarks_of(run, command_line), progress);
  progress.clear();
  warn_of_mass(run);
  warn_of_few_cells(run);
  warn_of_floats(format, settings.output, run.input.grid());
  run.written = {written_file("mesh", settings.output)};
  return run;
}

}  // namespace

void add_fields(Fields<IsoRun>& add) {
  add.name("surface", "skde iso VOLUME --json");
  add("inputs", [](auto& run) { return std::vector{run.input.path}; });
  add("grid", [](auto& run) { return stored_grid(run.input.file.volume); });
  add("units", [](auto& run) { return known(run.input.units()); });
  add("mass", &IsoRun::mass);
  add.lines([](auto& report, auto& run) { add_input(report, run.input, run.mass); });
  add("level", [](auto& run) { return run.surface.level; });
  add.line("level", [](auto& run) { return format_value(run.surface.level); });
  add("mass_asked", "null if the level was given", &IsoRun::mass_asked);
  add("enclosed_mass", "share of the total mass within the mesh, from the interpolated cells",
      &IsoRun::share);
  add.lines(add_surface);
  add("enclosed_volume", "in cubed units of the coordinates",
      [](auto& run) { return run.surface.volume; });
  add("points", [](auto& run) { return run.surface.mesh.points.size(); });
  add("triangles", [](auto& run) { return run.surface.mesh.triangles.size(); });
  add("closed_faces", "faces of the box along which the surface is closed", [](auto& run) {
    std::vector<OneAmong<kFaces>> faces;
    for (const std::string_view face : closed_faces(run.surface)) faces.push_back({face});
    return faces;
  });
  add_written(add);
}

namespace {

CommandResult run_iso(IsoSettings& settings, const ParsedFlags& flags,
                      const Invocation& invocation) {
  const std::string path = only_volume(flags);
  return for_each_volume(path, settings.field, {settings.output},
                         [&](const std::string& field, const std::vector<std::string>& outputs) {
                           IsoSettings own = settings;
                           own.output = outputs[0];
                           check_iso(own, path);
                           TerminalProgress progress(!settings.quiet);
                           const IsoRun run = make_surface(volume_named(path, field), own,
                                                           invocation.command_line, progress);
                           return show_result({settings.json, settings.quiet}, run);
                         });
}

}  // namespace

const Command kIso = command<iso_table, run_iso>(
    "iso", "writes the surface of a volume at a level, or around a mass, as a mesh");

const AnyTable& surface_document() { return result_table<IsoRun>(); }

}  // namespace skde::cli
