#include "order/splat_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "order/arrangement.hpp"
#include "order/curve_codes.hpp"
#include "order/sorted_order.hpp"

namespace skde {
namespace {

constexpr std::size_t kArrangedColumns = 14;

/// Appends a column to each row of `to`, scaled to this standard deviation.
void put_column(std::vector<float>& to, std::size_t column, std::size_t count, double weight,
                const auto& value) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) sum += value(i);
  const double mean = sum / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) squares += (value(i) - mean) * (value(i) - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(count));
  const double scale = deviation > 0 ? weight / deviation : 0;
  for (std::size_t i = 0; i < count; ++i)
    to[i * kArrangedColumns + column] = static_cast<float>((value(i) - mean) * scale);
}

/// Columns by which splats are arranged. Centres count most: they have the most bits to save.
std::vector<float> arranged_columns(const io::SplatCloud& splats) {
  const std::size_t count = splats.size();
  std::vector<float> columns(kArrangedColumns * count);
  constexpr double kCentre = 1, kOther = 0.1;
  std::size_t column = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    put_column(columns, column++, count, kCentre, [&](std::size_t i) {
      const double x = splats.xyz[3 * i + axis];
      return std::copysign(std::log1p(std::abs(x)), x);
    });
  const auto put_floats = [&](const std::vector<float>& values, std::size_t each, double weight) {
    for (std::size_t k = 0; k < each; ++k)
      put_column(columns, column++, count, weight,
                 [&](std::size_t i) { return static_cast<double>(values[each * i + k]); });
  };
  put_floats(splats.colours, 3, kOther);
  put_floats(splats.log_scales, 3, kOther);
  put_floats(splats.opacities, 1, kOther);
  put_floats(splats.rotations, 4, kOther / 2);
  return columns;
}

std::vector<std::uint32_t> arranged_rows(const io::SplatCloud& splats, Progress& progress) {
  const std::vector<float> columns = arranged_columns(splats);
  const Arrangement arrangement =
      arranged({.values = columns, .columns = kArrangedColumns, .seed = 1}, progress);
  std::vector<std::uint32_t> rows;
  std::ranges::copy_if(arrangement.item_at, std::back_inserter(rows),
                       [](std::uint32_t item) { return item != kNoItem; });
  return rows;
}

template <class Value>
std::vector<Value> rows_of(const std::vector<Value>& values, std::size_t each,
                           const std::vector<std::uint32_t>& rows) {
  std::vector<Value> chosen;
  chosen.reserve(rows.size() * each);
  for (const std::uint32_t row : rows)
    chosen.insert(chosen.end(), values.begin() + static_cast<std::ptrdiff_t>(row * each),
                  values.begin() + static_cast<std::ptrdiff_t>((row + 1) * each));
  return chosen;
}

}  // namespace

SplatOrder usual_splat_order(std::string_view format) {
  constexpr std::array<std::string_view, 2> kAsGiven{"ply", "splat"};
  return std::ranges::find(kAsGiven, format) != kAsGiven.end() ? SplatOrder::given
                                                               : SplatOrder::morton;
}

std::vector<std::uint32_t> splat_order(const io::SplatCloud& splats, SplatOrder order,
                                       Progress& progress) {
  std::vector<std::uint32_t> rows(splats.size());
  std::iota(rows.begin(), rows.end(), 0u);
  if (order == SplatOrder::given || rows.empty()) return rows;
  if (order == SplatOrder::organised) return arranged_rows(splats, progress);
  return sorted_order(curve_codes(splats.xyz, box_of(splats.xyz), Curve::morton));
}

io::SplatCloud splat_rows(const io::SplatCloud& splats, const std::vector<std::uint32_t>& rows) {
  io::SplatCloud chosen;
  chosen.xyz = rows_of(splats.xyz, 3, rows);
  chosen.log_scales = rows_of(splats.log_scales, 3, rows);
  chosen.rotations = rows_of(splats.rotations, 4, rows);
  chosen.opacities = rows_of(splats.opacities, 1, rows);
  chosen.colours = rows_of(splats.colours, 3, rows);
  chosen.harmonics = rows_of(splats.harmonics, 3 * splats.harmonics_each(), rows);
  chosen.bands = splats.bands;
  chosen.antialiased = splats.antialiased;
  return chosen;
}

}  // namespace skde
