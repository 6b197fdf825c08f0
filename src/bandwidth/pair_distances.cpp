#include "bandwidth/pair_distances.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/kernel/kernel_profiles.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/ranges/round_space.hpp"

namespace skde {
namespace {

/// Samples where H is the unit matrix.
struct RoundSamples {
  std::vector<double> x, y, z, weights, left_out;

  RoundSamples(const SamplesView& samples, const RoundSpace& space) {
    double total = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Vec3 p = space(samples.point(i));
      x.push_back(p.x), y.push_back(p.y), z.push_back(p.z);
      total += samples.weight(i);
    }
    if (!samples.weighted()) return;
    weights.assign(samples.weights.begin(), samples.weights.end());
    for (const double w : weights) left_out.push_back(0.5 / (total - w));
  }
  std::size_t size() const { return x.size(); }
};

constexpr std::size_t kBlock = 256;  // partners whose distances are found at once

/// Writes q of a place and the samples from `begin` to `end`.
void distances(const RoundSamples& samples, Vec3 place, std::size_t begin, std::size_t end,
               double* q) {
  const double x = place.x, y = place.y, z = place.z;
  for (std::size_t j = begin; j < end; ++j) {
    const double dx = samples.x[j] - x, dy = samples.y[j] - y, dz = samples.z[j] - z;
    q[j - begin] = dx * dx + dy * dy + dz * dz;
  }
}

/// The classes are those of the exponent and the first bits of the mantissa.
template <int LeastExponent, int ClassBits, std::size_t Classes>
std::size_t class_of(double q) {
  constexpr int kShift = 52 - ClassBits;
  constexpr std::uint64_t kFirst = std::uint64_t{1023 + LeastExponent} << ClassBits;
  const std::uint64_t place = std::bit_cast<std::uint64_t>(q) >> kShift;
  return place < kFirst ? 0 : std::min<std::size_t>(place - kFirst, Classes);
}

}  // namespace

FaceImages images_at_faces(const SamplesView& samples, const Boundaries& boundaries, const Box& box,
                           Vec3 reach) {
  FaceImages images;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vec3 p = samples.point(i);
    std::vector<double> along[3];
    for (int a = 0; a < 3; ++a) {
      along[a].push_back(p[a]);
      const Boundary boundary = boundaries[static_cast<std::size_t>(a)];
      if (boundary == Boundary::none) continue;
      const double lower = box.lower[a], upper = box.upper[a], length = upper - lower;
      const bool wraps = boundary == Boundary::periodic;
      const double behind[2] = {wraps ? p[a] - length : 2 * lower - p[a],
                                wraps ? p[a] + length : 2 * upper - p[a]};
      for (const double x : behind)
        if (x > lower - reach[a] && x < upper + reach[a]) along[a].push_back(x);
    }
    for (const double x : along[0])
      for (const double y : along[1])
        for (const double z : along[2]) {
          if (x == p.x && y == p.y && z == p.z) continue;
          images.xyz.insert(images.xyz.end(), {x, y, z});
          images.of.push_back(static_cast<std::uint32_t>(i));
        }
  }
  return images;
}

PairDistances::PairDistances(const SamplesView& samples, const FaceImages& images,
                             const Symmetric3& H, int threads, Progress& progress) {
  const RoundSpace space(H, samples.point(0));
  const RoundSamples round(samples, space);
  volume_ = space.volume();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    weight_ += samples.weight(i);
    squares_ += samples.weight(i) * samples.weight(i);
  }
  // A fixed number of groups of rows, whose sums are added in order.
  constexpr std::size_t kGroups = 32;
  std::vector<std::vector<Sums>> sums(kGroups);
  const bool weighted = samples.weighted();
  const int team = thread_count(threads);
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (std::size_t group = 0; group < kGroups; ++group) {
    if (progress.cancelled()) continue;
    std::vector<std::uint32_t> counts(kClasses + 1);
    std::vector<Sums> own(kClasses + 1);
    // Calls use(j, class) for the samples before `end`, seen from a place.
    const auto look = [&](Vec3 place, std::size_t end, const auto& use) {
      double q[kBlock];
      for (std::size_t begin = 0; begin < end; begin += kBlock) {
        const std::size_t last = std::min(begin + kBlock, end);
        distances(round, place, begin, last, q);
        for (std::size_t j = begin; j < last; ++j)
          use(j, class_of<kLeastExponent, kClassBits, kClasses>(q[j - begin]));
      }
    };
    for (std::size_t i = group; i < round.size(); i += kGroups) {
      const Vec3 place{round.x[i], round.y[i], round.z[i]};
      if (!weighted) {
        look(place, i, [&](std::size_t, std::size_t c) { ++counts[c]; });
        continue;
      }
      look(place, i, [&](std::size_t j, std::size_t c) {
        const double product = round.weights[i] * round.weights[j];
        own[c].products += product;
        own[c].left_out += product * (round.left_out[i] + round.left_out[j]);
      });
    }
    for (std::size_t c = 0; !weighted && c <= kClasses; ++c)
      own[c] = {static_cast<double>(counts[c]), counts[c] / (weight_ - 1)};
    for (std::size_t n = group; n < images.of.size(); n += kGroups) {
      const std::size_t i = images.of[n];
      const Vec3 place = space({images.xyz[3 * n], images.xyz[3 * n + 1], images.xyz[3 * n + 2]});
      look(place, round.size(), [&](std::size_t j, std::size_t c) {
        const double product = 0.5 * samples.weight(i) * samples.weight(j);
        own[c].products += product;
        if (i != j) own[c].left_out += product / (weight_ - samples.weight(j));
      });
    }
    sums[group] = std::move(own);
  }
  progress.throw_if_cancelled();
  classes_.resize(kClasses);
  for (const std::vector<Sums>& own : sums)
    for (std::size_t c = 0; c < kClasses; ++c) {
      classes_[c].products += own[c].products;
      classes_[c].left_out += own[c].left_out;
    }
}

double PairDistances::least_squares(double t) const {
  const double height = GaussianProfile::convolution(0), constant = GaussianProfile::kConstant;
  double convolved = height * squares_, left_out = 0;
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (classes_[c].products == 0) continue;
    const double step = 1.0 / (1 << kClassBits);
    const double mantissa = 1 + (static_cast<double>(c % (1 << kClassBits)) + 0.5) * step;
    const double q =
        c == 0 ? 0 : std::ldexp(mantissa, kLeastExponent + static_cast<int>(c >> kClassBits));
    const double e = std::exp(-0.25 * q / (t * t));
    if (e == 0) break;
    convolved += 2 * height * classes_[c].products * e;
    left_out += 2 * constant * classes_[c].left_out * e * e;
  }
  return (convolved / (weight_ * weight_) - 2 * left_out / weight_) / (t * t * t * volume_);
}

}  // namespace skde
