#include "engines/cpu/spectral/spectral_power.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/kernel/b_spline.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/spectral/spectral_box.hpp"
#include "engines/cpu/spectral/spectral_field.hpp"

namespace skde {
namespace {

constexpr double kPowerNodesADeviation = 1.9;  // deviation of the finest Gaussian, for 1e-7 of its
                                               // height

/// The error of nodes depends on where between them a sample lies; only its mean over many samples
/// is known. Fewer samples need splines of a higher order, which take longer per sample.
int order_for(std::size_t samples) {
  constexpr std::size_t kMany = 500000;
  return samples < kMany ? 12 : 8;
}

/// A periodic box about the cloud and the nodes in it.
struct PowerNodes {
  SpectralPlan plan;
  std::array<int, 3> halvings{};  ///< the longest side is 2^halvings times as long
  double length = 0;              ///< of the longest side

  PowerNodes(const Box& box, const SpectrumSpec& spec, int order) {
    const double spacing = spec.finest / kPowerNodesADeviation;
    // Beyond this distance, little is left of the widest Gaussian convolved with itself.
    const double apart = 2 * std::sqrt(-std::log(1e-9)) * spec.widest;
    std::array<double, 3> sides{};
    for (int a = 0; a < 3; ++a)
      sides[static_cast<std::size_t>(a)] =
          (box.upper[a] - box.lower[a] + apart) / spacing + 2 * order;
    const double longest = std::min(*std::ranges::max_element(sides), kMostNodes);
    constexpr int kMostHalvings = 5;
    for (std::size_t a = 0; a < 3; ++a)
      while (halvings[a] < kMostHalvings && sides[a] * std::exp2(halvings[a] + 1) < longest)
        ++halvings[a];
    const std::int64_t nodes = smooth_length(longest, *std::ranges::max_element(halvings));
    length = static_cast<double>(nodes) * spacing;
    plan.order = order;
    for (std::size_t a = 0; a < 3; ++a)
      plan.axes[a] = {.origin = box.lower[static_cast<int>(a)] - order * spacing,
                      .spacing = spacing,
                      .nodes = static_cast<std::int32_t>(nodes >> halvings[a])};
  }

  double volume() const {
    return std::pow(length, 3) * std::exp2(-halvings[0] - halvings[1] - halvings[2]);
  }
};

/// The squared frequencies of an axis, in units of the lowest squared frequency of the longest
/// side, and the factor of the power at each. The factor is 0 if the frequency does not count.
struct AxisPowers {
  std::vector<std::size_t> squares;
  std::vector<double> factors;
  /// A sample's own power as the nodes see it, on average over places between nodes. It would be 1
  /// at all frequencies, but those above the nodes' alias to lower ones.
  std::vector<double> own;

  AxisPowers(const PowerNodes& nodes, std::size_t axis) {
    const std::int32_t count = nodes.plan.axes[axis].nodes;
    for (std::int32_t f = 0; f < count; ++f) {
      const std::int32_t near = 2 * f <= count ? f : f - count;
      const auto whole = static_cast<std::size_t>(std::abs(near)) << nodes.halvings[axis];
      const double spline = b_spline_transform(nodes.plan.order, static_cast<double>(near) / count);
      squares.push_back(whole * whole);
      factors.push_back(2 * f == count ? 0 : 1 / (spline * spline));
      double seen = 0;
      for (int alias = -kAliases; alias <= kAliases; ++alias) {
        const double above =
            b_spline_transform(nodes.plan.order, static_cast<double>(near) / count + alias);
        seen += above * above;
      }
      own.push_back(seen * factors.back());
    }
  }
  static constexpr int kAliases = 3;
  std::size_t most() const { return *std::ranges::max_element(squares); }
};

/// Returns the power of one field, or the cross power of two, at every squared frequency. `own` is
/// the part of it that pairs i = j contribute.
std::vector<double> power_of(const PowerNodes& nodes, const SpectralField& one,
                             const SpectralField& other, double own, int threads) {
  const std::array<AxisPowers, 3> axes{AxisPowers(nodes, 0), AxisPowers(nodes, 1),
                                       AxisPowers(nodes, 2)};
  const std::size_t size = axes[0].most() + axes[1].most() + axes[2].most() + 1;
  const std::int32_t ny = nodes.plan.axes[1].nodes, nz = nodes.plan.axes[2].nodes;
  constexpr int kLines = SpectralField::kLines;
  std::vector<std::vector<double>> shares(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    auto& mine = shares[static_cast<std::size_t>(omp_get_thread_num())];
    mine.assign(size, 0);
    const auto room = static_cast<std::size_t>(kLines) * static_cast<std::size_t>(nz);
    AlignedArray<double, std::complex<double>> lines(room), others(room);
    std::fill_n(lines.data(), room, 0.0);  // lanes past the last column are read
    std::fill_n(others.data(), room, 0.0);
#pragma omp for schedule(static)
    for (std::int32_t j = 0; j < ny; ++j)
      for (std::int32_t i = 0; i < one.columns(); i += kLines) {
        const std::int32_t lanes = std::min(kLines, one.columns() - i);
        one.transform_lines(i, j, lines.data());
        if (&other != &one) other.transform_lines(i, j, others.data());
        const std::complex<double>* const second = &other != &one ? others.data() : lines.data();
        for (std::int32_t k = 0; k < nz; ++k)
          for (std::int32_t lane = 0; lane < lanes; ++lane) {
            const std::int32_t column = i + lane;
            const auto x = static_cast<std::size_t>(column), y = static_cast<std::size_t>(j),
                       z = static_cast<std::size_t>(k);
            const std::complex<double> a = lines.data()[kLines * k + lane],
                                       b = second[kLines * k + lane];
            // Negative frequencies along x have the power of the positive ones.
            const double times = column == 0 ? 1 : 2;
            const double factor = axes[0].factors[x] * axes[1].factors[y] * axes[2].factors[z];
            const double aliased = axes[0].own[x] * axes[1].own[y] * axes[2].own[z] - 1;
            mine[axes[0].squares[x] + axes[1].squares[y] + axes[2].squares[z]] +=
                factor > 0
                    ? times * (factor * (a.real() * b.real() + a.imag() * b.imag()) - own * aliased)
                    : 0;
          }
      }
  }
  for (std::size_t t = 1; t < shares.size(); ++t)
    for (std::size_t n = 0; n < shares[t].size(); ++n) shares[0][n] += shares[t][n];
  return std::move(shares[0]);
}

}  // namespace

std::unique_ptr<const SpectralPower> SpectralPower::of(const SamplesView& samples,
                                                       const Symmetric3& matrix,
                                                       const SpectrumSpec& spec, int threads,
                                                       Progress& progress) {
  const RoundSpace space(matrix, samples.point(0));
  const PowerNodes nodes(spec.box ? *spec.box : box_of(samples, space), spec,
                         order_for(samples.size()));
  const bool equal = samples.equally_weighted();
  if ((equal ? 1 : 2) * SpectralField::bytes(nodes.plan) > spec.most_bytes) return nullptr;
  const auto counts = [&](std::size_t i) {
    return !spec.box || spec.box->holds(space(samples.point(i)));
  };
  const int workers = thread_count(threads);
  const double total = samples.total_weight();
  SpectralField field(nodes.plan, workers);
  field.spread(samples, space, total, progress, spec.box);
  field.transform_slices(progress);
  std::unique_ptr<SpectralPower> result(new SpectralPower);
  result->unit_ = std::pow(2 * std::numbers::pi / nodes.length, 2);
  result->volume_ = nodes.volume();
  double squares = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (counts(i)) squares += samples.weight(i) * samples.weight(i);
  result->power_ = power_of(nodes, field, field, squares / (total * total), workers);
  for (double& power : result->power_) power *= total * total;
  const double first = samples.weight(0);
  result->left_out_factor_ = 1 / (total - first);
  if (equal) return result;
  std::vector<double> left_out(samples.size());
  double sum = 0, products = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    sum += left_out[i] = samples.weight(i) / (total - samples.weight(i));
    if (counts(i)) products += left_out[i] * samples.weight(i);
  }
  SpectralField second(nodes.plan, workers);
  second.spread({samples.xyz, left_out}, space, sum, progress, spec.box);
  second.transform_slices(progress);
  result->left_out_ = power_of(nodes, field, second, products / (total * sum), workers);
  for (double& power : result->left_out_) power *= total * sum;
  return result;
}

double SpectralPower::sum(const std::vector<double>& power, const Transform& transform) const {
  double sum = 0;
  for (std::size_t n = 0; n < power.size(); ++n)
    if (power[n] != 0) sum += power[n] * transform(unit_ * static_cast<double>(n));
  return sum / volume_;
}

double SpectralPower::pairs(const Transform& transform) const { return sum(power_, transform); }

double SpectralPower::left_out_pairs(const Transform& transform) const {
  return left_out_.empty() ? left_out_factor_ * sum(power_, transform) : sum(left_out_, transform);
}

}  // namespace skde
