#include "engines/cpu/pair_sums.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <bit>
#include <cmath>
#include <iterator>
#include <type_traits>

#include "core/kernel/with_profile.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

template <class Real>
struct PairTarget {
  Real x, y, z;
};

/// Returns q of a pair, and half of its gradient in `gradient` unless that is null.
template <PairShape Shape, class Real>
[[gnu::always_inline]] inline Real q_of(const PairSources<Real>& sources,
                                        const PairTarget<Real>& target, std::size_t i,
                                        Real* gradient = nullptr) {
  const Real dx = target.x - sources.x[i], dy = target.y - sources.y[i],
             dz = target.z - sources.z[i];
  if constexpr (Shape == PairShape::ball) {
    if (gradient) {
      gradient[0] = dx;
      gradient[1] = dy;
      gradient[2] = dz;
    }
    return dx * dx + dy * dy + dz * dz;
  }
  const auto& e = sources.ellipsoids;
  const Real bxy = e.bxy[i], bxz = e.bxz[i], bzy = e.bzy[i];
  const Real inv_sx = e.inv_sx[i], inv_sy = e.inv_sy[i], inv_sz = e.inv_sz[i];
  const Real u0 = (dx - bxy * dy - bxz * dz) * inv_sx, u1 = (dy - bzy * dz) * inv_sy,
             u2 = dz * inv_sz;
  if (gradient) {
    const Real y = u1 * inv_sy;
    gradient[0] = u0 * inv_sx;
    gradient[1] = y - bxy * gradient[0];
    gradient[2] = u2 * inv_sz - bzy * y - bxz * gradient[0];
  }
  return u0 * u0 + u1 * u1 + u2 * u2;
}

/// A Gaussian of deviation 1 that is not cut.
struct WholeGaussian {
  explicit WholeGaussian(double /*cut*/) {}
  double value(double q) const { return exp_of_negative(-0.5 * q); }
  /// Returns 2^n 2^r with an integer n and |r| <= 1/2. A polynomial gives 2^r within 2e-7.
  float value(float q) const {
    constexpr float kRound = 0x1.8p23F, kLeast = -120, kRate = -0.721347520F;
    const float exponent = kRate * q, power = exponent > kLeast ? exponent : kLeast;
    const float shifted = power + kRound, r = power - (shifted - kRound);
    const float high = (1.3390863e-3F * r + 9.6760318e-3F) * r + 5.5503570e-2F;
    const float sum = ((high * r + 0.24022107F) * r + 0.69314718F) * r + 1.0000001F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(sum) +
                                (std::bit_cast<std::uint32_t>(shifted) << 23));
  }
};

template <PairShape Shape, PairTerm Term, class Real, class Profile>
[[gnu::always_inline]] inline void add_pairs(const PairSources<Real>& sources,
                                             const PairTargets<Real>& targets, double cut,
                                             double* sums) {
  const Profile profile(cut);
  const std::size_t end = sources.vectors * PairSources<Real>::kVector;
  const auto at = [&](std::size_t t) {
    return PairTarget<Real>{targets.x[t], targets.y[t], targets.z[t]};
  };
  constexpr std::size_t kTogether = PairTargets<Real>::kTogether;
  const auto& channels = sources.channels;
  Real s0, s1, s2, s3;
  if constexpr (Term == PairTerm::one) {
    for (std::size_t t = 0; t < targets.count; t += kTogether) {
      const auto a = at(t), b = at(t + 1), c = at(t + 2), d = at(t + 3);
      s0 = s1 = s2 = s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
      for (std::size_t i = 0; i < end; ++i) {
        const Real w = channels[0][i];
        s0 += w * profile.value(q_of<Shape>(sources, a, i));
        s1 += w * profile.value(q_of<Shape>(sources, b, i));
        s2 += w * profile.value(q_of<Shape>(sources, c, i));
        s3 += w * profile.value(q_of<Shape>(sources, d, i));
      }
      sums[t] += static_cast<double>(s0);
      sums[t + 1] += static_cast<double>(s1);
      sums[t + 2] += static_cast<double>(s2);
      sums[t + 3] += static_cast<double>(s3);
    }
  } else if constexpr (Term == PairTerm::shift) {
    Real p0, p1, p2, p3;
    for (std::size_t t = 0; t < targets.count; t += 2) {
      const auto a = at(t), b = at(t + 1);
      s0 = s1 = s2 = s3 = p0 = p1 = p2 = p3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, p0, p1, p2, p3)
      for (std::size_t i = 0; i < end; ++i) {
        const Real x = sources.x[i], y = sources.y[i], z = sources.z[i], w = channels[0][i];
        const Real ax = a.x - x, ay = a.y - y, az = a.z - z;
        const Real bx = b.x - x, by = b.y - y, bz = b.z - z;
        const Real ka = w * profile.value(ax * ax + ay * ay + az * az);
        const Real kb = w * profile.value(bx * bx + by * by + bz * bz);
        s0 += ka;
        s1 += ka * ax;
        s2 += ka * ay;
        s3 += ka * az;
        p0 += kb;
        p1 += kb * bx;
        p2 += kb * by;
        p3 += kb * bz;
      }
      const Real found[] = {s0, s1, s2, s3, p0, p1, p2, p3};
      for (std::size_t c = 0; c < std::size(found); ++c)
        sums[4 * t + c] += static_cast<double>(found[c]);
    }
  } else {
    constexpr std::size_t kSums = sums_of(Term);
    for (std::size_t t = 0; t < targets.count; ++t) {
      const auto target = at(t);
      s0 = s1 = s2 = s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
      for (std::size_t i = 0; i < end; ++i) {
        if constexpr (Term == PairTerm::four) {
          const Real k = profile.value(q_of<Shape>(sources, target, i));
          s0 += k * channels[0][i];
          s1 += k * channels[1][i];
          s2 += k * channels[2][i];
          s3 += k * channels[3][i];
        } else {
          Real gradient[3];
          const Real q = q_of<Shape>(sources, target, i, gradient);
          const Real k = channels[0][i] * profile.value(q);
          s0 += k * gradient[0];
          s1 += k * gradient[1];
          s2 += k * gradient[2];
        }
      }
      sums[kSums * t] += static_cast<double>(s0);
      sums[kSums * t + 1] += static_cast<double>(s1);
      sums[kSums * t + 2] += static_cast<double>(s2);
      if constexpr (kSums > 3) sums[kSums * t + 3] += static_cast<double>(s3);
    }
  }
}

[[gnu::always_inline]] inline void count_in_bins(const std::uint32_t* steps, std::size_t count,
                                                 double* sums) {
  for (std::size_t i = 0; i < count; ++i) {
    double& sum = sums[steps[i] / PackedPairs::kSteps];
    sum = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) + PackedPairs::kPair +
                                steps[i] % PackedPairs::kSteps);
  }
}

/// Adds the pairs to bins of their distance.
template <PairShape Shape, PairTerm Term, class Real, class Profile>
requires(is_binned(Term))
    [[gnu::always_inline]] inline void add_pairs(const PairSources<Real>& sources,
                                                 const PairTargets<Real>& targets, double cut,
                                                 double* sums) {
  const std::size_t end = sources.vectors * PairSources<Real>::kVector;
  const float steps = static_cast<float>(cut) * PackedPairs::kSteps, last = 2 * steps - 1;
  const auto most = static_cast<std::uint32_t>(steps);
  alignas(64) std::uint32_t step[PairSources<Real>::kMost];
  for (std::size_t t = 0; t < targets.count; ++t) {
    const PairTarget<Real> target{targets.x[t], targets.y[t], targets.z[t]};
#pragma omp simd
    for (std::size_t i = 0; i < end; ++i) {
      const Real dx = target.x - sources.x[i], dy = target.y - sources.y[i],
                 dz = target.z - sources.z[i];
      // All machines, and GPUs, round these operations in the same way.
      const auto q = static_cast<float>(std::fma(dz, dz, std::fma(dy, dy, dx * dx)));
      const float along = std::sqrt(q) * steps, within = along < last ? along : last;
      step[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::nearbyint(within)));
    }
    if constexpr (Term == PairTerm::distances) {
      std::size_t near = 0;  // about half of all; counting takes most of the time
      for (std::size_t i = 0; i < end; ++i) {
        step[near] = step[i];
        near += static_cast<std::size_t>(step[i] < most);
      }
      count_in_bins(step, near, sums);
      continue;
    }
    const auto& channels = sources.channels;
    const double w = targets.channels[0][t], g = targets.channels[1][t];
    for (std::size_t i = 0; i < end; ++i) {
      double* const to = sums + std::size_t{4} * (step[i] / PackedPairs::kSteps);
      const double offset = (step[i] % PackedPairs::kSteps) / double{PackedPairs::kSteps};
      const double product = w * channels[0][i], left_out = product * (g + channels[1][i]);
      to[0] += product;
      to[1] += product * offset;
      to[2] += left_out;
      to[3] += left_out * offset;
    }
  }
}

#if defined(__x86_64__)
/// Counts pairs without weights in bins. Counting one pair after the other takes most of the time.
/// About half of the pairs are too far, and are dropped before that.
SKDE_AVX512 void count_distances_avx512(const PairSources<double>& sources,
                                        const PairTargets<double>& targets, double cut,
                                        double* sums) {
  constexpr std::size_t kLanes = 16, kHalf = 8;
  const auto most = static_cast<std::int32_t>(cut * PackedPairs::kSteps);
  std::uint32_t steps[PairSources<double>::kMost + kLanes];
  for (std::size_t t = 0; t < targets.count; ++t) {
    const __m512d x = _mm512_set1_pd(targets.x[t]), y = _mm512_set1_pd(targets.y[t]),
                  z = _mm512_set1_pd(targets.z[t]);
    std::size_t count = 0;
    for (std::size_t i = 0; i < sources.vectors * kLanes; i += kLanes) {
      __m256 q[2];
      for (std::size_t half = 0; half < 2; ++half) {
        const std::size_t at = i + half * kHalf;
        const __m512d dx = x - _mm512_load_pd(sources.x + at),
                      dy = y - _mm512_load_pd(sources.y + at),
                      dz = z - _mm512_load_pd(sources.z + at);
        q[half] = _mm512_cvtpd_ps(
            _mm512_fmadd_pd(dz, dz, _mm512_fmadd_pd(dy, dy, _mm512_mul_pd(dx, dx))));
      }
      const __m512 both = _mm512_castpd_ps(_mm512_insertf64x4(
          _mm512_castps_pd(_mm512_castps256_ps512(q[0])), _mm256_castps_pd(q[1]), 1));
      const __m512i step =
          _mm512_cvtps_epi32(_mm512_sqrt_ps(both) * _mm512_set1_ps(static_cast<float>(most)));
      const __mmask16 near = _mm512_cmplt_epu32_mask(step, _mm512_set1_epi32(most));
      _mm512_storeu_si512(steps + count, _mm512_maskz_compress_epi32(near, step));
      count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(near)));
    }
    count_in_bins(steps, count, sums);
  }
}

template <PairShape Shape, PairTerm Term, class Real, class Profile>
SKDE_AVX512 void add_avx512(const PairSources<Real>& sources, const PairTargets<Real>& targets,
                            double cut, double* sums) {
  add_pairs<Shape, Term, Real, Profile>(sources, targets, cut, sums);
}
template <PairShape Shape, PairTerm Term, class Real, class Profile>
SKDE_AVX2 void add_avx2(const PairSources<Real>& sources, const PairTargets<Real>& targets,
                        double cut, double* sums) {
  add_pairs<Shape, Term, Real, Profile>(sources, targets, cut, sums);
}
#endif
template <PairShape Shape, PairTerm Term, class Real, class Profile>
void add_any(const PairSources<Real>& sources, const PairTargets<Real>& targets, double cut,
             double* sums) {
  add_pairs<Shape, Term, Real, Profile>(sources, targets, cut, sums);
}

template <PairShape Shape, PairTerm Term, class Real, class Profile>
AddPairs<Real> best() {
#if defined(__x86_64__)
  if (vector_instructions() == VectorInstructions::avx512)
    return add_avx512<Shape, Term, Real, Profile>;
  if (vector_instructions() == VectorInstructions::avx2)
    return add_avx2<Shape, Term, Real, Profile>;
#endif
  return add_any<Shape, Term, Real, Profile>;
}

template <class Real, class Profile>
AddPairs<Real> best_of(PairShape shape, PairTerm term) {
  using enum PairShape;
  using enum PairTerm;
  if (term == one && shape == ball) return best<ball, one, Real, Profile>();
  if constexpr (std::is_same_v<Real, double>) {
    if (term == one) return best<sources, one, Real, Profile>();
    if (term == four)
      return shape == ball ? best<ball, four, Real, Profile>()
                           : best<sources, four, Real, Profile>();
    return shape == ball ? best<ball, gradient, Real, Profile>()
                         : best<sources, gradient, Real, Profile>();
  }
  return nullptr;
}

}  // namespace

template <class Real>
AddPairs<Real> pair_sums(KernelFunction function, PairShape shape, PairTerm term) {
  if (term == PairTerm::shift) return best<PairShape::ball, PairTerm::shift, Real, WholeGaussian>();
  if constexpr (std::is_same_v<Real, double>) {
#if defined(__x86_64__)
    if (term == PairTerm::distances && vector_instructions() == VectorInstructions::avx512)
      return count_distances_avx512;
#endif
    if (term == PairTerm::distances)
      return best<PairShape::ball, PairTerm::distances, Real, WholeGaussian>();
    if (term == PairTerm::weighted_distances)
      return best<PairShape::ball, PairTerm::weighted_distances, Real, WholeGaussian>();
  }
  return with_profile(function, 1.0, [&](const auto& profile) {
    return best_of<Real, std::decay_t<decltype(profile)>>(shape, term);
  });
}

template AddPairs<float> pair_sums<float>(KernelFunction, PairShape, PairTerm);
template AddPairs<double> pair_sums<double>(KernelFunction, PairShape, PairTerm);

}  // namespace skde
