#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/comparison_volumes.hpp"
#include "analysis/density_comparison.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/options/option_table.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/commands.hpp"
#include "commands/output/comparison_report.hpp"
#include "commands/output/volume_input.hpp"
#include "commands/output/volume_output.hpp"
#include "core/version.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/session.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

double parse_level(const std::string& given) {
  const double level = RealNumber(0)(given);
  if (!(level > 0 && level <= 0.5))
    throw Error(ErrorKind::usage,
                fmt::format("must be a chance above 0 and at most 0.5; got '{}'", given));
  return level;
}

/// Which of the two volumes is resampled onto the grid of the other.
enum class Resample { none, a, b };

struct CompareSettings {
  std::string output, format, field;
  RatioSpec ratio;
  Resample resample = Resample::none;
  std::optional<double> significance;  ///< the level
  bool json = false, quiet = false;
};

OptionTable compare_table(CompareSettings& settings) {
  OptionTable table("skde compare", "A B [FLAGS]",
                    "Measures how much two density volumes differ: overlap, L1, L2, Hellinger, "
                    "Kullback-Leibler both ways, Jensen-Shannon, and the earth mover's distances "
                    "of their marginals; can write their ratio A/B as a volume. One of the two may "
                    "be the file of a mixture, which is summed at the cells of the other.");
  table.group("Densities");
  table.flag({.name = "normalize",
              .help = "divides each by its mass inside the box, to compare only the shapes"},
             settings.ratio.normalize);
  table.value({.name = "resample",
               .value = "A|B",
               .help = "resamples A to the grid of B, or B to that of A, by trilinear "
                       "interpolation between cell centres; reports the mass before and after",
               .by_default = "different grids are an error"},
              settings.resample, OneOf<Resample>{{"A", Resample::a}, {"B", Resample::b}});
  add_field_flag(table, settings.field);
  table.group("Significance");
  table.value({.name = "significance",
               .value = "LEVEL",
               .help = "finds where the densities differ by more than chance, by their standard "
                       "errors (skde density --standard-error): no cell of the box passes with a "
                       "higher chance than LEVEL; writes z instead of the ratio",
               .bare = "0.05"},
              settings.significance, parse_level);
  table.group("Ratio");
  add_output_flags(table, settings.output, settings.format);
  table.value(
      {.name = "floor",
       .value = "SHARE",
       .help = "share of B's peak that is the lower limit of B in the ratio: A / max(B, floor)",
       .by_default = "1e-3"},
      settings.ratio.floor, RealNumber(0));
  table.flag(
      {.name = "log",
       .help = "writes ln(max(A, floor) / max(B, floor)) instead, which is 0 if both are equal"},
      settings.ratio.logarithm);
  table.group("Output");
  add_summary_flags(table, settings.json, settings.quiet);
  table.example("skde compare early.vti late.vti", "two densities on one grid");
  table.example("skde compare cases.vti controls.vti --normalize --log -o risk.vti",
                "the log ratio of their shapes, for ParaView");
  table.example("skde compare a.vti b.vti --significance -o z.vti",
                "where two densities with standard errors differ by more than chance");
  return table;
}

io::VolumeFile read_placed(const std::string& path, const io::OpenFiles& open) {
  io::VolumeFile file = io::read_volume(path, open);
  if (!file.placed)
    throw Error(ErrorKind::input,
                fmt::format("{}: does not give the coordinates of its cells", path),
                {{}, "add its coordinates to it"});
  require_density(file.metadata, path + ": ");
  return file;
}

/// Returns the sum of a mixture's Gaussians at the cells of a volume. Its integral is their mass.
io::VolumeFile mixture_on(const io::VolumeFile& other, const std::string& path,
                          const io::OpenFiles& open, Progress& progress) {
  CloudFiles files;
  files.paths = {path};
  files.open = open;
  DensityRequest request;
  assume_widths({}, files, request);
  request.like = other.volume.grid();
  request.precision = other.volume.precision();
  request.normalization = Normalization::count;
  request.min_width = 0;
  Session session;
  session.open(files, progress);
  try {
    Density density = session.compute(request, progress);
    return {density.take_volume(), density.metadata};
  } catch (const Error& error) {
    throw naming_inputs(error, files.paths);
  }
}

/// Reads two volumes, or a volume and a mixture on its cells.
std::pair<io::VolumeFile, io::VolumeFile> read_both(const std::vector<std::string>& paths,
                                                    Progress& progress) {
  const io::OpenFiles open;
  const bool a_mixture = io::are_mixtures({paths[0]}, {}, open),
             b_mixture = io::are_mixtures({paths[1]}, {}, open);
  if (a_mixture && b_mixture)
    throw Error(ErrorKind::usage,
                fmt::format("{} and {} are mixtures, and neither has cells", paths[0], paths[1]),
                {{}, "write one as a volume with 'skde density'"});
  if (a_mixture) {
    io::VolumeFile b = read_placed(paths[1], open);
    io::VolumeFile a = mixture_on(b, paths[0], open, progress);
    return {std::move(a), std::move(b)};
  }
  io::VolumeFile a = read_placed(paths[0], open);
  io::VolumeFile b =
      b_mixture ? mixture_on(a, paths[1], open, progress) : read_placed(paths[1], open);
  return {std::move(a), std::move(b)};
}

/// Warns if the files have different units or names of axes.
void warn_of_coordinates(const DensityMetadata& a, const DensityMetadata& b,
                         std::vector<Warning>& warnings) {
  if (!a.units.empty() && !b.units.empty() && a.units != b.units)
    warnings.push_back({"units",
                        fmt::format("the coordinates of A are in {} and those of B in {}; "
                                    "cells with equal numbers are compared",
                                    a.units, b.units),
                        {{}, "convert one of them to the units of the other"}});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string &of_a = a.axis_names[axis], &of_b = b.axis_names[axis];
    if (of_a.empty() || of_b.empty() || of_a == of_b) continue;
    warnings.push_back({"axes",
                        fmt::format("{} is '{}' in A and '{}' in B", kAxisNames[axis], of_a, of_b),
                        {{}, "check that both volumes have the same axes"}});
  }
}

/// Resamples one volume onto the grid of the other, unless they have the same cells.
void resample(io::VolumeFile& from, const std::string& path, const Grid& grid, ComparisonRun& run) {
  constexpr double kMostChanged = 0.01;
  if (have_same_cells(from.volume.grid(), grid)) return;
  ResampledDensity moved = resampled_onto(from.volume, grid, path);
  run.resampled = ResampledFacts{path, moved.mass_before, moved.mass_after, moved.mass_inside};
  if (std::abs(moved.mass_after - moved.mass_before) > kMostChanged * moved.mass_before)
    run.warnings.push_back(
        {"resampled_mass",
         fmt::format("{}: its mass is {:.6g} on the other grid; it was {:.6g}, of which {:.6g} is "
                     "inside the other box",
                     path, moved.mass_after, moved.mass_before, moved.mass_inside),
         {"like", "estimate both on one grid with `like=VOLUME`"}});
  from.volume = std::move(moved.volume);
}

DensityMetadata ratio_metadata(const CompareSettings& settings, const ComparisonRun& run,
                               const DensityMetadata& a, const std::string& command_line) {
  DensityMetadata metadata;
  metadata.values = settings.significance ? "z" : settings.ratio.logarithm ? "log_ratio" : "ratio";
  metadata.units = run.units;
  metadata.axis_names = a.axis_names;
  metadata.command_line = command_line;
  metadata.version = kVersion;
  return metadata;
}

/// Writes some slices at a time, so that no third volume is in memory.
void write_ratio(const Volume& a, const Volume& b, const CompareSettings& settings,
                 const DensityMetadata& metadata, VolumeOutput& output, ComparisonRun& run,
                 Progress& progress) {
  constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 22;
  const DensityRatio ratio(a, b, settings.ratio);
  const Grid& grid = a.grid();
  if (!output.is_standard_output())
    output.format().require_room(output.path(), grid, a.precision());
  const auto writer = output.format().open(output.path(), grid, a.precision(), metadata);
  const std::int64_t step = std::max<std::int64_t>(1, kCellsAtOnce / (grid.dims[0] * grid.dims[1]));
  for (std::int64_t z = 0; z < grid.dims[2]; z += step) {
    const Volume slices = ratio.slices(z, std::min(step, grid.dims[2] - z));
    writer->write(slices.value_span(), progress);
  }
  writer->finish(metadata, progress);
  run.ratio =
      RatioFacts{metadata.values, settings.ratio.floor, ratio.floor(), ratio.floored_cells()};
  run.written = output.deliver(progress);
}

/// Reads the standard errors beside a density.
Volume read_errors(const std::string& path, const io::VolumeFile& density) {
  const std::string name = io::standard_error_of(density.field);
  if (std::ranges::find(density.fields, name) == density.fields.end())
    throw Error(
        ErrorKind::input, fmt::format("{}: has no standard errors", path),
        {"significance", "write it by 'skde density' with `standard_error`, as vti or netcdf"});
  return std::move(io::read_volume(io::volume_path(path).file + ":" + name).volume);
}

SureDensity sure_density(const io::VolumeFile& file, const Volume& errors) {
  const DensityMetadata& known = file.metadata;
  const bool counts = known.normalization == Normalization::count;
  SureDensity sure{file.volume, errors, known.effective_samples, counts ? known.total_weight : 1};
  if (known.adaptive == 0 && known.bandwidth_source != "samples" && is_positive_definite(known.H))
    sure.kernel = Kernel{known.kernel, known.H};
  return sure;
}

void find_significance(const std::vector<std::string>& paths, const io::VolumeFile& a,
                       const io::VolumeFile& b, const CompareSettings& settings,
                       const DensityMetadata& metadata, VolumeOutput* output, ComparisonRun& run,
                       Progress& progress) {
  const Volume of_a = read_errors(paths[0], a), of_b = read_errors(paths[1], b);
  auto [scores, found] = density_significance(sure_density(a, of_a), sure_density(b, of_b),
                                              settings.ratio.normalize, *settings.significance);
  run.significance = found;
  if (!output) return;
  output->format().write(output->path(), scores, metadata, progress);
  run.written = output->deliver(progress);
}

/// Returns true if the file has several volumes, and the path does not name one of them.
bool holds_several(const std::string& path) {
  return io::is_volume_file(path) && io::volume_path(path).field.empty() &&
         io::without_standard_errors(io::read_volume_head(path).fields).size() > 1;
}

CommandResult compare(const std::vector<std::string>& paths, const CompareSettings& settings,
                      VolumeOutput* output, const std::string& command_line) {
  TerminalProgress progress(!settings.quiet);
  auto [a, b] = read_both(paths, progress);
  ComparisonRun run;
  run.path_a = io::path_of_field(paths[0], a);
  run.path_b = io::path_of_field(paths[1], b);
  for (const auto& [path, file] : {std::pair(paths[0], &a), std::pair(paths[1], &b)})
    std::ranges::move(io::field_warnings(path, *file), std::back_inserter(run.warnings));
  if (auto warning = require_one_frame(a.metadata.frame, paths[0], b.metadata.frame, paths[1]))
    run.warnings.push_back(std::move(*warning));
  warn_of_coordinates(a.metadata, b.metadata, run.warnings);
  if (settings.resample == Resample::a) resample(a, paths[0], b.volume.grid(), run);
  if (settings.resample == Resample::b) resample(b, paths[1], a.volume.grid(), run);
  run.grid = a.volume.grid();
  run.precision = a.volume.precision();
  run.units = a.metadata.units.empty() ? b.metadata.units : a.metadata.units;
  run.found =
      compare_densities({a.volume, paths[0]}, {b.volume, paths[1]}, settings.ratio.normalize);
  for (Warning& warning : comparison_warnings(run.found))
    run.warnings.push_back(std::move(warning));
  const DensityMetadata metadata = ratio_metadata(settings, run, a.metadata, command_line);
  if (settings.significance)
    find_significance(paths, a, b, settings, metadata, output, run, progress);
  else if (output)
    write_ratio(a.volume, b.volume, settings, metadata, *output, run, progress);
  progress.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  return show_result({settings.json, settings.quiet, takes_standard_output(output)}, run);
}

CommandResult run_compare(CompareSettings& settings, const ParsedFlags& flags,
                          const Invocation& invocation) {
  if (flags.positionals.size() != 2)
    throw Error(ErrorKind::usage,
                fmt::format("expected two volumes; got {}", flags.positionals.size()));
  for (const std::string_view name : {"floor", "log", "format"})
    if (settings.output.empty() && flags.has(name))
      throw Error(ErrorKind::usage,
                  fmt::format("--{} has no effect without -o FILE; drop it", name));
  for (const std::string_view name : {"floor", "log", "resample"})
    if (settings.significance && flags.has(name))
      throw Error(ErrorKind::usage,
                  fmt::format("--{} cannot be used with --significance; drop it", name));
  if (settings.quiet && !settings.json && settings.output.empty())
    throw Error(ErrorKind::usage,
                "--quiet without -o FILE leaves no result; drop it, or add -o FILE");
  const std::vector<std::string>& paths = flags.positionals;
  const auto compare_as = [&](const std::vector<std::string>& named, const std::string& to) {
    std::optional<VolumeOutput> output;
    if (!to.empty())
      output.emplace(to, settings.format,
                     std::vector{io::volume_path(paths[0]).file, io::volume_path(paths[1]).file});
    return compare(named, settings, output ? &*output : nullptr, invocation.command_line);
  };
  if (settings.field.empty()) return compare_as(paths, settings.output);
  const std::vector<bool> several{holds_several(paths[0]), holds_several(paths[1])};
  if (!several[0] && !several[1])
    throw Error(ErrorKind::usage, "neither file holds several volumes", {"field", "drop it"});
  return for_each_volume(paths[several[0] ? 0 : 1], settings.field, {settings.output},
                         [&](const std::string& field, const std::vector<std::string>& outputs) {
                           std::vector<std::string> named = paths;
                           for (std::size_t i = 0; i < 2; ++i)
                             if (several[i]) named[i] = volume_named(paths[i], field);
                           return compare_as(named, outputs[0]);
                         });
}

}  // namespace

const Command kCompare = command<compare_table, run_compare>(
    "compare", "compares two density volumes, and writes their ratio");

}  // namespace skde::cli
