#include "estimate/plan/density_warnings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "estimate/values/density_setup.hpp"
#include "io/points/columns/geographic.hpp"

namespace skde {
namespace {

/// The error bound is a share of the density's peak, wherever the peak lies. In a box on the flank,
/// with little of the mass, an error within the bound may be most of the values.
void warn_of_error(const DensityFacts& facts, std::vector<Warning>& warnings) {
  constexpr double kLittle = 0.5;
  if (!facts.measured || facts.measured->error <= facts.error_bound) return;
  const std::string off = fmt::format(
      "values are off by {:.2g} of the volume's peak at {} random cells: ", facts.measured->error,
      facts.measured->cells);
  if (facts.mass_in_box < kLittle)
    warnings.push_back(
        {"inaccurate",
         off + fmt::format("in a box with only {1:.3g} % of the mass, an error of {0:.1g} of the "
                           "density's peak may be large beside the values",
                           facts.error_bound, 100 * facts.mass_in_box),
         {"tolerance", "use a smaller `tolerance`, or a compact kernel without one"}});
  else
    warnings.push_back({"inaccurate",
                        off + fmt::format("more than the {:.1g} that {} should keep to",
                                          facts.error_bound, facts.engine),
                        {"engine", "use `engine=tile`, which makes no approximation"}});
}

void warn_of_outliers(const DensityRequest& request, const DensityFacts& facts,
                      std::vector<Warning>& warnings) {
  const bool chosen = !request.grid.bounds && !request.like;
  if (!chosen || facts.in_box.outside == facts.in_box.beyond) return;
  const bool by_request = request.grid.dims && request.grid.spacing;
  warnings.push_back({"outliers",
                      fmt::format("{} of {} samples lie outside the box{}{}", facts.in_box.outside,
                                  facts.moments.count(), by_request ? "" : ", far from all others",
                                  has_fixed_kernel(request)
                                      ? ""
                                      : "; the bandwidth is that of all samples, including these"),
                      {"bounds", by_request ? "use more `dims` or give `bounds`"
                                            : "keep them with `bounds=all`, or give `bounds`"}});
}

void warn_of_spacing(const DensityRequest& request, const DensityFacts& facts,
                     std::vector<Warning>& warnings) {
  constexpr double kRounding = 1e-9;
  if (!request.grid.bounds || !request.grid.spacing || request.like) return;
  const Vec3 asked = *request.grid.spacing, used = facts.grid.spacing;
  bool differs = false;
  for (int axis = 0; axis < 3; ++axis)
    differs = differs || std::abs(asked[axis] - used[axis]) > kRounding * asked[axis];
  if (!differs) return;
  warnings.push_back({"spacing",
                      fmt::format("cells are {:.6g} x {:.6g} x {:.6g}, because cells of the given "
                                  "size do not fill the box",
                                  used.x, used.y, used.z),
                      {"spacing", "give `bounds` whose sides are multiples of `spacing`"}});
}

/// The ground falls away from a tangent plane, so that 'up' is not the height.
void warn_of_tangent(const DensityFacts& facts, std::vector<Warning>& warnings) {
  const std::string& frame = facts.columns.frame;
  if (!frame.starts_with("east, north and up in") || frame.find(" radius in ") != frame.npos)
    return;
  const double radius = frame.starts_with("east, north and up in km") ? 6371.0 : 6371e3;
  const Box& box = facts.moments.bounds();
  double far = 0;
  for (const double x : {box.lower.x, box.upper.x})
    for (const double y : {box.lower.y, box.upper.y}) far = std::max(far, std::hypot(x, y));
  const double fall = radius - std::sqrt(std::max(0.0, radius * radius - far * far));
  if (!(fall > facts.grid.spacing.z)) return;
  warnings.push_back(
      {"tangent",
       fmt::format("z is 'up' of one plane and not the depth: at the corners of the samples' "
                   "bounds the ground is {:.3g} {} below the plane, more than a cell",
                   fall, facts.columns.xyz[2].units),
       {"geographic", "keep depths with `geographic=east-north-depth`"}});
}

void warn_of_depths(const DensityFacts& facts, std::vector<Warning>& warnings) {
  if (!facts.columns.frame.ends_with(io::kMetresAssumed)) return;
  warnings.push_back({"depth_units",
                      fmt::format("depths have no unit, and are taken as m instead of km because "
                                  "one is beyond {} km",
                                  io::kDeepest),
                      {"geographic", "give the unit, as in `geographic=earth,depth,m`"}});
}

/// Suggests numbers of cells, up to a few thousand a side, at which at least 99 % of the samples
/// keep their kernels.
std::string dims_that_do(const DensityFacts& facts) {
  constexpr std::int64_t kMost = 4096;
  constexpr std::uint64_t kShare = 100;
  std::int64_t dims = *std::ranges::max_element(facts.grid.dims);
  for (const std::uint64_t thin : facts.thin.on_cells) {
    if (dims > kMost) break;
    if (thin <= facts.moments.count() / kShare)
      return dims == *std::ranges::max_element(facts.grid.dims)
                 ? "use more `dims`, or "
                 : fmt::format("use `dims={}` to keep {} unchanged, or ", dims,
                               thin == 0 ? "all" : fmt::format("all but {}", thin));
    dims *= 2;
  }
  return fmt::format(
      "even {} cells along an axis do not resolve them; narrow the box with `bounds`, or ", kMost);
}

void warn_of_floor(const DensityRequest& request, const DensityFacts& facts,
                   std::vector<Warning>& warnings) {
  if (facts.thin.now() == 0) return;
  warnings.push_back({"min_width",
                      fmt::format("the kernels of {} of {} samples have standard deviations below "
                                  "{:g} cells, and were widened to that",
                                  facts.thin.now(), facts.moments.count(), request.min_width),
                      {"min_width", dims_that_do(facts) + "keep them narrow with `min_width=0`"}});
}

}  // namespace

void warn_of_mass(const DensityFacts& facts, std::vector<Warning>& warnings) {
  constexpr double kMostOff = 0.01;
  if (facts.problem.signed_weights) return;
  const double off = std::abs(facts.sum_in_box - facts.mass_in_box);
  if (!(off > kMostOff * facts.mass_in_box)) return;
  const Vec3 half = facts.kernel.half_extents(), cell = facts.grid.spacing;
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    if (half[a] / cell[a] < half[axis] / cell[axis]) axis = a;
  warnings.push_back(
      {"coarse_grid",
       fmt::format("the cells sum to {:.3g} % of the mass, but {:.3g} % lie in the box: kernels "
                   "reach only {:.2g} cells along {}",
                   100 * facts.sum_in_box, 100 * facts.mass_in_box, half[axis] / cell[axis],
                   kAxisNames[static_cast<std::size_t>(axis)]),
       {"dims", "use more `dims`, a smaller `spacing`, or a larger `bandwidth`"}});
}

void warn_of_narrow(const Kernel& kernel, const Grid& grid, std::vector<Warning>& warnings) {
  constexpr double kNarrow = 0.25;  // of a cell: below it, most kernels miss most centres
  const Eigen3 eigen = eigen_decomposition(in_cells(kernel.H, grid));
  const double deviation = std::sqrt(std::max(0.0, kernel.function->variance * eigen.values[0]));
  if (!(deviation < kNarrow)) return;
  const Vec3 v = eigen.vectors[0], s = grid.spacing;
  const Vec3 along{v.x / s.x, v.y / s.y, v.z / s.z};  // across a sheet: a covector
  const Vec3 unit = (1 / std::hypot(along.x, along.y, along.z)) * along;
  warnings.push_back(
      {"narrow_kernel",
       fmt::format("kernels have a standard deviation of only {:.2g} cells along ({:.2g}, {:.2g}, "
                   "{:.2g}), so the cells miss much of what lies between their centres",
                   deviation, unit.x, unit.y, unit.z),
       {"dims", "use more `dims`, a smaller `spacing`, or a larger `bandwidth`"}});
}

void warn_of_precision(const DensityRequest& request, const DensityFacts& facts,
                       std::vector<Warning>& warnings) {
  if (facts.precision == request.precision) return;
  warnings.push_back({"precision",
                      "the values are beyond the range of float and were written as doubles",
                      {"precision", "give coordinates in other units, or `precision=f64`"}});
}

void warn_of_index(const DensityDecisions& plan, std::vector<Warning>& warnings) {
  if (plan.index_ignored.empty()) return;
  warnings.push_back({"index",
                      plan.index_ignored,
                      {{}, "write the file and its index again, or remove the index"}});
}

void warn_of_tolerance(double tolerance, double error_bound, Precision precision,
                       std::vector<Warning>& warnings) {
  constexpr double kMuch = 2;  // rounding adds less than this to most tolerances
  if (!(tolerance > 0) || error_bound <= kMuch * tolerance) return;
  const bool is_float = precision == Precision::f32;
  warnings.push_back(
      {"tolerance",
       fmt::format(
           "the error bound of the values is {:.2g} of the peak, above the tolerance of {:g}{}",
           error_bound, tolerance, is_float ? ", because floats have too few digits" : ""),
       {"tolerance",
        is_float ? "use `precision=f64`, or a larger `tolerance`" : "use a larger `tolerance`"}});
}

void warn_of_samples_beyond(std::uint64_t beyond, std::uint64_t samples,
                            const Boundaries& boundaries, std::vector<Warning>& warnings) {
  if (beyond == 0) return;
  warnings.push_back(
      {"beyond_faces",
       fmt::format("{} of {} samples lie beyond a face of the box (boundary {}) and are left out",
                   beyond, samples, boundaries_text(boundaries)),
       {"bounds", "give `bounds` that hold them, or `boundary=none` along that axis"}});
}

std::vector<Warning> density_warnings(const DensityRequest& request, const DensityFacts& facts) {
  std::vector<Warning> warnings;
  warn_of_index(facts, warnings);
  warn_of_mass(facts, warnings);
  if (warnings.empty() || warnings.back().kind != "coarse_grid")  // which says the same
    if (!facts.cloud.shaped && request.cells == CellValue::centre)
      warn_of_narrow(facts.kernel, facts.grid, warnings);
  warn_of_error(facts, warnings);
  warn_of_outliers(request, facts, warnings);
  warn_of_samples_beyond(facts.in_box.beyond, facts.moments.count(), facts.boundaries, warnings);
  warn_of_spacing(request, facts, warnings);
  warn_of_precision(request, facts, warnings);
  warn_of_tolerance(request.tolerance, facts.error_bound, facts.precision, warnings);
  warn_of_floor(request, facts, warnings);
  warn_of_tangent(facts, warnings);
  warn_of_depths(facts, warnings);
  return warnings;
}

}  // namespace skde
