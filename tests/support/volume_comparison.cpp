#include "support/volume_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace skde::test {
namespace {

template <class Real>
bool same_values(const Volume& a, const Volume& b) {
  const auto left = a.values<Real>(), right = b.values<Real>();
  return left.size() == right.size() &&
         std::memcmp(left.data(), right.data(), left.size_bytes()) == 0;
}

/// Calls body(cell, value) for every cell.
template <class Body>
void for_each_value(const Volume& volume, Body&& body) {
  const auto visit = [&](auto values) {
    for (std::size_t i = 0; i < values.size(); ++i) body(i, static_cast<double>(values[i]));
  };
  if (volume.precision() == Precision::f32)
    visit(volume.values<float>());
  else
    visit(volume.values<double>());
}

}  // namespace

bool same_bits(const Volume& a, const Volume& b) {
  if (!(a.grid() == b.grid()) || a.precision() != b.precision()) return false;
  return a.precision() == Precision::f32 ? same_values<float>(a, b) : same_values<double>(a, b);
}

double relative_distance(const Volume& a, const Volume& b, double factor) {
  if (!(a.grid() == b.grid())) return std::numeric_limits<double>::infinity();
  return relative_distance(numbers_of(a), numbers_of(b), factor);
}

double relative_distance(const Volume& a, const std::vector<double>& b, double factor) {
  return relative_distance(numbers_of(a), b, factor);
}

double relative_distance(const std::vector<double>& a, const std::vector<double>& b,
                         double factor) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return kNever;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = std::abs(a[i] - factor * b[i]);
    largest = std::isfinite(distance) ? std::max(largest, distance) : kNever;
  }
  return largest > 0 ? largest / (factor * *std::ranges::max_element(b)) : 0;
}

std::vector<double> numbers_of(const Volume& volume) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(volume.grid().cells()));
  for_each_value(volume, [&](std::size_t, double value) { numbers.push_back(value); });
  return numbers;
}

WorstCell worst_cell(const Volume& volume, const DensityCase& density_case,
                     const Reference& reference, KernelFunction function) {
  const std::vector<double>& expected = reference.of(function);
  const bool jumps = function == KernelFunction::uniform;
  const Bracket& bracket = reference.uniform_in(volume.precision());
  const double one_kernel = peak_of_one_kernel(
      function, density_case.H, density_case.largest_weight(), density_case.total_weight());
  const double scale = std::max(reference.peak(function), 0.1 * one_kernel);
  WorstCell worst;
  for_each_value(volume, [&](std::size_t i, double value) {
    const double low = jumps ? bracket.low[i] : expected[i];
    const double high = jumps ? bracket.high[i] : expected[i];
    double error = std::max({low - value, value - high, 0.0}) / scale;
    if (!std::isfinite(value)) error = std::numeric_limits<double>::infinity();
    if (worst.index < 0 || error > worst.error)
      worst = {error, value, expected[i], static_cast<std::int64_t>(i)};
  });
  return worst;
}

std::int64_t stray_cells(const Volume& volume, const Reference& reference) {
  const Bracket& bracket = reference.uniform_in(volume.precision());
  std::int64_t stray = 0;
  for_each_value(volume, [&](std::size_t i, double value) {
    if (bracket.high[i] <= 0 && !(value == 0)) ++stray;
  });
  return stray;
}

}  // namespace skde::test
