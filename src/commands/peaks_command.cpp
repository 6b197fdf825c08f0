#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "analysis/answers/found_peaks.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/fit_input.hpp"
#include "commands/output/point_files.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_input.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/read/input_error.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/point_writer.hpp"

namespace skde::cli {
namespace {

struct PeaksSettings {
  DensityOptions density;
  std::string volume, field, output;
  PointFiles samples;
  PeakRule rule;
  std::uint64_t resamples = 0, seed = 1;
  bool json = false, quiet = false;
};

OptionTable peaks_table(PeaksSettings& settings) {
  OptionTable table("skde peaks", "IN... [FLAGS]",
                    "Finds the modes of the density of one or more point clouds, or of a volume: "
                    "where they are, how high, how sure that is, and how much belongs to each. "
                    "Places are maxima of the exact density; those of a volume come from parabolas "
                    "through its cells.");
  table.group("Peaks");
  table.value({.name = "significance",
               .value = "P",
               .help = "leaves out maxima that may be noise: a chance below this for any of them, "
                       "by the kernel and the number of samples",
               .by_default = "0.05"},
              settings.rule.significance, RealNumber(1e-12, 0.5));
  table.value({.name = "prominence",
               .value = "SHARE",
               .help = "leaves out maxima that stand less than this share of the highest peak "
                       "above the saddle to a higher one, in place of --significance"},
              settings.rule.prominence, RealNumber(0, 1));
  table.value({.name = "bootstrap",
               .value = "B",
               .help = "also takes standard errors from this many resamples of the samples, at the "
                       "same bandwidth"},
              settings.resamples, WholeNumber(2, 1000000));
  table.value({.name = "seed", .value = "S", .help = "seed of --bootstrap", .by_default = "1"},
              settings.seed, WholeNumber(0));
  add_field_flag(table, settings.field);
  table.group("Output");
  table.value({.name = "output",
               .value = "OUT",
               .help = "file of the peaks to write, with a column for each number: " +
                       io::point_writer_extensions(),
               .letter = 'o',
               .names_file = true},
              settings.output);
  table.value(
      {.name = "samples",
       .value = "OUT",
       .help = "file of the samples to write, with the column `peak` of their basin, from 1, "
               "0 for none: " +
               io::point_writer_extensions(),
       .names_file = true},
      settings.samples.output);
  add_summary_flags(table, settings.json, settings.quiet);
  add_density_fields(table, settings.density, target::kGrid);
  table.most_used({"significance", "prominence", "output", "columns", "weights", "kernel",
                   "bandwidth", "bounds", "dims"});
  table.example("skde peaks quakes.csv --columns long,lat,depth",
                "the modes, and how sure they are");
  table.example("skde peaks density.vti --prominence 0.1 -o peaks.csv",
                "from a volume, to a table");
  return table;
}

struct PeaksRun {
  const PeaksSettings* settings = nullptr;
  const GivenDensity* given = nullptr;
  std::vector<std::string> inputs{};
  FoundPeaks found{};
  std::vector<Warning> warnings{};
  std::vector<WrittenFile> written{};
};

std::string with_error(std::string value, std::optional<double> error) {
  return error ? fmt::format("{} ± {}", value, format_value(*error)) : value;
}

void add_peaks(Report& report, const PeaksRun& run) {
  constexpr std::size_t kShown = 20;
  report.line("peaks", fmt::format("{}, {}; {} other maxima are left out",
                                   format_count(run.found.peaks.size()), run.found.rule,
                                   format_count(static_cast<std::uint64_t>(run.found.left_out))));
  std::vector<std::vector<std::string>> rows{
      {"", "x", "y", "z", "density", "prominence", "mass", "samples"}};
  std::vector<std::vector<std::string>> resampled{{"", "x", "y", "z", "density"}};
  for (std::size_t k = 0; k < std::min(run.found.peaks.size(), kShown); ++k) {
    const FoundPeak& peak = run.found.peaks[k];
    if (peak.bootstrap_place_error) {
      const auto [x, y, z] = *peak.bootstrap_place_error;
      resampled.push_back({std::to_string(k + 1), format_value(x), format_value(y), format_value(z),
                           format_value(*peak.bootstrap_height_error)});
    }
    std::vector<std::string> row{std::to_string(k + 1)};
    for (int axis = 0; axis < 3; ++axis)
      row.push_back(with_error(
          format_coordinate(peak.place[axis], run.given->volume.grid().bounds().extent()[axis]),
          peak.place_error ? std::optional((*peak.place_error)[axis]) : std::nullopt));
    row.push_back(with_error(format_value(peak.height), peak.height_error));
    row.push_back(format_value(peak.prominence));
    row.push_back(format_share(peak.mass));
    row.push_back(peak.samples ? format_count(*peak.samples) : "-");
    rows.push_back(std::move(row));
  }
  report.table("by density, with standard errors", rows);
  if (run.settings->resamples > 0)
    report.table(
        fmt::format("errors by {} resamples, seed {}", run.settings->resamples, run.settings->seed),
        resampled);
  if (run.found.peaks.size() > kShown)
    report.line("more", fmt::format("{} lower ones, in --json", run.found.peaks.size() - kShown));
}

void write_peaks(PeaksRun& run, const std::string& path) {
  io::PointWriter writer(path, run.found.peaks.size(),
                         {"x", "y", "z", "density", "prominence", "mass", "samples", "x_error",
                          "y_error", "z_error", "density_error"});
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (const FoundPeak& peak : run.found.peaks) {
    const Vec3 error = peak.place_error.value_or(Vec3{kUnknown, kUnknown, kUnknown});
    writer.write(std::array{peak.place.x, peak.place.y, peak.place.z, peak.height, peak.prominence,
                            peak.mass, peak.samples ? static_cast<double>(*peak.samples) : kUnknown,
                            error.x, error.y, error.z, peak.height_error.value_or(kUnknown)});
  }
  writer.finish();
  run.written.push_back(written_file("points", path));
}

CommandResult find_peaks(const PeaksSettings& settings, const Invocation& invocation) {
  TerminalProgress progress(!settings.quiet);
  const GivenDensity given = given_density(
      {.density = &settings.density, .volume = settings.volume, .needs_samples = true},
      invocation.sessions, progress);
  PeaksRun run{.settings = &settings, .given = &given, .inputs = settings.density.files.paths};
  run.warnings = given.facts ? given.facts->warnings : given.warnings;
  try {
    const AskedDensity density{given.volume, given.metadata, given.facts ? &*given.facts : nullptr,
                               given.cloud};
    run.found = find_peaks(density, settings.rule, progress);
    if (settings.resamples > 0)
      bootstrap_peaks(density, settings.resamples, settings.seed, run.found, progress);
    if (!settings.output.empty()) write_peaks(run, settings.output);
    if (!settings.samples.output.empty()) {
      const LabelledPoints points =
          label_points(settings.samples, settings.density.files,
                       {run.found.basins, given.volume.grid(), "peak", given.metadata},
                       run.found.peaks.size(), progress);
      run.warnings.insert(run.warnings.end(), points.warnings.begin(), points.warnings.end());
      run.written.push_back(written_file("samples", settings.samples.output));
    }
  } catch (const Error& error) {
    throw naming_inputs(error, settings.density.files.paths);
  }
  progress.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  return show_result({settings.json, settings.quiet}, run);
}

}  // namespace

void add_fields(Fields<FoundPeak>& add) {
  add("place", &FoundPeak::place);
  add("place_error", "standard errors along x, y and z; null if not known",
      &FoundPeak::place_error);
  add("covariance", "of the place", &FoundPeak::covariance);
  add("density", &FoundPeak::height);
  add("density_error", "standard error; null if not known", &FoundPeak::height_error);
  add("prominence", "height above the saddle to a higher peak", &FoundPeak::prominence);
  add("mass", "share of the total mass in its basin", &FoundPeak::mass);
  add("samples", "samples in its basin; null for a volume", &FoundPeak::samples);
  add("exact", "the place is a maximum of the exact density, not of the cells", &FoundPeak::exact);
  add("bootstrap_place_error", "standard errors by resamples; null without --bootstrap",
      &FoundPeak::bootstrap_place_error);
  add("bootstrap_density_error", "standard error by resamples; null without --bootstrap",
      &FoundPeak::bootstrap_height_error);
}

void add_fields(Fields<PeaksRun>& add) {
  add.name("peaks", "skde peaks IN... --json");
  add("inputs", &PeaksRun::inputs);
  add.lines([](auto& report, auto& run) {
    add_density_input(report, run.inputs, run.given->facts ? &*run.given->facts : nullptr,
                      run.given->metadata.units);
    add_grid(report, run.given->volume.grid(), run.given->volume.precision(),
             run.given->metadata.units);
  });
  add("grid", [](auto& run) { return stored_grid(run.given->volume); });
  add("units", [](auto& run) { return known(run.given->metadata.units); });
  add("peaks", [](auto& run) { return std::span(run.found.peaks); });
  add("left_out", "maxima that are not peaks", [](auto& run) { return run.found.left_out; });
  add.lines(add_peaks);
  add("warnings", &PeaksRun::warnings);
  add_written(add);
}

namespace {

CommandResult run_peaks(PeaksSettings& settings, const ParsedFlags& flags,
                        const Invocation& invocation) {
  settings.volume = take_density_input(flags, settings.density);
  if (settings.rule.prominence && flags.has("significance"))
    usage_error("--significance contradicts --prominence; drop one of them");
  if (!settings.output.empty()) {
    require_not_read(settings.output, "-o", settings.density.files.paths);
    io::require_point_extension(settings.output);
    require_writable(settings.output, "-o");
  }
  if (flags.has("seed") && settings.resamples == 0)
    usage_error("--seed has no effect without --bootstrap; drop it");
  for (const char* name : {"bootstrap", "samples"})
    if (!settings.volume.empty() && flags.has(name))
      usage_error(
          fmt::format("--{} has no effect on a volume, which has no samples; drop it", name));
  if (!settings.samples.output.empty()) {
    if (settings.density.files.paths.size() > 1)
      usage_error("--samples writes the samples of one file; name one cloud");
    check_point_output(settings.samples, settings.density);
  }
  complete_density_options(flags, settings.density);
  if (settings.volume.empty()) {
    // Finds the middle of the inputs and the unit of depths, which the samples use too.
    CloudFiles& files = settings.density.files;
    io::settle_places(files.paths, files.columns, files.non_finite, files.open);
    return find_peaks(settings, invocation);
  }
  return for_each_volume(settings.volume, settings.field, {settings.output},
                         [&](const std::string& field, const std::vector<std::string>& outputs) {
                           PeaksSettings own = settings;
                           own.volume = volume_named(settings.volume, field);
                           own.density.files.paths = {own.volume};
                           own.output = outputs[0];
                           return find_peaks(own, invocation);
                         });
}

}  // namespace

const Command kPeaks = command<peaks_table, run_peaks>(
    "peaks", "finds the modes of a density: where, how high, and how sure that is");

const AnyTable& peak_table() { return result_table<FoundPeak>(); }
const AnyTable& peaks_document() { return result_table<PeaksRun>(); }

}  // namespace skde::cli
