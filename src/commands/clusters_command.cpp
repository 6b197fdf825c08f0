#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analysis/answers/level_regions.hpp"
#include "analysis/mass_levels.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
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
#include "core/version.hpp"
#include "estimate/read/input_error.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/point_writer.hpp"

namespace skde::cli {

template <>
inline constexpr const auto& kWordsOf<Touching> = kTouching;

namespace {

struct ClustersSettings {
  DensityOptions density;
  PointFiles points;
  std::string volume, field, labels;
  double mass = 0.5;
  std::optional<double> level, prominence;
  Touching touching = Touching::corners;
  bool json = false, quiet = false;
};

OptionTable clusters_table(ClustersSettings& settings) {
  OptionTable table("skde clusters", "IN... [FLAGS]",
                    "Finds clusters: the connected regions of the grid whose density is above a "
                    "level, in the density of one or more point clouds or in a volume. Tells how "
                    "much each holds, and which sample lies in which.");
  table.group("Clusters");
  table.value({.name = "mass",
               .value = "P",
               .help = "the level above which the cells hold this share of the total mass",
               .by_default = "0.5"},
              settings.mass, parse_mass);
  table.value({.name = "level", .value = "F", .help = "the level itself, in place of --mass"},
              settings.level, RealNumber(0));
  table.value(
      {.name = "prominence",
       .value = "SHARE",
       .help = "parts clusters at saddles: one for each peak that stands above its saddle by this "
               "share of the highest density; of all cells, unless --mass or --level is given"},
      settings.prominence, RealNumber(0, 1));
  table.value({.name = "touching",
               .value = "6|26",
               .help = "cells touch by a face, or also by an edge or a corner",
               .by_default = "26"},
              settings.touching, OneOf<Touching>(kTouching));
  add_field_flag(table, settings.field);
  table.group("Output");
  add_at_flags(table, "the cloud itself", settings.points);
  table.value({.name = "output",
               .value = "OUT",
               .help = "file of the points with a column `cluster`, from 1, 0 outside: " +
                       io::point_writer_extensions(),
               .letter = 'o',
               .names_file = true},
              settings.points.output);
  table.value({.name = "labels",
               .value = "FILE",
               .help = "volume of the cluster of each cell, from 1, 0 below the level",
               .names_file = true},
              settings.labels);
  add_summary_flags(table, settings.json, settings.quiet);
  add_density_fields(table, settings.density, target::kGrid);
  table.most_used({"mass", "level", "output", "labels", "columns", "weights", "bandwidth", "dims"});
  table.example("skde clusters quakes.csv --columns long,lat,depth -o labelled.csv",
                "the regions that hold half of all earthquakes, and who is in which");
  table.example("skde clusters density.vti --level 0.01 --labels clusters.vti",
                "from a volume, with labels of cells");
  return table;
}

/// A cluster, with the points in it.
struct Cluster {
  LevelRegion region;
  double share = 0;  ///< of the total mass
  std::optional<std::uint64_t> points{};
};

struct ClustersRun {
  const ClustersSettings* settings = nullptr;
  const GivenDensity* given = nullptr;
  std::vector<std::string> inputs;
  double level = 0, share = 0;  ///< share of the total mass that all clusters hold
  std::vector<Cluster> clusters{};
  std::optional<std::uint64_t> points{}, outside{};
  std::vector<Warning> warnings{};
  std::vector<WrittenFile> written{};

  std::string volume_unit() const {
    const std::string& units = given->metadata.units;
    return units.empty() ? "" : fmt::format(" {}^3", units);
  }
};

/// `extent` is that of the box.
std::string place_text(Vec3 place, Vec3 extent) {
  return fmt::format("{}, {}, {}", format_coordinate(place.x, extent.x),
                     format_coordinate(place.y, extent.y), format_coordinate(place.z, extent.z));
}

void add_clusters(Report& report, const ClustersRun& run) {
  constexpr std::size_t kShown = 20;
  const Vec3 extent = run.given->volume.grid().bounds().extent();
  report.line(
      "clusters",
      fmt::format("{}{}, with {} of the mass", format_count(run.clusters.size()),
                  run.level > 0 ? fmt::format(" above {}", format_value(run.level)) : std::string(),
                  format_share(run.share)));
  std::vector<std::vector<std::string>> rows{{"", "mass", "volume", "points", "centroid", "peak"}};
  for (std::size_t k = 0; k < std::min(run.clusters.size(), kShown); ++k) {
    const Cluster& cluster = run.clusters[k];
    rows.push_back({std::to_string(k + 1), format_share(cluster.share),
                    format_value(cluster.region.volume) + run.volume_unit(),
                    cluster.points ? format_count(*cluster.points) : "-",
                    place_text(cluster.region.centroid, extent),
                    format_value(cluster.region.peak)});
  }
  if (!run.clusters.empty()) report.table("by mass", rows);
  if (run.clusters.size() > kShown)
    report.line("more", fmt::format("{} smaller ones, in --json", run.clusters.size() - kShown));
  if (run.points)
    report.line("points", fmt::format("{}, of which {} are in no cluster",
                                      format_count(*run.points), format_count(*run.outside)));
}

/// Labels the points, and writes them if a file is named.
void add_points(const ClustersSettings& settings, const LevelRegions& found, ClustersRun& run,
                Progress& progress) {
  if (!settings.volume.empty() && settings.points.at.empty()) return;
  const LabelledPoints points =
      label_points(settings.points, settings.density.files,
                   {found.labels, run.given->volume.grid(), "cluster", run.given->metadata},
                   run.clusters.size(), progress);
  for (std::size_t k = 0; k < run.clusters.size(); ++k) run.clusters[k].points = points.counts[k];
  run.points = points.points;
  run.outside = points.outside;
  run.warnings.insert(run.warnings.end(), points.warnings.begin(), points.warnings.end());
  if (!settings.points.output.empty())
    run.written.push_back(written_file("points", settings.points.output));
}

void write_labels(VolumeOutput& output, const LevelRegions& found, const GivenDensity& given,
                  const std::string& command_line, ClustersRun& run, Progress& progress) {
  std::vector<float> labels;
  labels.reserve(found.labels.size());
  for (const std::int32_t label : found.labels) labels.push_back(static_cast<float>(label + 1));
  DensityMetadata metadata = given.metadata;
  metadata.values = "cluster";
  metadata.command_line = command_line;
  metadata.version = kVersion;
  output.format().write(output.path(), Volume(given.volume.grid(), std::move(labels)), metadata,
                        progress);
  for (WrittenFile& file : output.deliver(progress)) run.written.push_back(std::move(file));
}

void check_clusters(const ClustersSettings& settings, const ParsedFlags& flags) {
  if (settings.level && flags.has("mass"))
    usage_error("--mass contradicts --level, which fixes the level; drop one of them");
  if (settings.prominence && flags.has("touching"))
    usage_error("--touching has no effect with --prominence; drop it");
  const bool has_points = settings.volume.empty() || !settings.points.at.empty();
  if (!settings.points.output.empty() && !has_points)
    throw Error(ErrorKind::usage, "a volume has no points to label",
                {"at", "name a file of points with `at`"});
  if (settings.points.at.empty() && flags.has("at-columns"))
    usage_error("--at-columns has no effect without --at; drop it");
  if (settings.points.at.empty() && settings.volume.empty() &&
      settings.density.files.paths.size() > 1 && !settings.points.output.empty())
    throw Error(ErrorKind::usage, "several clouds are given, and one file of points to write",
                {"at", "name the points to label with `at`"});
  if (!settings.points.output.empty()) check_point_output(settings.points, settings.density);
}

CommandResult find_clusters(const ClustersSettings& settings, const Invocation& invocation) {
  TerminalProgress progress(!settings.quiet);
  std::optional<VolumeOutput> labels;
  if (!settings.labels.empty()) labels.emplace(settings.labels, "", settings.density.files.paths);
  const GivenDensity given = given_density(
      {.density = &settings.density, .volume = settings.volume}, invocation.sessions, progress);
  ClustersRun run{.settings = &settings, .given = &given, .inputs = settings.density.files.paths};
  run.warnings = given.facts ? given.facts->warnings : given.warnings;
  try {
    const double whole = density_mass(given.volume, given.metadata).whole_of_cells();
    if (settings.level)
      run.level = *settings.level;
    else if (settings.mass > 0)
      run.level = mass_levels(given.volume, std::array{settings.mass}, whole, progress)[0].level;
    const LevelRegions found =
        settings.prominence
            ? regions_of_peaks(given.volume, *settings.prominence, run.level, progress)
            : regions_above(given.volume, run.level, settings.touching, progress);
    for (const LevelRegion& region : found.regions) {
      run.clusters.push_back({region, region.mass / whole});
      run.share += region.mass / whole;
    }
    add_points(settings, found, run, progress);
    if (labels) write_labels(*labels, found, given, invocation.command_line, run, progress);
  } catch (const Error& error) {
    throw naming_inputs(error, settings.density.files.paths);
  }
  progress.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  return show_result(
      {settings.json, settings.quiet, takes_standard_output(labels ? &*labels : nullptr)}, run);
}

}  // namespace

void add_fields(Fields<Cluster>& add) {
  add("mass", "share of the total mass", &Cluster::share);
  add("cells", [](auto& cluster) { return cluster.region.cells; });
  add("volume", "in cubed units of the coordinates",
      [](auto& cluster) { return cluster.region.volume; });
  add("centroid", "mean place of its mass", [](auto& cluster) { return cluster.region.centroid; });
  add("bounds", "outer faces of its cells", [](auto& cluster) { return cluster.region.bounds; });
  add("place", "centre of the cell with the largest density",
      [](auto& cluster) { return cluster.region.place; });
  add("peak", "the largest density", [](auto& cluster) { return cluster.region.peak; });
  add("points", "points in it; null if there are none to label", &Cluster::points);
}

void add_fields(Fields<ClustersRun>& add) {
  add.name("clusters", "skde clusters IN... --json");
  add("inputs", &ClustersRun::inputs);
  add.lines([](auto& report, auto& run) {
    add_density_input(report, run.inputs, run.given->facts ? &*run.given->facts : nullptr,
                      run.given->metadata.units);
    add_grid(report, run.given->volume.grid(), run.given->volume.precision(),
             run.given->metadata.units);
  });
  add("grid", [](auto& run) { return stored_grid(run.given->volume); });
  add("units", [](auto& run) { return known(run.given->metadata.units); });
  add("level", "cells of at least this density are in clusters", &ClustersRun::level);
  add("prominence", "share of the highest density by which clusters stand above saddles",
      [](auto& run) { return run.settings->prominence; });
  add("touching", "number of cells that touch one",
      [](auto& run) { return run.settings->touching; });
  add("mass", "share of the total mass in clusters", &ClustersRun::share);
  add("clusters", &ClustersRun::clusters);
  add.lines(add_clusters);
  add("points", &ClustersRun::points);
  add("outside", "points in no cluster", &ClustersRun::outside);
  add("warnings", &ClustersRun::warnings);
  add_written(add);
}

namespace {

CommandResult run_clusters(ClustersSettings& settings, const ParsedFlags& flags,
                           const Invocation& invocation) {
  settings.volume = take_density_input(flags, settings.density, flags.has("at"));
  check_clusters(settings, flags);
  if (settings.prominence && !flags.has("mass")) settings.mass = 0;  // all cells
  complete_density_options(flags, settings.density);
  if (settings.volume.empty()) {
    // Finds the middle of the inputs and the unit of depths, which the points use too.
    CloudFiles& files = settings.density.files;
    io::settle_places(files.paths, files.columns, files.non_finite, files.open);
  }
  return for_each_volume(
      settings.volume.empty() ? settings.density.files.paths[0] : settings.volume, settings.field,
      {settings.points.output, settings.labels},
      [&](const std::string& field, const std::vector<std::string>& outputs) {
        ClustersSettings own = settings;
        if (!own.volume.empty()) {
          own.volume = volume_named(settings.volume, field);
          own.density.files.paths = {own.volume};
        }
        own.points.output = outputs[0];
        own.labels = outputs[1];
        return find_clusters(own, invocation);
      });
}

}  // namespace

const Command kClusters = command<clusters_table, run_clusters>(
    "clusters", "finds connected regions above a level, and which sample is in which");

const AnyTable& clusters_document() { return result_table<ClustersRun>(); }

}  // namespace skde::cli
