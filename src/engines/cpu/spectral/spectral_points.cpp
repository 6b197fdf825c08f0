#include "engines/cpu/spectral/spectral_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/kernel/b_spline.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/spectral/spectral_box.hpp"
#include "engines/cpu/spectral/spectral_field.hpp"

namespace skde {
namespace {

constexpr int kOrder = 10;
constexpr double kPointNodesADeviation = 2.4;
constexpr double kApart = 7;  // from a sample to another's nearest periodic image, in deviations

SpectralPlan plan_for(const Box& box, double h) {
  const double spacing = h / kPointNodesADeviation;
  SpectralPlan plan;
  plan.order = kOrder;
  for (int a = 0; a < 3; ++a) {
    const double side = (box.upper[a] - box.lower[a] + kApart * h) / spacing + 2 * kOrder;
    plan.axes[static_cast<std::size_t>(a)] = {
        .origin = box.lower[a] - kOrder * spacing,
        .spacing = spacing,
        .nodes = static_cast<std::int32_t>(smooth_length(std::min(side, kMostNodes), 0))};
  }
  return plan;
}

/// Makes the nodes hold the sums of Gaussians of deviation h over the samples, or over those in a
/// box of the round space.
void sum_gaussians(SpectralField& field, const SpectralPlan& plan, const SamplesView& samples,
                   const RoundSpace& space, double h, Progress& progress,
                   const std::optional<Box>& box = {}) {
  double total = 0, volume = 1;
  for (std::size_t i = 0; i < samples.size(); ++i) total += samples.weight(i);
  for (const SpectralAxis& axis : plan.axes) volume *= axis.nodes * axis.spacing;
  field.spread(samples, space, total, progress, box);
  field.transform_slices(progress);
  // The transform of a Gaussian of height 1, divided by the splines' transform once per use of
  // them.
  const double height = total * std::pow(2 * std::numbers::pi, 1.5) * h * h * h / volume;
  field.multiply(
      [&](std::size_t a, std::int32_t f) {
        const SpectralAxis& axis = plan.axes[a];
        if (2 * f == axis.nodes) return 0.0;
        const std::int32_t near = 2 * f < axis.nodes ? f : f - axis.nodes;
        const double spline = b_spline_transform(kOrder, static_cast<double>(near) / axis.nodes);
        const double angle = h * angular_frequency(axis, f);
        return (a == 0 ? height : 1) * std::exp(-0.5 * angle * angle) / (spline * spline);
      },
      progress);
}

/// Returns the box that holds all targets but this share of them at either end of each axis.
Box middle_box(std::array<std::vector<double>, 3>& places, double share) {
  Box box;
  for (int a = 0; a < 3; ++a) {
    std::vector<double>& along = places[static_cast<std::size_t>(a)];
    const auto skipped = static_cast<std::ptrdiff_t>(share * static_cast<double>(along.size()));
    std::ranges::nth_element(along, along.begin() + skipped);
    box.lower[a] = along[static_cast<std::size_t>(skipped)];
    std::ranges::nth_element(along, along.end() - 1 - skipped);
    box.upper[a] = *(along.end() - 1 - skipped);
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

}  // namespace

std::optional<std::vector<double>> gaussian_sums(const SamplesView& samples,
                                                 const Symmetric3& matrix, double h,
                                                 double most_bytes, int threads,
                                                 Progress& progress) {
  const RoundSpace space(matrix, samples.point(0));
  const SpectralPlan plan = plan_for(box_of(samples, space), h);
  if (SpectralField::bytes(plan) > most_bytes) return std::nullopt;
  SpectralField field(plan, thread_count(threads));
  sum_gaussians(field, plan, samples, space, h, progress);
  return field.values_at(samples, space, progress);
}

SpectralShifts::SpectralShifts(const Symmetric3& H, const KernelSpace& space,
                               const SamplesView& sources, std::span<const double> targets,
                               double pair_work)
    : round_(H, sources.point(0)),
      space_(space),
      sources_(sources),
      targets_(targets),
      order_(space, targets, KernelPoints::Order::octants) {
  // Fitted on AVX2 cores: a node of the transforms there and back, and a sample that is spread or a
  // target that is read, in pairs.
  constexpr double kNode = 40, kSample = 1000;
  const double samples = static_cast<double>(sources.size() + order_.size());
  std::array<std::vector<double>, 3> places{{{order_.x(), order_.x() + order_.size()},
                                             {order_.y(), order_.y() + order_.size()},
                                             {order_.z(), order_.z() + order_.size()}}};
  const Box all = box_of(sources, round_);
  work_ = std::numeric_limits<double>::infinity();
  for (const double outside : {0.0, 1e-5, 1e-4, 1e-3, 1e-2}) {
    const Box box = middle_box(places, outside);
    constexpr Vec3 kReach{kApart, kApart, kApart};
    const Box near = common({box.lower - kReach, box.upper + kReach}, all);
    const Box both{{std::min(box.lower.x, near.lower.x), std::min(box.lower.y, near.lower.y),
                    std::min(box.lower.z, near.lower.z)},
                   {std::max(box.upper.x, near.upper.x), std::max(box.upper.y, near.upper.y),
                    std::max(box.upper.z, near.upper.z)}};
    const SpectralPlan plan = plan_for(both, 1);
    const double work =
        kNode * static_cast<double>(plan.nodes()) + kSample * samples + 6 * outside * pair_work;
    if (!(work < work_)) continue;
    work_ = work;
    plan_ = plan;
    targets_box_ = box;
    sources_box_ = near;
  }
}

double SpectralShifts::bytes() const { return SpectralField::bytes(plan_); }

std::vector<std::size_t> SpectralShifts::find(double error, int threads, std::span<double> shifts,
                                              Progress& progress) const {
  // Errors of a derivative, as shares of the heaviest kernel's height and of the peak.
  constexpr double kKernelError = 4e-7, kPeakError = 1e-12;
  constexpr double kFarthest = 2;  // shift: farther ones follow kernels of larger errors
  SpectralField field(plan_, thread_count(threads));
  sum_gaussians(field, plan_, sources_, round_, 1, progress, sources_box_);
  std::vector<std::size_t> inside, unsure;
  std::vector<double> places;
  for (std::size_t n = 0; n < order_.size(); ++n) {
    const double* const at = &targets_[3 * order_.index(n)];
    const bool is_inside = targets_box_.holds(order_.place(n));
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
