#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace skde {

/// A sum of doubles without any rounding: neither the order of the terms nor the way in which they
/// are divided among sums that are merged afterwards changes it. It is one long number in fixed
/// point, wide enough for every double.
class ExactSum {
 public:
  /// Adds a number; the sum is not finite any more where that is not.
  void add(double term);
  /// Adds a * b to the last bit, as long as that is not below the range of a double: of a product
  /// that is, what is kept depends on a and b alone.
  void add_product(double a, double b);
  /// Adds (a * b) * c likewise.
  void add_product(double a, double b, double c);
  void merge(const ExactSum& other);

  /// The nearest double.
  double value() const;
  /// Doubles whose sum is this to the last bit, the largest first, each the nearest to what is left
  /// by those before it. Empty: 0. Sums that are equal have the same.
  std::vector<double> parts() const;

  friend bool operator==(const ExactSum& a, const ExactSum& b);

 private:
  static constexpr int kDigitBits = 32;
  static constexpr int kLowestBit = -1088;  ///< below the smallest double, a multiple of the digit
  static constexpr std::size_t kDigits = 70;
  /// Terms that digits hold before what is above their 32 bits goes to the next ones.
  static constexpr std::uint32_t kMostTerms = 1u << 29;

  void carry();

  std::array<std::int64_t, kDigits> digits_{};
  std::uint32_t terms_ = 0;  ///< since the last carry
  bool finite_ = true;
};

}  // namespace skde
