#include "engines/cpu/spectral/spectral_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/kernel/b_spline.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/spectral/spectral_box.hpp"
#include "engines/cpu/spectral/spectral_field.hpp"

namespace skde {
namespace {

constexpr double kApart = 7;  // from a sample to another's nearest periodic image, in deviations

struct Accuracy {
  int order;
  double nodes_a_deviation;
};
constexpr Accuracy kForShifts{10, 2.4}, kForSums{8, 2.1};

SpectralPlan plan_for(const Box& box, double finest, double widest, const Accuracy& accuracy) {
  const int order = accuracy.order;
  const double spacing = finest / accuracy.nodes_a_deviation;
  SpectralPlan plan;
  plan.order = order;
  for (int a = 0; a < 3; ++a) {
    const double side = (box.upper[a] - box.lower[a] + kApart * widest) / spacing + 2 * order;
    plan.axes[static_cast<std::size_t>(a)] = {
        .origin = box.lower[a] - order * spacing,
        .spacing = spacing,
        .nodes = static_cast<std::int32_t>(smooth_length(std::min(side, kMostNodes), 0))};
  }
  return plan;
}

/// Makes nodes hold the sums of Gaussians of deviation h over the samples of total weight `total`
/// that `transform` has.
void sum_gaussians(SpectralField& field, const SpectralField& transform, const SpectralPlan& plan,
                   double total, double h, Progress& progress) {
  double volume = 1;
  for (const SpectralAxis& axis : plan.axes) volume *= axis.nodes * axis.spacing;
  // The transform of a Gaussian of height 1, divided by the splines' transform once per use of
  // them.
  const double height = total * std::pow(2 * std::numbers::pi, 1.5) * h * h * h / volume;
  field.multiply(
      transform,
      [&](std::size_t a, std::int32_t f) {
        const SpectralAxis& axis = plan.axes[a];
        if (2 * f == axis.nodes) return 0.0;
        const std::int32_t near = 2 * f < axis.nodes ? f : f - axis.nodes;
        const double spline =
            b_spline_transform(plan.order, static_cast<double>(near) / axis.nodes);
        const double angle = h * angular_frequency(axis, f);
        return (a == 0 ? height : 1) * std::exp(-0.5 * angle * angle) / (spline * spline);
      },
      progress);
}

/// Returns the box that holds all targets but this share of them at either end of each axis. Takes
/// the largest share first.
Box middle_box(std::array<std::vector<double>, 3>& places, double share, double last_share) {
  Box box;
  for (int a = 0; a < 3; ++a) {
    std::vector<double>& along = places[static_cast<std::size_t>(a)];
    const auto count = static_cast<double>(along.size());
    const auto skipped = static_cast<std::ptrdiff_t>(share * count),
               sorted = static_cast<std::ptrdiff_t>(last_share * count);
    const auto low = along.begin() + skipped, high = along.end() - 1 - skipped;
    std::nth_element(along.begin(), low, last_share < 1 ? along.begin() + sorted + 1 : along.end());
    box.lower[a] = *low;
    std::nth_element(last_share < 1 ? along.end() - 1 - sorted : along.begin(), high, along.end());
    box.upper[a] = *high;
  }
  return box;
}

Box common(const Box& a, const Box& b) {
  Box box = a;
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = std::max(a.lower[axis], b.lower[axis]);
    box.upper[axis] = std::min(a.upper[axis], b.upper[axis]);
    if (!(box.lower[axis] <= box.upper[axis])) box.lower[axis] = box.upper[axis];
  }
  return box;
}

/// Chooses how many targets far from most others the nodes leave out, of which each costs
/// `far_work`. `all` bounds the sources.
NodeChoice choose_nodes(const KernelPoints& targets, const Box& all, double finest, double widest,
                        const Accuracy& accuracy, double far_work, double sources) {
  // Fitted on AVX2 cores: a node of the transforms there and back, and a sample that is spread or a
  // target that is read, in pairs.
  constexpr double kNode = 40, kSample = 1000;
  const auto count = static_cast<double>(targets.size());
  std::array<std::vector<double>, 3> places{{{targets.x(), targets.x() + targets.size()},
                                             {targets.y(), targets.y() + targets.size()},
                                             {targets.z(), targets.z() + targets.size()}}};
  NodeChoice best{.work = std::numeric_limits<double>::infinity()};
  double last = 1;
  for (const double outside : {1e-2, 1e-3, 1e-4, 1e-5, 0.0}) {
    const Box box = middle_box(places, outside, std::exchange(last, outside));
    const double reach = kApart * widest;
    const Vec3 apart{reach, reach, reach};
    const Box near = common({box.lower - apart, box.upper + apart}, all);
    const Box both{{std::min(box.lower.x, near.lower.x), std::min(box.lower.y, near.lower.y),
                    std::min(box.lower.z, near.lower.z)},
                   {std::max(box.upper.x, near.upper.x), std::max(box.upper.y, near.upper.y),
                    std::max(box.upper.z, near.upper.z)}};
    const SpectralPlan plan = plan_for(both, finest, widest, accuracy);
    const double work = kNode * static_cast<double>(plan.nodes()) + kSample * (sources + count) +
                        6 * outside * count * far_work;
    if (work <= best.work) best = {plan, box, near, work};
  }
  return best;
}

}  // namespace

GaussianSums::GaussianSums(const SamplesView& samples, const RoundSpace& space,
                           const NodeChoice& nodes, double finest, double widest, int threads)
    : space_(space),
      finest_(finest),
      widest_(widest),
      total_(samples.total_weight()),
      plan_(nodes.plan),
      transform_(plan_, threads),
      field_(plan_, threads) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!nodes.targets.holds(space_(samples.point(i)))) continue;
    inside_.push_back(i);
    places_.insert(places_.end(), &samples.xyz[3 * i], &samples.xyz[3 * i] + 3);
  }
}

std::unique_ptr<GaussianSums> GaussianSums::of(const SamplesView& samples, const Symmetric3& matrix,
                                               double finest, double widest, double most_bytes,
                                               int threads, Progress& progress) {
  const RoundSpace space(matrix, samples.point(0));
  const KernelSpace same({KernelFunction::uniform, matrix}, false, samples.point(0));
  const KernelPoints targets(same, samples, KernelPoints::Order::as_given);
  constexpr double kFarWork = 20000;  // of a sum over near samples by LogSums, in pairs
  const NodeChoice nodes = choose_nodes(targets, box_of(samples, space), finest, widest, kForSums,
                                        kFarWork, static_cast<double>(samples.size()));
  if (2 * SpectralField::bytes(nodes.plan) > most_bytes) return nullptr;
  std::unique_ptr<GaussianSums> sums(
      new GaussianSums(samples, space, nodes, finest, widest, thread_count(threads)));
  sums->transform_.spread(samples, space, sums->total_, progress, nodes.sources);
  sums->transform_.transform_slices(progress);
  return sums;
}

std::vector<double> GaussianSums::at(double h, std::size_t samples, Progress& progress) {
  sum_gaussians(field_, transform_, plan_, total_, h, progress);
  const std::vector<double> found = field_.values_at({places_}, space_, progress);
  std::vector<double> sums(samples);
  for (std::size_t n = 0; n < inside_.size(); ++n) sums[inside_[n]] = found[n];
  return sums;
}

SpectralShifts::SpectralShifts(const Symmetric3& H, const KernelSpace& space,
                               const SamplesView& sources, std::span<const double> targets,
                               double pair_work)
    : round_(H, sources.point(0)),
      space_(space),
      sources_(sources),
      targets_(targets),
      order_(space, targets, KernelPoints::Order::octants),
      nodes_(choose_nodes(order_, box_of(sources, round_), 1, 1, kForShifts,
                          pair_work / static_cast<double>(order_.size()),
                          static_cast<double>(sources.size()))) {}

double SpectralShifts::bytes() const { return SpectralField::bytes(nodes_.plan); }

std::vector<std::size_t> SpectralShifts::find(double error, int threads, std::span<double> shifts,
                                              Progress& progress) const {
  // Errors of a derivative, as shares of the heaviest kernel's height and of the peak.
  constexpr double kKernelError = 4e-7, kPeakError = 1e-12;
  constexpr double kFarthest = 2;  // shift: farther ones follow kernels of larger errors
  SpectralField field(nodes_.plan, thread_count(threads));
  const double total = sources_.total_weight();
  field.spread(sources_, round_, total, progress, nodes_.sources);
  field.transform_slices(progress);
  sum_gaussians(field, field, nodes_.plan, total, 1, progress);
  std::vector<std::size_t> inside, unsure;
  std::vector<double> places;
  for (std::size_t n = 0; n < order_.size(); ++n) {
    const double* const at = &targets_[3 * order_.index(n)];
    const bool is_inside = nodes_.targets.holds(order_.place(n));
    (is_inside ? inside : unsure).push_back(order_.index(n));
    if (is_inside) places.insert(places.end(), at, at + 3);
  }
  const std::vector<double> found = field.gradients_at({places}, round_, progress);
  double heaviest = 0, peak = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i)
    heaviest = std::max(heaviest, sources_.weight(i));
  for (std::size_t n = 0; n < inside.size(); ++n) peak = std::max(peak, found[4 * n]);
  const double least = 2 * std::max(kKernelError * heaviest, kPeakError * peak) / error;
  for (std::size_t n = 0; n < inside.size(); ++n) {
    const double* const sums = &found[4 * n];
    const Vec3 shift = (1 / sums[0]) * Vec3{sums[1], sums[2], sums[3]};
    const double squared = shift.x * shift.x + shift.y * shift.y + shift.z * shift.z;
    if (!(sums[0] > least && squared < kFarthest * kFarthest)) unsure.push_back(inside[n]);
    put_point(shifts, inside[n], space_.world_difference(shift));
  }
  return unsure;
}

}  // namespace skde
