#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace skde {

/// Random numbers with the same bits on every machine. They use only operations that IEEE 754
/// rounds exactly (+, -, *, /, sqrt), and no libm function, whose last digit may differ. Files that
/// include this header are compiled with -ffp-contract=off.

/// Natural logarithm of a positive, normal x: the series of 2 artanh(s) with s = (m - 1) / (m + 1)
/// and the mantissa m in [1/sqrt 2, sqrt 2]. As s^2 < 0.0295, 11 terms reach the last digit.
inline double reproducible_log(double x) {
  constexpr double kSqrtHalf = 0.70710678118654752440, kLog2 = 0.69314718055994530942;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1), s2 = s * s;
  double series = 0;
  for (int k = 21; k >= 1; k -= 2) series = series * s2 + 1.0 / k;
  return exponent * kLog2 + 2 * s * series;
}

/// Returns the p-quantile of the standard normal distribution, p in (0, 1), to about 16 digits
/// (Wichura, Algorithm AS 241, PPND16, Applied Statistics 37 (1988), 477-484).
inline double normal_quantile(double p);

/// The random numbers of one index: a sequence of 64-bit words, each of them a mixed counter
/// (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, with
/// Stafford's variant 13 of the mixing constants).
class Draws {
 public:
  explicit Draws(std::uint64_t key) : counter_(key) {}

  static std::uint64_t mix(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
  }
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

  std::uint64_t word() { return mix(counter_ += kStep); }
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(word() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Standard normal. The probability is an odd multiple of 2^-53, so it is never 0 or 1.
  double normal() { return normal_quantile((static_cast<double>(word() >> 12) + 0.5) * 0x1p-52); }

 private:
  std::uint64_t counter_;
};

/// The random stream of a seed. The draws of any index need none of those before it.
class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, std::uint64_t stream)
      : key_(Draws::mix(Draws::mix(seed + Draws::kStep) + (stream + 1) * Draws::kStep)) {}

  Draws at(std::uint64_t index) const { return Draws(Draws::mix(key_ + index * Draws::kStep)); }

 private:
  std::uint64_t key_;
};

namespace quantile_coefficients {

using Polynomial = std::array<double, 8>;  // coefficients from the constant term on

inline double evaluate(const Polynomial& c, double x) {
  double value = c[7];
  for (int i = 6; i >= 0; --i) value = value * x + c[static_cast<std::size_t>(i)];
  return value;
}

// AS 241 names these a/b (centre), c/d (tails) and e/f (far tails).
inline constexpr Polynomial kCentreOver{3.3871328727963666080e0, 1.3314166789178437745e2,
                                        1.9715909503065514427e3, 1.3731693765509461125e4,
                                        4.5921953931549871457e4, 6.7265770927008700853e4,
                                        3.3430575583588128105e4, 2.5090809287301226727e3},
    kCentreUnder{1.0,
                 4.2313330701600911252e1,
                 6.8718700749205790830e2,
                 5.3941960214247511077e3,
                 2.1213794301586595867e4,
                 3.9307895800092710610e4,
                 2.8729085735721942674e4,
                 5.2264952788528545610e3},
    kTailOver{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
              3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
              2.27238449892691845833e-2, 7.74545014278341407640e-4},
    kTailUnder{1.0,
               2.05319162663775882187e0,
               1.67638483018380384940e0,
               6.89767334985100004550e-1,
               1.48103976427480074590e-1,
               1.51986665636164571966e-2,
               5.47593808499534494600e-4,
               1.05075007164441684324e-9},
    kFarOver{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
             2.71155556874348757815e-5, 2.01033439929228813265e-7},
    kFarUnder{1.0,
              5.99832206555887937690e-1,
              1.36929880922735805310e-1,
              1.48753612908506148525e-2,
              7.86869131145613259100e-4,
              1.84631831751005468180e-5,
              1.42151175831644588870e-7,
              2.04426310338993978564e-15};

}  // namespace quantile_coefficients

inline double normal_quantile(double p) {
  using namespace quantile_coefficients;
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * evaluate(kCentreOver, r) / evaluate(kCentreUnder, r);
  }
  const double r = std::sqrt(-reproducible_log(q < 0 ? p : 1 - p));
  const double size = r <= 5 ? evaluate(kTailOver, r - 1.6) / evaluate(kTailUnder, r - 1.6)
                             : evaluate(kFarOver, r - 5) / evaluate(kFarUnder, r - 5);
  return q < 0 ? -size : size;
}

/// A seeded permutation of the integers below `count`, computed for each index independently. Its
/// first n entries are a random choice of n without storing a list. A Feistel network of four
/// rounds over the smallest even number of bits that holds `count`; results that are too large are
/// sent through again (Black and Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002).
class IndexBijection {
 public:
  IndexBijection(std::uint64_t count, std::uint64_t seed)
      : count_(count),
        half_bits_((static_cast<int>(std::bit_width(count > 1 ? count - 1 : 1)) + 1) / 2),
        seed_(seed) {}

  std::uint64_t operator()(std::uint64_t place) const {
    do place = permuted(place);
    while (place >= count_);
    return place;
  }

 private:
  std::uint64_t permuted(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = value >> half_bits_, right = value & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mixed(right + (round << 32 << 24)) & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }
  /// The finaliser of SplitMix64 (Steele, Lea and Flood 2014, Stafford's variant 13).
  std::uint64_t mixed(std::uint64_t word) const {
    word += seed_ * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
  }

  std::uint64_t count_;
  int half_bits_;
  std::uint64_t seed_;
};

}  // namespace skde
