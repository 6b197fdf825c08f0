#include "viewer/work/compared_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/density_ratio.hpp"
#include "analysis/resampled_density.hpp"
#include "cli/number_format.hpp"
#include "core/report/error.hpp"
#include "estimate/read/cloud.hpp"

namespace skde::view {
namespace {

/// Returns B on the grid of A.
Volume density_b(Session& session, const CompareJob& job, Comparison& comparison,
                 Progress& progress) {
  try {
    if (job.cloud)
      session.open(job.cloud);
    else if (!session.is_open(job.files))
      session.open(job.files, progress);
  } catch (const Error& error) {
    throw error.renaming("where", "compare");
  }
  Density density = session.compute(job.request, progress);
  comparison.h = density.metadata.h;
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
    const DensityRatio ratio(a, b, spec);
    comparison.floor = ratio.floor();
    comparison.shown = ratio.slices(0, a.grid().dims[2]);
  } else {
    comparison.shown = std::move(b);
  }
  comparison.greatest = greatest_of(comparison.shown);
  return comparison;
}

}  // namespace skde::view
