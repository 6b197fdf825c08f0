#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace skde {

/// A sum of doubles without any rounding. It depends neither on the order of the terms nor on how
/// they are divided among sums that are merged afterwards. Stored as one fixed-point number, wide
/// enough for every double.
class ExactSum {
 public:
  /// Adds a number. If it is not finite, the sum is no longer finite either.
  void add(double term);
  /// Adds a * b exactly, unless its last bits are below the range of a double. What is kept of such
  /// a product depends only on a and b.
  void add_product(double a, double b);
  /// Adds (a * b) * c in the same way.
  void add_product(double a, double b, double c);
  void merge(const ExactSum& other);

  /// Returns the double nearest to the sum.
  double value() const;
  /// Returns doubles whose sum is exactly this, the largest first. Each is the double nearest to
  /// what remains after those before it. 0 gives an empty list; equal sums give equal lists.
  std::vector<double> parts() const;

  friend bool operator==(const ExactSum& a, const ExactSum& b);

 private:
  static constexpr int kDigitBits = 32;
  static constexpr int kLowestBit = -1088;  ///< below the smallest double; a multiple of kDigitBits
  static constexpr std::size_t kDigits = 70;
  /// Number of terms that may be added before the digits must carry.
  static constexpr std::uint32_t kMostTerms = 1u << 29;

  void carry();

  std::array<std::int64_t, kDigits> digits_{};
  std::uint32_t terms_ = 0;  ///< since the last carry
  bool finite_ = true;
};

}  // namespace skde
