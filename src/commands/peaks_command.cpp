#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "analysis/answers/exact_peaks.hpp"
#include "analysis/answers/level_regions.hpp"
#include "analysis/density_mass.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/output_path.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/number_format.hpp"
#include "commands/commands.hpp"
#include "commands/fit_input.hpp"
#include "commands/output/named_volumes.hpp"
#include "commands/output/point_files.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/session.hpp"
#include "io/points/point_writer.hpp"

namespace skde::cli {
namespace {

struct PeaksSettings {
  DensityOptions density;
  std::string volume, field, output;
  std::optional<double> prominence;
  double significance = 0.05;
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
              settings.significance, RealNumber(1e-12, 0.5));
  table.value({.name = "prominence",
               .value = "SHARE",
               .help = "leaves out maxima that stand less than this share of the highest peak "
                       "above the saddle to a higher one, in place of --significance"},
              settings.prominence, RealNumber(0, 1));
  add_field_flag(table, settings.field);
  table.group("Output");
  table.value({.name = "output",
               .value = "OUT",
               .help = "file of the peaks to write, with a column for each number: " +
                       io::point_writer_extensions(),
               .letter = 'o',
               .names_file = true},
              settings.output);
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

/// A peak as it is told.
struct Peak {
  Vec3 place;
  double height = 0;
  std::optional<Vec3> place_error{};
  std::optional<Symmetric3> covariance{};
  std::optional<double> height_error{};
  double prominence = 0, mass = 0;  ///< mass as a share of the total
  std::optional<std::uint64_t> samples{};
  bool exact = false;
};

struct PeaksRun {
  const PeaksSettings* settings = nullptr;
  const GivenDensity* given = nullptr;
  std::vector<std::string> inputs{};
  std::string kept{};  ///< which maxima are peaks, for people
  std::vector<Peak> peaks{};
  std::int64_t left_out = 0;
  std::vector<Warning> warnings{};
  std::vector<WrittenFile> written{};
};

std::string with_error(double value, std::optional<double> error) {
  return error ? fmt::format("{} ± {}", format_value(value), format_value(*error))
               : format_value(value);
}

void add_peaks(Report& report, const PeaksRun& run) {
  constexpr std::size_t kShown = 20;
  report.line("peaks",
              fmt::format("{}, {}; {} other maxima are left out", format_count(run.peaks.size()),
                          run.kept, format_count(static_cast<std::uint64_t>(run.left_out))));
  std::vector<std::vector<std::string>> rows{
      {"", "x", "y", "z", "density", "prominence", "mass", "samples"}};
  for (std::size_t k = 0; k < std::min(run.peaks.size(), kShown); ++k) {
    const Peak& peak = run.peaks[k];
    std::vector<std::string> row{std::to_string(k + 1)};
    for (int axis = 0; axis < 3; ++axis)
      row.push_back(with_error(peak.place[axis], peak.place_error
                                                     ? std::optional((*peak.place_error)[axis])
                                                     : std::nullopt));
    row.push_back(with_error(peak.height, peak.height_error));
    row.push_back(format_value(peak.prominence));
    row.push_back(format_share(peak.mass));
    row.push_back(peak.samples ? format_count(*peak.samples) : "-");
    rows.push_back(std::move(row));
  }
  report.table("by density, with standard errors", rows);
  if (run.peaks.size() > kShown)
    report.line("more", fmt::format("{} lower ones, in --json", run.peaks.size() - kShown));
}

/// Returns which maxima are peaks, and says so.
KeepsPeak rule_of(const PeaksSettings& settings, const GivenDensity& given, double highest,
                  double whole, std::string& said) {
  constexpr double kSome = 0.05;  // of the highest peak, where the samples are not known
  const DensityMetadata& known = given.metadata;
  const bool has_kernel = known.samples > 0 && is_positive_definite(known.H);
  if (settings.prominence || !has_kernel) {
    const double share = settings.prominence.value_or(kSome);
    said = fmt::format("of a prominence of {} of the highest or more", format_share(share));
    return by_prominence(share, highest);
  }
  said = fmt::format("by chance once in {:.3g} such densities", 1 / settings.significance);
  const Kernel kernel{known.kernel, known.H};
  const double squared =
      kernel.function->roughness * kernel.amplitude() / kernel.function->constant;
  return by_significance(settings.significance, whole * squared, known.effective_samples);
}

/// Counts the samples in the basins.
void count_samples(const SamplesView& points, const DensityPeaks& found, const Grid& grid,
                   std::vector<Peak>& peaks) {
  for (Peak& peak : peaks) peak.samples = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const std::int32_t basin = label_at(found.basins, grid, points.point(i)); basin >= 0)
      ++*peaks[static_cast<std::size_t>(basin)].samples;
}

void fill_exact(const GivenDensity& given, const DensityPeaks& found, std::vector<Peak>& peaks,
                Progress& progress) {
  Session session;
  session.open(given.cloud);
  const std::vector<ExactPeak> exact = exact_peaks(session, *given.facts, found.peaks, progress);
  for (std::size_t k = 0; k < peaks.size(); ++k) {
    peaks[k].place = exact[k].place;
    peaks[k].height = exact[k].height;
    peaks[k].height_error = exact[k].height_error;
    peaks[k].exact = exact[k].settled;
    if (const auto& covariance = peaks[k].covariance = exact[k].covariance)
      peaks[k].place_error =
          Vec3{std::sqrt(covariance->xx), std::sqrt(covariance->yy), std::sqrt(covariance->zz)};
  }
}

void write_peaks(PeaksRun& run, const std::string& path) {
  io::PointWriter writer(path, run.peaks.size(),
                         {"x", "y", "z", "density", "prominence", "mass", "samples", "x_error",
                          "y_error", "z_error", "density_error"});
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (const Peak& peak : run.peaks) {
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
    const DensityMass mass = density_mass(given.volume, given.metadata);
    const DensityPeaks found = density_peaks(
        given.volume, rule_of(settings, given, mass.peak, mass.whole, run.kept), progress);
    run.left_out = found.left_out;
    for (const DensityPeak& peak : found.peaks)
      run.peaks.push_back({.place = peak.place,
                           .height = peak.height,
                           .prominence = peak.prominence(),
                           .mass = peak.mass / mass.whole_of_cells()});
    if (given.cloud) {
      count_samples(given.cloud->points, found, given.volume.grid(), run.peaks);
      fill_exact(given, found, run.peaks, progress);
    }
    if (!settings.output.empty()) write_peaks(run, settings.output);
  } catch (const Error& error) {
    throw naming_inputs(error, settings.density.files.paths);
  }
  progress.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  return show_result({settings.json, settings.quiet}, run);
}

}  // namespace

void add_fields(Fields<Peak>& add) {
  add("place", &Peak::place);
  add("place_error", "standard errors along x, y and z; null if not known", &Peak::place_error);
  add("covariance", "of the place", &Peak::covariance);
  add("density", &Peak::height);
  add("density_error", "standard error; null if not known", &Peak::height_error);
  add("prominence", "height above the saddle to a higher peak", &Peak::prominence);
  add("mass", "share of the total mass in its basin", &Peak::mass);
  add("samples", "samples in its basin; null for a volume", &Peak::samples);
  add("exact", "the place is a maximum of the exact density, not of the cells", &Peak::exact);
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
  add("peaks", &PeaksRun::peaks);
  add("left_out", "maxima that are not peaks", &PeaksRun::left_out);
  add.lines(add_peaks);
  add("warnings", &PeaksRun::warnings);
  add_written(add);
}

namespace {

CommandResult run_peaks(PeaksSettings& settings, const ParsedFlags& flags,
                        const Invocation& invocation) {
  settings.volume = take_density_input(flags, settings.density);
  if (settings.prominence && flags.has("significance"))
    usage_error("--significance contradicts --prominence; drop one of them");
  if (!settings.output.empty()) {
    require_not_read(settings.output, "-o", settings.density.files.paths);
    io::require_point_extension(settings.output);
    require_writable(settings.output, "-o");
  }
  complete_density_options(flags, settings.density);
  if (settings.volume.empty()) return find_peaks(settings, invocation);
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

const AnyTable& peaks_document() { return result_table<PeaksRun>(); }

}  // namespace skde::cli
