#include "estimate/sum/merged_density.hpp"

#include <algorithm>
#include <utility>

#include "estimate/plan/density_warnings.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_setup.hpp"

namespace skde {
namespace {

template <class Real>
Volume values_of(const Grid& grid, const std::vector<std::int64_t>& sums, double factor) {
  std::vector<Real> values(sums.size());
  std::ranges::transform(sums, values.begin(), [factor](std::int64_t sum) {
    return static_cast<Real>(static_cast<double>(sum) * factor);
  });
  return {grid, std::move(values)};
}

/// Returns the share of the weight whose kernels lie in the box.
double share_inside(const PartialHead& head) {
  ExactSum inside = head.cloud.moments.sums().weight;
  for (const double part : head.outside.parts()) inside.add(-part);
  return std::clamp(inside.value() / head.cloud.moments.total_weight(), 0.0, 1.0);
}

/// Returns the metadata for files, without warnings.
DensityMetadata metadata_of(const PartialHead& head, const Moments& moments, double largest) {
  const PartialProblem& problem = head.problem;
  DensityMetadata about;
  about.kernel = problem.kernel.function;
  about.H = problem.kernel.H;
  about.h = head.h;
  about.bandwidth_source = head.bandwidth_source;
  about.samples = moments.count();
  about.total_weight = moments.total_weight();
  about.effective_samples = moments.effective_samples();
  about.mass_in_box = share_inside(head);
  // Each kernel is rounded to an integer in each cell, and q has the digits of a double.
  about.error_bound =
      0.5 * problem.growth * static_cast<double>(moments.count()) / std::max(largest, 1.0) +
      problem.kernel.cut_error() + slant_error(Precision::f64, problem.kernel.slant()) +
      (problem.precision == Precision::f32 ? 0x1p-24 : 0x1p-50);
  about.boundaries = problem.boundaries;
  about.engine = "integer sums";
  about.units = head.cloud.units;
  about.axis_names = head.cloud.axis_names;
  about.frame = head.cloud.frame;
  about.where = head.cloud.where;
  return about;
}

}  // namespace

MergedFacts facts_of(const PartialHead& head, const SumTotals& totals, Normalization normalization,
                     EmptySums empty) {
  const PartialProblem& problem = head.problem;
  const Moments moments = head.cloud.moments.moments();
  if (moments.count() == 0)
    throw Error(ErrorKind::input,
                "no samples: every row was empty, dropped, left out or of weight 0",
                {{}, "check the columns, `weights` and `where`"});
  const double unit = problem.unit(moments.total_weight());
  const double sum = totals.sum * unit * problem.grid.cell_volume();
  const auto largest = static_cast<double>(totals.largest);
  const bool is_zero =
      empty == EmptySums::zero && !(largest > 0) && normalization != Normalization::box;
  DensityMetadata about = metadata_of(head, moments, largest);
  about.normalization = normalization;
  MergedFacts facts;
  facts.factor = unit * normalization_factor(normalization, is_zero ? 1 : sum, about.mass_in_box,
                                             moments.total_weight());
  facts.peak = largest * facts.factor;
  if (is_zero) {
    facts.warnings.push_back(
        {"empty",
         "no kernel covers a cell centre of the grid, so the density is 0 everywhere",
         {"dims", "sum parts on smaller cells, or with a larger `bandwidth`"}});
  } else {
    require_in_range(facts.peak, problem.precision);
    DensityFacts summed;
    summed.kernel = problem.kernel;
    summed.grid = problem.grid;
    summed.mass_in_box = about.mass_in_box;
    summed.sum_in_box = sum;
    warn_of_mass(summed, facts.warnings);
  }
  constexpr std::uint64_t kFewest = 30;  // with fewer, samples choose Silverman's rule themselves
  if (head.bandwidth_source == "auto: silverman" && moments.count() >= kFewest)
    facts.warnings.push_back({"bandwidth",
                              "parts, windows and ranks know the moments of the samples alone, so "
                              "that `bandwidth=auto` took Silverman's rule",
                              {"bandwidth", "give the h that 'skde bandwidth' finds"}});
  warn_of_tolerance(problem.kernel.tolerance, about.error_bound, problem.precision, facts.warnings);
  warn_of_samples_beyond(head.cloud.rows.beyond, moments.count(), problem.boundaries,
                         facts.warnings);
  for (const Warning& warning : facts.warnings) about.warnings.push_back(warning.problem);
  facts.metadata = std::move(about);
  return facts;
}

SumTotals totals_of(const std::vector<std::int64_t>& sums) {
  __extension__ using Wide = __int128;
  Wide sum = 0;
  SumTotals totals;
  for (const std::int64_t value : sums) {
    sum += value;
    totals.largest = std::max(totals.largest, value);
  }
  totals.sum = static_cast<double>(sum);
  return totals;
}

Volume volume_of(const Grid& grid, Precision precision, const std::vector<std::int64_t>& sums,
                 double factor) {
  return precision == Precision::f32 ? values_of<float>(grid, sums, factor)
                                     : values_of<double>(grid, sums, factor);
}

MergedDensity density_of(const PartialHead& head, const std::vector<std::int64_t>& sums,
                         Normalization normalization, EmptySums empty) {
  MergedFacts facts = facts_of(head, totals_of(sums), normalization, empty);
  Volume volume = volume_of(head.problem.grid, head.problem.precision, sums, facts.factor);
  return {std::move(facts), std::move(volume)};
}

}  // namespace skde
