#include "core/cloud/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace skde {

void ExactSum::add(double term) {
  constexpr int kMantissaBits = 52, kSmallestExponent = -1074;
  constexpr std::uint64_t kHidden = std::uint64_t{1} << kMantissaBits, kMask = 0x7ff;
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const auto exponent = static_cast<int>(bits >> kMantissaBits & kMask);
  if (exponent == static_cast<int>(kMask)) {
    finite_ = false;
    return;
  }
  std::uint64_t mantissa = bits & (kHidden - 1);
  if (exponent > 0) mantissa |= kHidden;
  const int position = kSmallestExponent - kLowestBit + (exponent > 0 ? exponent - 1 : 0);
  const auto first = static_cast<std::size_t>(position / kDigitBits);
  const int shift = position % kDigitBits;
  // Spreads the mantissa over three digits.
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = shift > 0 ? mantissa >> (64 - shift) : 0;
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  digits_[first] += sign * static_cast<std::int64_t>(low & 0xffffffffu);
  digits_[first + 1] += sign * static_cast<std::int64_t>(low >> kDigitBits);
  digits_[first + 2] += sign * static_cast<std::int64_t>(high);
  if (++terms_ == kMostTerms) carry();
}

void ExactSum::add_product(double a, double b) {
  const double product = a * b;
  add(product);
  add(std::fma(a, b, -product));
}

void ExactSum::add_product(double a, double b, double c) {
  const double product = a * b;
  add_product(product, c);
  add_product(std::fma(a, b, -product), c);
}

/// Brings every digit except the last back within its 32 bits.
void ExactSum::carry() {
  std::int64_t carried = 0;
  for (std::size_t i = 0; i + 1 < kDigits; ++i) {
    const std::int64_t digit = digits_[i] + carried;
    carried = digit >> kDigitBits;
    digits_[i] = digit & 0xffffffff;
  }
  digits_[kDigits - 1] += carried;
  terms_ = 0;
}

void ExactSum::merge(const ExactSum& other) {
  ExactSum sum = other;
  sum.carry();
  carry();
  for (std::size_t i = 0; i < kDigits; ++i) digits_[i] += sum.digits_[i];
  terms_ = 2;
  finite_ = finite_ && other.finite_;
}

double ExactSum::value() const {
  if (!finite_) return std::numeric_limits<double>::quiet_NaN();
  ExactSum magnitude = *this;
  magnitude.carry();
  const bool negative = magnitude.digits_[kDigits - 1] < 0;
  if (negative) {
    for (std::int64_t& digit : magnitude.digits_) digit = -digit;
    magnitude.carry();
  }
  const auto& digits = magnitude.digits_;
  std::size_t top = kDigits;
  while (top > 0 && digits[top - 1] == 0) --top;
  if (top == 0) return 0;
  // The first 64 bits after the leading zeros. The bits below them only decide the rounding.
  const auto digit = [&](std::size_t below) {
    return below < top ? static_cast<std::uint64_t>(digits[top - 1 - below]) : 0;
  };
  const int zeros = std::countl_zero(digit(0)) - kDigitBits;
  std::uint64_t leading = digit(0) << kDigitBits | digit(1);
  std::uint64_t rest = digit(2);
  if (zeros > 0) {
    leading = leading << zeros | rest >> (kDigitBits - zeros);
    rest = rest << zeros & 0xffffffffu;
  }
  for (std::size_t below = 3; below < top && rest == 0; ++below) rest = digit(below);
  if (rest != 0) leading |= 1;
  const int exponent = kLowestBit + kDigitBits * (static_cast<int>(top) - 2) - zeros;
  const double value = std::ldexp(static_cast<double>(leading), exponent);
  return negative ? -value : value;
}

std::vector<double> ExactSum::parts() const {
  std::vector<double> parts;
  ExactSum left = *this;
  for (double part = left.value(); part != 0 && std::isfinite(part); part = left.value()) {
    parts.push_back(part);
    left.add(-part);
  }
  return parts;
}

bool operator==(const ExactSum& a, const ExactSum& b) {
  ExactSum x = a, y = b;
  x.carry();
  y.carry();
  return x.digits_ == y.digits_ && x.finite_ == y.finite_;
}

}  // namespace skde
