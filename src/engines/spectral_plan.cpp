#include "engines/spectral_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/kernel/b_spline.hpp"
#include "engines/spectral_error.hpp"

namespace skde {
namespace {

constexpr double kMostNodes = 1e9;  // per axis, so that counts fit 32 bits
// Shares of the tolerance that may be lost beyond the reach of an unbounded kernel. A smaller share
// needs more padding, a larger one finer nodes.
constexpr std::array<double, 4> kLostShares{0.1, 0.3, 0.6, 0.8};
constexpr double kFloatRounding = 0x1p-24;

double tolerance_of(const Problem& problem) {
  return problem.tolerance > 0 ? problem.tolerance : kDefaultTolerance;
}

/// What plans need to know of the problem, in world units.
struct Extents {
  Vec3 widths;   ///< of the kernel: conditional deviations, or half widths
  Vec3 reach;    ///< from a cell: samples within it count, images lie beyond
  Vec3 periods;  ///< 0 if there is none
  double lost;   ///< share of the peak that lies beyond the reach
};

/// Returns the reach of a Gaussian, in deviations, that loses at most the share `lost` of the peak.
/// Samples r or more deviations beyond a face add at most exp(-r^2/2) of the peak to any cell: the
/// ratio of what they add there to what they would add r deviations nearer. Two faces along each
/// axis lose as much, and images add as much.
double gaussian_reach(double lost) { return std::sqrt(2 * std::log(12 / lost)); }

Extents extents_of(const Problem& problem, bool wraps, double lost) {
  const Kernel& kernel = problem.kernel;
  const bool ends = kernel.function->is_bounded();
  const double reach = ends ? kernel.function->support : gaussian_reach(lost);
  const double edge = problem.cells == CellValue::mean ? 0.5 : 0;  // from the centre, in cells
  return {kernel.conditional_widths(),
          reach * Vec3{std::sqrt(kernel.H.xx), std::sqrt(kernel.H.yy), std::sqrt(kernel.H.zz)} +
              edge * problem.grid().spacing,
          wraps ? problem.periods : Vec3{}, ends ? 0 : lost};
}

/// Returns the even numbers without a prime factor above 7 that fit 32 bits, in order.
std::vector<std::int32_t> make_smooth_lengths() {
  constexpr std::int64_t kLongest = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int32_t> lengths;
  for (std::int64_t sevens = 2; sevens <= kLongest; sevens *= 7)
    for (std::int64_t fives = sevens; fives <= kLongest; fives *= 5)
      for (std::int64_t threes = fives; threes <= kLongest; threes *= 3)
        for (std::int64_t twos = threes; twos <= kLongest; twos *= 2)
          lengths.push_back(static_cast<std::int32_t>(twos));
  std::ranges::sort(lengths);
  return lengths;
}

/// Returns the smallest of these numbers that is at least `count`.
std::int32_t smooth_nodes(double count) {
  static const std::vector<std::int32_t> lengths = make_smooth_lengths();
  return *std::ranges::lower_bound(lengths, std::min(count, kMostNodes));
}

/// Makes an axis with cells on nodes: `stride` nodes per cell.
SpectralAxis aligned_axis(const Grid& grid, int axis, double reach, int order, int stride) {
  const auto last = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)] - 1);
  SpectralAxis result;
  result.spacing = grid.spacing[axis] / stride;
  result.step = stride;
  result.first = std::min(std::ceil(reach / result.spacing) + order / 2.0, kMostNodes);
  result.nodes = smooth_nodes(last * stride + 1 + 2 * result.first);
  result.begin = static_cast<std::int32_t>(result.first);
  result.end = static_cast<std::int32_t>(std::min(result.first + last * stride + 1, kMostNodes));
  result.origin = grid.first_centre()[axis];
  return result;
}

/// Makes an axis of nodes at most `spacing` apart, wherever the cells are.
SpectralAxis free_axis(const Grid& grid, int axis, double reach, int order, double spacing) {
  const auto last = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)] - 1);
  const double extent = last * grid.spacing[axis] + 2 * reach;
  const int margin = 2 * order;  // for splines of samples on both sides, and those between nodes
  SpectralAxis result;
  result.interpolated = true;
  result.nodes = smooth_nodes(std::ceil(extent / spacing) + margin);
  result.spacing = extent / (result.nodes - margin);
  result.step = grid.spacing[axis] / result.spacing;
  result.first = reach / result.spacing + order - 0.5;
  result.begin = static_cast<std::int32_t>(result.first) - order / 2 + 1;
  result.end = static_cast<std::int32_t>(result.first + last * result.step) + order / 2 + 2;
  result.origin = grid.first_centre()[axis];
  return result;
}

/// Makes an axis of nodes over a period. Cells are on nodes, `stride` nodes per cell, if that is
/// above 0 and that number of nodes transforms fast. Otherwise nodes are at most `spacing` apart.
/// No images and no padding are needed.
SpectralAxis periodic_axis(const Grid& grid, int axis, double period, int order, double spacing,
                           int stride) {
  const auto last = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)] - 1);
  const double on_cells = std::rint(stride * period / grid.spacing[axis]);
  SpectralAxis result;
  result.wraps = true;
  result.nodes =
      smooth_nodes(std::max(stride > 0 ? on_cells : std::ceil(period / spacing), double(order)));
  result.interpolated = result.nodes != on_cells;
  result.spacing = period / result.nodes;
  result.step = result.interpolated ? grid.spacing[axis] / result.spacing : stride;
  result.first = result.interpolated ? order / 2 - 1 : 0;
  result.end = static_cast<std::int32_t>(result.first + last * result.step) +
               (result.interpolated ? order / 2 : 0) + 1;
  result.origin = grid.first_centre()[axis];
  return result;
}

/// Makes the nodes of an axis. Cells are nodes if they are about as fine as needed. If about two
/// nodes per cell or more are needed, there are two per cell. Otherwise nodes do not depend on
/// cells.
SpectralAxis make_axis(const Grid& grid, int axis, const Extents& extents, int order,
                       double nodes_a_deviation) {
  // Interpolation takes time and doubles the error, so it has to save nodes to pay off.
  constexpr double kMuchWider = 1.2, kAsGood = 0.999, kAboutTwo = 1.7;
  const double width = extents.widths[axis], reach = extents.reach[axis];
  const double cells = width / grid.spacing[axis], nodes_a_cell = nodes_a_deviation / cells;
  int stride = 0;
  if (nodes_a_cell > kAboutTwo)
    stride = 2;
  else if (nodes_a_cell * kMuchWider > 1 && nodes_a_cell * kAsGood <= 1)
    stride = 1;
  const double spacing = width / nodes_a_deviation;
  if (const double period = extents.periods[axis]; period > 0)
    return periodic_axis(grid, axis, period, order, spacing, stride);
  return stride > 0 ? aligned_axis(grid, axis, reach, order, stride)
                    : free_axis(grid, axis, reach, order, spacing);
}

/// Returns the largest power of two for SpectralPlan::numbers that keeps each sample's integer
/// below 2^51 and the sum of all below 2^62.
double whole_numbers(const Problem& problem) {
  constexpr double kMostTerm = 0x1p51, kMostSum = 0x1p61;
  return std::exp2(std::floor(
      std::log2(std::min(kMostTerm / problem.largest_share, kMostSum / problem.whole_share))));
}

/// Returns a bound on how much rounding to integers may change a value. A sample's splines are
/// rounded at order^3 nodes, each with an independent error of variance 1/12. A value weighs nodes
/// by its kernel, deconvolved by the splines. The squares of these weights sum up to 1 / (8
/// pi^(3/2) sqrt(det H)) times the gains of the axes, H in nodes. The peak is at least that of one
/// sample, 1 / ((2 pi)^(3/2) sqrt(det H)). The bound holds for a crowd too, as its peak grows
/// faster than the deviation. Of 1e9 values none is off by 7 deviations.
double rounding_error(const SpectralPlan& plan, const Problem& problem, const Extents& extents) {
  constexpr double kDeviations = 7;
  const KernelFunction& function = problem.kernel.function;
  const double own = function->is_bounded() ? std::sqrt(function->variance) : 1;
  double variance = std::pow(plan.order, 3) / 12 * std::pow(0.5, 1.5);
  for (int axis = 0; axis < 3; ++axis)
    variance *= spectral_gain(
        plan.order, own * extents.widths[axis] / plan.axes[static_cast<std::size_t>(axis)].spacing);
  return kDeviations * std::sqrt(variance) * std::max(1.0, problem.samples) / plan.numbers;
}

/// Returns the error of a plan. Values outside the peak's neighbourhood are measured against the
/// peak too, so the axes' errors add up.
double error_of(const SpectralPlan& plan, const Problem& problem, const Extents& extents) {
  // A period has few frequencies, which may all lie where the splines' error is largest.
  constexpr double kFewFrequencies = 1.4;
  double product = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const SpectralAxis& a = plan.axes[static_cast<std::size_t>(axis)];
    product *= 1 + (a.wraps ? kFewFrequencies : 1) *
                       spectral_error(problem.kernel.function, plan.order,
                                      extents.widths[axis] / a.spacing, a.interpolated);
  }
  return product - 1 + extents.lost + rounding_error(plan, problem, extents) +
         (plan.in_double ? kDoubleTransformError : kFloatTransformError) +
         (problem.precision == Precision::f32 ? kFloatRounding : 0);
}

/// Returns the cost in nodes of the transform. Interpolation costs the splines' order per cell.
double cost_of(const SpectralPlan& plan, const Problem& problem, const SpectralCosts& costs) {
  double interpolation = 0;
  for (const SpectralAxis& axis : plan.axes)
    if (axis.interpolated)
      interpolation = costs.nodes_a_cell * plan.order * static_cast<double>(problem.grid().cells());
  double nodes = plan.in_double ? 2 : 1;
  for (const SpectralAxis& axis : plan.axes) nodes *= axis.nodes;
  const double tap = (costs.nodes_a_tap + costs.nodes_a_sample_tap * problem.samples) *
                     (plan.order > 8 ? costs.above_8 : 1);
  return nodes + interpolation + tap * plan.order * plan.order * plan.order;
}

std::string refusal_of(const SpectralPlan& plan, const Problem& problem) {
  // A slanted, thin kernel needs fine nodes and wide padding. More nodes than this are hopeless.
  constexpr double kManyNodes = 1 << 25, kMostOfCells = 64;
  double nodes = 1;
  for (const SpectralAxis& axis : plan.axes) nodes *= axis.nodes;
  if (nodes > kManyNodes && nodes > kMostOfCells * static_cast<double>(problem.grid().cells()))
    return fmt::format("the kernel needs {} x {} x {} nodes, many more than there are cells",
                       plan.axes[0].nodes, plan.axes[1].nodes, plan.axes[2].nodes);
  return "";
}

std::string unheld(double best, double tolerance) {
  if (!std::isfinite(best)) return "the kernel is too rough or too thin for its transform";
  return fmt::format(
      "its least error is {:.1e} of the peak, above the tolerance of {:.1e}; raise `tolerance`",
      best, tolerance);
}

}  // namespace

double SpectralPlan::grid_bytes() const {
  return static_cast<double>(row_bytes()) * axes[1].nodes * axes[2].nodes;
}

std::string SpectralPlan::describe() const {
  std::string cells, wrapped;
  for (std::size_t a = 0; a < 3; ++a) {
    if (axes[a].wraps)
      wrapped += fmt::format("{}{}", wrapped.empty() ? ", wrapped along " : ", ", kAxisNames[a]);
    cells += fmt::format("{}{}", a == 0 ? "" : ", ",
                         axes[a].interpolated ? "between"
                         : axes[a].step > 1   ? "every second"
                                              : "on");
  }
  return fmt::format("{} x {} x {} nodes in {}, splines of order {}, cells {} nodes{}",
                     axes[0].nodes, axes[1].nodes, axes[2].nodes, in_double ? "double" : "float",
                     order, cells, wrapped);
}

namespace {

/// Returns a plan without its error.
SpectralPlan make_plan(const Problem& problem, const Extents& extents, int order,
                       double nodes_a_deviation) {
  SpectralPlan plan;
  plan.order = order;
  plan.means = problem.cells == CellValue::mean;
  plan.in_double =
      problem.precision == Precision::f64 || tolerance_of(problem) < 2 * kFloatTransformError;
  for (int axis = 0; axis < 3; ++axis)
    plan.axes[static_cast<std::size_t>(axis)] =
        make_axis(problem.grid(), axis, extents, order, nodes_a_deviation);
  return plan;
}

}  // namespace

SpectralChoice choose_spectral_plan(const Problem& problem, const SpectralCosts& costs) {
  // Nodes per deviation that are tried: 72 numbers from 1.2 to 75, each 1.06 times the one before.
  static const std::array<double, 72> tried = [] {
    std::array<double, 72> numbers{};
    for (std::size_t k = 0; k < numbers.size(); ++k)
      numbers[k] = 1.2 * std::pow(1.06, static_cast<double>(k));
    return numbers;
  }();
  if (!problem.kernel.function->has_transform)
    return {std::nullopt, "the kernel's Fourier transform is not in its row"};
  if (problem.kernel.function->is_bounded() && !(problem.tolerance > 0))
    return {std::nullopt, "it approximates this kernel; allow an error with `tolerance=1e-5`"};
  const double tolerance = tolerance_of(problem);
  SpectralChoice choice;
  const double numbers = whole_numbers(problem);
  double best_error = std::numeric_limits<double>::infinity(), least = best_error;
  for (const double lost_share : kLostShares) {
    const Extents extents = extents_of(problem, costs.wraps, lost_share * tolerance);
    for (const int order : kSplineOrders) {
      if (order > costs.most_order) break;
      for (const double nodes_a_deviation : tried) {
        SpectralPlan plan = make_plan(problem, extents, order, nodes_a_deviation);
        const double cost = cost_of(plan, problem, costs);
        if (!(cost < least)) continue;
        plan.numbers = numbers;
        plan.error = error_of(plan, problem, extents);
        best_error = std::min(best_error, plan.error);
        if (plan.error > tolerance) continue;
        least = cost;
        choice.plan = plan;
      }
    }
  }
  choice.refusal = choice.plan ? refusal_of(*choice.plan, problem) : unheld(best_error, tolerance);
  if (!choice.refusal.empty()) choice.plan.reset();
  return choice;
}

double angular_frequency(const SpectralAxis& axis, std::int32_t f) {
  const std::int32_t signed_f = 2 * f <= axis.nodes ? f : f - axis.nodes;
  return 2 * std::numbers::pi * signed_f / (axis.nodes * axis.spacing);
}

std::optional<Vec3> reach_of(const SpectralPlan& plan, const Grid& grid) {
  Vec3 reach;
  for (std::size_t a = 0; a < 3; ++a) {
    const SpectralAxis& axis = plan.axes[a];
    if (axis.wraps) return std::nullopt;
    const double last = axis.first + axis.step * static_cast<double>(grid.dims[a] - 1);
    reach[static_cast<int>(a)] = axis.spacing * std::max(axis.first, axis.nodes - last);
  }
  return reach;
}

double spectral_factor(const SpectralPlan& plan, int axis, std::int32_t f) {
  const SpectralAxis& a = plan.axes[static_cast<std::size_t>(axis)];
  if (2 * f == a.nodes) return 0;
  const std::int32_t signed_f = 2 * f < a.nodes ? f : f - a.nodes;
  const double spline = b_spline_transform(plan.order, static_cast<double>(signed_f) / a.nodes);
  // The transform of a cell's mean is that of a spline of order 1.
  const double mean = plan.means ? b_spline_transform(1, signed_f * a.step / a.nodes) : 1;
  return mean / (a.nodes * a.spacing * (a.interpolated ? spline * spline : spline));
}

}  // namespace skde
