#include "commands/output/comparison_report.hpp"

#include <fmt/core.h>

#include <array>
#include <span>

#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"

namespace skde::cli {
namespace {

std::string divergence_text(const Divergence& divergence, const char* first, const char* second) {
  if (divergence.undefined_mass == 0) return fmt::format("{} nats", format_value(divergence.value));
  return fmt::format("infinite: {} of the mass of {} lies where {} is 0; {} nats over the rest",
                     format_value(divergence.undefined_mass), first, second,
                     format_value(divergence.value));
}

void add_resampled(Report& report, const ComparisonRun& run) {
  if (!run.resampled) return;
  const ResampledFacts& resampled = *run.resampled;
  report.line("resampled",
              fmt::format("{}, trilinear between cell centres: mass {} before, {} of it inside the "
                          "other box, {} after",
                          resampled.path, format_value(resampled.mass_before),
                          format_value(resampled.mass_inside), format_value(resampled.mass_after)));
}

void add_ratio(Report& report, const ComparisonRun& run) {
  if (!run.ratio) return;
  const RatioFacts& ratio = *run.ratio;
  const char* const what =
      ratio.values == "ratio" ? "A / max(B, floor)" : "ln(max(A, floor) / max(B, floor))";
  report.line("ratio", fmt::format("{}, floor {} = {:g} of B's peak; B is below it in {} of the "
                                   "cells",
                                   what, format_value(ratio.floor), ratio.share,
                                   format_share(static_cast<double>(ratio.floored_cells) /
                                                static_cast<double>(run.grid.cells()))));
}

std::string region_text(const SignificantRegion& region, const ComparisonRun& run) {
  const Vec3 sides = run.grid.bounds().extent();
  return fmt::format("{} of the box, with {} of the mass of A and {} of B",
                     format_share(region.volume / (sides.x * sides.y * sides.z)),
                     format_value(region.mass_a), format_value(region.mass_b));
}

void add_significance(Report& report, const ComparisonRun& run) {
  if (!run.significance) return;
  const DensitySignificance& found = *run.significance;
  const auto& [x, y, z] = found.place;
  report.line("significance",
              fmt::format("|z| above {:.3g}, which any cell of the box has by chance with a "
                          "probability of {:g}",
                          found.threshold, found.level));
  report.line("A denser", region_text(found.a_denser, run));
  report.line("B denser", region_text(found.b_denser, run));
  report.line("largest |z|",
              fmt::format("{:.3g} at {:.6g}, {:.6g}, {:.6g}", found.largest, x, y, z));
}

void add_grid_lines(Report& report, const ComparisonRun& run) {
  add_grid(report, run.grid, run.precision, run.units);
  add_resampled(report, run);
}

void add_divergences(Report& report, const ComparisonRun& run) {
  report.line("KL(A|B)", divergence_text(run.found.a_from_b, "A", "B"));
  report.line("KL(B|A)", divergence_text(run.found.b_from_a, "B", "A"));
}

std::string masses_text(const ComparisonRun& run) {
  return fmt::format("A {}, B {}{}", format_value(run.found.mass_a), format_value(run.found.mass_b),
                     run.found.normalized ? "; each divided by it" : "");
}

std::string earth_movers_text(const ComparisonRun& run) {
  const auto& [x, y, z] = run.found.earth_movers;
  return fmt::format("{} along x, {} along y, {} along z{}, of the marginals scaled to mass 1",
                     format_value(x), format_value(y), format_value(z), unit_suffix(run.units));
}

void add_regions(Report& report, const ComparisonRun& run) {
  for (const RegionOverlap& region : run.found.regions)
    report.line(
        format_share(region.mass) + " regions",
        fmt::format("{} in both: {} of that of A, {} of that of B", format_value(region.volume),
                    format_share(region.share_a), format_share(region.share_b)));
  report.line("UDOI", format_value(run.found.udoi));
}

constexpr std::array<std::string_view, 2> kRatios{"ratio", "log_ratio"};

}  // namespace

void add_fields(Fields<Divergence>& add) {
  add.name("divergence");
  add("value", "in nats, over the cells where it is defined", &Divergence::value);
  add("undefined_mass", "if there is any, the divergence is infinite", &Divergence::undefined_mass);
}

void add_fields(Fields<RegionOverlap>& add) {
  add("mass", "share of the mass in the box that each region holds", &RegionOverlap::mass);
  add("volume", "of their intersection, in cubed units of the coordinates", &RegionOverlap::volume);
  add("share_a", "of the volume of the region of A", &RegionOverlap::share_a);
  add("share_b", "of the volume of the region of B", &RegionOverlap::share_b);
}

void add_fields(Fields<ResampledFacts>& add) {
  add("path", &ResampledFacts::path);
  add("mass_before", &ResampledFacts::mass_before);
  add("mass_inside", "mass before, inside the other box", &ResampledFacts::mass_inside);
  add("mass_after", &ResampledFacts::mass_after);
}

void add_fields(Fields<RatioFacts>& add) {
  add("values", [](auto& ratio) { return OneAmong<kRatios>{ratio.values}; });
  add("floor_share", "share of B's peak", &RatioFacts::share);
  add("floor", &RatioFacts::floor);
  add("floored_cells", "cells where B is below the floor", &RatioFacts::floored_cells);
}

void add_fields(Fields<SignificantRegion>& add) {
  add.name("significant_region");
  add("volume", "of the cells, in cubed units of the coordinates", &SignificantRegion::volume);
  add("mass_a", &SignificantRegion::mass_a);
  add("mass_b", &SignificantRegion::mass_b);
}

void add_fields(Fields<DensitySignificance>& add) {
  add.name("significance");
  add("level", "chance that any cell passes, if the densities are equal",
      &DensitySignificance::level);
  add("threshold", "|z| of a cell that passes", &DensitySignificance::threshold);
  add("largest", "the z of the largest |z|", &DensitySignificance::largest);
  add("place", "the centre of that cell", [](auto& found) {
    return std::array{found.place.x, found.place.y, found.place.z};
  });
  add("a_denser", "cells that pass with A above B", &DensitySignificance::a_denser);
  add("b_denser", "cells that pass with B above A", &DensitySignificance::b_denser);
}

void add_fields(Fields<ComparisonRun>& add) {
  add.name("comparison", "skde compare --json");
  add("inputs", "A and B", [](auto& run) { return std::array{run.path_a, run.path_b}; });
  add.lines([](auto& report, auto& run) {
    report.line("A", run.path_a);
    report.line("B", run.path_b);
  });
  add("grid", [](auto& run) { return StoredGrid{run.grid, run.precision}; });
  add.lines(add_grid_lines);
  add("units", [](auto& run) { return known(run.units); });
  add("masses", "inside the box, before normalisation", [](auto& run) {
    return std::array{run.found.mass_a, run.found.mass_b};
  });
  add.line("mass in box", masses_text);
  add("normalized", [](auto& run) { return run.found.normalized; });
  add("overlap", [](auto& run) { return run.found.overlap; });
  add.line("overlap", [](auto& run) { return format_value(run.found.overlap); });
  add("l1", [](auto& run) { return run.found.l1; });
  add.line("L1", [](auto& run) { return format_value(run.found.l1); });
  add("l2", [](auto& run) { return run.found.l2; });
  add.line("L2", [](auto& run) { return format_value(run.found.l2); });
  add("largest", "difference of a cell", [](auto& run) { return run.found.largest; });
  add.line("largest", [](auto& run) { return format_value(run.found.largest); });
  add("hellinger", [](auto& run) { return run.found.hellinger; });
  add.line("Hellinger", [](auto& run) { return format_value(run.found.hellinger); });
  add.object("kullback_leibler", [](auto& part) {
    part("a_from_b", [](auto& run) { return run.found.a_from_b; });
    part("b_from_a", [](auto& run) { return run.found.b_from_a; });
  });
  add.lines(add_divergences);
  add("jensen_shannon", "in nats", [](auto& run) { return run.found.jensen_shannon; });
  add.line("Jensen-Shannon",
           [](auto& run) { return format_value(run.found.jensen_shannon) + " nats"; });
  add("earth_movers", "of the marginals along x, y, z, each scaled to mass 1",
      [](auto& run) { return run.found.earth_movers; });
  add.line("earth mover's", earth_movers_text);
  add("regions", "overlap of the regions of highest density",
      [](auto& run) { return std::span<const RegionOverlap>(run.found.regions); });
  add("udoi", "utilisation distribution overlap index, of the regions of 95 %",
      [](auto& run) { return run.found.udoi; });
  add.lines(add_regions);
  add("resampled", &ComparisonRun::resampled);
  add("ratio", &ComparisonRun::ratio);
  add.lines(add_ratio);
  add("significance", "null if it was not asked for", &ComparisonRun::significance);
  add.lines(add_significance);
  add("warnings", &ComparisonRun::warnings);
  add_written(add);
}

}  // namespace skde::cli
