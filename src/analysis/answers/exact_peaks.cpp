#include "analysis/answers/exact_peaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/kernel/kernel_shape.hpp"
#include "core/problem.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"

namespace skde {
namespace {

constexpr int kMostSteps = 60;
constexpr double kSettled = 1e-5;  // a step, in deviations of the kernel
constexpr double kFirstStep = 0.5;
constexpr double kReach = 0.1;  // of the differences of gradients, in deviations of the kernel

/// Returns sum_k f(value_k) v_k v_k^T over the eigenvalues.
template <class Function>
Symmetric3 of_eigenvalues(const Symmetric3& m, const Function& f) {
  const Eigen3 eigen = eigen_decomposition(m);
  Symmetric3 sum{};
  for (std::size_t k = 0; k < 3; ++k) sum = sum + f(eigen.values[k]) * outer(eigen.vectors[k]);
  return sum;
}

/// Returns A^-1 B A^-1.
Symmetric3 sandwich(const Symmetric3& a, const Symmetric3& b) {
  const Symmetric3 half = inverse(a);
  Symmetric3 sum{};
  const Eigen3 eigen = eigen_decomposition(b);
  for (std::size_t k = 0; k < 3; ++k)
    sum = sum + eigen.values[k] * outer(times(half, eigen.vectors[k]));
  return sum;
}

/// A place with the density and its derivatives there.
struct Local {
  double value = 0;
  Vec3 gradient;
  Symmetric3 second;
};

/// Densities with derivatives, by the session's exact sums.
class Derivatives {
 public:
  Derivatives(Session& session, const DensityFacts& facts)
      : session_(session), request_(facts.request), H_(facts.kernel.H) {
    if (!session.cloud()->points.shaped()) request_.bandwidth.bandwidth = H_;
    request_.grid = {.bounds = facts.grid.bounds()};
    request_.like.reset();
    request_.precision = Precision::f64;
    request_.normalization = Normalization::density;
    const double deviation = std::sqrt(facts.kernel.function->variance);
    deviations_ = {deviation * std::sqrt(H_.xx), deviation * std::sqrt(H_.yy),
                   deviation * std::sqrt(H_.zz)};
  }
  /// For Gaussians as wide as the kernels times a factor.
  Derivatives(Session& session, const DensityFacts& facts, double factor)
      : Derivatives(session, facts) {
    request_.kernel = KernelFunction::gaussian;
    H_ = factor * factor * facts.kernel.function->variance * H_;
    request_.bandwidth.bandwidth = H_;
  }

  /// Second derivatives are differences of gradients on both sides.
  std::vector<Local> at(std::span<const Vec3> places, double reach, Progress& progress) const {
    std::vector<double> points;
    for (const Vec3 place : places)
      for (int k = 0; k < 7; ++k) {
        Vec3 at = place;
        if (k > 0) at[(k - 1) / 2] += (k % 2 == 1 ? reach : -reach) * deviations_[(k - 1) / 2];
        points.insert(points.end(), {at.x, at.y, at.z});
      }
    const PointDensity found =
        session_.evaluate(request_, TargetPoints(std::move(points)), {.gradient = true}, progress);
    std::vector<Local> all(places.size());
    for (std::size_t p = 0; p < places.size(); ++p) {
      const auto gradient = [&](std::size_t k) {
        const std::size_t at = 3 * (7 * p + k);
        return Vec3{found.gradients[at], found.gradients[at + 1], found.gradients[at + 2]};
      };
      std::array<Vec3, 3> columns;
      for (std::size_t axis = 0; axis < 3; ++axis)
        columns[axis] = (0.5 / (reach * deviations_[static_cast<int>(axis)])) *
                        (gradient(2 * axis + 1) - gradient(2 * axis + 2));
      all[p] = {
          found.values[7 * p],
          gradient(0),
          {columns[0].x, 0.5 * (columns[0].y + columns[1].x), 0.5 * (columns[0].z + columns[2].x),
           columns[1].y, 0.5 * (columns[1].z + columns[2].y), columns[2].z}};
    }
    return all;
  }
  /// Returns the mean shifts at places: to the means of the samples, weighted by the slopes of
  /// their kernels (Comaniciu and Meer, IEEE PAMI 24, 2002). With the Epanechnikov kernel these are
  /// the samples that it reaches, and a few shifts end at a maximum.
  std::vector<Vec3> shifts(std::span<const Vec3> places, Progress& progress) const {
    std::vector<double> points;
    for (const Vec3 place : places) points.insert(points.end(), {place.x, place.y, place.z});
    const KernelRow& row = kernel_table()[request_.kernel.index()];
    DensityRequest slopes = request_;
    slopes.kernel = KernelFunction(*row.slope);
    const PointDensity of = session_.evaluate(request_, TargetPoints(points), {.gradient = true},
                                              progress),
                       slope = session_.evaluate(slopes, TargetPoints(points), {}, progress);
    const double factor = slopes.kernel->constant / (-2 * row.slope_factor * row.constant);
    std::vector<Vec3> all(places.size());
    for (std::size_t p = 0; p < places.size(); ++p)
      if (slope.values[p] > 0)
        all[p] = (factor / slope.values[p]) *
                 times(H_, {of.gradients[3 * p], of.gradients[3 * p + 1], of.gradients[3 * p + 2]});
    return all;
  }
  /// Returns a step in deviations of the kernel along each axis: the largest of the three.
  double size_of(Vec3 step) const {
    return std::max({std::abs(step.x) / deviations_.x, std::abs(step.y) / deviations_.y,
                     std::abs(step.z) / deviations_.z});
  }

 private:
  Session& session_;
  DensityRequest request_;
  Symmetric3 H_;
  Vec3 deviations_;
};

/// Returns the step to the maximum of the parabola; along directions in which the density bends
/// upwards or not at all, as far as if it bent down as much.
Vec3 newton_step(const Local& local) {
  const Symmetric3 down =
      of_eigenvalues(local.second, [&](double bend) { return bend == 0 ? 0 : 1 / std::abs(bend); });
  return times(down, local.gradient);
}

/// Climbs by mean shifts, which never go down. The gradient of a compact kernel has jumps at its
/// end, which Newton steps do not get over.
void shift(const Derivatives& derivatives, std::vector<ExactPeak>& peaks, Progress& progress) {
  constexpr int kMostShifts = 200;
  std::vector<Vec3> starts;
  for (const ExactPeak& peak : peaks) starts.push_back(peak.place);
  for (int step = 0; step < kMostShifts; ++step) {
    std::vector<std::size_t> open;
    std::vector<Vec3> places;
    for (std::size_t p = 0; p < peaks.size(); ++p)
      if (!peaks[p].settled && derivatives.size_of(peaks[p].place - starts[p]) < 2) {
        open.push_back(p);
        places.push_back(peaks[p].place);
      }
    if (open.empty()) return;
    const std::vector<Vec3> moves = derivatives.shifts(places, progress);
    for (std::size_t k = 0; k < open.size(); ++k) {
      peaks[open[k]].place = peaks[open[k]].place + moves[k];
      peaks[open[k]].settled = derivatives.size_of(moves[k]) < kSettled;
    }
  }
}

/// A peak on its way up: the best place so far, what is known there, and how far to go at once.
struct Climber {
  Vec3 start, best, next;
  Local at;
  double radius = kFirstStep;  ///< in deviations of the kernel
};

/// Climbs by Newton steps that never go down: one that does is tried again at a quarter of its
/// length.
void climb(const Derivatives& derivatives, std::vector<ExactPeak>& peaks, Progress& progress) {
  std::vector<Climber> climbers;
  for (const ExactPeak& peak : peaks)
    climbers.push_back({.start = peak.place, .best = peak.place, .next = peak.place, .at = {}});
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<std::size_t> open;
    std::vector<Vec3> places;
    for (std::size_t p = 0; p < peaks.size(); ++p)
      if (!peaks[p].settled) {
        open.push_back(p);
        places.push_back(climbers[p].next);
      }
    if (open.empty()) break;
    const std::vector<Local> locals = derivatives.at(places, kReach, progress);
    for (std::size_t k = 0; k < open.size(); ++k) {
      Climber& climber = climbers[open[k]];
      if (step == 0 || locals[k].value > climber.at.value) {
        climber.best = climber.next;
        climber.at = locals[k];
      } else {
        climber.radius = 0.25 * derivatives.size_of(climber.next - climber.best);
      }
      Vec3 move = newton_step(climber.at);
      const double size = derivatives.size_of(move);
      if (size > climber.radius) move = (climber.radius / size) * move;
      climber.next = climber.best + move;
      peaks[open[k]].settled = derivatives.size_of(move) < kSettled;
      if (derivatives.size_of(climber.next - climber.start) > 1) climber.next = climber.best;
    }
  }
  for (std::size_t p = 0; p < peaks.size(); ++p) peaks[p].place = climbers[p].best;
}

/// How much wider than for a density a Gaussian is for its second derivatives: the ratio of the
/// normal scale bandwidths (Chacon, Duong and Wand, Statistica Sinica 21, 2011). At the density's
/// bandwidth the noise of second derivatives does not vanish with more samples.
double pilot_factor(const DensityFacts& facts) {
  const double n = facts.moments.effective_samples();
  return std::pow(4.0 / 9, 1.0 / 11) * std::pow(n, -1.0 / 11) /
         (std::pow(4.0 / 5, 1.0 / 7) * std::pow(n, -1.0 / 7));
}

/// Adds the errors, by one pass over the samples for each peak.
void add_errors(const SamplesView& points, const DensityFacts& facts, std::span<const Local> locals,
                std::span<const Local> bends, std::vector<ExactPeak>& peaks) {
  const Kernel& kernel = facts.kernel;
  const KernelRow& row = kernel_table()[kernel.function.index()];
  const KernelRow& slope = kernel_table()[*row.slope];
  const Symmetric3 precision = inverse(kernel.H);
  const double cut = kernel.cut() * kernel.cut(), total = facts.moments.total_weight();
  const auto count = static_cast<std::int64_t>(points.size());
  for (std::size_t p = 0; p < peaks.size(); ++p) {
    const Vec3 place = peaks[p].place;
    double squares = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
#pragma omp parallel for schedule(static) reduction(+ : squares, xx, xy, xz, yy, yz, zz)
    for (std::int64_t i = 0; i < count; ++i) {
      const Vec3 d = place - points.point(static_cast<std::size_t>(i)), u = times(precision, d);
      const double q = u.x * d.x + u.y * d.y + u.z * d.z;
      if (!(q < cut)) continue;
      const double weight = points.weight(static_cast<std::size_t>(i)) / total;
      const double value = weight * row.profile(q);
      squares += value * value;
      const double along = 2 * weight * row.slope_factor * slope.profile(q);
      const Symmetric3 square = along * along * outer(u);
      xx += square.xx;
      xy += square.xy;
      xz += square.xz;
      yy += square.yy;
      yz += square.yz;
      zz += square.zz;
    }
    const double a2 = kernel.amplitude() * kernel.amplitude(), f = locals[p].value;
    const double variance = a2 * squares - f * f / facts.moments.effective_samples();
    peaks[p].height_error = std::sqrt(std::max(variance, 0.0));
    const Symmetric3 down = -1.0 * bends[p].second;
    if (is_positive_definite(down))
      peaks[p].covariance = sandwich(down, a2 * Symmetric3{xx, xy, xz, yy, yz, zz});
  }
}

/// The factor from a density of integral 1 to the values of a density.
double normalised(const DensityFacts& facts) {
  return facts.normalization == Normalization::count ? facts.moments.total_weight()
         : facts.normalization == Normalization::box ? 1 / facts.mass_in_box
                                                     : 1;
}

}  // namespace

std::vector<ExactPeak> exact_peaks(Session& session, const DensityFacts& facts,
                                   std::span<const DensityPeak> peaks, Progress& progress) {
  std::vector<ExactPeak> found;
  for (const DensityPeak& peak : peaks) found.push_back({peak.place, peak.height});
  if (!facts.kernel.function->slope || found.empty()) return found;
  SilentProgress silent(progress);
  progress.begin("ascent", 0, "");
  const Derivatives derivatives(session, facts);
  if (facts.kernel.function->is_bounded())
    shift(derivatives, found, silent);
  else
    climb(derivatives, found, silent);
  std::vector<Vec3> places;
  for (const ExactPeak& peak : found) places.push_back(peak.place);
  const std::vector<Local> locals = derivatives.at(places, kReach, silent);
  const SamplesView& points = session.cloud()->points;
  const bool shares_kernel = !points.shaped() && !facts.request.sharpen && !facts.adaptive &&
                             !has_boundary(facts.boundaries);
  if (shares_kernel) {
    const Derivatives pilot(session, facts, pilot_factor(facts));
    add_errors(points, facts, locals, pilot.at(places, kReach, silent), found);
  }
  const double factor = normalised(facts);
  for (std::size_t p = 0; p < found.size(); ++p) {
    found[p].height = factor * locals[p].value;
    if (found[p].height_error) *found[p].height_error *= factor;
  }
  return found;
}

}  // namespace skde
