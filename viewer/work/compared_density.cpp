#include "viewer/work/compared_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/comparison_volumes.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/report/error.hpp"
#include "estimate/values/density_plan.hpp"

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

}  // namespace

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

}  // namespace skde::view
