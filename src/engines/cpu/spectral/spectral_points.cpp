#include "engines/cpu/spectral/spectral_points.hpp"

#include <array>
#include <cmath>
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

}  // namespace

std::optional<std::vector<double>> gaussian_sums(const SamplesView& samples,
                                                 const Symmetric3& matrix, double h,
                                                 double most_bytes, int threads,
                                                 Progress& progress) {
  const RoundSpace space(matrix, samples.point(0));
  const SpectralPlan plan = plan_for(box_of(samples, space), h);
  if (SpectralField::bytes(plan) > most_bytes) return std::nullopt;
  double total = 0, volume = 1;
  for (std::size_t i = 0; i < samples.size(); ++i) total += samples.weight(i);
  for (const SpectralAxis& axis : plan.axes) volume *= axis.nodes * axis.spacing;
  SpectralField field(plan, thread_count(threads));
  field.spread(samples, space, total, progress);
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
  return field.values_at(samples, space, progress);
}

}  // namespace skde
