#include "viewer/work/live_answers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <variant>

#include "analysis/comparison_volumes.hpp"
#include "bandwidth/data_driven_bandwidth.hpp"
#include "bandwidth/sample_choice.hpp"
#include "cli/options/density_options.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/thread_room.hpp"
#include "estimate/fields/density_fields.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/density_plan.hpp"
#include "estimate/values/density_setup.hpp"
#include "io/points/columns/row_condition.hpp"
#include "io/volumes/volume_formats.hpp"
#include "system/host_memory.hpp"

namespace skde::view {
namespace {

/// Opens the samples or the volume of B.
void open_b(Session& session, const CompareJob& job, Progress& progress) {
  try {
    if (job.cloud)
      session.open(job.cloud);
    else if (!session.is_open(job.files))
      session.open(job.files, progress);
  } catch (const Error& error) {
    throw error.renaming("where", "compare");
  }
}

/// Returns the box of B alone.
Box own_box(Session& session, const CompareJob& job, Progress& progress) {
  if (!session.cloud()) return session.compute(job.request, progress).grid().bounds();
  return session.plan(job.request, progress, {.runs = !job.request.has_pilot()}).grid.bounds();
}

/// Returns B on the grid of A.
Volume density_b(Session& session, const CompareJob& job, Comparison& comparison,
                 Progress& progress) {
  DensityRequest request = job.request;
  request.like = job.like;
  Density density = session.compute(request, progress);
  comparison.h = density.metadata.h;
  comparison.cloud = session.cloud();
  if (const DensityMetadata& told = density.metadata; told.samples > 0 && told.mass_in_box > 0)
    comparison.in_box = told.mass_in_box;
  Volume b = density.take_volume();
  if (have_same_cells(b.grid(), job.a->grid())) return b;
  ResampledDensity resampled = resampled_onto(b, job.a->grid(), job.name);
  comparison.notes.push_back(fmt::format(
      "{} was resampled to the grid of A: mass {} before, {} after", job.name,
      cli::format_value(resampled.mass_before), cli::format_value(resampled.mass_after)));
  return std::move(resampled.volume);
}

double greatest_of(const Volume& volume) {
  return std::visit(
      [](auto values) {
        double greatest = 0;
        for (const auto value : values)
          if (std::isfinite(value))
            greatest = std::max(greatest, std::abs(static_cast<double>(value)));
        return greatest;
      },
      volume.value_span());
}

constexpr std::uint64_t kJudgesSeed = 1;  // that of skde bandwidth
constexpr int kScoreSteps = 16;           // as there

std::optional<double> plug_in_of(const ChosenSamples& judges, DataDrivenSpec spec,
                                 const DataDrivenEffort& effort, Progress& progress) {
  spec.bandwidth.bandwidth = BandwidthRule::plug_in;
  try {
    return data_driven_bandwidth(judges.samples, judges.moments, spec, effort, progress).best.h;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return std::nullopt;
  }
}

/// Returns A - B cell by cell, in double and rounded to float. Requires the same cells.
Volume density_difference(const Volume& a, const Volume& b) {
  std::vector<float> values(static_cast<std::size_t>(a.grid().cells()));
  std::visit(
      [&](auto left, auto right) {
        const auto cells = static_cast<std::int64_t>(values.size());
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < cells; ++i) {
          const auto cell = static_cast<std::size_t>(i);
          values[cell] = static_cast<float>(static_cast<double>(left[cell]) -
                                            static_cast<double>(right[cell]));
        }
      },
      a.value_span(), b.value_span());
  return {a.grid(), std::move(values)};
}

/// Computes a density B with `session` and compares it with A: the figures are those of `skde
/// compare`, and the ratio is that of `skde compare --log`. A volume file is resampled onto the
/// grid of A. If B alone has a box that A's does not hold, only that is returned. Throws what
/// Session throws.
Comparison compare_with(Session& session, const CompareJob& job, Progress& progress) {
  Comparison comparison;
  const Volume& a = *job.a;
  open_b(session, job, progress);
  if (job.follows_samples) {
    const Box own = own_box(session, job, progress);
    const Box box = a.grid().bounds();
    if (job.held ? own != *job.held : !box.holds(own.lower) || !box.holds(own.upper)) {
      comparison.wider = own;
      return comparison;
    }
  }
  if (job.held) comparison.notes.emplace_back("A and B are estimated in one box that holds both");
  Volume b = density_b(session, job, comparison, progress);
  progress.begin("compare", 0, "");
  progress.throw_if_cancelled();
  try {
    comparison.figures = compare_densities({a, "A"}, {b, "B"}, false);
    for (const Warning& warning : comparison_warnings(*comparison.figures))
      comparison.notes.push_back(warning.problem);
  } catch (const Error& error) {
    comparison.notes.emplace_back(error.what());
  }
  if (job.as == CompareAs::difference) {
    comparison.shown = density_difference(a, b);
  } else if (job.as == CompareAs::ratio) {
    RatioSpec spec;
    spec.logarithm = true;
    comparison.shown = DensityRatio(a, b, spec).slices(0, a.grid().dims[2]);
  } else {
    comparison.shown = std::move(b);
  }
  comparison.greatest = greatest_of(comparison.shown);
  return comparison;
}

}  // namespace

void LivePoints::update(const PointLook& look, const std::shared_ptr<const SampleCloud>& cloud,
                        const std::vector<OutlinedPlaces>& within) {
  if (!cloud || !look.needs_columns()) return ask_if_new(std::nullopt);
  ask_if_new(PointJob{cloud, look.colors == PointColors::column ? look.column : "", look.where,
                      within, look.sizes == PointColors::column ? look.size_column : ""});
}

void LiveScore::update(ScoreShown shown, const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request) {
  const auto& given = request.bandwidth.bandwidth;
  const bool has_h =
      std::holds_alternative<BandwidthRule>(given) || std::holds_alternative<double>(given);
  if (shown == ScoreShown::off || !cloud || !has_h) return ask_if_new(std::nullopt);
  ScoreJob job{cloud, request.bandwidth, request.kernel, request.options.threads, request.sharpen};
  job.bandwidth.bandwidth = shown == ScoreShown::lscv ? BandwidthRule::lscv : BandwidthRule::lcv;
  // Half of the cores, so that frames and densities go on.
  if (job.threads == 0) job.threads = std::max(1, thread_count(0) / 2);
  ask_if_new(std::move(job));
}

namespace {

/// Splits "key=value" if the key is one of those that make a B from A.
std::optional<std::pair<std::string, std::string>> changed_field(const std::string& with) {
  for (const std::string_view key : {"h", "bandwidth", "kernel", "where"})
    if (with.starts_with(std::string(key) + "="))
      return std::pair(std::string(key == "h" ? "bandwidth" : key), with.substr(key.size() + 1));
  return std::nullopt;
}

}  // namespace

CompareJob compare_job(const CompareState& compare, const CloudFiles& files,
                       const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request, const std::string& time) {
  CompareJob job;
  job.name = compare.with;
  job.as = compare.as;
  DensityOptions options;
  options.files = files;
  options.request = request;
  if (const auto field = changed_field(compare.with)) {
    if (!cloud)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: a volume without its samples can only be compared with a file",
                              compare.with),
                  {"compare", "name a volume by `compare`, or open the samples"});
    density_field(field->first).set(options, field->second);
  } else {
    options.files.paths = {compare.with};
    options.files.open = {};
    if (io::ColumnSelection& columns = options.files.columns; columns.widths_assumed) {
      columns.widths.clear();
      columns.widths_assumed = false;
    }
    if (!io::first_volume(options.files.paths, options.files.open).empty())
      options.files = {{compare.with}};
    cli::assume_widths({}, options.files, options.request);
  }
  if (options.files == files) {
    job.cloud = cloud;
  } else {
    std::string& where = options.files.columns.where;
    where = io::both_conditions(where, time);
  }
  job.files = std::move(options.files);
  job.request = std::move(options.request);
  return job;
}

void check_comparison(const CompareState& compare) {
  const auto field = changed_field(compare.with);
  if (!field) return;
  try {
    DensityOptions unused;
    density_field(field->first).set(unused, field->second);
  } catch (const Error& error) {
    throw error.renaming(field->first, "compare");
  }
}

std::vector<ReadoutLine> comparison_lines(const DensityComparison& found) {
  const auto divergence = [](const Divergence& d) {
    if (d.undefined_mass == 0) return cli::format_value(d.value) + " nats";
    return fmt::format("infinite: {} of the mass has none opposite; {} nats over the rest",
                       cli::format_value(d.undefined_mass), cli::format_value(d.value));
  };
  const auto& [x, y, z] = found.earth_movers;
  return {{"masses", fmt::format("A {}, B {}", cli::format_value(found.mass_a),
                                 cli::format_value(found.mass_b))},
          {"overlap", cli::format_value(found.overlap)},
          {"L1", cli::format_value(found.l1)},
          {"L2", cli::format_value(found.l2)},
          {"largest", cli::format_value(found.largest)},
          {"Hellinger", cli::format_value(found.hellinger)},
          {"KL(A|B)", divergence(found.a_from_b)},
          {"KL(B|A)", divergence(found.b_from_a)},
          {"Jensen-Shannon", cli::format_value(found.jensen_shannon) + " nats"},
          {"earth mover's", fmt::format("{} along x, {} along y, {} along z", cli::format_value(x),
                                        cli::format_value(y), cli::format_value(z))}};
}

LiveComparison::LiveComparison(std::function<void()> wake)
    : LiveAnswer(
          // The session belongs to the worker's thread.
          [session = std::make_shared<Session>()](const CompareJob& job, Progress& progress) {
            return compare_with(*session, job, progress);
          },
          std::move(wake)) {}

ScoreCurve score_curve(const ScoreJob& job, Progress& progress) {
  const SampleCloud& cloud = *job.cloud;
  const ChosenSamples judges =
      choose_some(cloud.points, cloud.moments, job.bandwidth, kMostJudges, kJudgesSeed);
  DataDrivenEffort effort;
  effort.threads = job.threads;
  effort.most_bytes = static_cast<double>(memory_within(0));
  effort.factor = judges.factor;
  effort.ratio = std::pow(3 * 1.3, 1.0 / (kScoreSteps - 1));  // the curve's initial range
  const DataDrivenSpec spec{judges.bandwidth, job.kernel, job.sharpen};
  DataDrivenBandwidth found =
      data_driven_bandwidth(judges.samples, judges.moments, spec, effort, progress);
  ScoreCurve curve;
  curve.curve = std::move(found.curve);
  curve.best = found.best;
  curve.warnings = std::move(found.warnings);
  curve.silverman = suggest_bandwidths(cloud.moments, job.bandwidth, job.kernel).silverman;
  progress.begin("plug-in", 0, "");
  if (!job.sharpen) curve.plug_in = plug_in_of(judges, spec, effort, progress);
  curve.judges = judges.samples.size();
  curve.samples = cloud.points.size();
  return curve;
}

}  // namespace skde::view
