#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <utility>

#include "analysis/answers/region_mass.hpp"
#include "analysis/isosurface.hpp"
#include "cli/command_session.hpp"
#include "cli/options/density_options.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_input.hpp"
#include "core/report/words.hpp"
#include "io/meshes/mesh_formats.hpp"

namespace skde::cli {
namespace {

/// A region by the flag that gave it and its value.
struct NamedRegion {
  std::string name;
  Region region;
};

struct MassSettings {
  DensityOptions density;
  std::string volume, field, mesh, other, frame;  ///< `frame` of the other volume
  std::vector<NamedRegion> regions;
  double mass = 0.5;
  bool json = false, quiet = false;
};

/// Returns `count` numbers; faces of boxes may be at infinity.
std::vector<double> numbers_of(const std::string& given, std::size_t count, bool infinite,
                               const char* form) {
  std::vector<double> values = parse_number_list<double>(given);
  bool is_right = values.size() == count;
  for (const double value : values)
    is_right = is_right && !std::isnan(value) && (infinite || std::isfinite(value));
  if (!is_right) throw Error(ErrorKind::usage, fmt::format("must be {}; got '{}'", form, given));
  return values;
}

Region parse_box(const std::string& given) {
  constexpr const char* kForm = "x0,y0,z0:x1,y1,z1, with faces that may be at inf";
  const std::size_t colon = std::min(given.find(':'), given.size());
  const auto low = numbers_of(given.substr(0, colon), 3, true, kForm),
             high = numbers_of(given.substr(std::min(colon + 1, given.size())), 3, true, kForm);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!(low[axis] < high[axis]))
      throw Error(ErrorKind::usage, fmt::format("'{}': {}0 must be below {}1", given,
                                                kAxisNames[axis], kAxisNames[axis]));
  return Box{{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

Region parse_half_space(const std::string& given) {
  const auto v = numbers_of(given, 4, false, "nx,ny,nz,d, for nx x + ny y + nz z > d");
  if (v[0] == 0 && v[1] == 0 && v[2] == 0)
    throw Error(ErrorKind::usage, fmt::format("'{}': nx, ny and nz must not all be 0", given));
  return HalfSpace{{v[0], v[1], v[2]}, v[3]};
}

Region parse_sphere(const std::string& given) {
  const auto v = numbers_of(given, 4, false, "x,y,z,r");
  if (!(v[3] > 0)) throw Error(ErrorKind::usage, fmt::format("'{}': r must be above 0", given));
  return Sphere{{v[0], v[1], v[2]}, v[3]};
}

/// Returns what adds the regions of a list that semicolons divide.
auto adds_regions(MassSettings& settings, const char* name, Region (*parse)(const std::string&)) {
  return [&settings, name, parse](const std::string& given) {
    for (std::size_t begin = 0, end = 0; end != given.npos; begin = end + 1) {
      end = given.find(';', begin);
      const std::string one = given.substr(begin, end == given.npos ? end : end - begin);
      settings.regions.push_back({fmt::format("{} {}", name, one), parse(one)});
    }
  };
}

OptionTable mass_table(MassSettings& settings) {
  OptionTable table("skde mass", "IN... [FLAGS]",
                    "Computes how much of a density lies in regions, as shares of the total: of "
                    "one or more point clouds by the integrals of the kernels, without a grid, or "
                    "of a volume by its cells. Several regions of a kind are separated by "
                    "semicolons.");
  table.group("Regions");
  table.apply({.name = "box",
               .value = "X0,Y0,Z0:X1,Y1,Z1",
               .help = "boxes along the axes, with faces that may be at -inf or inf"},
              adds_regions(settings, "box", parse_box));
  table.apply({.name = "half-space",
               .value = "NX,NY,NZ,D",
               .help = "the points where NX x + NY y + NZ z > D; 0,0,1,3 is z > 3"},
              adds_regions(settings, "half-space", parse_half_space));
  table.apply({.name = "sphere", .value = "X,Y,Z,R", .help = "spheres of radius R"},
              adds_regions(settings, "sphere", parse_sphere));
  table.value({.name = "mesh",
               .value = "FILE",
               .help = "what a closed mesh encloses: .ply, .obj or .stl, as of skde iso",
               .names_file = true},
              settings.mesh);
  table.value({.name = "region",
               .value = "VOLUME",
               .help = "the region of highest density of another volume, with the share --mass of "
                       "its mass, within the surface that skde iso draws",
               .names_file = true},
              settings.other);
  table.value({.name = "mass",
               .value = "P",
               .help = "the share of the mass of --region",
               .by_default = "0.5"},
              settings.mass, parse_mass);
  add_field_flag(table, settings.field);
  table.group("Output");
  add_summary_flags(table, settings.json, settings.quiet);
  add_density_fields(table, settings.density, target::kDraws);
  table.most_used({"box", "half-space", "sphere", "mesh", "region", "json", "columns", "weights",
                   "kernel", "bandwidth"});
  table.example("skde mass quakes.csv --columns long,lat,depth --half-space 0,0,1,300",
                "the share of earthquakes deeper than 300");
  table.example("skde mass density.vti --box '0,0,0:1,1,1;1,0,0:2,1,1' --json",
                "two boxes of a volume");
  return table;
}

/// A region with its mass, for output.
struct MassShown {
  std::string region;
  RegionMass mass;
  std::optional<double> weight{};  ///< of the samples there, if it is known
};

struct MassRun {
  std::vector<std::string> inputs;
  std::string units{};
  std::optional<std::uint64_t> samples{};
  std::optional<KernelFunction> kernel{};
  std::optional<Bandwidth> bandwidth{};
  std::vector<MassShown> regions{};
};

void add_masses(Report& report, const MassRun& run) {
  report.line(run.samples ? "samples" : "volume",
              run.samples ? format_count(*run.samples) : run.inputs.front());
  if (run.bandwidth)
    report.line("kernel", fmt::format("{}, {}{}", run.kernel->row().name, run.bandwidth->source,
                                      run.bandwidth->h > 0
                                          ? fmt::format(", h = {}", format_value(run.bandwidth->h))
                                          : ""));
  std::vector<std::vector<std::string>> rows{
      {"region", "mass", "standard error", "error below", "weight"}};
  for (const MassShown& one : run.regions)
    rows.push_back({one.region, format_value(one.mass.mass),
                    one.mass.standard_error ? format_value(*one.mass.standard_error) : "-",
                    fmt::format("{:.1g}", one.mass.error),
                    one.weight ? format_value(*one.weight) : "-"});
  report.table("regions, as shares of the mass", rows);
}

/// Adds the regions of files to those of numbers.
void add_files(MassSettings& settings, Progress& progress) {
  if (!settings.mesh.empty()) {
    const TriangleMesh mesh = io::read_mesh(settings.mesh);
    try {
      settings.regions.push_back({"mesh " + settings.mesh, body_of(mesh)});
    } catch (const Error& error) {
      throw naming_inputs(error, std::span(&settings.mesh, 1));
    }
  }
  if (settings.other.empty()) return;
  const VolumeInput other = read_input(settings.other, progress);
  const DensityMass mass = mass_of_input(other);
  settings.frame = other.file.metadata.frame;
  settings.regions.push_back(
      {fmt::format("{} of {}", format_share(settings.mass), other.path), about_volume(other, [&] {
         return body_of(mass_surface(other.file.volume, settings.mass, mass.whole, progress).mesh);
       })});
}

void check_frame(const MassSettings& settings, const std::string& frame, const std::string& owner) {
  if (settings.other.empty()) return;
  if (const auto warning = require_one_frame(frame, owner, settings.frame, settings.other))
    print_warning("skde", *warning);
}

CommandResult find_masses(const MassSettings& settings, const Invocation& invocation,
                          TerminalProgress& progress) {
  std::vector<Region> regions;
  for (const NamedRegion& one : settings.regions) regions.push_back(one.region);
  MassRun run{.inputs = settings.density.files.paths};
  std::vector<RegionMass> masses;
  std::optional<double> total;
  if (settings.volume.empty()) {
    CommandSession session(invocation.sessions, settings.density.files, {}, true, progress);
    KernelMasses found = masses_in(session->cloud(), settings.density.request, regions, progress);
    check_frame(settings, found.frame, "the cloud");
    masses = std::move(found.regions);
    run.kernel = found.kernel;
    run.bandwidth = std::move(found.bandwidth);
    run.samples = found.samples;
    run.units = std::move(found.units);
    total = found.total_weight;
  } else {
    const VolumeInput input = read_input(settings.volume, progress);
    check_frame(settings, input.file.metadata.frame, input.path);
    run.units = input.units();
    if (input.file.metadata.total_weight > 0) total = input.file.metadata.total_weight;
    const DensityMass mass = mass_of_input(input);
    masses = masses_in(input.file.volume, mass.whole_of_cells(), regions, progress);
  }
  for (std::size_t k = 0; k < masses.size(); ++k)
    run.regions.push_back({settings.regions[k].name, masses[k],
                           total ? std::optional(*total * masses[k].mass) : std::nullopt});
  progress.clear();
  return show_result({settings.json, settings.quiet}, run);
}

CommandResult run_mass(MassSettings& settings, const ParsedFlags& flags,
                       const Invocation& invocation) {
  settings.volume = take_density_input(flags, settings.density);
  if (settings.regions.empty() && settings.mesh.empty() && settings.other.empty())
    usage_error(
        "no region is given; name one with --box, --half-space, --sphere, --mesh or --region");
  if (flags.has("mass") && settings.other.empty())
    usage_error("--mass has no effect without --region; drop it");
  TerminalProgress progress(!settings.quiet);
  add_files(settings, progress);
  if (settings.volume.empty()) {
    check_kernel_options(flags, settings.density.request);
    check_width_options(flags, settings.density.files.columns);
    try {
      return find_masses(settings, invocation, progress);
    } catch (const Error& error) {
      throw naming_inputs(error, settings.density.files.paths);
    }
  }
  return for_each_volume(settings.volume, settings.field, {},
                         [&](const std::string& field, const std::vector<std::string>&) {
                           MassSettings own = settings;
                           own.volume = volume_named(settings.volume, field);
                           own.density.files.paths = {own.volume};
                           return find_masses(own, invocation, progress);
                         });
}

}  // namespace

void add_fields(Fields<MassShown>& add) {
  add("region", "the flag and its value", &MassShown::region);
  add("mass", "share of the total mass", [](auto& shown) { return shown.mass.mass; });
  add("standard_error", "of the mass, by the scatter of the samples; null for a volume",
      [](auto& shown) { return shown.mass.standard_error; });
  add("error", "by which the integral, or the sum over cells that are cut, may be off",
      [](auto& shown) { return shown.mass.error; });
  add("weight", "the mass times the samples' total weight; null if that is not known",
      &MassShown::weight);
}

void add_fields(Fields<MassRun>& add) {
  add.name("masses", "skde mass IN... --json");
  add("inputs", &MassRun::inputs);
  add("units", [](auto& run) { return known(run.units); });
  add("samples", "null for a volume", &MassRun::samples);
  add("kernel", "null for a volume", &MassRun::kernel);
  add("bandwidth", "null for a volume", &MassRun::bandwidth);
  add("regions", &MassRun::regions);
  add.lines(add_masses);
}

const Command kMass = command<mass_table, run_mass>(
    "mass", "computes how much of a density lies in boxes and other regions");

const AnyTable& masses_document() { return result_table<MassRun>(); }

}  // namespace skde::cli
